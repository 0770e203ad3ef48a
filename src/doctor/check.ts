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

/** One thing that is looked at. */
export interface Check {
  id: string
  /** What holds when nothing is wrong. */
  about: string
  look(facts: Facts): readonly Problem[]
  /** There is nothing to look at outside of a repository. */
  isOfRepository?: true
}

/** A row of the table of checks. */
export const check = (id: string, about: string, look: (facts: Facts) => readonly Problem[]): Check => ({
  id,
  about,
  look,
})

/** One that has nothing to look at outside of a repository. */
export const checkIn = (
  id: string,
  about: string,
  look: (repo: RepoFacts, facts: Facts) => readonly Problem[],
): Check => ({
  id,
  about,
  look: (facts) => (facts.repo === null ? [] : look(facts.repo, facts)),
  isOfRepository: true,
})

const problem =
  (level: Problem['level']) =>
  (title: string, detail: string, fix: string | null = null): Problem => ({ level, title, detail, fix })

export const error = problem('error')
export const warning = problem('warning')

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

/** `1 hook is`, `2 hooks are`. */
export const areWord = (many: readonly unknown[]): string => (many.length === 1 ? 'is' : 'are')
