import { createHash } from 'node:crypto'
import { cutAt, exactLine, visible } from '../text/safe-text.ts'
import type { Finding } from '../types/checks.ts'
import { jsonText } from './output.ts'

/** Longer messages are cut; the whole finding stands in the other formats. */
const MAX_MESSAGE = 1000

/**
 * Findings as workflow commands of GitHub Actions, errors first, since a step shows ten of each level: `::error
 * file=…,line=…,title=…::message`. Escaped as `ActionCommand.cs` of the runner (2.3) takes it back: `%`, CR and LF
 * everywhere, `:` and `,` in properties too. Nothing of a finding can end the line or begin another command.
 */
export function githubAnnotations(findings: readonly Finding[]): string {
  const ranked = [...findings].sort((a, b) => Number(b.level === 'error') - Number(a.level === 'error'))
  return ranked
    .map(
      ({ rule, level, path, line, message }) =>
        `::${level} file=${property(path)},line=${line},title=${property(`handoff ${rule}`)}::${data(clip(exactLine(message)))}\n`,
    )
    .join('')
}

export const githubNotice = (text: string): string =>
  `::notice title=handoff::${data(clip(exactLine(text)))}\n`

// Escaped before it is made visible, so that a path with a line break still names its file.
const data = (text: string): string =>
  visible(text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A'))

const property = (text: string): string => data(text).replaceAll(':', '%3A').replaceAll(',', '%2C')

const clip = (text: string): string => (text.length <= MAX_MESSAGE ? text : `${cutAt(text, MAX_MESSAGE)}…`)

/**
 * Findings as a code quality report of GitLab, which it shows in the merge request beside the lines
 * (https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format).
 */
export function codeQuality(findings: readonly Finding[]): string {
  const marks = fingerprints(findings)
  const rows = findings.map(({ rule, level, path, line, message }, at) => ({
    description: exactLine(message),
    check_name: `handoff/${rule}`,
    fingerprint: marks[at],
    severity: level === 'error' ? 'major' : 'minor',
    location: { path, lines: { begin: line } },
  }))
  return `${jsonText(rows, 1)}\n`
}

export interface RuleText {
  id: string
  level: 'always' | 'strict'
  /** One sentence. */
  about: string
}

export interface SarifInput {
  findings: readonly Finding[]
  rules: readonly RuleText[]
  version: string
  /** What else is to be known about the run, as that findings were left out. */
  notes: readonly string[]
}

/**
 * Findings as a log of SARIF 2.1.0 (OASIS; https://docs.oasis-open.org/sarif/sarif/v2.1.0/), in the part of it that GitHub
 * code scanning reads. Paths are URIs relative to the top of the repository.
 */
export function sarifLog({ findings, rules, version, notes }: SarifInput): string {
  const marks = fingerprints(findings)
  const index = new Map(rules.map(({ id }, at) => [id, at]))
  const driver = {
    name: 'handoff',
    informationUri: 'https://www.npmjs.com/package/git-handoff',
    version,
    rules: rules.map(ruleOf),
  }
  const results = findings.map((finding, at) => ({
    ruleId: finding.rule,
    ...(index.has(finding.rule) ? { ruleIndex: index.get(finding.rule) } : {}),
    level: finding.level,
    message: { text: exactLine(finding.message) },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: uriOf(finding.path), uriBaseId: '%SRCROOT%' },
          region: { startLine: finding.line },
        },
      },
    ],
    // The one that code scanning compares (docs.github.com, "SARIF support for code scanning").
    partialFingerprints: { primaryLocationLineHash: `${marks[at]}:1` },
  }))
  const run = {
    tool: { driver },
    automationDetails: { id: 'handoff/check/' },
    columnKind: 'utf16CodeUnits',
    invocations: [
      {
        executionSuccessful: true,
        toolExecutionNotifications: notes.map((text) => ({
          level: 'warning',
          message: { text: exactLine(text) },
        })),
      },
    ],
    results,
  }
  const log = { $schema: 'https://json.schemastore.org/sarif-2.1.0.json', version: '2.1.0', runs: [run] }
  return `${jsonText(log, 1)}\n`
}

function ruleOf({ id, level, about }: RuleText) {
  const modes =
    level === 'always' ? 'An error in both modes.' : 'An error in strict mode, a warning in permissive mode.'
  const help = `${about} ${modes}`
  return {
    id,
    name: id
      .split('-')
      .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
      .join(''),
    shortDescription: { text: about },
    fullDescription: { text: help },
    help: {
      text: help,
      markdown: `${about}\n\n${modes} All rules: \`docs/spec/brief-v1.md\` of the package.`,
    },
    defaultConfiguration: { level: 'error' },
    properties: { tags: ['handoff'], 'problem.severity': 'error' },
  }
}

/** Each part of the path on its own, so that nothing in a name reads as a scheme, query or fragment. */
const uriOf = (path: string): string =>
  path
    .split('/')
    .map((part) => encodeURIComponent(part.replace(/[\ud800-\udfff]/gu, '\ufffd')))
    .join('/')

/**
 * One fingerprint of 32 hex digits for each finding, in order: the same in the next run, wherever the lines have moved to, and
 * different for equal findings of one file.
 */
export function fingerprints(findings: readonly Finding[]): string[] {
  const seen = new Map<string, number>()
  return findings.map(({ rule, path, message }) => {
    const what = JSON.stringify([rule, path, message])
    const times = seen.get(what) ?? 0
    seen.set(what, times + 1)
    return createHash('sha256').update(`${what}${times}`).digest('hex').slice(0, 32)
  })
}
