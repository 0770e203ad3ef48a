import { exactLine } from '../text/safe-text.ts'
import type { Finding } from '../types/checks.ts'
import { fingerprints } from './fingerprint.ts'
import { jsonText } from './json-text.ts'

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
