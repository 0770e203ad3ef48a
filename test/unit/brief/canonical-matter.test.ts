import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readCanonical } from '../../../src/brief/canonical-matter.ts'
import { draftBrief } from '../../../src/brief/draft.ts'
import { writeFrontMatter } from '../../../src/brief/front-matter.ts'
import { yamlEngine } from '../../../src/brief/yaml-engine.ts'
import type { FrontMatter } from '../../../src/types.ts'
import { sampleInput } from './sample.ts'

const innerOf = (meta: FrontMatter): string =>
  /^---\n([\s\S]*?)\n---\n/.exec(writeFrontMatter(meta, ''))?.[1] ?? ''
const meta = (extra: Record<string, unknown> = {}) =>
  ({ ...draftBrief(sampleInput()).meta, ...extra }) as FrontMatter

/** What the engine makes of it; undefined where it refuses. */
function engine(inner: string): unknown {
  try {
    return yamlEngine.parse(inner)
  } catch {
    return undefined
  }
}

/** Parts that mean something to YAML, put together at random. */
const piece = fc.constantFrom(
  ...[
    "a¦b: ¦: ¦:¦-¦- ¦  ¦ ¦#¦ #¦\"¦'¦''¦\\¦\\n¦\\\"¦\\u0041¦|¦|-¦>¦&a¦*a¦!t¦%¦@¦`¦?¦? ¦[¦]¦{¦}¦[]¦{}¦,¦~",
    '.¦...¦---¦<<¦true¦True¦null¦Null¦yes¦0¦7¦007¦0x1f¦0o7¦1e3¦1.5¦.5¦-1¦+1¦1_000¦12:30¦2026-07-14',
    '2026-07-14T09:15:22Z¦.inf¦.nan¦9007199254740993¦1e¦1f¦5d¦\n¦\n\n¦\n  ¦\n  - ¦\n    ¦\t¦\r\n¦\u00a0',
    '\u0085¦\u2028¦\ufeff¦é¦日¦👍¦\u200b¦key:¦key: ¦__proto__: ¦constructor',
  ].flatMap((row) => row.split('¦')),
) // prettier-ignore
const mess = fc.array(piece, { maxLength: 12 }).map((parts) => parts.join(''))
const value = fc.oneof(mess, fc.string({ unit: 'binary' }), fc.string())

describe('the reader of canonical front matter', () => {
  it('says what the engine says, or nothing, of any mapping of scalars', () => {
    const line = fc.tuple(fc.constantFrom('a', 'b', 'goal', 'id', 'True', 'x y', '"q"', ''), value)
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 5 }), (lines) => {
        const inner = lines.map(([key, text]) => `${key}: ${text}\n`).join('')
        const read = readCanonical(inner)
        if (read !== undefined) expect(read).toStrictEqual(engine(inner))
      }),
      { numRuns: 1500 },
    )
  })

  it('says what the engine says, or nothing, of canonical lines with something put in, cut out or turned round', () => {
    const lines = innerOf(
      meta({ skills: ['review', 'a: b'], limits: { files: 3 }, note: 'one\ntwo\n  three' }),
    ).split('\n')
    fc.assert(
      fc.property(fc.nat(), fc.nat(), fc.nat(2), mess, (at, column, cut, text) => {
        const changed = [...lines]
        const index = at % lines.length
        const line = lines[index] ?? ''
        const from = column % (line.length + 1)
        changed[index] = line.slice(0, from) + text + line.slice(from + cut)
        const inner = `${changed.join('\n')}\n`
        const read = readCanonical(inner)
        if (read !== undefined) expect(read).toStrictEqual(engine(inner))
      }),
      { numRuns: 700 },
    )
  }, 30_000)

  it('reads what the writer writes, or leaves it to the engine, for any text in any place', () => {
    fc.assert(
      fc.property(value, value, value, (goal, label, deep) => {
        const agent = { ...meta().agent, label, tools: [deep, label] }
        const inner = `${innerOf(meta({ goal, agent, extra: { [`k${goal.length}`]: [deep] } }))}\n`
        const read = readCanonical(inner)
        if (read !== undefined) expect(read).toStrictEqual(engine(inner))
      }),
      { numRuns: 150 },
    )
  })

  it.each([
    'port the retry queue to the new scheduler, keep the public API',
    'say "it works" and \\ mean it',
    "it's: done",
    'one line\nand another\n\n  indented',
    '{{goal}} # not a comment',
    '日本語で書く',
    'true',
    '12345678',
    '2026-07-14',
    '1.10',
    'ends with a colon:',
    '- a list?',
    '[gap]',
  ])('leaves no usual goal to the engine: %j', (goal) => {
    const inner = `${innerOf(meta({ goal, skills: ['review'], persona: 'backend', resumedFrom: { id: 'x', createdAt: 'y' } }))}\n`
    expect(readCanonical(inner)).toStrictEqual(engine(inner))
    expect(readCanonical(inner)).toMatchObject({ goal })
  })

  it.each([
    ['nothing', ''],
    ['no end of line', 'a: b'],
    ['a blank line', 'a: b\n\nc: d\n'],
    ['a comment', '# a\na: b\n'],
    ['a key twice', 'a: b\na: c\n'],
    ['a key without a value', 'a:\nb: c\n'],
    ['an anchor', 'a: &x b\n'],
    ['a continued line', 'a: b\n  c\n'],
    ['a key that JavaScript knows', '__proto__: x\n'],
    ['more lines than any brief has', `a: |-\n${'  x\n'.repeat(300)}`],
    ['a list of mappings', 'a:\n  - b: c\n'],
    ['a mapping that ends deeper', 'a:\n    b: c\n'],
  ])('leaves %s to the engine', (_, inner) => expect(readCanonical(inner)).toBeUndefined())
})
