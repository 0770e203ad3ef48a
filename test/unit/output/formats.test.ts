import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  codeQuality,
  fingerprints,
  githubAnnotations,
  githubNotice,
  sarifLog,
} from '../../../src/output/finding-formats.ts'
import { openOutput } from '../../../src/output/output.ts'
import type { Finding } from '../../../src/types/checks.ts'
import { rules } from '../../../src/validate/validate-brief.ts'
import { commandsOf } from '../../e2e/ci/commands.ts'

const PATH = '.handoff/briefs/20261122T100000-000abc00-x.md'
const finding = (change: Partial<Finding> = {}): Finding => ({
  rule: 'schema',
  level: 'error',
  path: PATH,
  line: 3,
  message: 'goal is missing',
  ...change,
})

const HOSTILE = [
  '::error file=a.md,line=1::forged',
  '\n::error::forged',
  '\r\n  ::warning::forged',
  '##[error]forged',
  'a ##[add-mask]b',
  '%0A::error::forged',
  '%250A',
  '\u2028::error::forged',
  '\u0085::error::forged',
  '\u001b[31mred\u001b[0m',
  '::stop-commands::x',
  '\u202eevil',
  ', title=x::y',
  ': :',
]

/** Texts of pieces that mean something to a log, a terminal or a parser. */
const anyText = fc
  .array(
    fc.constantFrom(
      ...HOSTILE,
      ':',
      ',',
      '%',
      '\n',
      '\r',
      '\t',
      'a',
      ' ',
      '##[',
      ']',
      '\ud800',
      '\u{e0041}',
      '\u200b',
      '\0',
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(''))

describe('annotations of GitHub', () => {
  it('are escaped as the runner takes them back: %, CR, LF, and : and , in properties', () => {
    const path = 'a,b:c%d\ne.md'
    expect(githubAnnotations([finding({ path, message: '50% of a:b, c' })])).toBe(
      '::error file=a%2Cb%3Ac%25d%0Ae.md,line=3,title=handoff schema::50%25 of a:b, c\n',
    )
    expect(commandsOf(githubAnnotations([finding({ path })]))[0]?.properties.file).toBe(path)
    expect(githubNotice('a\nb%')).toBe('::notice title=handoff::a\\u{a}b%25\n')
  })

  it.each(HOSTILE)('%j in a path or message is one annotation and nothing else', (text) => {
    const line = githubAnnotations([finding({ path: text, message: text })])
    expect(line.split('\n')).toHaveLength(2)
    expect(commandsOf(line)).toHaveLength(1)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: none may be left
    expect(line).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e]/)
  })

  it('any text at all is one annotation', () => {
    fc.assert(
      fc.property(anyText, anyText, (path, message) => {
        const found = commandsOf(githubAnnotations([finding({ path, message })]))
        expect(found).toHaveLength(1)
        expect(found[0]).toMatchObject({ level: 'error', properties: { line: '3' } })
      }),
    )
  })

  it('errors come first, since a step shows ten of each level', () => {
    const text = githubAnnotations([finding({ level: 'warning' }), finding({ line: 9 })])
    expect(commandsOf(text).map(({ level }) => level)).toEqual(['error', 'warning'])
    expect(githubAnnotations([finding({ message: 'x'.repeat(9000) })]).length).toBeLessThan(1200)
  })
})

describe('what is printed in a log of GitHub Actions', () => {
  const printed = (text: string): string => {
    let all = ''
    const stream = { write: (part: string) => (all += part) }
    const out = openOutput({
      stdout: stream,
      stderr: stream,
      json: false,
      color: false,
      interactive: false,
      hasCommands: true,
    })
    out.say(text)
    out.warn(text)
    out.result(text, {})
    return all
  }

  it.each([...HOSTILE, '\t::error::forged', 'ok\n\n ::error::forged'])('%j is no command there', (text) => {
    expect(commandsOf(printed(text))).toEqual([])
  })

  it('with --json neither, and a parser reads the same', () => {
    let all = ''
    const out = openOutput({
      stdout: { write: (part: string) => (all += part) },
      stderr: { write: () => undefined },
      json: true,
      color: false,
      interactive: false,
    })
    out.result('', { texts: HOSTILE })
    expect(commandsOf(all)).toEqual([])
    expect(JSON.parse(all)).toEqual({ texts: HOSTILE })
  })
})

