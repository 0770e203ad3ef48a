import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import type { ClientId } from '../client/client.ts'
import { turnLimit } from '../client/slow.ts'
import { git, handoff, type Lab, makeLab, textOf } from '../lab.ts'
import type { Step } from '../model/scenario.ts'
import { clientTest, runBeside, turn } from './work.ts'

const AGENTS: readonly ClientId[] = ['claude-code', 'codex', 'gemini-cli', 'opencode', 'pi', 'copilot-cli']

/** One worktree, the agent at work in it, and the word by which its session is told from the other. */
interface Side {
  name: 'left' | 'right'
  word: string
  lab: Lab
  demand: string
  said: string
}

/** Where the agents wait for the end of the first half, beside both worktrees. */
const GO = 'go'
// Codex and Copilot CLI go on after 30 s with a command that still runs, so it is waited in several.
const WAIT: Step = [{ run: `timeout 25 sh -c 'until test -e ../${GO}; do sleep 0.2; done'; true` }]
const GOALS = {
  shell: 'make every test of calc.js pass and say in one line what was wrong with its arrow functions',
  inside: 'give add and sub in calc.js one line of documentation each and keep them as arrow functions',
}

async function side(main: Lab, name: Side['name'], word: string): Promise<Side> {
  const lab = { ...main, repo: join(main.folder, name) }
  await git(main, 'worktree', 'add', '-q', '-b', `feature/${name}`, lab.repo, 'main')
  const demand = `Do not touch calc.test.js, the ${word} team owns it.`
  return { name, word, lab, demand, said: `The ${word} rule is kept: calc.test.js is as it was.` }
}

/** Starts the agent and returns while it waits in its turn, which ends when it has made its own brief. */
async function begin(id: ClientId, one: Side): Promise<{ end: Promise<unknown> }> {
  const [fixed, old] =
    one.name === 'left'
      ? ['add = (a, b) => a + b', 'add = (a, b) => a - b']
      : ['sub = (a, b) => a - b', 'sub = (a, b) => a + b']
  const steps: Step[] = [
    [{ say: 'I look at the code first.' }, { read: 'calc.js' }],
    [{ edit: 'calc.js', old: `export const ${old}`, new: `export const ${fixed}` }],
    [{ say: one.said }, { run: 'node --test calc.test.js' }],
    [{ run: `touch ../${one.name}.worked` }],
    ...[WAIT, WAIT, WAIT, WAIT],
    [{ run: `handoff create '${GOALS.inside}' --no-notes --json > ../${one.name}.json` }],
    [{ say: 'Handed over.' }],
  ]
  const end = turn(one.lab, id, `Please mend calc.js. ${one.demand}`, { turns: [{ on: 'mend calc', steps }] })
  const worked = join(one.lab.folder, `${one.name}.worked`)
  const waits = expect.poll(() => existsSync(worked), { timeout: turnLimit(id), interval: 200 }).toBe(true)
  await Promise.race([waits, end])
  return { end }
}

/** The brief is of the session in this worktree and of nothing in the other, by its words and by its id. */
async function expectOwn(id: ClientId, own: Side, other: Side, answer: string, goal: string): Promise<void> {
  const made = JSON.parse(answer)
  expect(made).toMatchObject({ ok: true, session: { agent: id }, branch: `feature/${own.name}` })
  const brief = await git(own.lab, 'show', `HEAD:${made.path}`)
  for (const text of [goal, own.demand]) expect(brief).toContain(text)
  // What looks for secrets takes the ids of OpenCode for one.
  expect(brief).toContain(`session: ${made.session.id}`)
  for (const text of [brief, answer, await textOf(own.lab, '.handoff/latest.md')]) {
    expect(text).toContain(own.word)
    expect(text).not.toContain(other.word)
  }
  const session = await sessionText(id, own.lab, made.session)
  expect(session).toContain(own.demand)
  expect(session).not.toContain(other.word)
  const checked = await handoff(own.lab, 'check', made.path)
  expect(checked.code, checked.stderr + checked.stdout).toBe(0)
}

/** What the client itself keeps of the session with this id. */
async function sessionText(
  id: ClientId,
  lab: Lab,
  session: { id: string; path: string | null },
): Promise<string> {
  if (id === 'opencode') return (await runBeside(lab, id, { turns: [] }, id, 'export', session.id)).stdout
  const text = await readFile(session.path ?? '', 'utf8')
  expect(`${session.path} ${text.split('\n', 1)}`).toContain(session.id)
  return text
}

describe('C1: two worktrees of one repository, an agent of the same kind at work in each', () => {
  for (const id of AGENTS) {
    clientTest(
      `C1: two worktrees, ${id}: each brief holds its own session only, from the shell and from inside`,
      [id],
      async () => {
        const main = await makeLab()
        const right = await side(main, 'right', 'heron')
        const left = await side(main, 'left', 'walrus')
        const go = join(main.folder, GO)
        const ends: Promise<unknown>[] = []
        try {
          for (const one of [right, left]) ends.push((await begin(id, one)).end)
          for (const [own, other] of [
            [right, left],
            [left, right],
          ] as const) {
            const made = await handoff(own.lab, 'create', GOALS.shell, '--json')
            expect(made.code, made.stderr + made.stdout).toBe(0)
            await expectOwn(id, own, other, made.stdout, GOALS.shell)
          }
        } finally {
          await writeFile(go, '')
          await Promise.allSettled(ends)
        }
        await Promise.all(ends)
        for (const [own, other] of [
          [right, left],
          [left, right],
        ] as const) {
          const answer = await readFile(join(main.folder, `${own.name}.json`), 'utf8')
          await expectOwn(id, own, other, answer, GOALS.inside)
        }
      },
    )
  }
})
