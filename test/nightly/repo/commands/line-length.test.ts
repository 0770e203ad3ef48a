import { describe, expect, it } from 'vitest'
import { writeClaudeSession } from '../../../repo/claude-session.ts'
import { cli } from '../../../repo/cli.ts'
import type { TempRepo } from '../../../repo/make-repo.ts'
import { SESSION, usual } from '../../../repo/usual.ts'
import { sampled } from '../../../sampled.ts'

/** Characters at which Gemini CLI 0.61 and OpenCode 1.18 cut a line of a file that they read. */
const CUT = 2000

const words = (word: string, length: number): string =>
  `${word} `
    .repeat(Math.ceil(length / word.length))
    .slice(0, length)
    .trimEnd()
const longest = (text: string): number => Math.max(...text.split('\n').map((line) => line.length))

/** Everything that is quoted is one line of some thousand characters. */
function talkative(repo: TempRepo): void {
  writeClaudeSession(
    repo,
    [
      { user: `Fix the retry queue. Do NOT touch src/api.ts, ${words('never', 5000)}.` },
      { says: `I decided to keep the queue because ${words('reasons', 4000)}.` },
      { edit: 'src/queue.ts' },
      {
        bash: `npm test -- ${words('--filter=x', 3000)}`,
        exit: 1,
        output: `Error: ${words('broken', 6000)}`,
      },
      { todo: [{ content: `Document ${words('limits', 3000)}`, status: 'pending' }] },
      { user: words('請修正佇列', 3000) },
      { says: `The queue is ported. ${words('Next', 6000)} ${'x'.repeat(4000)}` },
    ],
    { id: SESSION },
  )
}

describe('C8: no line is longer than a client reads', () => {
  it.each(
    sampled(
      [
        ['of words', words('port queue', 4000)],
        ['without a blank', `port ${'x'.repeat(3900)}`],
        ['of two-byte words', `port ${'ü '.repeat(1300)}`],
        ['with what must be escaped', `port ${'<a>*_`'.repeat(600)}`],
      ],
      1,
    ),
  )('C8: in a brief with a goal %s', async (_, goal) => {
    const repo = usual()
    talkative(repo)
    const page = JSON.stringify({
      currentLineOfAttack: words('attack', 3900),
      openQuestions: [words('question', 1900)],
      abandonedApproaches: [words('approach', 1900)],
      decisions: [{ what: words('what', 1900), why: words('why', 1900) }],
      files: [{ path: 'src/queue.ts', reason: words('reason', 1900) }],
    })
    const { json, code } = await cli(repo, ['create', goal, '--json', '--notes', '-', '--force'], {
      stdin: page,
    })
    expect({ code, errors: json.errors }).toEqual({ code: 0, errors: [] })
    expect(longest(json.markdown)).toBeLessThan(CUT)
    expect(longest(repo.read('.handoff/latest.md'))).toBeLessThan(CUT)
    // Broken where it is shown, whole where it is kept.
    expect(json.brief.goal ?? goal).toBe(goal)
    const shown = await cli(repo, ['show', '--json'])
    expect(shown.json.meta?.goal ?? goal).toBe(goal)
    for (const args of [
      ['show', '--prompt'],
      ['show', '--inline'],
    ])
      expect(longest((await cli(repo, args)).stdout)).toBeLessThan(CUT)
    expect(await cli(repo, ['check'])).toMatchObject({ code: 0 })
  })
})
