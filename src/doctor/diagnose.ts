import type { Check, Problem } from './check.ts'
import * as briefs from './checks-briefs.ts'
import * as hooks from './checks-hooks.ts'
import * as machine from './checks-machine.ts'
import * as repository from './checks-repository.ts'
import type { Facts } from './read-facts.ts'

/** Every check, once: from what everything stands on to what few need. The docs walk this table. */
export const checks: readonly Check[] = [
  machine.git,
  machine.node,
  machine.home,
  repository.repository,
  repository.configuration,
  repository.ignored,
  repository.folder,
  repository.locks,
  repository.identity,
  machine.program,
  repository.filter,
  repository.attributes,
  briefs.latest,
  briefs.parked,
  briefs.uncommitted,
  briefs.requests,
  repository.refspecs,
  repository.originTrust,
  machine.switchedOff,
  hooks.runner,
  hooks.gitHooks,
  hooks.agentHooks,
  hooks.agentTrust,
  machine.agents,
  machine.models,
]

/** One line of the answer: a problem, or a check that found none. */
export interface Finding extends Omit<Problem, 'level'> {
  /** Id of the check. */
  id: string
  level: Problem['level'] | 'ok'
}

export interface Diagnosis {
  /** Worst first, else in the order of the table. */
  findings: Finding[]
  /** Checks that had nothing to look at: `idle`, or `repository` where there is none. */
  leftOut: { id: string; why: 'repository' | 'idle' }[]
}

/** Holds facts against every check. */
export function diagnose(facts: Facts): Diagnosis {
  const { repo } = facts
  const findings: Finding[] = []
  const leftOut: Diagnosis['leftOut'] = []
  for (const { id, about, look, lookIn, isIdle, fine } of checks) {
    if (lookIn && repo === null) leftOut.push({ id, why: 'repository' })
    else if (repo !== null && isIdle?.(repo, facts)) leftOut.push({ id, why: 'idle' })
    else {
      const problems = [...(look?.(facts) ?? []), ...(repo === null ? [] : (lookIn?.(repo, facts) ?? []))]
      findings.push(...problems.map((problem) => ({ id, ...problem })))
      if (problems.length === 0)
        findings.push({ id, level: 'ok', title: about, detail: fine?.(facts) ?? '', fix: null })
    }
  }
  const of = (level: Finding['level']): Finding[] => findings.filter((one) => one.level === level)
  return { findings: [...of('error'), ...of('warning'), ...of('ok')], leftOut }
}
