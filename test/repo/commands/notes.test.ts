import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { cli } from '../cli.ts'
import type { TempRepo } from '../make-repo.ts'
import { AGENT, headOf, itemsOf, printed, sectionOf, usual } from '../usual.ts'

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
    'Written by the agent, checked by the tool.',
    '',
    '- Current line of attack: moving retry() into the scheduler',
    '- Active hypothesis: the timer is cleared twice',
    '- Decision: keep the ring buffer; why: it never allocates; instead of: a linked list',
    '- Context: the scheduler drops jobs without an id',
    '- Abandoned: a lock around the queue: it deadlocks',
    '- Blocker: the staging broker is down',
    '- Open question: may the limit be configured?',
    '- Next step: write the limits into the readme',
    '- File: `src/queue.ts` — holds the off-by-one',
  ])
  expectNowhereElse(markdown, [
    'ring buffer',
    'staging broker',
    'the limits into',
    'without an id',
    'holds the off',
  ])
}

/** Words of the notes stand in their own section alone. */
function expectNowhereElse(markdown: string, words: string[]): void {
  const elsewhere = markdown.replace(sectionOf(markdown, 'Working Memory'), '')
  expect(words.filter((word) => elsewhere.includes(word))).toEqual([])
}

describe('what the departing agent can author', () => {
  let repo: TempRepo
  beforeAll(() => {
    repo = usual()
  })

  it('note takes the four slots and the lists as JSON on standard input; create puts them whole into Working Memory', async () => {
    const noted = await cli(repo, ['note', '-', '--json'], {
      ...AGENT,
      stdin: JSON.stringify({ ...SLOTS, ...LISTS }),
    })
    expect(noted).toMatchObject({ code: 0, json: { ok: true } })
    const made = await printed(repo, [], AGENT)
    expectAllInPlace(made.markdown)
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
    expect(noted.json.notes.page.split('\n')).toEqual([
      '- Current line of attack: moving retry() into the scheduler',
      '- Active hypothesis: the timer is cleared twice',
      '- Decision: first',
      '- Decision: second',
      '- Context: the scheduler drops jobs without an id',
      '- Abandoned: a lock around the queue: it deadlocks',
      '- Blocker: the staging broker is down',
      '- Open question: may the limit be configured?',
      '- Next step: write the limits into the readme',
      '- File: `src/queue.ts` — holds the off-by-one',
    ])
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

  it('the markdown answer to a request stands whole in Working Memory, under its own headings', async () => {
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
    const { markdown } = await printed(repo, ['--notes', '-'], { ...AGENT, stdin: answer })
    expect(sectionOf(markdown, 'Working Memory')).toBe(
      `Written by the agent, checked by the tool.\n\n${answer.replaceAll('## ', '### ')}`,
    )
    expectNowhereElse(markdown, [
      'queue compiles',
      'ring buffer',
      'staging broker',
      'the limits into',
      'holds the off',
    ])
  })

  it('note touches nothing but the private folder', async () => {
    const own = usual()
    const head = headOf(own)
    await cli(own, ['note', '--current-line-of-attack', 'x and y'], AGENT)
    expect(headOf(own)).toBe(head)
    expect(own.git(['status', '--porcelain', '--ignored'])).toBe('')
    expect(readdirSync(notesFolder(own))).toHaveLength(1)
    const listed = await cli(own, ['note', '--list', '--json'])
    expect(listed.json.notes).toMatchObject([{ page: '- Current line of attack: x and y' }])
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

  it('a text in the place of a file is told where texts go', async () => {
    const { code, json } = await cli(repo, ['note', 'sub is fixed', '--json'])
    expect([code, json.errors[0]]).toMatchObject([
      2,
      {
        message: 'There is no file sub is fixed to take notes from.',
        hint: 'A text goes behind a flag: git handoff note --information "…"',
      },
    ])
  })

  it('nothing to note is a usage error', async () => {
    expect(await cli(repo, ['note', '--json'])).toMatchObject({
      code: 2,
      json: { errors: [{ code: 'E_USAGE' }] },
    })
  })
})
