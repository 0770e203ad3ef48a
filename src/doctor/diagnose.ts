import type { Check, Level } from './check.ts'
import { latest, parked, requests, uncommitted } from './checks-briefs.ts'
import { agentHooks, agents, agentTrust, gitHooks, runner } from './checks-hooks.ts'
import { git, home, models, node, npx, program, switchedOff } from './checks-machine.ts'
import {
  attributes,
  configuration,
  filter,
  folder,
  identity,
  ignored,
  locks,
  originTrust,
  refspecs,
  repository,
} from './checks-repository.ts'
import type { Facts } from './facts.ts'

/** Every check, once: from what everything stands on to what few need. The docs walk this table. */
export const checks: readonly Check[] = [
  git,
  node,
  home,
  repository,
  configuration,
  ignored,
  folder,
  locks,
  identity,
  program,
  npx,
  filter,
  attributes,
  latest,
  parked,
  uncommitted,
  requests,
  refspecs,
  originTrust,
  switchedOff,
  runner,
  gitHooks,
  agentHooks,
  agentTrust,
  agents,
  models,
]

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
