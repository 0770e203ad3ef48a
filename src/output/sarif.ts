import { exactLine } from '../text/safe-text.ts'
import type { Finding } from '../types/checks.ts'
import { fingerprints } from './fingerprint.ts'
import { jsonText } from './json-text.ts'

/** What a rule tells about itself. */
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
    name: id.replace(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase()),
    shortDescription: { text: about },
    fullDescription: { text: help },
    help: { text: help, markdown: `${about}\n\n${modes} All rules: \`docs/format.md\` of the package.` },
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
