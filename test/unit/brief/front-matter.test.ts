import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { frontMatterJsonSchema } from '../../../scripts/brief-schema.ts'
import { draftBrief } from '../../../src/brief/draft.ts'
import {
  metaIssues,
  readFrontMatter,
  splitFrontMatter,
  writeFrontMatter,
} from '../../../src/brief/front-matter.ts'
import type { FrontMatter } from '../../../src/types/brief.ts'
import { runs } from '../../sampled.ts'
import { sampleInput } from './sample.ts'

const DAMAGED = runs(100, 1000)

const meta = (): FrontMatter => draftBrief(sampleInput()).meta
const text = (extra: Partial<FrontMatter> = {}) =>
  writeFrontMatter({ ...meta(), ...extra } as FrontMatter, '# Body\n')
const inMatter = (lines: string) => text().replace('---\nschemaVersion', `---\n${lines}\nschemaVersion`)

describe('what is written is read back', () => {
  it.each([
    ...[
      'true¦null¦~¦yes¦No¦on¦0x1f¦0o17¦0123456¦1_000¦1.10¦1e3¦7e12345¦12345678¦.inf¦-.INF¦.nan¦2026-07-14',
      '2026-07-14T09:15:22Z¦12:30¦12:30:45¦- a¦-¦? x¦: x¦a: b¦a #b¦#c¦&a¦*a¦!tag¦!!js/function x¦|¦>¦%TAG',
      '@x¦`x`¦"¦\'¦"quoted"¦it\'s¦{a: b}¦[a, b]¦{{goal}}¦---¦--- x¦...¦a\n---\nb¦---js\nalert(1)\n---',
      'a\n\n\nb¦ a¦a ¦\ta¦a\t¦a\r\nb¦a\rb¦\n¦\n\n a¦a\n¦a\n\n¦  indented\n    more¦\u0000¦\u0007¦\u001b[31m',
      '\u007f¦\u0085¦\u200b¦\u202e¦\u2028¦\ufeff¦\ufeffa¦\ufffe¦👨‍👩‍👧¦\u{e0041}¦日本語¦\\¦\\n¦\\u200b¦<<',
      '__proto__¦constructor',
    ].flatMap((row) => row.split('¦')),
    '$' + '{x}',
    '$(id)',
    '</handoff-context>',
    'x'.repeat(3000),
    'word '.repeat(700).trim(),
    '\n'.repeat(1500),
    '# a\n## b\n```\nc\n```',
  ])('goal %j', (goal) => {
    // Keys of several lines or over 1,024 characters are no plain YAML keys; nothing of ours writes them.
    const key = goal.includes('\n') || goal.length > 1000 ? 'key' : goal
    const written = text({ goal, extra: { deep: [goal, { [key]: goal }] } })
    const { meta: read, body } = readFrontMatter(written)
    expect(read.goal).toBe(goal)
    expect(read.extra).toEqual({ deep: [goal, { [key]: goal }] })
    expect(body.trim()).toBe('# Body')
    expect(written.slice(0, 5)).toBe('---\ns')
  }) // prettier-ignore

  it.each([
    ['a word', 'x'.repeat(4000)],
    ['words', 'word  and '.repeat(400)],
    ['line breaks', 'x\n\n'.repeat(1300)],
    ['a long line among others', `short\n  ${'long '.repeat(600)}\n---\nshort`],
    ['quotes and backslashes', '\\"\'\t'.repeat(1000)],
    ['hidden characters', 'a\u200b\u{e0041}'.repeat(500)],
    ['emoji', '👩‍💻 '.repeat(360)],
    ['lone surrogates', '\ud800 '.repeat(1000)],
  ])('folds a long value of %s over lines that are read whole', (_, goal) => {
    const written = text({ goal, extra: { deep: [{ list: [goal.slice(0, 1500)] }] } })
    expect(Math.max(...written.split('\n').map((line) => line.length))).toBeLessThanOrEqual(1500)
    const { goal: read, extra } = readFrontMatter(written).meta
    expect([read, extra]).toEqual([goal, { deep: [{ list: [goal.slice(0, 1500)] }] }])
    expect(text({ goal: read })).toBe(text({ goal }))
  })

  it('keeps unknown keys after the known ones, and known ones in their order', () => {
    const written = text({ zeta: 1, alpha: { nested: ['x'] } })
    const keys = (indent: string) =>
      [...written.matchAll(new RegExp(`^${indent}(\\w+):`, 'gm'))].map((match) => match[1])
    expect(keys('').join(' ')).toBe('schemaVersion id goal branch createdAt agent parents head meta')
    expect(keys(' {2}').slice(0, 3)).toEqual(['agent', 'reason', 'base'])
    expect(keys(' {2}').slice(-2)).toEqual(['zeta', 'alpha'])
    expect(readFrontMatter(written).meta).toMatchObject({ zeta: 1, alpha: { nested: ['x'] } })
  })

  it('holds no hidden character, yet gives back the exact value', () => {
    const goal = 'keep\u200b going \u202e and \u{e0041}'
    const written = text({ goal })
    expect(written).toMatch(/goal: "keep\\u200b going \\u202e and \\U000e0041"/)
    expect(readFrontMatter(written).meta.goal).toBe(goal)
  })

  it('keeps hashes and ids strings, and says where one is a number', () => {
    const head = '1234567812345678123456781234567812345678'
    expect(readFrontMatter(text({ head })).meta.head).toBe(head)
    const loose = text({ head }).replace(`"${head}"`, head)
    expect(() => readFrontMatter(loose, 'x.md')).toThrow(
      /x\.md: front matter, line \d+: head: must be string/,
    )
    const line = loose.split('\n').findIndex((row) => row.startsWith('head:')) + 1
    expect(metaIssues(splitFrontMatter(loose).data, loose)[0]).toMatchObject({ key: 'head', line })
  })

  it('knows on which line the body starts', () => {
    const written = text()
    const { body, bodyLine } = readFrontMatter(written)
    expect(
      written
        .split('\n')
        .slice(bodyLine - 1)
        .join('\n'),
    ).toBe(body)
  })

  it('reads CRLF files and a byte order mark', () => {
    expect(readFrontMatter(`\ufeff${text().replaceAll('\n', '\r\n')}`).meta.goal).toBe(meta().goal)
  })
})

