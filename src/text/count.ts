import { codeSpan } from './safe-text.ts'

/** Characters of a commit id in a text; the front matter has all of them. */
const SHORT = 12

export const shortSha = (sha: string): string => sha.slice(0, SHORT)

/** `1 file`, `2 files`. */
export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`

/** The first `most` names as code, and how many more there are. */
export function someOf(names: readonly string[], most: number): string {
  const more = names.length > most ? ` and ${names.length - most} more` : ''
  return `${names.slice(0, most).map(codeSpan).join(', ')}${more}`
}
