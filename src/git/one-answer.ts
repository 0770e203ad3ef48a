import type { Repo } from './open-repo.ts'

const answers = new WeakMap<Repo, Map<string, Promise<unknown>>>()

/** The same repository for one answer, while which no ref is moved: what `once` reads is read once, however many steps ask for it. */
export function forOneAnswer(repo: Repo): Repo {
  const still = { ...repo }
  answers.set(still, new Map())
  return still
}

export const isAnswer = (repo: Repo): boolean => answers.has(repo)

/** What `read` gives; in one answer the same for every further question of that name. */
export function once<T>(repo: Repo, name: string, read: () => Promise<T>): Promise<T> {
  const known = answers.get(repo)
  const found = (known?.get(name) as Promise<T> | undefined) ?? read()
  known?.set(name, found)
  return found
}
