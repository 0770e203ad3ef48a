import { hiddenIn } from '../text/safe-text.ts'

/**
 * JSON that says the same to a parser, nothing odd to a terminal or unseen to a reader, and no command to the runner of GitHub
 * Actions, which takes `##[error]` anywhere in a line of a log.
 */
export function jsonText(value: object, indent?: number): string {
  const text = JSON.stringify(value, null, indent)
  let told = ''
  let from = 0
  for (const { at, code } of hiddenIn(text)) {
    const char = String.fromCodePoint(code)
    told += text.slice(from, at) + escaped(char)
    from = at + char.length
  }
  return (told + text.slice(from)).replace(/#(?=#\[)/g, '\\u0023')
}

/** Both halves of what lies beyond the first 65,536, as JSON writes it. */
const escaped = (char: string): string =>
  [...Array(char.length).keys()]
    .map((at) => `\\u${char.charCodeAt(at).toString(16).padStart(4, '0')}`)
    .join('')