/** The part of the published schema of SARIF 2.1.0 that is written: no key but its own, required ones there. */
const message = z.strictObject({ text: z.string().min(1) })
const help = z.strictObject({ text: z.string().min(1), markdown: z.string().optional() })
const level = z.enum(['none', 'note', 'warning', 'error'])
const rule = z.strictObject({
  id: z.string(),
  name: z.string(),
  shortDescription: help,
  fullDescription: help,
  help,
  defaultConfiguration: z.strictObject({ level }),
  properties: z.looseObject({ tags: z.array(z.string()) }),
})
const result = z.strictObject({
  ruleId: z.string(),
  ruleIndex: z.int().min(0).optional(),
  level,
  message,
  locations: z
    .array(
      z.strictObject({
        physicalLocation: z.strictObject({
          artifactLocation: z.strictObject({
            // A relative reference of RFC 3986: path segments, the first without a colon.
            uri: z.string().regex(/^(?!\/)(?:[\w.~!$&'()*+,;=@-]|%[0-9A-F]{2}|\/)+$/),
            uriBaseId: z.string(),
          }),
          region: z.strictObject({ startLine: z.int().min(1) }),
        }),
      }),
    )
    .length(1),
  partialFingerprints: z.record(z.string(), z.string()),
})
const sarif = z.strictObject({
  $schema: z.url(),
  version: z.literal('2.1.0'),
  runs: z
    .array(
      z.strictObject({
        tool: z.strictObject({
          driver: z.strictObject({
            name: z.string(),
            informationUri: z.url(),
            version: z.string(),
            rules: z.array(rule),
          }),
        }),
        automationDetails: z.strictObject({ id: z.string() }),
        columnKind: z.enum(['utf16CodeUnits', 'unicodeCodePoints']),
        invocations: z.array(
          z.strictObject({
            executionSuccessful: z.boolean(),
            toolExecutionNotifications: z.array(z.strictObject({ level, message })),
          }),
        ),
        results: z.array(result),
      }),
    )
    .length(1),
})

describe('SARIF', () => {
  const logOf = (findings: Finding[]) =>
    sarif.parse(JSON.parse(sarifLog({ findings, rules, version: '1.2.3', notes: ['7 more'] })))

  it('fits the schema, with a descriptor and help for every rule, and a result for every finding', () => {
    const [run] = logOf([finding(), finding({ rule: 'secrets', level: 'warning', line: 7 })]).runs
    expect(run?.tool.driver.rules.map(({ id }) => id)).toEqual(rules.map(({ id }) => id))
    for (const one of run?.results ?? [])
      expect(run?.tool.driver.rules[one.ruleIndex ?? -1]?.id).toBe(one.ruleId)
    expect(run?.results[1]).toMatchObject({
      ruleId: 'secrets',
      level: 'warning',
      message: { text: 'goal is missing' },
      locations: [
        {
          physicalLocation: {
            artifactLocation: { uri: PATH, uriBaseId: '%SRCROOT%' },
            region: { startLine: 7 },
          },
        },
      ],
    })
    expect(run?.invocations[0]?.toolExecutionNotifications[0]?.message.text).toBe('7 more')
  })

  it.each([...HOSTILE, 'a b#c?d.md', 'x:y/z.md', 'ä\u{1f600}.md', 'half\ud800.md'])(
    'names the path %j as a relative URI',
    (path) => {
      const [run] = logOf([finding({ path })]).runs
      const { uri } = run?.results[0]?.locations[0]?.physicalLocation.artifactLocation ?? { uri: '' }
      expect(decodeURIComponent(uri)).toBe(path.replace('\ud800', '\ufffd'))
    },
  )

  it('without findings is a log without results', () => {
    expect(logOf([]).runs[0]?.results).toEqual([])
  })

  it('holds nothing odd for a terminal or a log, whatever a finding says', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const findings = [finding({ path: text === '' ? 'x' : text, message: text })]
        const log = sarifLog({ findings, rules: [], version: '1', notes: [] })
        // biome-ignore lint/suspicious/noControlCharactersInRegex: none may be left
        expect(log).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e]/)
        expect(commandsOf(log)).toEqual([])
        JSON.parse(log)
      }),
    )
  })
})

describe('fingerprints', () => {
  it('stay when lines move, differ for equal findings of one file, and for another file, rule or text', () => {
    const [one, two] = fingerprints([finding(), finding()])
    expect(fingerprints([finding({ line: 99 })])).toEqual([one])
    expect(two).not.toBe(one)
    const others = [{ path: 'y' }, { rule: 'size' }, { message: 'z' }].map(
      (change) => fingerprints([finding(change)])[0],
    )
    expect(new Set([one, two, ...others]).size).toBe(5)
  })
})

describe('code quality of GitLab', () => {
  it('has the five keys of a finding and a fingerprint of its own for each', () => {
    const rows = JSON.parse(codeQuality([finding(), finding({ level: 'warning' })]))
    expect(rows[0]).toEqual({
      description: 'goal is missing',
      check_name: 'handoff/schema',
      fingerprint: fingerprints([finding()])[0],
      severity: 'major',
      location: { path: PATH, lines: { begin: 3 } },
    })
    expect(rows[1].severity).toBe('minor')
    expect(codeQuality([])).toBe('[]\n')
  })
})
