import { describe, expect, it } from 'vitest'
import { briefPath, idOfPath, isBriefId, makeBriefId, slug, timeOfId } from '../../../src/brief/id.ts'

const at = (iso: string) => new Date(iso)

describe('makeBriefId', () => {
  it('holds the time in UTC and the milliseconds in the first three hex digits', () => {
    expect(makeBriefId(at('2026-07-14T09:15:22.028Z'), '0beef', null)).toBe('20260714T091522-01c0beef')
    expect(makeBriefId(at('2026-12-31T23:59:59.999Z'), 'fffff', null)).toBe('20261231T235959-3e7fffff')
  })

  it('is never earlier than its parent, whatever the clock says', () => {
    const parent = makeBriefId(at('2026-07-14T09:15:22.999Z'), '00000', null)
    const child = makeBriefId(at('2020-01-01T00:00:00Z'), 'abcde', parent)
    expect(child).toBe('20260714T091523-000abcde')
    expect(child > parent).toBe(true)
  })

  it('takes a parent that is no date for no parent, and refuses wrong entropy', () => {
    expect(makeBriefId(at('2026-07-14T09:15:22.000Z'), '00000', '99999999T999999-00000000')).toBe(
      '20260714T091522-00000000',
    )
    for (const bad of ['', 'abcd', 'ABCDE', '../..', 'abcdef'])
      expect(() => makeBriefId(at('2026-07-14T09:15:22Z'), bad, null)).toThrow(RangeError)
  })

  it('sorts by time as text', () => {
    const ids = [0, 1, 5, 100, 400, 999, 1000, 61_000].map((ms) =>
      makeBriefId(new Date(Date.UTC(2026, 0, 1) + ms), ms % 2 ? '00000' : 'fffff', null),
    )
    expect([...ids].sort()).toEqual(ids)
    expect(ids.map((id) => (timeOfId(id) ?? 0) - Date.UTC(2026, 0, 1))).toEqual([
      0, 1, 5, 100, 400, 999, 1000, 61_000,
    ])
  })
})

const BAD_IDS = [
  '',
  ' ',
  '.',
  '..',
  '../x',
  'a/b',
  'CON',
  'NUL',
  'latest',
  'HEAD',
  '-rf',
  '--output=/tmp/x',
  '20260714T091522',
  '20260714T091522-',
  '20260714T091522-01C0BEEF',
  '20260714T091522-01c0bee',
  '20260714T091522-01c0beef0',
  '20260714t091522-01c0beef',
  ' 20260714T091522-01c0beef',
  '20260714T091522-01c0beef ',
  '20260714T091522-01c0beef\n',
  '\n20260714T091522-01c0beef',
  '20260714T091522-01c0beef\0',
  '20260714T091522-01c0beef/..',
  '２０２６０７１４T091522-01c0beef',
  '2026-07-14T09:15:22-01c0beef',
  '20260714T091522-01c0beeg',
  '20260714T091522_01c0beef',
  '20260714T091522-01c0beef.md',
  'x'.repeat(300),
  '%2e%2e%2f',
  '~',
  '$(id)',
  '`id`',
  '*',
  '?',
  'refs/heads/main',
  'a\\b',
  'C:\\x',
  '\u202e20260714T091522-01c0beef',
  '20260714T09152２-01c0beef',
] // prettier-ignore

describe('isBriefId', () => {
  it.each(BAD_IDS)('refuses %j before a path is built', (id) => {
    expect(isBriefId(id)).toBe(false)
    expect(() => briefPath(id, 'goal')).toThrow(/Not a brief id/)
  })

  it('refuses what is no text', () => {
    for (const value of [null, undefined, 7, {}, ['20260714T091522-01c0beef']])
      expect(isBriefId(value)).toBe(false)
  })
})

describe('paths', () => {
  it('go there and back', () => {
    const path = briefPath('20260714T091522-01c0beef', 'Port the retry queue')
    expect(path).toBe('.handoff/briefs/20260714T091522-01c0beef-port-the-retry-queue.md')
    expect(idOfPath(path)).toBe('20260714T091522-01c0beef')
    expect(idOfPath('20260714T091522-01c0beef.md')).toBe('20260714T091522-01c0beef')
  })

  it.each([
    'README.md',
    '20260714T091522-01c0beef-UPPER.md',
    '20260714T091522-01c0beef.txt',
    '20260714T091522-01c0beef.md/x',
    `20260714T091522-01c0beef-${'a'.repeat(49)}.md`,
  ])('are not ids: %s', (path) => expect(idOfPath(path)).toBeNull())
})

describe('slug', () => {
  it.each([
    ['Port the retry queue!', 'port-the-retry-queue'],
    ['Überarbeite die Größe der Straße', 'uberarbeite-die-grosse-der-strasse'],
    ['Настроить повторные попытки', 'nastroit-povtornye-popytki'],
    ['Διόρθωσε την ουρά', 'diorthose-tin-oyra'],
    ['../../etc/passwd', 'etc-passwd'],
    ['続きをやる', 'handoff'],
    ['🎉🎉🎉', 'handoff'],
    ['', 'handoff'],
    ['---', 'handoff'],
    ['a'.repeat(100), 'a'.repeat(48)],
    [
      'implement team-level handoff, update tests, document API.',
      'implement-team-level-handoff-update-tests',
    ],
    ['line one\n# line two', 'line-one-line-two'],
  ])('%j → %s', (goal, expected) => expect(slug(goal)).toBe(expected))

  it('always gives a file name that reads back', () => {
    for (const goal of ['x-'.repeat(60), `${'word '.repeat(9)}end`, 'ﬁ½②', 'İstanbul', '\u0000'])
      expect(idOfPath(briefPath('20260714T091522-01c0beef', goal))).toBe('20260714T091522-01c0beef')
  })
})
