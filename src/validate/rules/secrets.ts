import type { Rule } from '../rule.ts'

/** No secret, in any mode, by any flag. Told by rule and line, never by value. */
export const secrets: Rule = {
  id: 'secrets',
  level: 'always',
  check: ({ facts }) =>
    facts.secrets.map(({ rule, line, fingerprint }) => ({
      line,
      message: `a secret (${rule}); if it is a false alarm, put ${fingerprint} into secrets.allow after a review`,
    })),
}
