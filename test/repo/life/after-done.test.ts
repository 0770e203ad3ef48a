import { expect, it } from 'vitest'
import { byNight } from '../../sampled.ts'
import { writeClaudeSession } from '../claude-session.ts'
import { cli } from '../cli.ts'
import { makeRepo, prepared } from '../make-repo.ts'
import { later, succeeded } from '../usual.ts'

const FIRST = '11111111-2222-4333-8444-555555555555'
const SECOND = '66666666-2222-4333-8444-555555555555'

/** A line about a ring buffer, closed, and on the same branch a new one about a limiter. */
const twoLines = prepared(async () => {
  const repo = makeRepo({ second: { 'src/buffer.ts': 'x\n' } })
  writeClaudeSession(
    repo,
    [
      { user: 'Use the ring buffer of src/buffer.ts. Never call Date.now() inside a limiter.' },
      { write: 'src/buffer.ts' },
      { says: 'The ring buffer of 64 entries is in place.' },
    ],
    { id: FIRST },
  )
  const create = (goal: string, id: string, minutes: number) =>
    cli(repo, ['create', goal, '--json', '--session', id], { now: later(minutes) })
  const first = succeeded(await create('finish the ring buffer and document its limits', FIRST, 1))
  const closed = await cli(repo, ['done', 'the buffer is in'], { now: later(2) })
  writeClaudeSession(
    repo,
    [{ user: 'Write the limiter.' }, { write: 'src/limiter.ts' }, { says: 'Begun.' }],
    {
      id: SECOND,
      end: later(30),
    },
  )
  return { repo, first, closed, create }
})

it('U-M14: ask finds what the closed line said, before and after the next one begins, and says what it searched', async () => {
  const { repo, first, create } = await twoLines()
  const ask = async (...argv: string[]) => (await cli(repo, ['ask', ...argv])).stdout
  expect(await ask('which ring buffer')).toContain('Use the ring buffer of src/buffer.ts')
  const next = succeeded(await create('finish the limiter and test its edges', SECOND, 31))
  expect(next.parents).toEqual([])
  const answer = await ask('which ring buffer')
  expect(answer).toContain('Use the ring buffer of src/buffer.ts')
  expect(answer).toMatch(
    new RegExp(`\\nSearched: 1 brief up to ${next.id} and 2 briefs of the line that \\S+ closed\\.`),
  )
  expect(await ask('zebra')).toMatch(/^No match\. .*\n\nSearched: 1 brief up to /)
  const named = await ask('which ring buffer', next.id)
  expect(named).toMatch(`Searched: 1 brief up to ${next.id}.`)
  expect(named).not.toContain('Use the ring buffer')
  expect(await ask('which ring buffer', first.id)).toContain('Use the ring buffer of src/buffer.ts')
})

byNight('U-M14: another branch’s closed line is not searched', async () => {
  const { repo, create } = await twoLines()
  repo.git(['switch', '-q', '-c', 'limiter'])
  succeeded(await create('finish the limiter and test its edges', SECOND, 31))
  expect((await cli(repo, ['ask', 'which ring buffer'])).stdout).toContain('No match')
})

it('U-M15: done says in one line which rules end', async () => {
  const { closed, repo } = await twoLines()
  const lines = closed.stderr.split('\n').filter((line) => line.startsWith('With it ends '))
  expect(lines).toHaveLength(1)
  expect(lines[0]).toContain('"Never call Date.now() inside a limiter')
  expect((await cli(makeRepo(), ['done', 'nothing'])).stderr).not.toContain('With it ends')
  expect(repo.git(['status', '--porcelain', '.handoff'])).toBe('')
})
