import { randomBytes } from 'node:crypto'

/** A text as data, between marks with a word that it does not hold, so that nothing in it can end them. */
export function fenced(name: string, text: string): string {
  let word = ''
  do word = randomBytes(6).toString('hex')
  while (text.includes(word))
  return `<${name}-${word}>\n${text}\n</${name}-${word}>`
}
