import { describe, expect, it } from 'vitest'
import { notesFrom, notesState, parseSlots } from '../../../src/brief/notes.ts'
import { notesContract } from '../../../src/brief/template.ts'
import { ageText } from '../../../src/text/count.ts'

const capture = {
  capturedAt: '2026-07-14T09:14:00.000Z',
  capturedBySessionId: 's1',
  branch: 'main',
  head: null,
}
const parseNotes = (text: string, at: typeof capture) => notesFrom(parseSlots(text), at)
const HOUR = 3_600_000
const now = Date.parse('2026-07-14T09:20:00.000Z')
const place = { now, session: 's1', branch: 'main', maxAge: HOUR }
const stored = (extra: object = {}) => ({
  ...parseNotes('{"currentLineOfAttack":"move the cap"}', capture),
  ...extra,
})

it.each([[{ toString: 'x' }], [2], ['1'], [null]])(
  'a schema version that is not 1 is refused: %j',
  (schemaVersion) => {
    const reason = 'this handoff knows schema 1 of notes and no other'
    expect(notesState(stored({ schemaVersion }), place)).toMatchObject({ usable: false, stale: null })
    expect(() => parseNotes(JSON.stringify({ schemaVersion }), capture)).toThrow(reason)
  },
)

it('stored notes without a time are left out', () => {
  const said = notesState(stored({ capturedAt: '2026-07-14T09:14:00.000Z ' }), place)
  expect(said).toMatchObject({ usable: false, stale: null })
})

describe('parseNotes of JSON', () => {
  it('takes the four slots and the lists, and leaves placeholders out', () => {
    const notes = parseNotes(
      JSON.stringify({
        schemaVersion: 1,
        currentLineOfAttack: '  move the cap ',
        activeHypothesis: 'N/A',
        abandonedApproaches: ['capping early', '', 'TODO', '...'],
        openQuestions: ['is it documented?'],
        decisions: [{ what: 'keep the table', alternatives: ['drop it'] }, { what: 'none' }],
        blockers: ['no access'],
        nextSteps: ['test'],
        information: ['needs .ts'],
        files: [{ path: 'a.ts' }],
      }),
      capture,
    )
    expect(notes).toEqual({
      schemaVersion: 1,
      ...capture,
      page: [
        '- Current line of attack: move the cap',
        '- Decision: keep the table; instead of: drop it',
        '- Context: needs .ts',
        '- Abandoned: capping early',
        '- Blocker: no access',
        '- Open question: is it documented?',
        '- Next step: test',
        '- File: `a.ts`',
      ].join('\n'),
    })
  })

  it('puts a page that comes with slots below them', () => {
    const given = JSON.stringify({ nextSteps: ['test'], other: '## Traps\n- the wheel' })
    expect(parseNotes(given, capture).page).toBe('- Next step: test\n\n## Traps\n- the wheel')
  })

  it.each([
    ['{"schemaVersion":"1"}', /schema 1/],
    ['{broken', /not JSON/],
    [JSON.stringify({ currentLineOfAttack: 'x'.repeat(4001) }), /currentLineOfAttack is longer than 4000/],
    [JSON.stringify({ openQuestions: 'one' }), /openQuestions must be array/],
    [JSON.stringify({ openQuestion: ['typo'] }), /unknown key openQuestion/],
    [JSON.stringify({ nextSteps: Array(51).fill('x') }), /nextSteps is longer than 50/],
    [JSON.stringify({ other: 'x'.repeat(70_000) }), /larger than/],
    ['{}', /every slot is empty/],
    [JSON.stringify({ currentLineOfAttack: ' n/a ' }), /every slot is empty/],
  ])('refuses %.40s', (text, message) => {
    expect(() => parseNotes(text, capture)).toThrow(expect.objectContaining({ code: 'E_NOTES' }))
    expect(() => parseNotes(text, capture)).toThrow(message)
  })
})

describe('parseNotes of markdown', () => {
  it('keeps it whole, under its own headings, from the first line to the last', () => {
    const answer = 'Here is my handoff.\n\n## Decisions\n- Cap at 30 s\n\n```sh\n# no heading\n```\n'
    const notes = parseNotes(answer, capture)
    expect(notes.page).toBe(answer)
  })

  it.each([
    [' \n', 'the page is empty'],
    ['I did some stuff.', 'the page names nothing'],
    [
      "I can't help with that, since I have no access to what was said in this conversation.",
      'the page refuses',
    ],
    ['<function_calls>\n<invoke name="Bash">', 'the page is a call of a tool'],
    ['{"name": "Bash", "arguments": {"command": "ls"}}', 'unknown key name, arguments'],
    [notesContract, 'the page repeats the instructions'],
  ])('%s: refused, with what is wrong', (text, problem) => {
    expect(() => parseNotes(text, capture)).toThrow(problem)
  })

  it.each([
    ['計時器被清除兩次。'],
    ['See `src/queue.ts`.'],
    ['the timer is cleared twice in the queue'],
    [`Sorry for the length.\n\n${'What was decided stands below, and why it was so. '.repeat(20)}`],
    [notesContract.replace(/^[^#\n].*$/gm, 'The cap is in.')],
  ])('%s: taken', (text) => {
    expect(parseNotes(text, capture).page).toBe(text)
  })

  it('says when it is too long', () => {
    expect(() => parseNotes('a `b` '.repeat(3_000), capture)).toThrow(
      /the page is longer than 16000 characters; 700 words/,
    )
  })
})

describe('notesState', () => {
  it('uses notes of the same session and branch', () => {
    expect(notesState(stored(), place)).toMatchObject({ usable: true, ageMs: 360_000 })
    expect(notesState(stored({ capturedBySessionId: null }), place)).toMatchObject({ usable: true })
  })

  it.each([
    ['3 h old', stored({ capturedAt: '2026-07-14T06:14:00.000Z' })],
    ['2 d old', stored({ capturedAt: '2026-07-12T06:14:00.000Z' })],
    ['from another session', stored({ capturedBySessionId: 's2' })],
    ['from branch feature/x', stored({ branch: 'feature/x' })],
    ['from branch (detached)', stored({ branch: null })],
  ])('says %s, and still has them to show', (why, record) => {
    const state = notesState(record, place)
    expect(state).toMatchObject({ usable: false, why })
    expect(state.usable === false && state.stale?.notes.page).toContain('move the cap')
  })

  it.each([
    ['unreadable, the notes must be object', 'not json'],
    ['unreadable, the notes must be object', null],
    ['unreadable, capturedAt is not valid', stored({ capturedAt: 'yesterday' })],
    ['blank', stored({ page: ' \n' })],
  ])('says %s and shows nothing', (why, record) => {
    expect(notesState(record, place)).toEqual({ usable: false, why, stale: null })
  })

  it('says ages in the largest whole unit', () => {
    expect([0, 59_000, 60_000, 3_599_000, HOUR, 25 * HOUR].map(ageText)).toEqual([
      '0 s',
      '59 s',
      '1 min',
      '59 min',
      '1 h',
      '1 d',
    ]) // prettier-ignore
  })
})
