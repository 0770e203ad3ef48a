import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect } from 'vitest'
import { root } from '../build.ts'
import type { ClientId } from '../client/client.ts'
import { git, handoff, type Lab, makeLab, textOf } from '../lab.ts'
import { clientTest, GOAL, handsOver, PAGE_TOLD, turn, work } from './work.ts'

interface Case {
  id: ClientId
  /** How the person calls the skill. */
  call: string
  /** Arguments by which the client goes on with its newest session. */
  args: string[]
  /** Where a person puts the skill when `init` brings an extension instead. */
  skill?: string
}

const cases: Case[] = [
  { id: 'claude-code', call: '/handoff', args: ['--continue'] },
  { id: 'pi', call: '/skill:handoff', args: ['--continue'], skill: '.pi/skills/handoff/SKILL.md' },
  { id: 'oh-my-pi', call: '/skill:handoff', args: ['--continue'], skill: '.omp/skills/handoff/SKILL.md' },
  { id: 'opencode', call: '/handoff', args: ['--continue'] },
]

async function setUp(lab: Lab, { id, skill }: Case): Promise<void> {
  const done = await handoff(lab, 'init', '--agent', id, '--yes')
  expect(done.code, done.stderr + done.stdout).toBe(0)
  if (skill) {
    await mkdir(dirname(join(lab.repo, skill)), { recursive: true })
    await writeFile(join(lab.repo, skill), await readFile(join(root, 'templates', 'agents', 'SKILL.md')))
  }
  await git(lab, 'add', '.')
  await git(lab, 'commit', '-q', '-m', 'Set up handoff')
}

describe('the skill called by the person', () => {
  for (const one of cases) {
    const { id, call, args } = one
    clientTest(
      `${id}: the brief tells where the work ended, not what was said while handing off`,
      [id],
      async () => {
        const lab = await makeLab()
        await setUp(lab, one)
        await work(lab, id)
        await turn(lab, id, `${call} ${GOAL}`, handsOver, undefined, args)
        const [brief = ''] = (await git(lab, 'ls-files', '.handoff/briefs')).trim().split('\n')
        const text = await textOf(lab, brief)
        expect(text).toContain('The test of sub still fails: sub adds instead of subtracting.')
        expect(text).not.toContain('I write the page first')
        expect(text).not.toMatch(/^ {2}skills:/m)
        expect(text).toContain(PAGE_TOLD)
        // What was said and called since then changes nothing.
        const head = await git(lab, 'rev-parse', 'HEAD')
        const again = await handoff(lab, 'create', GOAL)
        expect(again.code, again.stderr).toBe(0)
        expect(await git(lab, 'rev-parse', 'HEAD')).toBe(head)
      },
    )
  }
})
