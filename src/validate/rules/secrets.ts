import type { Problem, TextSubject } from '../rule.ts'

/** No secret, in any mode, by any flag. Told by rule and line, never by value. */
export const secrets = {
  id: 'secrets',
  level: 'always',
  over: 'text',
  about: 'No secret stands anywhere in the file.',
  check({ facts }: TextSubject): Problem[] {
    return facts.secrets.map(({ rule, line, fingerprint }) => ({
      line,
      message: `a secret (${rule}); if it is a false alarm, put ${fingerprint} into secrets.allow after a review`,
    }))
  },
} as const
