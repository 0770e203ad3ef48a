import { createHash } from 'node:crypto'
import type { Finding } from '../types/checks.ts'

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
