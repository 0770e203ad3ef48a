import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { readFrontMatter, writeFrontMatter } from '../../src/brief/front-matter.ts'
import { expandedLatest, readCopy, readMarker } from '../../src/brief/latest.ts'
import { type ParsedBrief, parseBrief } from '../../src/brief/parse.ts'
import { inlinePrompt } from '../../src/brief/prompt.ts'
import { briefToJson } from '../../src/brief/render.ts'
import { defaultConfig } from '../../src/config/keys.ts'
import { changeLine, changesBetween } from '../../src/report/compare.ts'
import { reviewOf } from '../../src/report/review.ts'
import { renderComment } from '../../src/report/review-comment.ts'
import { rulesOf } from '../../src/report/review-rules.ts'
import { validateBrief } from '../../src/validate/validate-brief.ts'
import { codeOf, GOAL, makeSound, noControls } from './fuzz-brief.ts'
import { type Cut, cutUp, damage, damagedText, someCuts } from './fuzz-bytes.ts'
import type { Subject } from './fuzz-hunt.ts'
import { oddText, oddValue } from './fuzz-texts.ts'
import { jsonOf } from './fuzz-values.ts'

const FIXTURE = fileURLToPath(new URL('../fixtures/brief/whole-brief/brief.md', import.meta.url))
const whole = readFileSync(FIXTURE, 'utf8')
const ID = '20260714T091522-01c40e9b'
const PATH = `.handoff/briefs/${ID}-cap-the-retry-backoff-at-30-s-including-jitter.md`
const [, matter = '', body = ''] = /^---\n(.*?)\n---\n(.*)$/s.exec(whole) ?? []
const sections = body.split(/^(?=##? )/m)

/** Front matter and whole briefs. */
export const documentSubjects = (): Subject[] => [frontMatter, briefs] as Subject[]

/** Shapes of YAML that readers have taken for more than data. */
const YAML = [
  ...[
    'a: &a [x]\nb: [*a, *a]',
    '!!js/function "x"',
    '!<tag:yaml.org,2002:binary> aGk=',
    '<<: {a: b}',
    '? [a]\n: b',
  ],
  ...[
    '__proto__: {x: 1}',
    'constructor: x',
    '%YAML 1.1',
    '- a\n- b',
    '"open',
    "'open",
    '{a: b',
    '[a, b',
    '|',
    '>-\n x',
  ],
  ...[
    'id: 1e5',
    'parent: 20260713T174502',
    'parents: 20260713T174502',
    'meta: x',
    'meta: {id: x}',
    'meta: {__proto__: {x: 1}}',
    'dirty: yes',
    'tokens: 0x10',
    'head: 012',
    'schemaVersion: 2',
    'tokens: .inf',
  ],
  ...[
    'goal: |+\n  x\n  ## Status',
    'goal: >\n  x',
    'a: b: c',
    '\tx: y',
    'x:  # y',
    '---',
    '...',
    '--- js',
    '{{x}}',
    '@x: y',
  ],
  ...['a: {'.repeat(200), '['.repeat(4000), Array.from({ length: 900 }, (_, n) => `k${n}: 1`).join('\n')],
]

const frontMatter: Subject<{
  lines: { at: number; put: string; over: boolean }[]
  first: string
  cuts: Cut[]
}> = {
  kind: 'front matter',
  operation: 'read, write, read again',
  counts: [120, 3000],
  inputs: fc.record({
    lines: fc.array(
      fc.record({
        at: fc.nat(200),
        put: fc.oneof(
          fc.constantFrom(...YAML),
          fc
            .tuple(fc.constantFrom(...matter.split('\n')), oddText)
            .map(([line, odd]) => line.replace(/(?<=: ).*/, () => odd)),
          fc
            .tuple(fc.constantFrom(...matter.split('\n')), oddValue)
            .map(([line, odd]) => line.replace(/(?<=: ).*/, () => jsonOf(odd))),
          oddText,
        ),
        over: fc.boolean(),
      }),
      { maxLength: 4 },
    ),
    first: fc.constantFrom(
      '---',
      '---',
      '---',
      '---',
      '---',
      '---',
      '\u{feff}---',
      '--- ',
      '---js',
      '---json',
      '----',
      '',
      '---\r',
    ),
    cuts: someCuts,
  }),
  async meets({ lines, first, cuts: all }) {
    const text = matter.split('\n')
    for (const { at, put, over } of lines) text.splice(at % text.length, over ? 1 : 0, put)
    const bytes = cutUp(Buffer.from(`${[first, ...text, '---'].join('\n')}\n\n${body}`), all)
    try {
      const { meta, body: rest } = readFrontMatter(bytes.toString('utf8'))
      const again = readFrontMatter(writeFrontMatter(meta, rest))
      // The known keys come first then.
      if (!isDeepStrictEqual(again.meta, meta)) throw new Error('written and read it says something else')
      return 'read'
    } catch (error) {
      return codeOf(error)
    }
  },
}

const briefs: Subject<{ order: number[]; damage: Parameters<typeof damagedText>[2]; tail: string }> = {
  kind: 'markdown briefs',
  operation: 'check, parse, show, compare, review, hand down',
  counts: [80, 3000],
  inputs: fc.record({
    order: fc.oneof(
      fc.constant<number[]>([]),
      fc.array(fc.nat(sections.length - 1), { minLength: 1, maxLength: sections.length + 3 }),
    ),
    damage,
    tail: fc.oneof({ weight: 3, arbitrary: fc.constant('') }, { weight: 1, arbitrary: oddText }),
  }),
  async meets({ order, damage: done, tail }) {
    const parts = order.length === 0 ? sections : order.map((at) => sections[at] ?? '')
    const text = `---\n${matter}\n---\n${damagedText(parts.join(''), whole.split('\n'), done).toString('utf8')}${tail}`
    const count = text.split('\n').length
    for (const mode of ['strict', 'permissive'] as const) {
      const facts = {
        path: PATH,
        briefs: new Map(),
        knownFiles: null,
        home: '/home/ana',
        userNames: ['ana'],
        secrets: [],
        tokens: 1400,
        config: defaultConfig(),
      }
      for (const { message, line } of validateBrief(text, facts, { mode, force: false }))
        if (message === '' || line < 1 || line > count)
          throw new Error(`a finding without a place: ${message}`)
    }
    readCopy(text)
    readMarker(text)
    let parsed: ParsedBrief
    try {
      parsed = parseBrief(text)
    } catch (error) {
      return codeOf(error)
    }
    JSON.stringify(briefToJson(parsed.brief))
    changesBetween(parseBrief(whole), parsed).map(changeLine)
    changesBetween(parsed, parseBrief(whole)).map(changeLine)
    noControls(inlinePrompt(text), 'the prompt')
    const copy = expandedLatest({
      branch: 'main',
      head: null,
      briefs: null,
      id: ID,
      brief: text,
      trusted: true,
    } as never)
    const back = readCopy(copy)
    if (back.state !== 'ours' || back.isEdited) throw new Error(`the copy reads back as ${back.state}`)
    const told = { parsed, path: PATH, before: [], state: 'new' as const, commit: '' }
    const states = new Map([[parsed.meta.id, 'open' as const]])
    const briefs = [told]
    const none = { removed: 0, unreadable: [], untrusted: [], findings: [], commits: [], files: null }
    const review = { briefs, total: 1, ...none, states, rules: rulesOf(briefs, states, []) }
    noControls(renderComment(reviewOf(review), null), 'the review')
    const parent = { id: parsed.meta.id, path: PATH, oid: 'a'.repeat(40), text, parsed, committed: true }
    return makeSound({ parent, goal: GOAL })
  },
}
