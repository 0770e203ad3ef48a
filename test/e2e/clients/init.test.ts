import { cp, readdir, readFile, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { root } from '../build.ts'
import { git, handoff, type Lab, makeLab, textOf } from '../lab.ts'
import { create } from './handover.ts'
import { clientTest, GOAL, textsOf, turn, work } from './work.ts'

const hello = { turns: [{ on: 'hello', steps: [[{ say: 'Hello.' }]] }] }

async function initialised(agent: string): Promise<Lab> {
  const lab = await makeLab()
  const done = await handoff(lab, 'init', '--agent', agent, '--yes')
  expect(done.code, done.stderr + done.stdout).toBe(0)
  await git(lab, 'add', '.')
  await git(lab, 'commit', '-q', '-m', 'Set up handoff')
  return lab
}

/** What hooks told of sessions, as it is kept privately. */
async function sessionsOf(lab: Lab): Promise<{ agent: string; event: string; path: string | null }[]> {
  const folder = join(lab.repo, '.git/handoff/sessions')
  const names = await readdir(folder)
  return Promise.all(names.map(async (name) => JSON.parse(await readFile(join(folder, name), 'utf8'))))
}

describe.each([
  ['claude-code', '/handoff'],
  ['codex', '$handoff'],
  ['gemini-cli', '/handoff'],
] as const)('%s with what init writes', (id, command) => {
  clientTest('a fresh session is told of the brief, and its state is kept', [id], async () => {
    const lab = await initialised(id)
    await work(lab, id)
    await create(lab, id)
    const report = await turn(lab, id, 'hello', hello)
    const texts = textsOf(report.requests[0])
    expect(texts.some((text) => text.includes(`Goal: ${GOAL.slice(0, 60)}`))).toBe(true)
    const journal = await textOf(lab, '.git/handoff/journal')
    expect(journal).toContain('"kind":"pick-up"')
    expect(journal).not.toContain('failed')
    const sessions = await sessionsOf(lab)
    expect(sessions.map(({ agent, event }) => [agent, event])).toEqual([
      [id, 'session-end'],
      [id, 'session-end'],
    ])
    for (const { path } of sessions) expect(await readFile(path ?? '', 'utf8')).not.toBe('')
  })

  clientTest(
    `${command} puts the goal and the way before its model, which makes the brief`,
    [id],
    async () => {
      const lab = await initialised(id)
      // A session of the command alone has nothing to hand over.
      const steps = [
        [{ say: 'I look at what was done.' }, { read: 'calc.js' }],
        [{ say: 'sub adds instead of subtracting.' }, { run: 'node --test calc.test.js' }],
        [{ run: `handoff create '${GOAL}'` }],
        [{ say: 'Handed over.' }],
      ]
      const report = await turn(lab, id, `${command} ${GOAL}`, { turns: [{ on: 'keep both arrow', steps }] })
      const texts = textsOf(report.requests.at(-1))
      expect(texts.some((text) => text.includes('# Hand the work over'))).toBe(true)
      expect(texts.some((text) => text.includes(GOAL))).toBe(true)
      expect(await git(lab, 'log', '-1', '--format=%s')).toContain('chore(handoff):')
    },
  )
})

describe('the plugin for Claude Code', () => {
  const args = ['--plugin-dir', join(root, 'templates/agents/claude-plugin')]

  clientTest('tells a fresh session of the brief, once', ['claude-code'], async () => {
    const lab = await makeLab()
    // No runner: the program on PATH is asked.
    await symlink(join(root, 'bin/handoff.cjs'), join(lab.path.split(':')[0] ?? '', 'git-handoff'))
    await work(lab, 'claude-code')
    await create(lab, 'claude-code')
    const told = async (): Promise<number> => {
      const report = await turn(lab, 'claude-code', 'hello', hello, undefined, args)
      const texts = textsOf(report.requests[0])
      expect(texts.some((text) => text.includes('handoff:handoff'))).toBe(true)
      return texts.join('\n').split(`Goal: ${GOAL.slice(0, 60)}`).length - 1
    }
    expect(await told()).toBe(1)
    await handoff(lab, 'init', '--agent', 'claude-code')
    expect(await told()).toBe(1)
  })
})

describe('the extension for Gemini CLI', () => {
  clientTest('tells a fresh session of the brief, once', ['gemini-cli'], async () => {
    const lab = await makeLab()
    await symlink(join(root, 'bin/handoff.cjs'), join(lab.path.split(':')[0] ?? '', 'git-handoff'))
    await work(lab, 'gemini-cli')
    await create(lab, 'gemini-cli')
    const installed = join(lab.home, '.gemini/extensions/handoff')
    await cp(join(root, 'templates/agents/gemini-extension'), installed, { recursive: true })
    const told = async (): Promise<number> => {
      const report = await turn(lab, 'gemini-cli', 'hello', hello)
      return (
        textsOf(report.requests[0])
          .join('\n')
          .split(`Goal: ${GOAL.slice(0, 60)}`).length - 1
      )
    }
    expect(await told()).toBe(1)
    await handoff(lab, 'init', '--agent', 'gemini-cli')
    expect(await told()).toBe(1)
  })
})
