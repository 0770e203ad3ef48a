import { repositoryCheck, warning } from '../check.ts'

export const identity = repositoryCheck({
  id: 'identity',
  about: 'git knows whose commits these are',
  fine: ({ identity: { name } }) => name,
  look({ identity: { name, email } }) {
    const missing = [...(name === '' ? ['name'] : []), ...(email === '' ? ['email'] : [])]
    if (missing.length === 0) return []
    const value = { name: '"Your Name"', email: 'you@example.org' }
    return [
      warning(
        'git does not know who you are',
        `user.${missing.join(' and user.')} ${missing.length === 1 ? 'is' : 'are'} not set. A brief is committed all the same, by "handoff"; your own commits are refused.`,
        missing
          .map((one) => `git config --global user.${one} ${one === 'name' ? value.name : value.email}`)
          .join(' && '),
      ),
    ]
  },
})
