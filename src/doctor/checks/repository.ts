import { check, error } from '../check.ts'

/** Here is a repository that git lets us work in, or none at all. */
export const repository = check({
  id: 'repository',
  about: 'git opens this repository',
  fine: ({ repo }) => (repo === null ? 'There is none here; `git init` makes one.' : ''),
  look: ({ noRepo }) => {
    if (noRepo === null) return []
    const command = /: `(git [^`]*)`$/.exec(noRepo.hint)?.[1] ?? null
    return [error(noRepo.message, command === null ? noRepo.hint : 'handoff can do nothing here.', command)]
  },
})
