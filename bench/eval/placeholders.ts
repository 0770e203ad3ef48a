/** Makes a value that looks like a secret. `seed` and `length` decide it, so that a case is the same in every run. */
type Maker = (letters: (length: number) => string) => string

/**
 * What `@@NAME@@` in a transcript becomes: such values are made when a case runs and stand in no file of the project.
 * The shapes are those of GitHub's classic tokens and of a bearer token without a prefix.
 */
const MAKERS: Readonly<Record<string, Maker>> = {
  GITHUB_TOKEN: (letters) => `ghp_${letters(36)}`,
  BEARER_TOKEN: (letters) => letters(43),
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** The text with every placeholder replaced, and the values that were put in. Throws for an unknown name. */
export function expandPlaceholders(text: string, seed: string): { text: string; values: string[] } {
  const values = new Map<string, string>()
  const expanded = text.replace(/@@([A-Z_]+)@@/g, (_, name: string) => {
    const make = MAKERS[name]
    if (make === undefined)
      throw new Error(`@@${name}@@: a name of ${Object.keys(MAKERS).join(', ')} is needed`)
    const value = values.get(name) ?? make(letterSource(`${seed} ${name}`))
    values.set(name, value)
    return value
  })
  return { text: expanded, values: [...values.values()] }
}

/** Letters of a linear congruential generator (constants of Numerical Recipes) that starts from the seed. */
function letterSource(seed: string): (length: number) => string {
  let state = [...seed].reduce((sum, char) => (Math.imul(sum, 31) + (char.codePointAt(0) ?? 0)) >>> 0, 7)
  return (length) =>
    Array.from({ length }, () => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0
      return ALPHABET[(state >>> 8) % ALPHABET.length]
    }).join('')
}
