import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readPlain, writePlain } from '../../../src/brief/plain-yaml.ts'
import { parseYaml, writeYaml } from '../../../src/brief/yaml-engine.ts'

const words = [
  ...[
    'true',
    'no',
    'On',
    'y',
    'null',
    '~',
    '',
    'NULL',
    '.inf',
    '.nan',
    '0x1f',
    '0o17',
    '0b11',
    '017',
    '1_000',
    '1.10',
  ],
  ...[
    '1e3',
    '7e12345',
    '12345678',
    '90f2f97a',
    '1234e567',
    '2.1.330',
    '2.1',
    '1.2.3.4',
    '2026-11-22',
    '12:30',
    '12:30:45',
  ],
  ...[
    '2026-11-22T05:05:49.511Z',
    '2026-11-22T05:05:49Z',
    '20261122T050549-1e54c7d2',
    'Claude Code',
    'gpt-5.1',
    'a-',
  ],
  ...[
    'main@60dd583a8af1902ba0c832cdb7c246806b28adbc',
    'a: b',
    'a:b',
    'a #b',
    'a#b',
    '#c',
    '- a',
    '-',
    '? x',
    ': x',
    'x:',
  ],
  ...[
    'make it pass, keep the API',
    "it's",
    "'it'",
    '"q"',
    'say "q"',
    '{a}',
    'x {a}',
    '[a',
    'a, b',
    '&a',
    '*a',
    '!t',
    '|',
    '>',
  ],
  ...[
    '%a',
    '@x',
    '`x`',
    'x `y`',
    '---',
    '--- x',
    '...',
    ' a',
    'a ',
    'a\tb',
    'a\nb',
    'é',
    'a—b',
    'a\u200b',
    '<<',
    '=',
    '__proto__',
  ],
  ...[
    'constructor',
    'a'.repeat(2000),
    'tokens.soft',
    'e1',
    '1e',
    '0',
    '-1',
    '00',
    '1.',
    '1z-',
    '9z.',
    '9z: x',
    '9z #x',
  ],
]
const plainWords = [
  'a',
  'Claude Code',
  'make it pass, keep the API',
  "it's",
  '90f2f97a',
  '2.1.330',
  'a:b',
  'x (y) [z]',
]
const word = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...plainWords) },
  fc.constantFrom(...words),
  fc.string({ maxLength: 12 }),
)
const key = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom('id', 'goal', 'agent', 'tools', 'tokens.soft', 'a1') },
  fc.constantFrom(
    'id',
    'goal',
    'agent',
    'tools',
    'tokens.soft',
    'no',
    'N',
    'null',
    'True',
    'a1',
    'x_y',
    'constructor',
  ),
  fc.string({ minLength: 1, maxLength: 5 }),
)
const scalar = fc.oneof(
  word,
  word,
  fc.constantFrom<unknown>(null, true, false, 0, -0, 1, -1, 1.5, 1e21, 123456789012345),
)
const map = (value: fc.Arbitrary<unknown>) =>
  fc.array(fc.tuple(key, value), { maxLength: 5 }).map((entries) => Object.fromEntries(entries))
const list = fc.oneof(fc.array(word, { maxLength: 4 }), fc.array(scalar, { maxLength: 3 }))
const data = map(
  fc.oneof(scalar, scalar, list, map(fc.oneof(scalar, list, map(fc.oneof(scalar, map(scalar)))))),
)

/** Lines of front matter as people and other programs may write them. */
const line = fc
  .tuple(
    fc.constantFrom('', '', '  ', '    ', ' ', '\t', '      '),
    fc.constantFrom(
      'a: ',
      'b: ',
      'tools:',
      'agent:',
      '- ',
      '-',
      'a:',
      '? ',
      '',
      'a : ',
      '"a": ',
      'no: ',
      'x.y: ',
    ),
    fc.oneof(
      word,
      word.map((text) => `"${text}"`),
      word.map((text) => `'${text}'`),
      fc.constant(''),
    ),
    fc.constantFrom('', '', '', ' ', ' # x', ':', '\r'),
  )
  .map((parts) => parts.join(''))
const source = fc.array(line, { maxLength: 7 }).map((lines) => `\n${lines.join('\n')}`)

const readByLibrary = (text: string): unknown => {
  try {
    return parseYaml(text)
  } catch {
    return 'refused'
  }
}

describe('plain front matter, as the library has it', () => {
  it('is written the same', () => {
    let plain = 0
    fc.assert(
      fc.property(data, (value) => {
        const text = writePlain(value)
        if (text === null) return
        plain++
        expect(text).toBe(writeYaml(value))
        expect(readPlain(text)).toEqual(value)
      }),
      { numRuns: 1500 },
    )
    expect(plain).toBeGreaterThan(100)
  })

  it('is read the same', () => {
    let plain = 0
    fc.assert(
      fc.property(fc.oneof(source, data.map(writeYaml)), (text) => {
        const read = readPlain(text)
        if (read === null) return
        plain++
        expect(read).toEqual(readByLibrary(text))
      }),
      { numRuns: 2000 },
    )
    expect(plain).toBeGreaterThan(100)
  })

  it.each(words)('as the value, the item and the key %j', (text) => {
    for (const value of [{ a: text }, { a: [text] }, { a: { [text]: 'x' } }, { [text]: { b: [text] } }]) {
      const written = writePlain(value)
      if (written !== null) expect(written).toBe(writeYaml(value))
    }
    for (const read of [
      `a: ${text}`,
      `a: "${text}"`,
      `a:\n  - ${text}`,
      `${text}: x`,
      `a:\n  ${text}: x`,
      `a: x\n${text}`,
    ]) {
      const value = readPlain(read)
      if (value !== null) expect(value).toEqual(readByLibrary(read))
    }
  })

  it('is what a brief of ours begins with', () => {
    const meta = {
      schemaVersion: 1,
      id: '20261122T050549-1e54c7d2',
      goal: 'make the logout test pass without a global, keep the public API',
      createdAt: '2026-11-22T05:05:49.511Z',
      head: '90f2f97a8af1902ba0c832cdb7c246806b28adbc',
      agent: { id: 'claude-code', label: 'Claude Code', version: '2.1.330', tools: ['Bash', 'mcp__x__y'] },
      parent: null,
      dirty: true,
      limits: { 'tokens.soft': 3000 },
    }
    const text = writePlain(meta)
    expect(text).toBe(writeYaml(meta))
    expect(readPlain(text ?? '')).toEqual(meta)
  })

  it('is not what repeats a key, goes deep or is long', () => {
    expect(readPlain('a: x\na: y')).toBeNull()
    expect(readPlain('a:\n  b:\n    c:\n      d:\n        e: x')).toBeNull()
    expect(readPlain(Array.from({ length: 201 }, (_, i) => `k${i}: x`).join('\n'))).toBeNull()
  })
})