const REFUSED: [string, string][] = [
  ['nothing', ''],
  ['no front matter', '# Title\n'],
  ['an unclosed block', text().replace('\n---\n\n# Body', '\n\n# Body')],
  ['a closing line of four dashes', text().replace('\n---\n\n# Body', '\n----\n\n# Body')],
  ...[
    'js',
    'javascript',
    'JS',
    ' js',
    'json',
    'coffee',
    'toml',
    'constructor',
    'toString',
    '__proto__',
    'yaml',
    'hasOwnProperty',
  ].map((word): [string, string] => [`---${word}`, `---${word}\nglobalThis.__handoffPwned = 1\n---\n`]),
  ['a list', '---\n- a\n---\n'],
  ['a text', '---\nhello\n---\n'],
  ['an empty block', '---\n---\n'],
  ['a comment alone', '---\n# x\n---\n'],
  ['an alias', inMatter('a: &x [1]\nb: *x')],
  ['an anchor', inMatter('a: &x 1')],
  ['a merge key', inMatter('<<: *x')],
  ['a tag', inMatter('a: !!str 1')],
  ['an unknown tag', inMatter('a: !js 1')],
  ['a duplicate key', inMatter('id: x')],
  ['a duplicate deep in unknown keys', inMatter('a: {b: 1, b: 2}')],
  ['two documents', inMatter('a: 1\n...\n---\nb: 1')],
  ['tabs for indentation', inMatter('a:\n\tb: 1')],
  ['an explicit key', inMatter('? a\n: b')],
  ['__proto__', inMatter('__proto__: {polluted: true}')],
  ['a directive', '---\n%YAML 1.1\n---\n'],
  ['__proto__ in the group', text().replace('\nmeta:\n', '\nmeta:\n  __proto__: {polluted: true}\n')],
  ['a key at the top and in the group', inMatter('kind: done\nreason: manual')],
  ['a key of the top in the group as well', text().replace('\nmeta:\n', '\nmeta:\n  goal: other\n')],
  ['a missing key', text().replace(/^createdAt: .*\n/m, '')],
  ['a wrong id', text().replace(/^id: .*$/m, 'id: ../../x')],
  ['a number for the branch', text().replace(/^branch: .*$/m, 'branch: 7')],
]

