import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { handoff, type Lab, textOf } from '../lab.ts'
import type { Scenario } from '../model/scenario.ts'
import { initialised, keptIn } from './initialised.ts'
import { clientTest, GOAL, runBeside, turn, work } from './work.ts'

const QUESTION = 'Is sub used anywhere else?'
/** A later turn: the heron team's rule, a note by our server, and its word. */
const LATER = 'Please mend sub. Do not touch package.json, the heron team owns it.'
const notes: Scenario = {
  turns: [
    {
      on: 'mend sub',
      steps: [
        [{ say: 'I look at sub first.' }, { read: 'calc.js' }],
        [{ edit: 'calc.js', old: 'sub = (a, b) => a + b', new: 'sub = (a, b) => a - b' }],
        [
          {
            use: 'mcp__handoff__handoff_finalize',
            with: { other: `## Questions for the user\n- ${QUESTION}\n` },
          },
        ],
        [{ say: 'sub subtracts now.' }],
      ],
    },
    { on: 'fix add', steps: [[{ say: 'I shall fix add.' }]] },
  ],
}

/** Ids of the transcripts that Claude Code keeps. */
async function sessionsOf(lab: Lab): Promise<string[]> {
  const names = await readdir(join(lab.home, '.claude', 'projects'), { recursive: true })
  return names.flatMap((name) => /([\w-]+)\.jsonl$/.exec(name)?.[1] ?? [])
}

/** The note is of this session, and stands in the brief that is made of it. */
async function expectNoteOf(lab: Lab, id: string): Promise<void> {
  const kept = await keptIn(lab, 'notes')
  expect(kept).toMatchObject([{ capturedBySessionId: id, page: expect.stringContaining(QUESTION) }])
  const made = await handoff(lab, 'create', GOAL, '--session', id, '--json')
  expect(made.code, made.stderr + made.stdout).toBe(0)
  const answer = JSON.parse(made.stdout)
  expect(answer.session.id).toBe(id)
  const brief = await textOf(lab, answer.path)
  for (const text of [QUESTION, 'the heron team owns it']) expect(brief).toContain(text)
}

describe('C2: the session that the server of Claude Code works for', () => {
  clientTest('C2: is the one that -p --continue goes on with', ['claude-code'], async () => {
    const lab = await initialised('claude-code')
    await work(lab, 'claude-code')
    await turn(lab, 'claude-code', LATER, notes, undefined, ['--continue'])
    const [id = '', ...others] = await sessionsOf(lab)
    expect(others).toEqual([])
    await expectNoteOf(lab, id)
  })

  clientTest('C2: is the new one after /clear', ['claude-code'], async () => {
    const lab = await initialised('claude-code')
    const said = ['Please fix add in calc.js.', '/clear', LATER].map((content) =>
      JSON.stringify({ type: 'user', message: { role: 'user', content } }),
    )
    // Each is said when the answer to the one before has come.
    const answers = (n: number) =>
      `until [ $(grep -c '"type":"result"' ../out.jsonl) -ge ${n} ]; do sleep 0.2; done`
    const lines = said.map((line, at) => `${answers(at)}; echo '${line.replaceAll("'", "'\\''")}'`).join('; ')
    const flags = '--input-format stream-json --output-format stream-json --verbose'
    const script = `touch ../out.jsonl; (${lines}) | claude -p ${flags} --permission-mode bypassPermissions | tee -a ../out.jsonl`
    const report = await runBeside(lab, 'claude-code', notes, 'sh', '-c', script)
    const ids = [...report.stdout.matchAll(/"session_id":"([\w-]+)"/g)].map(([, id = '']) => id)
    const [first, last] = [ids[0], ids.at(-1) ?? '']
    expect(last).not.toBe(first)
    await expectNoteOf(lab, last)
  })
})
