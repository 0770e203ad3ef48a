import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { byNight, sampled } from '../../sampled.ts'
import { type Step, USUAL, writeClaudeSession } from '../claude-session.ts'
import { type CliOptions, type CliResult, cli } from '../cli.ts'
import type { TempRepo } from '../make-repo.ts'
import { AGENT, GOAL, later, SESSION, sectionOf, succeeded, usual } from '../usual.ts'

const OTHER = 'translate the readme of the queue into German'
const NONE = '[gap-fill not provided]'
const page = (fact: string): string => `## Where it stands\n${fact}\n\n## Next step\nRun \`npm test\`.\n`
const PAGE = page('The timer of the queue is cleared twice.')

let repo: TempRepo
beforeEach(() => {
  repo = usual()
})

const create = (goal: string, args: string[] = [], options: CliOptions = {}): Promise<CliResult> =>
  cli(repo, ['create', goal, '--json', ...args], options)
/** What a person's `create` of the session gave. */
const made = async (
  goal: string,
  args: string[] = [],
  options: CliOptions = {},
): Promise<CliResult['json']> => succeeded(await create(goal, args, options))
const withPage = (goal: string, options: CliOptions = {}) =>
  made(goal, ['--notes', '-'], { ...AGENT, stdin: PAGE, ...options })
const note = (fact: string, options: CliOptions = AGENT) =>
  cli(repo, ['note', '-'], { stdin: page(fact), ...options })
const memory = ({ markdown }: CliResult['json']): string => sectionOf(markdown, 'Working Memory')
/** The session goes on: these steps, the last one so many minutes after the start. */
function goesOn(steps: readonly Step[], minutes: number, id = SESSION): string {
  const path = writeClaudeSession(repo, steps, { id, end: later(minutes) })
  if (id !== SESSION) return path
  const more = readFileSync(path, 'utf8')
    .replaceAll('00000000-0000-4000-8000', '11111111-0000-4000-8000')
    .replaceAll('toolu_', 'toolu_b')
  writeClaudeSession(repo, USUAL, { id })
  const last = readFileSync(path, 'utf8').trimEnd().split('\n').at(-1) ?? '{}'
  writeFileSync(
    path,
    readFileSync(path, 'utf8') + more.replace('"parentUuid":null', `"parentUuid":"${JSON.parse(last).uuid}"`),
  )
  return path
}
const kept = (folder: 'notes' | 'pages'): string[] => {
  const path = join(repo.root, '.git/handoff', folder)
  return existsSync(path) ? readdirSync(path) : []
}
const offers = (json: CliResult['json']): string[] =>
  json.warnings.filter((line: string) => line.startsWith('page of '))