describe('a file of before there were groups', () => {
  const read = (file: string) =>
    readFileSync(new URL(`../../fixtures/brief/whole-brief/${file}`, import.meta.url), 'utf8')

  it('says the same, and is written in groups', () => {
    const { meta: then, body } = readFrontMatter(read('former.md'))
    const now = readFrontMatter(read('brief.md')).meta
    expect(then).toEqual({ ...now, tokens: 1473 })
    expect(then.parents).toEqual(['20260713T174502-2ab09c1d'])
    const text = read('brief.md').replace(/^Goal: .*\n\n/m, '')
    expect(writeFrontMatter({ ...then, tokens: now.tokens }, body.trimStart())).toBe(text)
    expect(readFrontMatter(read('former.md').replace(/^parent: .*$/m, 'parent: null')).meta.parents).toEqual(
      [],
    )
  })

  it('names the line that is wrong, in either form', () => {
    const wrong = (file: string, from: RegExp, to: string) => {
      const changed = read(file).replace(from, to)
      const [issue] = metaIssues(splitFrontMatter(changed).data, changed)
      return `${issue?.message} | ${changed.split('\n')[(issue?.line ?? 0) - 1]}`
    }
    expect(wrong('brief.md', /^ {2}- 2026.*$/m, '  - x')).toBe('parents.0: has the wrong shape | parents:')
    expect(wrong('former.md', /^ {2}id: .*$/m, '  id: 7')).toBe('agent.id: must be string |   id: 7')
    expect(wrong('brief.md', /^ {4}id: .*$/m, '    id: 7')).toBe('agent.id: must be string |     id: 7')
    expect(wrong('former.md', /^ {2}label: .*$/m, '  label: 7')).toBe(
      'agent.label: must be string |   label: 7',
    )
    expect(wrong('brief.md', /^agent: .*$/m, 'agent: 7')).toBe('agent.label: must be string | agent: 7')
    expect(wrong('former.md', /^dirty: .*$/m, 'dirty: 7')).toBe('dirty: must be boolean | dirty: 7')
    expect(wrong('brief.md', /^ {2}dirty: .*$/m, '  dirty: 7')).toBe('dirty: must be boolean |   dirty: 7')
    expect(wrong('brief.md', /^goal: .*\n/m, '')).toBe('goal: must be string | ---')
  })
})

it('reads several parents, each once', () => {
  const parents = ['20260713T174502-2ab09c1d', '20260712T000000-00000000']
  const { meta: read } = readFrontMatter(text({ parents: [...parents, ...parents] }))
  expect(read.parents).toEqual(parents)
  expect(readFrontMatter(text({ parents: [] })).meta.parents).toEqual([])
})

describe('what is refused', () => {
  it.each(REFUSED)('%s', (_, source) => {
    expect(() => readFrontMatter(source)).toThrow(expect.objectContaining({ code: 'E_BRIEF_UNREADABLE' }))
    expect(globalThis).not.toHaveProperty('__handoffPwned')
    expect({}).not.toHaveProperty('polluted')
  })

  it('a later schema version, with the way to upgrade', () => {
    expect(() => readFrontMatter(text().replace('schemaVersion: 1', 'schemaVersion: 2'))).toThrow(
      expect.objectContaining({ code: 'E_NEWER_SCHEMA', hint: expect.stringContaining('Upgrade') }),
    )
  })

  it('more than 16 KB', () => {
    expect(() => readFrontMatter(inMatter(`a: ${'x'.repeat(17_000)}`))).toThrow(/larger than 16384 bytes/)
  })
})

