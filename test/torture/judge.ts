import { auditResult, type Reference } from './audit.ts'
import type { Bench } from './operations.ts'
import type { Run } from './steps.ts'

/** Words of which a person can tell what happened. */
const CLEAR =
  /E(?:IO|NOSPC|ROFS|ACCES|MFILE)\b|input\/output error|no space left|read-only file system|permission denied|too many open files|not readable|not found|too old|could not|cannot|unable to|failed/i

/** The brief says something else than without the fault, and nobody was told. */
export const SILENT = 'another brief than without the fault, and not a word of it'

/** No false success and no crash: exit 0 means that it is done, anything else is an error that a person understands. */
export function judge(
  bench: Bench,
  reference: Reference,
  run: Run,
): { wrong: string[]; reference: Reference } {
  const wrong: string[] = []
  if (run.code !== 0 && run.code !== 1 && run.code !== 2) wrong.push(`ended with ${run.code ?? run.signal}`)
  if (/^\s+at .*:\d+:\d+\)?$/m.test(run.stderr))
    wrong.push(`a stack was printed: ${run.stderr.trim().slice(0, 300)}`)
  if (run.code !== 0) {
    if (!CLEAR.test(run.stderr))
      wrong.push(`not a clear error: ${run.stderr.trim().slice(0, 300) || 'nothing said'}`)
    return { wrong, reference }
  }
  const result = auditResult(bench, reference, run.stderr)
  const isTold = (run.stderr.match(/^warning: /gm) ?? []).length > reference.warnings
  if (result.differs.length > 0 && !isTold) wrong.push(SILENT)
  wrong.push(...result.wrong.map((one) => `false success: ${one}`))
  return { wrong, reference: { ...reference, briefs: [...reference.briefs, ...result.differs] } }
}
