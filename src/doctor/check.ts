import { type HandoffError, isHandoffError } from '../errors/handoff-error.ts'
import { shellWord } from '../text/shell-word.ts'
import type { Facts, RepoFacts } from './facts.ts'

export type Level = 'ok' | 'warning' | 'error'

/** Something that is not as it should be. */
export interface Problem {
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
  /** It looks at a repository and is left out where there is none. */
  isOfRepository: boolean
  /** Empty: all is well. Null: there is nothing here to look at. */
  look(facts: Facts): readonly Problem[] | null
  /** More about what is well, for one who asks. */
  fine?(facts: Facts): string
}

/** A check that needs no repository. */
export const check = (parts: Omit<Check, 'isOfRepository'>): Check => ({ ...parts, isOfRepository: false })

/** A check of a repository. */
export const repositoryCheck = (
  parts: Pick<Check, 'id' | 'about'> & {
    look(repo: RepoFacts, facts: Facts): readonly Problem[] | null
    fine?(repo: RepoFacts, facts: Facts): string
  },
): Check => ({
  id: parts.id,
  about: parts.about,
  isOfRepository: true,
  look: (facts) => (facts.repo === null ? null : parts.look(facts.repo, facts)),
  fine: (facts) => (facts.repo === null ? '' : (parts.fine?.(facts.repo, facts) ?? '')),
})

/** A problem after which the next handoff fails. */
export const error = (title: string, detail: string, fix: string | null): Problem => ({
  level: 'error',
  title,
  detail,
  fix,
})

/** A problem with which it goes on, worse than it could. */
export const warning = (title: string, detail: string, fix: string | null): Problem => ({
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

/** Commits briefs that are on disk, and nothing else. */
export function commitCommand(paths: readonly string[]): string {
  // Of many the folder is named: a line of shell has an end.
  const words = paths.length > MAX_PATHS ? '.handoff/briefs' : paths.map(word).join(' ')
  return `git add -- ${words} && git commit -m 'chore(handoff): keep what was handed over' -- ${words}`
}

const MAX_PATHS = 3

/** The call of `init` that mends what it did, for the agents that it was run for, asking nothing. */
export function initCommand({ call, repo, agents }: Facts, more: readonly string[] = []): string {
  const known = agents.map(({ id }) => id)
  const ids = new Set([...(repo?.setUp ?? []), ...more].filter((id) => known.includes(id)))
  const list = known.filter((id) => ids.has(id))
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
  const count = Math.floor(seconds / size)
  return `${count} ${name}${count === 1 ? '' : 's'}`
}

/** An error that doctor tells of. Throws what is none: a defect, and that the person pressed Ctrl-C. */
export function asFinding(error: unknown): HandoffError {
  if (!isHandoffError(error) || error.code === 'E_CANCELLED') throw error
  return error
}