const fill = (unit: string, bytes = 16_000) => unit.repeat(Math.floor(bytes / unit.length))
const BOMBS: Record<string, string> = {
  'billion laughs': `a: &a [x,x,x,x,x,x,x,x,x]\n${'bcdefghi'
    .split('')
    .map((key, i) => `${key}: &${key} [${fill(`*${'abcdefgh'[i]},`, 27)}]`)
    .join('\n')}`,
  'many keys': Array.from({ length: 2500 }, (_, i) => `k${i}:`).join('\n'),
  'many keys in flow': `a: {${Array.from({ length: 3000 }, (_, i) => `k${i}`).join(',')}}`,
  'deep lists': `a: ${fill('[')}`,
  'deep maps': `a: ${fill('{')}`,
  'closed deep lists': `a: ${fill('[', 8000)}${fill(']', 8000)}`,
  'deep items': `a:\n  ${fill('- ')}x`,
  'deep keys': fill('? '),
  anchors: `a: ${fill('&a ')}x`,
  tags: `a: ${fill('!!str ')}x`,
  comments: fill('#\n'),
  'empty lines': fill('\n'),
  'deep indentation': Array.from({ length: 170 }, (_, i) => `${' '.repeat(i)}a:`).join('\n'),
  'deep items on deep lines': Array.from(
    { length: 36 },
    (_, i) => `${' '.repeat(24 * i)}${'- '.repeat(12)}${i === 35 ? 'x' : ''}`,
  ).join('\n'),
  'a block of empty lines': `a: |\n${fill('\n')}`,
  'a kept block of empty lines': `a: |+\n${fill('\n')}b: 1`,
  'a text over empty lines': `a: "${fill('\n')}"`,
  quotes: `a: ${fill("'")}`,
  spaces: `a:${fill(' ')}b`,
  commas: `a: [${fill(',')}]`,
}

describe('what is made to hurt', () => {
  /** Reads it or refuses it with the code; one that took forever would meet the limit of the test. */
  const survive = (source: string): void => {
    try {
      readFrontMatter(source)
    } catch (error) {
      expect(error).toMatchObject({ code: 'E_BRIEF_UNREADABLE' })
    }
  }

  it.each(Object.entries(BOMBS))('ends with an answer: %s', (_, bomb) => survive(inMatter(bomb)))

  it(`never runs, hangs on or half-reads ${DAMAGED} damaged front matters`, () => {
    const good = text({ extra: { list: [1, 'two', { three: null }] } })
    const scrap = fc.constantFrom(
      ...[
        '---¦---js¦\n¦  ¦: ¦- ¦? ¦&a ¦*a¦!!js/function ¦{¦}¦[¦]¦"¦\'¦|¦>¦#¦%¦\t¦\u0000¦<<: ¦__proto__: ',
        'constructor: ¦id: ¦\r\n¦🎉¦\u202e¦...\n',
      ].flatMap((row) => row.split('¦')),
    ) // prettier-ignore
    const edit = fc.record({
      at: fc.nat(good.length),
      cut: fc.nat(12),
      put: fc.oneof(scrap, fc.string({ maxLength: 6 })),
    })
    fc.assert(
      fc.property(fc.array(edit, { minLength: 1, maxLength: 6 }), (edits) => {
        const source = edits.reduce(
          (now, { at, cut, put }) => now.slice(0, at) + put + now.slice(at + cut),
          good,
        )
        survive(source)
      }),
      { numRuns: DAMAGED, seed: 1000 },
    )
    expect(globalThis).not.toHaveProperty('__handoffPwned')
  }, 120_000)
})

describe('the published schema', () => {
  it('is the one in docs/', () => {
    const published = readFileSync(new URL('../../../docs/brief.v1.schema.json', import.meta.url), 'utf8')
    expect(JSON.parse(published)).toEqual(frontMatterJsonSchema())
  })

  it('asks for what no brief is without and allows unknown keys', () => {
    const schema = frontMatterJsonSchema()
    const top = 'schemaVersion id goal branch createdAt agent parents head meta'.split(' ')
    expect(schema.required).toEqual(top)
    expect(Object.keys(schema.properties as object)).toEqual(top)
    const { meta } = schema.properties as Record<
      string,
      { required: string[]; additionalProperties: unknown }
    >
    expect(meta?.required).toEqual(['agent', 'reason', 'dirty', 'extraction', 'tokens'])
    expect([schema, meta].map((one) => one?.additionalProperties)).not.toContain(false)
  })
})
