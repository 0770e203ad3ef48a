import { cp, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, inject } from 'vitest'
import { root } from '../build.ts'
import type { ClientId } from '../client/client.ts'
import { execute, git, handoff, type Lab, makeLab, textOf } from '../lab.ts'
import type { Step } from '../model/scenario.ts'
import { create } from './handover.ts'
import { heardBy, onScreen } from './on-screen.ts'
import { clientTest, GOAL, handsOver, PAGE, PAGE_TOLD, runBeside, textsOf, turn, work } from './work.ts'

/** What a client's own program prints; it has to end well. */
async function asked(lab: Lab, id: ClientId, ...args: string[]): Promise<string> {
  const installed = inject('clients')[id]
  const program = 'program' in installed ? installed.program : ''
  const { code, stdout, stderr } = await execute(program, args, lab, root)
  expect([code, stdout + stderr]).toEqual([0, expect.anything()])
  return stdout + stderr
}

/** A brief is committed, and the page of the model is its Working Memory. */
async function expectHandedOver(lab: Lab): Promise<void> {
  const [brief = ''] = (await git(lab, 'ls-files', '.handoff/briefs')).trim().split('\n')
  expect(await textOf(lab, brief)).toContain(PAGE_TOLD)
}

/** The last words of the skill, which a model sees once it uses it. */
const TOLD = 'do not start on the goal yourself'

/** `npx` as it is where the package is published: here it would ask the registry. */
const publish = (lab: Lab): Promise<void> =>
  writeFile(
    join(lab.path.split(':')[0] ?? '', 'npx'),
    '#!/bin/sh\n[ "$1" = --yes ] && shift\nshift\nexec handoff "$@"\n',
    { mode: 0o755 },
  )

describe('the plugin for Claude Code', () => {
  clientTest(
    'is valid by its own strict check, is installed through the marketplace, and hands over',
    ['claude-code'],
    async () => {
      const lab = await makeLab()
      const claude = async (...args: string[]) =>
        expect(await asked(lab, 'claude-code', 'plugin', ...args)).toContain('✔')
      await claude('validate', '--strict', root)
      await claude('validate', '--strict', join(root, 'templates/agents/claude-plugin'))
      await claude('marketplace', 'add', root)
      await claude('install', 'handoff@git-handoff')
      await work(lab, 'claude-code')
      await turn(lab, 'claude-code', `/handoff:handoff ${GOAL}`, handsOver, undefined, ['--continue'])
      await expectHandedOver(lab)
    },
  )

  const args = ['--plugin-dir', join(root, 'templates/agents/claude-plugin')]

  onScreen('tells a fresh session of the brief, once', ['claude-code'], async () => {
    const lab = await makeLab()
    // No runner: the program on PATH is asked.
    await symlink(join(root, 'bin/handoff.cjs'), join(lab.path.split(':')[0] ?? '', 'git-handoff'))
    await work(lab, 'claude-code')
    await create(lab, 'claude-code')
    expect(await heardBy(lab, 'claude-code', args)).toHaveLength(1)
    await handoff(lab, 'init', '--agent', 'claude-code')
    expect(await heardBy(lab, 'claude-code', args)).toHaveLength(1)
  })
})

describe('the plugin for Codex', () => {
  clientTest(
    'is installed from this repository as a marketplace; its skill hands over',
    ['codex'],
    async () => {
      const lab = await makeLab()
      await work(lab, 'codex')
      await asked(lab, 'codex', 'plugin', 'marketplace', 'add', root)
      expect(await asked(lab, 'codex', 'plugin', 'add', 'handoff@git-handoff')).toContain('handoff')
      expect(await asked(lab, 'codex', 'debug', 'prompt-input', 'hello')).toContain('handoff:handoff')
      // The lab writes the configuration anew, in which Codex noted the plugin.
      const isOn = 'plugins.handoff@git-handoff.enabled=true'
      const call = ['codex', '-c', isOn, 'exec', 'resume', '--last', `$handoff:handoff ${GOAL}`]
      const report = await runBeside(lab, 'codex', handsOver, ...call)
      expect(textsOf(report.requests[0]).join('\n')).toContain(TOLD)
      await expectHandedOver(lab)
    },
  )
})

describe('the extension for Gemini CLI', () => {
  clientTest('is this repository, with its server; its skill hands over', ['gemini-cli'], async () => {
    const lab = await makeLab()
    await work(lab, 'gemini-cli')
    await asked(lab, 'gemini-cli', 'extensions', 'validate', root)
    await asked(lab, 'gemini-cli', 'extensions', 'link', root, '--consent')
    expect(await asked(lab, 'gemini-cli', 'extensions', 'list')).toMatch(/MCP servers:\s+handoff/)
    await publish(lab)
    // Its shell refuses the backquotes of a page.
    const steps: Step[] = [
      [{ use: 'activate_skill', with: { name: 'handoff' } }],
      [{ use: 'handoff_finalize', with: { other: PAGE } }],
      [{ run: `git handoff create '${GOAL}'` }],
      [{ say: 'Handed over.' }],
    ]
    const finishes = { turns: [{ on: 'finish', steps }] }
    const goOn = ['--resume', 'latest']
    const report = await turn(lab, 'gemini-cli', `finish: ${GOAL}`, finishes, undefined, goOn)
    const [first, second] = report.requests.map((body) => textsOf(body).join('\n'))
    expect(first).toContain('Hand the work of this session over')
    expect(first).not.toContain(TOLD)
    expect(second).toContain(TOLD)
    await expectHandedOver(lab)
  })

  onScreen('tells a fresh session of the brief, once', ['gemini-cli'], async () => {
    const lab = await makeLab()
    await symlink(join(root, 'bin/handoff.cjs'), join(lab.path.split(':')[0] ?? '', 'git-handoff'))
    await work(lab, 'gemini-cli')
    await create(lab, 'gemini-cli')
    const installed = join(lab.home, '.gemini/extensions/handoff')
    await cp(join(root, 'templates/agents/gemini-extension'), installed, { recursive: true })
    expect(await heardBy(lab, 'gemini-cli')).toHaveLength(1)
    await handoff(lab, 'init', '--agent', 'gemini-cli')
    expect(await heardBy(lab, 'gemini-cli')).toHaveLength(1)
  })
})
