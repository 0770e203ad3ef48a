import { shellWord } from '../text/shell-word.ts'
import type { Facts, RepoFacts } from './read-facts.ts'

/** Something that is not as it should be. */
export interface Problem {
  /** An error makes the next handoff fail; with a warning it works, but worse than it could. */
  level: 'warning' | 'error'
  /** What is wrong, in one line. */
  title: string
  /** What else a person must know before the command; empty where the title says it all. */
  detail: string
  /** The command that mends it, for a shell at the top of the repository; null where no command can. */
  fix: string | null
}

/** What a check has found; false where one thing it looked for is well. */
type Found = readonly (Problem | false)[]

/** One thing that is looked at. */
export interface Check {
  id: string
  /** What holds when nothing is wrong. */
  about: string
  /** Null: there is nothing to look at. */
  look(facts: Facts): Found | null
}

/** A row of the table of checks. */
export const check = (id: string, about: string, look: Check['look']): Check => ({ id, about, look })

/** One that has nothing to look at outside of a repository. */
export const checkIn = (id: string, about: string, look: (repo: RepoFacts, facts: Facts) => Found): Check =>
  check(id, about, (facts) => (facts.repo === null ? null : look(facts.repo, facts)))

const problem =
  (level: Problem['level']) =>
  (title: string, fix: string | null, detail = ''): Problem => ({ level, title, detail, fix })

export const error = problem('error')
export const warning = problem('warning')

/** A path or name as a word of shell, quoted only where it must be, so that it reads well; a home directory stays one. */
export function word(text: string): string {
  const [, home = '', rest = text] = /^(~\/)?(.*)$/s.exec(text) ?? []
  return home + (/^[\w./@%+=:,][\w./@%+=:,-]*$/.test(rest) ? rest : shellWord(rest))
}

/** The call of `init` that mends what it did, for the agents that it was run for, asking nothing. */
export function initCommand({ call, repo, agents }: Facts, more: readonly string[] = []): string {
  const ids: readonly string[] = [...(repo?.setUp ?? []), ...more]
  const list = agents.map(({ id }) => id).filter((id) => ids.includes(id))
  return `${call} init${list.length === 0 ? '' : ` --agent ${list.join(',')}`} --yes`
}
