import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { writeCanonical } from '../../../src/brief/canonical-lines.ts'
import { writeMatter } from '../../../src/brief/matter.ts'

/** Parts that mean something to YAML 1.1 or 1.2, put together at random. */
const piece = fc.constantFrom(
  ...[
    "a¦b: ¦: ¦:¦-¦- ¦  ¦ ¦#¦ #¦\"¦'¦''¦\\¦|¦>¦%¦@¦`¦!¦&¦*¦?¦? ¦,¦, ¦[¦]¦{¦}¦{}¦[]¦=¦<<¦~¦--- ¦---¦...¦/",
    'true¦True¦no¦Off¦on¦y¦N¦null¦NULL¦.inf¦.NaN¦0¦1¦7¦0x¦0o¦0b¦e¦E+¦_¦.¦+¦12:30¦2026-07-14¦T10:00:00Z',
    '2026-07-14T10:00:00.000Z¦1.10¦1e¦5d¦\n¦\n  ¦\t¦\r¦\u00a0¦\u0085¦\u2028¦\ufeff¦é¦日¦👍¦\u200b¦\ud800',
  ].flatMap((row) => row.split('¦')),
) // prettier-ignore
const mess = fc.array(piece, { maxLength: 6 }).map((parts) => parts.join(''))
const text = fc.oneof(
  mess,
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.string(),
  fc.stringMatching(/^[0-9a-f]{40}$/),
)
const scalar = fc.oneof(text, fc.nat(), fc.double(), fc.boolean(), fc.constant(null))
const key = fc.oneof(fc.constantFrom('goal', 'id', 'True', 'no', 'y', 'x y', 'k_1', '1', 'e', ''), text)
const data = fc.dictionary(
  key,
  fc.oneof(
    { weight: 4, arbitrary: scalar },
    fc.array(scalar, { maxLength: 3 }),
    fc.dictionary(key, fc.oneof(scalar, fc.array(text, { maxLength: 2 })), { maxKeys: 3 }),
    fc.array(fc.array(text, { maxLength: 2 }), { maxLength: 2 }),
  ),
  { maxKeys: 4 },
)
/** What stands between the two lines `---`. */
const between = (head: string): string => /^---\n([\s\S]*\n)---\n+$/.exec(head)?.[1] ?? head

describe('the writer of canonical front matter', () => {
  it('writes what the engine writes, or nothing, for any mapping', () => {
    fc.assert(
      fc.property(data, (value) => {
        const lines = writeCanonical(value)
        if (lines !== undefined) expect(lines).toBe(between(writeMatter(value)))
      }),
      { numRuns: 1000 },
    )
  })

  it('writes what the engine writes, or nothing, for any text', () => {
    fc.assert(
      fc.property(text, (goal) => {
        const lines = writeCanonical({ goal, deep: { list: [goal] } })
        if (lines !== undefined) expect(lines).toBe(between(writeMatter({ goal, deep: { list: [goal] } })))
      }),
      { numRuns: 2000 },
    )
  })

  it.each([
    'port the retry queue to the new scheduler, keep the public API',
    'say "it works" and \\ mean it',
    "it's: done",
    'it\'s "both": here',
    '2026-07-14T10:00:00.000Z',
    '20260714T100000-1f3a9c07',
    '7e1b3a5c9d2f4e6a8b0c1d3e5f7a9b1c3d5e7f90',
    'main@60dd583a8af1902ba0c832cdb7c246806b28adbc',
    '2.1.330',
    '20260714T100000-12345b78',
    'feature/guard',
    '日本語で書く',
    '[draft] a goal',
    '- a list?',
    'ends with a colon:',
  ])('writes %j by itself where it is plain or quoted', (goal) => {
    const value = {
      schemaVersion: 1,
      goal,
      vague: true,
      parent: null,
      agent: { id: goal, tools: [goal, 'Bash'] },
      none: [],
      left: {},
    }
    expect(writeCanonical(value)).toBe(between(writeMatter(value)))
  })

  it.each([
    '',
    'no',
    'Null',
    'one\ntwo',
    '12345678',
    '1.10',
    '2026-07-14',
    '---',
    '-x',
    '~',
    '.5',
    '0x1f',
    'a\u200bb',
  ])('leaves %j to the engine', (goal) => {
    expect(writeCanonical({ goal })).toBeUndefined()
  })
})
