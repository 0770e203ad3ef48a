import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { type CliOptions, cli, NOW } from '../cli.ts'
import type { TempRepo } from '../make-repo.ts'
import { create, GOAL, headOf, itemsOf, later, printed, sectionOf, usual } from '../usual.ts'

const SESSION = '11111111-2222-4333-8444-555555555555'
/** The agent of the usual session calls. */
const AGENT: CliOptions = { env: { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: SESSION } }
const PLACEHOLDER = '[gap-fill not provided]'

const SLOTS = {
  currentLineOfAttack: 'moving retry() into the scheduler',
  activeHypothesis: 'the timer is cleared twice',
  abandonedApproaches: ['a lock around the queue: it deadlocks'],
  openQuestions: ['may the limit be configured?'],
}
const LISTS = {
  decisions: [{ what: 'keep the ring buffer', why: 'it never allocates', alternatives: ['a linked list'] }],
  blockers: ['the staging broker is down'],
  nextSteps: ['write the limits into the readme'],
  information: ['the scheduler drops jobs without an id'],
  files: [{ path: 'src/queue.ts', reason: 'holds the off-by-one' }],
}

const notesFolder = (repo: TempRepo): string => join(repo.root, '.git/handoff/notes')

function expectAllInPlace(markdown: string): void {
  expect(sectionOf(markdown, 'Working Memory').split('\n')).toEqual([
    'Written by the agent, not verified.',
    '',
    '- Current line of attack: moving retry() into the scheduler',
    '- Active hypothesis: the timer is cleared twice',
    '- Abandoned: a lock around the queue: it deadlocks',
    '- Open question: may the limit be configured?',
  ])
  expect(itemsOf(markdown, 'Key Decisions')).toContain(
    '- keep the ring buffer — why: it never allocates — instead of: a linked list [by agent]',
  )
  expect(itemsOf(markdown, 'Open Questions / Risks')).toContain(
    '- blocker: the staging broker is down [agent]',
  )
  expect(sectionOf(markdown, 'Next Steps').split('\n')).toEqual([
    'Written by the agent, not verified.',
    '',
    '- write the limits into the readme [agent]',
  ])
  expect(itemsOf(markdown, 'Context (from previous thread)')).toContain(
    '- the scheduler drops jobs without an id [agent]',
  )
  const queue = itemsOf(markdown, 'Relevant Files').find((line) => line.includes('`src/queue.ts`'))
  expect(queue).toMatch(/holds the off-by-one \[agent: .*edited/)
}

describe('D1: what the departing agent can author', () => {
  let repo: TempRepo
  beforeAll(() => {
    repo = usual()
  })

  it('note takes the four slots and the lists as JSON on standard input; create puts each into its section', async () => {
    const noted = await cli(repo, ['note', '-', '--json'], {
      ...AGENT,
      stdin: JSON.stringify({ ...SLOTS, ...LISTS }),
    })
    expect(noted).toMatchObject({ code: 0, json: { ok: true } })
    const made = await printed(repo, [], AGENT)
    expectAllInPlace(made.markdown)
    expect(made.brief.notes).toMatchObject(SLOTS)
    expect(made.warnings).toEqual([])
  })

  it('note takes the same by flags', async () => {
    const noted = await cli(
      repo,
      [
        ...['note', '--json', '--current-line-of-attack', SLOTS.currentLineOfAttack],
        ...['--active-hypothesis', SLOTS.activeHypothesis, '--abandoned', ...SLOTS.abandonedApproaches],
        ...['--question', ...SLOTS.openQuestions, '--blocker', ...LISTS.blockers],
        ...['--next-step', ...LISTS.nextSteps, '--information', ...LISTS.information],
        ...['--file', 'src/queue.ts=holds the off-by-one'],
        ...['--decision', 'first', '--decision', 'second'],
      ],
      AGENT,
    )
    expect(noted.json.notes).toMatchObject({
      ...SLOTS,
      ...LISTS,
      decisions: [
        { what: 'first', why: null, alternatives: [] },
        { what: 'second', why: null, alternatives: [] },
      ],
    })
  })

  it('create --notes takes the same from a file or standard input, and the given notes win over stored ones', async () => {
    const file = join(repo.base, 'notes.json')
    writeFileSync(file, JSON.stringify({ ...SLOTS, ...LISTS }))
    expectAllInPlace((await printed(repo, ['--notes', file], AGENT)).markdown)
    const piped = await printed(repo, ['--notes', '-'], {
      ...AGENT,
      stdin: JSON.stringify({ currentLineOfAttack: 'from standard input' }),
    })
    expect(itemsOf(piped.markdown, 'Working Memory')).toEqual([
      '- Current line of attack: from standard input',
    ])
  })

  it('the markdown answer to a request is parsed into sections; unknown headings stay unchanged in Working Memory', async () => {
    const answer = [
      '## What I was working on',
      '- moving retry() into the scheduler',
      '## Current progress and state',
      '- the queue compiles',
      '## Key decisions made and why',
      '- keep the ring buffer - why: it never allocates - instead of: a linked list',
      '## Blockers encountered',
      '- the staging broker is down',
      '## Files modified',
      '- src/queue.ts - holds the off-by-one',
      '## Next steps and what remains',
      '- write the limits into the readme',
      '## A note on naming',
      'Jobs are called *tasks* in the scheduler.',
    ].join('\n')
    const made = await printed(repo, ['--notes', '-'], { ...AGENT, stdin: answer })
    const { markdown } = made
    expect(itemsOf(markdown, 'Key Decisions')).toContain(
      '- keep the ring buffer — why: it never allocates — instead of: a linked list [by agent]',
    )
    expect(itemsOf(markdown, 'Open Questions / Risks')).toContain(
      '- blocker: the staging broker is down [agent]',
    )
    expect(itemsOf(markdown, 'Next Steps')).toEqual(['- write the limits into the readme [agent]'])
    expect(sectionOf(markdown, 'Progress')).toContain('- the queue compiles [agent]')
    expect(itemsOf(markdown, 'Relevant Files').find((line) => line.includes('src/queue.ts'))).toContain(
      'holds the off-by-one',
    )
    expect(markdown).toContain('moving retry() into the scheduler')
    expect(sectionOf(markdown, 'Working Memory')).toContain('Jobs are called *tasks* in the scheduler.')
  })

  it('note touches nothing but the private folder', async () => {
    const own = usual()
    const head = headOf(own)
    await cli(own, ['note', '--current-line-of-attack', 'x and y'], AGENT)
    expect(headOf(own)).toBe(head)
    expect(own.git(['status', '--porcelain', '--ignored'])).toBe('')
    expect(readdirSync(notesFolder(own))).toHaveLength(1)
    const listed = await cli(own, ['note', '--list', '--json'])
    expect(listed.json.notes).toMatchObject([{ currentLineOfAttack: 'x and y' }])
    await cli(own, ['note', '--clear'])
    expect(readdirSync(notesFolder(own))).toEqual([])
  })

  it.each([
    ['an unknown key', '{"currentLineOfattack": "x"}', 'E_NOTES', 1],
    ['another schema', '{"schemaVersion": 2, "currentLineOfAttack": "x"}', 'E_NOTES', 1],
    ['broken JSON', '{"currentLineOfAttack": ', 'E_NOTES', 1],
    ['every slot empty', '{"currentLineOfAttack": "N/A", "openQuestions": ["TODO", ""]}', 'E_NOTES', 1],
  ])('%s is refused and nothing is kept', async (_, stdin, code, exit) => {
    const before = readdirSync(notesFolder(repo)).map((name) => readFileSync(join(notesFolder(repo), name)))
    const failed = await cli(repo, ['note', '-', '--json'], { ...AGENT, stdin })
    expect(failed).toMatchObject({ code: exit, json: { ok: false, errors: [{ code }] } })
    const after = readdirSync(notesFolder(repo)).map((name) => readFileSync(join(notesFolder(repo), name)))
    expect(after).toEqual(before)
  })

  it('nothing to note is a usage error', async () => {
    expect(await cli(repo, ['note', '--json'])).toMatchObject({
      code: 2,
      json: { errors: [{ code: 'E_USAGE' }] },
    })
  })
})

describe('D4: stale notes', () => {
  let repo: TempRepo
  beforeAll(async () => {
    repo = usual()
    await cli(repo, ['note', '-'], { ...AGENT, stdin: JSON.stringify(SLOTS) })
  })
  const memory = (markdown: string) => sectionOf(markdown, 'Working Memory')

  it('a record says schema, time, session, branch and head', async () => {
    const listed = await cli(repo, ['note', '--list', '--json'])
    expect(listed.json.notes).toMatchObject([
      {
        schemaVersion: 1,
        capturedAt: NOW.toISOString(),
        capturedBySessionId: SESSION,
        branch: 'main',
        head: headOf(repo),
      },
    ])
  })

  it('same session and branch, within the hour: used, with the time in the front matter', async () => {
    const made = await printed(repo, [], { ...AGENT, now: later(59) })
    expect(memory(made.markdown)).toContain('the timer is cleared twice')
    expect(made.markdown).toMatch(new RegExp(`^notes:\\n {2}capturedAt: "?${NOW.toISOString()}"?$`, 'm'))
    expect(made.warnings).toEqual([])
  })

  it('too old: the placeholder, and the warning says how old', async () => {
    const made = await printed(repo, [], { ...AGENT, now: later(181) })
    expect(memory(made.markdown).split('\n')[0]).toBe(PLACEHOLDER)
    expect(made.brief.notes).toBeNull()
    expect(made.warnings).toContain('notes ignored: 3 h old')
    expect(made.markdown).not.toContain('capturedAt')
  })

  it('--include-stale-notes shows them with their age', async () => {
    const made = await printed(repo, ['--include-stale-notes'], { ...AGENT, now: later(181) })
    expect(memory(made.markdown)).toContain('Recorded 3 h before this brief.')
    expect(memory(made.markdown)).toContain('the timer is cleared twice')
    expect(made.warnings).toContain('stale notes are shown: 3 h old')
  })

  it('notes.maxAge moves the limit', async () => {
    const env = { ...AGENT.env, HANDOFF_NOTES_MAX_AGE: '4h' }
    const made = await printed(repo, [], { env, now: later(181) })
    expect(memory(made.markdown)).toContain('the timer is cleared twice')
  })

  it('from another session: ignored, and said', async () => {
    const own = usual()
    await cli(own, ['note', '--current-line-of-attack', 'mine alone'], {
      env: { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: 'aaaaaaaa-2222-4333-8444-555555555555' },
    })
    const made = await printed(own, ['--session', SESSION])
    expect(memory(made.markdown).split('\n')[0]).toBe(PLACEHOLDER)
    expect(made.warnings).toContain('notes ignored: from another session')
  })

  it('from another branch: ignored, and said', async () => {
    const own = usual()
    await cli(own, ['note', '--current-line-of-attack', 'mine alone'], AGENT)
    own.git(['switch', '-q', '-c', 'side'])
    const made = await printed(own, [], AGENT)
    expect(memory(made.markdown).split('\n')[0]).toBe(PLACEHOLDER)
    expect(made.warnings).toContain('notes ignored: from branch main')
  })

  it.each([
    [
      'another schema',
      '{"schemaVersion": 2, "capturedAt": "2026-11-22T10:00:00Z"}',
      'notes ignored: schema 2',
    ],
    ['no JSON at all', 'half a rec', 'notes ignored: unreadable'],
  ])('%s: ignored, and said', async (_, text, warning) => {
    const own = usual()
    mkdirSync(notesFolder(own), { recursive: true })
    writeFileSync(join(notesFolder(own), '0000.json'), text)
    const made = await printed(own, [], AGENT)
    expect(memory(made.markdown).split('\n')[0]).toBe(PLACEHOLDER)
    expect(made.warnings).toContain(warning)
  })

  it('a blank record never shadows a real one', async () => {
    const blank = { schemaVersion: 1, capturedAt: later(5).toISOString(), branch: 'main' }
    writeFileSync(join(notesFolder(repo), '0000.json'), JSON.stringify(blank))
    const made = await printed(repo, [], { ...AGENT, now: later(10) })
    expect(memory(made.markdown)).toContain('the timer is cleared twice')
  })

  it('none at all: the placeholder, how to add them, and a warning', async () => {
    const own = usual()
    const made = await printed(own)
    expect(memory(made.markdown)).toContain(PLACEHOLDER)
    expect(memory(made.markdown)).toContain('npx git-handoff note')
    expect(made.warnings.join('\n')).toMatch(/notes|working memory/)
  })

  it('--require-notes fails without them and writes nothing', async () => {
    const own = usual()
    const head = headOf(own)
    const failed = await create(own, ['--require-notes'])
    expect(failed).toMatchObject({ code: 1, json: { errors: [{ code: 'E_NOTES_REQUIRED' }] } })
    expect(headOf(own)).toBe(head)
    expect(own.git(['status', '--porcelain'])).toBe('')
  })

  it('--wait-notes takes notes that arrive meanwhile, else the placeholder', async () => {
    const own = usual()
    const begun = Date.now()
    const now = () => new Date(NOW.getTime() + Date.now() - begun)
    const waiting = cli(own, ['create', GOAL, '--print', '--json', '--wait-notes', '20s'], { ...AGENT, now })
    setTimeout(
      () => void cli(own, ['note', '--current-line-of-attack', 'just in time'], { ...AGENT, now }),
      700,
    )
    expect(memory((await waiting).json.markdown)).toContain('just in time')
    expect(Date.now() - begun).toBeLessThan(15_000)
    await cli(own, ['note', '--clear'])
    const late = await cli(own, ['create', GOAL, '--print', '--json', '--wait-notes', '300ms'], {
      ...AGENT,
      now,
    })
    expect(memory(late.json.markdown).split('\n')[0]).toBe(PLACEHOLDER)
  })
})
