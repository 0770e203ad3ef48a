import { visible } from '../brief/visible.ts'
import { jsonText } from './json-text.ts'

/** Where text goes; `process.stdout` and `process.stderr` fit. */
export interface Stream {
  write(text: string): unknown
  isTTY?: boolean
}

/** The only writer to the terminal. Results go to stdout, everything else to stderr; `--json` is one object on stdout. */
export interface Output {
  json: boolean
  /** Both ends are a terminal: questions and spinners make sense. */
  interactive: boolean
  color: boolean
  /** A line for the person, on stderr; silent with `--json`. */
  say(text: string): void
  warn(text: string): void
  /** The result itself, on stdout; with `--json` the object is printed instead of the text. */
  result(text: string, object: object): void
  /** Bytes for a pipe, as they are; nothing with `--json`. */
  raw(text: string): void
  /** The one object of `--json`; nothing without. */
  object(value: object): void
  warnings: string[]
}

/** Every text is made safe for a terminal: control, bidi and zero-width characters are shown, not obeyed. */
export function openOutput(options: {
  stdout: Stream
  stderr: Stream
  json: boolean
  color: boolean
  interactive: boolean
  /** What is printed lands in a log in which GitHub Actions looks for commands. */
  hasCommands?: boolean
}): Output {
  const { stdout, stderr, json, color, interactive, hasCommands = false } = options
  const safe = (text: string) => (hasCommands ? withoutCommands(visible(text)) : visible(text))
  const paint = (code: number, text: string) => (color ? `\u001b[${code}m${text}\u001b[0m` : text)
  const warnings: string[] = []
  return {
    json,
    interactive,
    color,
    warnings,
    say(text) {
      if (!json) stderr.write(`${safe(text)}\n`)
    },
    warn(text) {
      warnings.push(text)
      if (!json) stderr.write(`${paint(33, 'warning:')} ${safe(text)}\n`)
    },
    result(text, object) {
      if (json) stdout.write(`${jsonText(object)}\n`)
      else stdout.write(text.endsWith('\n') ? safe(text) : `${safe(text)}\n`)
    },
    raw(text) {
      if (!json) stdout.write(text)
    },
    object(value) {
      if (json) stdout.write(`${jsonText(value)}\n`)
    },
  }
}

/**
 * Text in which the runner of GitHub Actions finds no command: neither `::error::` at the start of a line nor `##[error]`
 * anywhere in it (`ActionCommand.cs` of the runner takes both).
 */
const withoutCommands = (text: string): string =>
  text.replace(/^(\s*):(?=:)/gm, '$1\\u{3a}').replace(/#(?=#\[)/g, '\\u{23}')