describe('U-H1: a page', () => {
  it('uses a page once: the next brief of the session quotes, the one after `done` and --from git too', async () => {
    await note('The timer is cleared twice.')
    const first = await made(GOAL, [], { now: later(1) })
    expect(memory(first)).toContain('The timer is cleared twice.')
    expect(kept('notes')).toEqual([])
    expect(kept('pages')).toEqual([`${first.id}.json`])
    const second = await made(OTHER, [], { now: later(2) })
    expect(memory(second)).toBe(NONE)
    expect(offers(second)).toEqual([])
    succeeded(await cli(repo, ['done', 'it is translated', '--json'], { now: later(3) }))
    const next = '99999999-2222-4333-8444-555555555555'
    goesOn([{ user: 'Now write the changelog.' }, { says: 'I look.' }, { edit: 'src/api.ts' }], 5, next)
    const third = await made('write the changelog of the queue', ['--session', next], { now: later(6) })
    expect(memory(third)).toBe(NONE)
    const fourth = await made('publish the queue with provenance', ['--from', 'git'], { now: later(7) })
    expect(memory(fourth)).toBe(NONE)
  })

  byNight('finds a page again when the same create is repeated, also hours later', async () => {
    const first = await withPage(GOAL)
    const again = await made(GOAL, [], { now: later(180) })
    expect([again.repeat, again.id]).toEqual([true, first.id])
    const given = await withPage(GOAL, { now: later(181) })
    expect([given.repeat, given.id, kept('notes')]).toEqual([true, first.id, []])
  })

  byNight('keeps a page through a draft: the commit for that goal uses it', async () => {
    await made(GOAL, ['--notes', '-', '--no-commit'], { ...AGENT, stdin: PAGE })
    expect([kept('notes').length, kept('pages')]).toEqual([1, []])
    const committed = await made(GOAL, [], { now: later(2) })
    expect(memory(committed)).toContain('cleared twice')
    expect([kept('notes'), kept('pages').length]).toEqual([[], 1])
  })

  byNight('keeps a page that was given with a brief that is refused', async () => {
    const small = { env: { ...AGENT.env, HANDOFF_BUDGET_HARD: '200' }, stdin: PAGE }
    const refused = await create(GOAL, ['--notes', '-', '--mode', 'strict'], small)
    expect([refused.json.errors[0].code, kept('notes').length]).toEqual(['E_REFUSED', 1])
    expect(memory(await made(GOAL, [], { now: later(1) }))).toContain('cleared twice')
  })

  it('asks the agent again: for another goal, and for the same after more work', async () => {
    const wanted = async (goal: string, minutes: number) =>
      (await create(goal, [], { ...AGENT, now: later(minutes) })).json.errors?.[0]?.code
    expect(await wanted(GOAL, 0)).toBe('E_NOTES_WANTED')
    await withPage(GOAL, { now: later(1) })
    expect(await wanted(OTHER, 2)).toBe('E_NOTES_WANTED')
    goesOn([{ user: 'And the docs.' }, { edit: 'src/api.ts' }, { says: 'Done with them.' }], 4)
    expect(await wanted(GOAL, 5)).toBe('E_NOTES_WANTED')
  })

  byNight(
    'offers a page of another goal in one line, with its time and the option that uses it',
    async () => {
      await made(GOAL, ['--notes', '-', '--no-commit'], { ...AGENT, stdin: PAGE })
      const other = await made(OTHER, [], { now: later(2) })
      expect(memory(other)).toBe(NONE)
      expect(offers(other)).toEqual([
        expect.stringMatching(
          new RegExp(`^page of \\d\\d:00 not used: written for "${GOAL}"; .*--include-stale-notes. uses it$`),
        ),
      ])
    },
  )

  it('uses no page that is older than an edit or a commit, and says how many', async () => {
    await note('The timer is cleared twice.')
    goesOn([{ edit: 'src/queue.ts' }, { edit: 'src/api.ts' }, { says: 'Both are mended.' }], 5)
    const json = await made(GOAL, ['--dry-run'], { now: later(6) })
    expect([memory(json), offers(json)]).toEqual([
      NONE,
      [expect.stringMatching(/not used: since then 2 edits; /)],
    ])
    const shown = await made(GOAL, ['--dry-run', '--include-stale-notes'], { now: later(6) })
    expect(memory(shown)).toMatch(/^Written by the agent, .* Recorded 6 min before this brief\./)
    repo = usual()
    await note('The timer is cleared twice.')
    repo.write('src/queue.ts', 'mended\n')
    const at = later(10).toISOString()
    const dates = { GIT_AUTHOR_DATE: at, GIT_COMMITTER_DATE: at }
    repo.git(['commit', '-qam', 'mend the timer'], { env: dates })
    const after = await made(GOAL, ['--dry-run'], { now: later(12) })
    expect([memory(after), offers(after)]).toEqual([
      NONE,
      [expect.stringMatching(/not used: since then 1 commit; /)],
    ])
  })

  byNight('counts no brief, no draft and no failed edit as work that a page does not know', async () => {
    await note('The timer is cleared twice.', {})
    goesOn([{ edit: 'src/api.ts', fails: true }, { says: 'It could not be edited.' }], 3)
    await made(OTHER, ['--no-notes', '--from', 'git', '--no-commit'], { now: later(4) })
    expect(memory(await made(GOAL, [], { now: later(5) }))).toContain('cleared twice')
  })

  byNight('ends a page with `done`', async () => {
    await withPage(GOAL)
    await note('The docs are half done.', { ...AGENT, now: later(1) })
    succeeded(await cli(repo, ['done', 'all of it', '--json'], { now: later(2) }))
    const json = await made(OTHER, [], { now: later(3) })
    expect([memory(json), offers(json)]).toEqual([NONE, [expect.stringContaining('ended by `done`')]])
    await note('The translation is begun.', { ...AGENT, now: later(4) })
    expect(memory(await made(OTHER, [], { now: later(5) }))).toContain('translation is begun')
  })

  byNight('gives --from git no page of a session, and the one that a person typed', async () => {
    await note('The timer is cleared twice.')
    const args = ['--from', 'git', '--dry-run']
    const json = await made(GOAL, args, { now: later(1) })
    expect([memory(json), offers(json)[0]]).toEqual([NONE, expect.stringContaining('this brief has none')])
    await note('I will ask Ana about the limits.', { now: later(2) })
    expect(memory(await made(GOAL, args, { now: later(3) }))).toContain('ask Ana')
  })

  byNight('says who noted what was typed in a shell, there and back, and through resume', async () => {
    repo.git(['config', 'user.name', 'Ana (Lima) [at work], checked by the tool.'])
    await note('I will ask Ana about `src/nowhere.ts`.', {})
    const json = await made(GOAL, [], { now: later(1) })
    const [lead] = memory(json).split('\n')
    expect(lead).toMatch(
      /^Noted by Ana \(Lima\).*\. The marks \(not seen\) and \(handoff: …\) are the tool's\.$/,
    )
    expect(memory(json)).not.toContain('Written by the agent')
    const anew = succeeded(await cli(repo, ['resume', '--json', '--dry-run'], { now: later(9) }))
    expect(memory(anew).split('\n')[0]).toMatch(/^Noted by Ana .* Recorded 9 min before this brief\.$/)
  })
})

