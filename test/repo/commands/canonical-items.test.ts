import { beforeAll, describe, expect, it } from 'vitest'
import { writeClaudeSession } from '../claude-session.ts'
import { cli } from '../cli.ts'
import { makeRepo, type TempRepo } from '../make-repo.ts'
import { itemsOf, later, succeeded } from '../usual.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into an object whose shape is what they test
type Json = any
const GOAL =
  'finish @src/queue.ts like scheduler.ts and index.ts, write docs/limits.md; look at gone/never.ts too'

describe('canonical items', () => {
  let repo: TempRepo
  let json: Json
  const paths = (): string[] => json.brief.relevantFiles.map((file: { path: string }) => file.path)
  const file = (path: string): Json =>
    json.brief.relevantFiles.find((one: { path: string }) => one.path === path)

  beforeAll(async () => {
    repo = makeRepo()
    repo.commit('files', {
      'src/queue.ts': 'x\n',
      'src/old-name.ts': 'a file that is renamed\nwith some lines\nmore\n',
      'src/a/index.ts': '1\n',
      'src/b/index.ts': '2\n',
      'lib/scheduler.ts': 's\n',
      'notes.txt': 'n\n',
      '.gitignore': 'secretly/\n',
    })
    repo.git(['switch', '-q', '-c', 'work'])
    writeClaudeSession(repo, [
      {
        user: 'See "./src/queue.ts", src/queue.ts:12 and `src/queue.ts:3-9`.',
      },
      { says: 'Reading.' },
      { read: 'src/queue.ts' },
      { edit: './src/../src/queue.ts' },
      { edit: 'src/old-name.ts' },
      { bash: 'cat ./notes.txt | head -3', output: 'n' },
      { edit: 'secretly/ignored.ts', fails: true },
      { read: '../outside/of/it.ts' },
      { user: 'Do not rename src/vanished.ts. N/A' },
      {
        todo: [
          { content: 'N/A', status: 'pending' },
          { content: 'TODO', status: 'pending' },
          { content: '...', status: 'pending' },
          { content: 'None', status: 'pending' },
          { content: 'create src/retry-limits.ts', status: 'pending' },
          { content: 'Port the scheduler', status: 'pending' },
        ],
      },
      { says: 'Done so far.' },
    ])
    repo.git(['mv', 'src/old-name.ts', 'src/new-name.ts'])
    repo.git(['commit', '-q', '-m', 'rename'])
    json = succeeded(await cli(repo, ['create', GOAL, '--json', '--print'], { now: later(5) }))
  })

  it('@, ./, quotes and :line are taken off, duplicates fall together', () => {
    expect(paths().filter((path) => path.includes('queue.ts'))).toEqual(['src/queue.ts'])
    expect(file('src/queue.ts').evidence).toEqual(expect.arrayContaining(['goal', 'edited', 'read', 'named']))
    expect(paths()).toContain('notes.txt')
    expect(new Set(paths()).size).toBe(paths().length)
    for (const path of paths()) expect(path).not.toMatch(/^[@./"'`]|:\d|^\//)
  })

  it('paths are followed through renames', () => {
    expect(paths()).toContain('src/new-name.ts')
    expect(paths()).not.toContain('src/old-name.ts')
    expect(file('src/new-name.ts').evidence).toEqual(expect.arrayContaining(['edited', 'committed']))
  })

  it('a file that the goal wants made is kept as planned', () => {
    expect(file('docs/limits.md')).toMatchObject({
      mark: 'planned',
      evidence: expect.arrayContaining(['goal']),
    })
    expect(itemsOf(json.markdown, 'Relevant Files').find((line) => line.includes('limits.md'))).toMatch(
      /; no such file yet$/,
    )
  })

  it('empty and placeholder items are left out', () => {
    expect(json.brief.progress.pending.map((item: { text: string }) => item.text)).toEqual([
      'create src/retry-limits.ts',
      'Port the scheduler',
    ])
    expect(json.brief.constraints.map((item: { text: string }) => item.text)).toEqual([
      'Do not rename src/vanished.ts.',
    ])
  })

  it('of notes only placeholders are left out: they stand whole in their section, and in no other', async () => {
    const stdin = JSON.stringify({
      currentLineOfAttack: 'None',
      openQuestions: ['N/A', 'is the limit per job?'],
      decisions: [{ what: '...', why: null, alternatives: [] }],
      nextSteps: ['TODO', 'port it'],
      files: [
        { path: './src/queue.ts:4', reason: 'the off-by-one' },
        { path: 'src/never-was.ts', reason: 'imagined' },
      ],
    })
    const noted = succeeded(await cli(repo, ['create', GOAL, '--json', '--print', '--notes', '-'], { stdin }))
    expect(itemsOf(noted.markdown, 'Working Memory')).toEqual([
      '- Open question: is the limit per job?',
      '- Next step: port it',
      '- File: `./src/queue.ts:4` — the off-by-one',
      '- File: `src/never-was.ts` (not seen) — imagined',
    ])
    for (const gone of ['## Next Steps', '## Open Questions / Risks'])
      expect(noted.markdown).not.toContain(gone)
    for (const key of ['decisions', 'relevantFiles', 'dropped'])
      expect(noted.brief[key]).toEqual(json.brief[key])
    expect(noted.dropped).toEqual(json.dropped)
  })
})
