import type { Check, Level } from './check.ts'
import type { Facts } from './facts.ts'

/** One line of the answer. */
export interface Finding {
  /** Id of the check. */
  id: string
  level: Level
  title: string
  detail: string
  fix: string | null
}

export interface Diagnosis {
  /** Worst first, else in the order of the table. */
  findings: Finding[]
  /** Checks that had nothing to look at: `idle`, or `repository` where there is none. */
  leftOut: { id: string; why: 'repository' | 'idle' }[]
}

const ORDER: readonly Level[] = ['error', 'warning', 'ok']

/** Holds facts against every check. */
export function diagnose(facts: Facts, checks: readonly Check[]): Diagnosis {
  const findings: Finding[] = []
  const leftOut: Diagnosis['leftOut'] = []
  for (const { id, about, isOfRepository, look, fine } of checks) {
    const problems = look(facts)
    if (problems === null)
      leftOut.push({ id, why: isOfRepository && facts.repo === null ? 'repository' : 'idle' })
    else if (problems.length === 0)
      findings.push({ id, level: 'ok', title: about, detail: fine?.(facts) ?? '', fix: null })
    else findings.push(...problems.map((problem) => ({ id, ...problem })))
  }
  return { findings: ORDER.flatMap((level) => findings.filter((one) => one.level === level)), leftOut }
}