describe('a private record', () => {
  const write = (folder: string, name: string, text: string): string => {
    const path = join(repo.root, '.git/handoff', folder, name)
    mkdirSync(join(path, '..'), { recursive: true })
    writeFileSync(path, text)
    return path
  }

  it.each(
    sampled(
      [
        ['torn', '{"schemaVersion": 1, "capt', /unreadable/],
        ['of a newer version', '{"schemaVersion": 9, "page": "x"}', /knows schema 1 of notes and no other/],
      ] as [string, string, RegExp][],
      1,
    ),
  )('%s: a line says so, and it stays as it is', async (_, text, line) => {
    const path = write('notes', 'ffff.json', text)
    const json = await made(GOAL)
    expect([memory(json), json.warnings]).toEqual([NONE, [expect.stringMatching(line)]])
    succeeded(await cli(repo, ['done', 'all of it', '--json'], { now: later(2) }))
    expect(readFileSync(path, 'utf8')).toBe(text)
  })

  byNight('that this user may not read: a line says so, and the brief is made', async () => {
    const path = write('notes', 'ffff.json', '{}')
    chmodSync(path, 0)
    // Root reads everything, but no folder.
    if (process.getuid?.() === 0) mkdirSync(write('notes', 'eeee.json', '').replace('eeee', 'dddd'))
    const json = await made(GOAL)
    expect(json.warnings).toEqual([expect.stringMatching(/^notes ignored: unreadable, E(?:ACCES|ISDIR)/)])
    expect(existsSync(path)).toBe(true)
  })

  byNight('of the page of a brief, torn or newer: the brief is made once more, without it', async () => {
    for (const text of ['{"schemaVersion": 1', '{"schemaVersion": 9}']) {
      repo = usual()
      const { id } = await withPage(GOAL)
      write('pages', `${id}.json`, text)
      const again = await made(GOAL, [], { now: later(1) })
      expect([again.repeat, memory(again)]).toEqual([false, NONE])
    }
  })
})

