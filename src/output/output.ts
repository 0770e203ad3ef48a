import { visible } from '../brief/visible.ts'

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
}): Output {
  const { stdout, stderr, json, color, interactive } = options
  const paint = (code: number, text: string) => (color ? `\u001b[${code}m${text}\u001b[0m` : text)
  const warnings: string[] = []
  return {
    json,
    interactive,
    color,
    warnings,
    say(text) {
      if (!json) stderr.write(`${visible(text)}\n`)
    },
    warn(text) {
      warnings.push(text)
      if (!json) stderr.write(`${paint(33, 'warning:')} ${visible(text)}\n`)
    },
    result(text, object) {
      if (json) stdout.write(`${toJson(object)}\n`)
      else stdout.write(text.endsWith('\n') ? visible(text) : `${visible(text)}\n`)
    },
    raw(text) {
      if (!json) stdout.write(text)
    },
    object(value) {
      if (json) stdout.write(`${toJson(value)}\n`)
    },
  }
}

/** C1 controls, bidi and zero-width characters, which JSON lets stand as they are. */
const HIDDEN = /[\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g

/** One line of JSON that says the same to a parser and nothing odd to a terminal. */
const toJson = (value: object): string =>
  JSON.stringify(value).replace(HIDDEN, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
