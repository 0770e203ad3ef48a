import { plural } from '../text/count.ts'
import { shellWord } from '../text/shell-word.ts'
import type { Facts, RepoFacts } from './read-facts.ts'

/** Something that is not as it should be. */
export interface Problem {
  /** An error makes the next handoff fail; with a warning it works, but worse than it could. */
  level: 'warning' | 'error'
  title: string
  /** What it means, in a sentence or two. */
  detail: string
  /** The command that mends it, for a shell at the top of the repository; null where no command can. */
  fix: string | null
}

/** One thing that is looked at, on this machine or in the repository. */
export interface Check {
  id: string
  /** What holds when nothing is wrong. */
  about: string
  look?(facts: Facts): Iterable<Problem>
  /** The same for a check that is left out where there is no repository. */
  lookIn?(repo: RepoFacts, facts: Facts): Iterable<Problem>
  /** There is nothing in the repository to look at. */
  isIdle?(repo: RepoFacts, facts: Facts): boolean
  /** More about what is well, for `--verbose`. */
  fine?(facts: Facts): string
}

export const error = (title: string, detail: string, fix: string | null = null): Problem => ({
  level: 'error',
  title,
  detail,
  fix,
})

export const warning = (title: string, detail: string, fix: string | null = null): Problem => ({
  level: 'warning',
  title,
  detail,
  fix,
})

/** Opens a file where no command can know what to write into it. */
export const edit = (path: string): string => `\${EDITOR:-vi} ${word(path)}`

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

/** A time in seconds as a person says it. */
export function spanOf(seconds: number): string {
  const units = [
    [86_400, 'day'],
    [3600, 'hour'],
    [60, 'minute'],
  ] as const
  const [size, name] = units.find(([length]) => seconds >= length) ?? ([1, 'second'] as const)
  return plural(Math.floor(seconds / size), name)
}