describe('their page, our check', () => {
  const document = (path: string, at = 3): Promise<void> => wrote([{ write: path }], path, at)
  async function wrote(steps: Step[], path: string, at: number): Promise<void> {
    goesOn([{ user: 'Write down where you are.' }, ...steps, { says: 'It is written down.' }], at)
    const file = path.startsWith('/') ? path : join(repo.root, path)
    mkdirSync(join(file, '..'), { recursive: true })
    writeFileSync(file, page('The timer is cleared twice, see `src/imagined.ts`.'))
  }

  it.each(
    sampled(
      [
        ['HANDOFF.md'],
        ['.claude/session-handoff.md'],
        ['thoughts/shared/handoffs/general/2026-11-22_queue.md'],
      ],
      1,
    ),
  )('adopts %s, which the session wrote, verified and named', async (path) => {
    await document(path)
    const json = await made(GOAL, [], { now: later(4) })
    expect(memory(json).split('\n')[0]).toBe(
      `Written by the agent as ${path}. The marks (not seen) and (handoff: …) are the tool's.`,
    )
    expect(memory(json)).toContain('`src/imagined.ts` (not seen)')
    // Used once, like every page.
    const other = await made(OTHER, [], { now: later(5) })
    expect(memory(other)).toBe(NONE)
  })

  byNight('adopts one in a temporary folder, written by a shell', async () => {
    const path = join(repo.base, '.agent-papers', 'handoff-queue.md')
    await wrote([{ bash: `cat > ${path} <<'EOF'\n## Where it stands\nEOF` }], path, 3)
    expect(memory(await made(GOAL, [], { now: later(4) }))).toContain('Written by the agent as ')
  })

  it.each(sampled([['docs/handoff-design.md'], ['.claude/commands/handoff.md'], ['src/handoff.md']], 1))(
    'takes %s for a file like any other',
    async (path) => {
      await document(path)
      expect(memory(await made(GOAL, [], { now: later(4) }))).toBe(NONE)
    },
  )

  it('offers one that is older than edits since; one that is gone, or is no page, counts for none', async () => {
    await wrote([{ write: 'HANDOFF.md' }, { edit: 'src/api.ts' }], 'HANDOFF.md', 3)
    const json = await made(GOAL, ['--dry-run'], { now: later(4) })
    expect([memory(json), offers(json)]).toEqual([NONE, [expect.stringContaining('since then 1 edit')]])
    await document('HANDOFF.md')
    writeFileSync(join(repo.root, 'HANDOFF.md'), '\n')
    const blank = await made(GOAL, ['--dry-run'], { now: later(4) })
    expect([memory(blank), blank.warnings.join()]).toEqual([NONE, expect.stringContaining('HANDOFF.md')])
  })

  byNight('names a document that a person hands in as the one that the session wrote', async () => {
    await document('HANDOFF.md')
    const json = await made(GOAL, ['--notes', 'HANDOFF.md', '--dry-run'], { now: later(200) })
    expect(memory(json)).toMatch(/^Written by the agent as HANDOFF\.md\. The marks/)
  })

  byNight('takes any headings from --notes', async () => {
    const text =
      '# Session summary\n\nStatus\n------\nThe timer is cleared twice.\n\n### TODO\n* write the test\n'
    const json = await made(GOAL, ['--notes', '-'], { ...AGENT, stdin: text })
    for (const words of ['Session summary', 'The timer is cleared twice.', '* write the test'])
      expect(memory(json)).toContain(words)
  })
})

describe('U-M5: the goal', () => {
  const typed = (words: string): Step => ({
    raw: {
      type: 'user',
      message: {
        role: 'user',
        content: `<command-message>handoff</command-message>\n<command-name>/handoff</command-name>\n<command-args>${words}</command-args>`,
      },
    },
  })
  const handed = async (step: Step, goal: string) => {
    goesOn([step], 3)
    const json = await made(goal, ['--no-notes', '--dry-run'], { ...AGENT, now: later(4) })
    return {
      warnings: json.warnings.filter((line: string) => line.includes('typed')) as string[],
      status: sectionOf(json.markdown, 'Status'),
    }
  }
  const warned = async (words: string, goal: string) => (await handed(typed(words), goal)).warnings
  const WORDS = 'document Keyed in README.md and in docs/使い方.md'

  it.each(
    sampled<[string, Step]>(
      [
        ['/handoff', typed(WORDS)],
        ['words', { user: `hand this off: ${WORDS}` }],
      ],
      1,
    ),
  )('is not what was typed with %s: both stand, and one line says so', async (_, step) => {
    const { warnings, status } = await handed(step, 'document Keyed in README.md')
    expect(warnings).toEqual([
      `the goal is not what was typed for the handoff, and the brief has both: "${WORDS}"`,
    ])
    expect(status).toContain(`The user typed this goal, not the one that the agent passed: "${WORDS}"`)
    expect((await handed(step, WORDS)).status).not.toContain('The user typed')
  })

  it.each(
    sampled([[GOAL], [`"${GOAL}"`], [`${GOAL} --focus docs`], [`  ${GOAL.replaceAll(' ', '  ')}\n`]], 2),
  )('is what was typed: %j', async (words) => {
    expect(await warned(words, GOAL)).toEqual([])
  })

  it('says no secret of the words, and nothing when the person went on talking', async () => {
    const secret = ['ghp', 'q7Rk2mXv9TfLw4Zc8NbYh3JpDs6GaE1uVo5K'].join('_')
    const lines = await warned(`use ${secret} for the queue`, GOAL)
    expect([lines.length, lines.join().includes(secret)]).toEqual([1, false])
    goesOn([typed('something else'), { says: 'Which?' }, { user: `I mean: ${GOAL}` }], 3)
    const json = await made(GOAL, ['--no-notes', '--dry-run'], { ...AGENT, now: later(4) })
    expect(json.warnings).toEqual([])
  })
})
