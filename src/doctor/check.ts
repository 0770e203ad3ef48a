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

/** One thing that is looked at; its file is named after it. */
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
