import type { Painted } from '../text/rows.ts'
import { hiddenIn, visible } from '../text/safe-text.ts'

/** Where text goes; `process.stdout` and `process.stderr` fit. */
export interface Stream {
  write(text: string): unknown
  isTTY?: boolean
  /** Cells of a line, where it is a terminal. */
  columns?: number | undefined
}

export interface Screen {
  /** Cells of a line. */
  columns: number
  color: boolean
}

/** The only writer to the terminal. Results go to stdout, everything else to stderr; `--json` is one object on stdout. */
export interface Output {
  json: boolean
  /** Both ends are a terminal: questions and spinners make sense. */
  interactive: boolean
  color: boolean
  /** A text with what calls this program here in place of `git handoff`. All that is printed goes through it, but what is raw and JSON. */
  named(text: string): string
  /** A line for the person, on stderr; silent with `--json`. On a terminal it is broken between words where it is too long. */
  say(text: string): void
  /** The same for what is another program's, or to be copied as a whole: its lines stay as they are. */
  quote(text: string): void
  warn(text: string): void
  /** Null where stdout is a pipe, a file or a log, and with `--json`: there results are the same everywhere. */
  readonly screen: Screen | null
  /** The result itself, on stdout: `drawn` for a screen, the object with `--json`, else the text. */
  result(text: string, object: object, drawn?: Painted | null): void
  /** The same for sentences and lists, whose lines are broken between words on a screen. */
  prose(text: string, object: object): void
  /** Bytes for a pipe, as they are; nothing with `--json`. */
  raw(text: string): void
  /** The one object of `--json`; nothing without. */
  object(value: object): void
  /** Something stands on the last line of stderr: what takes it away before a line is said; null: no more. */
  onLine(clear: (() => void) | null): void
  warnings: string[]
}

/** What calls this program, but in the line for somebody else, whose clone is another, and in the overview, which names the form itself. */
const CALL = /(?<!For the next person: )git handoff(?! <command>)/g

/** Every text is made safe for a terminal: control, bidi and zero-width characters are shown, not obeyed. */
export function openOutput(options: {
  stdout: Stream
  stderr: Stream
  json: boolean
  color: boolean
  interactive: boolean
  /** What calls this program here, asked for where a text has a command; absent: `git handoff`. */
  program?: (() => string) | undefined
  /** Nobody has asked for results without colours. */
  mayColor?: boolean
  /** What is printed lands in a log in which GitHub Actions looks for commands. */
  hasCommands?: boolean
  /** Told what is said beside the one object of `--json`. */
  onMessage?: ((line: string) => void) | undefined
  /** Breaks lines that are too long for a terminal; without it they stay as they are. */
  wrap?: ((text: string, width: number) => string) | undefined
}): Output {
  const { stdout, stderr, json, color, interactive, mayColor = false, hasCommands = false } = options
  let program: string | null = null
  const named = (text: string) => text.replace(CALL, (call) => (program ??= options.program?.() ?? call))
  const safe = (text: string) => named(hasCommands ? withoutCommands(visible(text)) : visible(text))
  const paint = (code: number, text: string) => (color ? `\u001b[${code}m${text}\u001b[0m` : text)
  const wrapped = (text: string, { isTTY, columns }: Stream) =>
    isTTY === true ? (options.wrap?.(text, columns || 80) ?? text) : text
  const warnings: string[] = []
  let clear: (() => void) | null = null
  const tell = (line: string): void => {
    clear?.()
    stderr.write(`${line}\n`)
  }
  return {
    json,
    interactive,
    color,
    named,
    warnings,
    say(text) {
      if (json) options.onMessage?.(visible(text))
      else tell(wrapped(safe(text), stderr))
    },
    quote(text) {
      if (json) options.onMessage?.(visible(text))
      else tell(safe(text))
    },
    warn(text) {
      warnings.push(named(text))
      if (json) options.onMessage?.(`warning: ${visible(text)}`)
      else tell(wrapped(`warning: ${safe(text)}`, stderr).replace('warning:', (word) => paint(33, word)))
    },
    get screen() {
      if (json || hasCommands || stdout.isTTY !== true) return null
      return { columns: stdout.columns || 80, color: mayColor }
    },
    result(text, object, drawn = null) {
      if (json) stdout.write(`${jsonText(object)}\n`)
      else if (drawn !== null) stdout.write(named(drawn))
      else stdout.write(text.endsWith('\n') ? safe(text) : `${safe(text)}\n`)
    },
    prose(text, object) {
      if (json) stdout.write(`${jsonText(object)}\n`)
      else stdout.write(`${wrapped(safe(text), stdout).replace(/\n$/, '')}\n`)
    },
    raw(text) {
      if (!json) stdout.write(text)
    },
    onLine(next) {
      clear = next
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
  text.replace(/^(\s*):(?=:)/gm, '$1\\u{3a}').replaceAll('##[', '\\u{23}#[')

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
  return (told + text.slice(from)).replaceAll('##[', '\\u0023#[')
}

/** Both halves of what lies beyond the first 65,536, as JSON writes it. */
const escaped = (char: string): string =>
  [...Array(char.length).keys()]
    .map((at) => `\\u${char.charCodeAt(at).toString(16).padStart(4, '0')}`)
    .join('')

/**
 * Prints nothing but the object of `--json`, to `stdout`. Warnings are kept, nothing is asked, and each line that would be said goes to
 * `onMessage`.
 */
export const quietOutput = (onMessage?: (line: string) => void, stdout: Stream = NOWHERE): Output =>
  openOutput({ stdout, stderr: NOWHERE, json: true, color: false, interactive: false, onMessage })

const NOWHERE: Stream = { write: () => undefined }
