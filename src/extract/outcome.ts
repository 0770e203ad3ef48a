import { shorten } from './prose.ts'

/** Colours and other control sequences of terminals. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal escapes begin with a control character
const ANSI = /\u001b\[[0-9;?]*[ -/]*[@-~]|\u001b\][^\u0007]*\u0007|[\u0000-\u0008\u000b-\u001f\u007f]/g

/** Lines by which tools say that something failed; none of them fires on "0 failed" or "no errors". */
const FAILURE = [
  /^\s*(?:--- )?FAIL\b/,
  /\bFAILED\b/,
  /(?:^|[^\d.])[1-9]\d* (?:tests? )?(?:failed|failing|failures?|errors?)\b/i,
  /^\s*(?:fatal )?error(?:\[\w+\])?:/i,
  /^npm (?:ERR!|error)/,
  /\berror TS\d+/,
  /^\s*(?:✗|✖|❌|×)\s/,
  /^panic: /,
  /^Traceback \(most recent call last\)/,
  /\*\*\* .*(?:Error \d+|Stop\.)/,
  /\bexit(?:ed)?(?: with)?(?: code| status)?[:= ]+[1-9]\d*\b/i,
  /^\S+\.\w+:\d+:\d+: (?:fatal )?error\b/,
  /^\s*\S+:\d+:\d+\s+error\s/,
  /^make: \*\*\*/,
  /command not found$/,
]

/** The most telling lines first: what was expected, which error, then which test. */
const TELLING = [
  /\b(?:AssertionError|TypeError|ReferenceError|SyntaxError|\w+(?:Error|Exception)): \S/,
  /\berror(?: TS\d+|\[\w+\])?: \S/i,
  /^panic: /,
  /^\s*\S+\.\w+:\d+(?::\d+)?:? \S/,
  /^\s*\S+:\d+:\d+\s+error\s/,
  /^not ok \d+ /,
  /\bexpected\b.*\b(?:got|received|to)\b/i,
  /^\s*(?:--- )?FAIL\b|\bFAILED\b/,
  /^\s*(?:✗|✖|❌|×)\s/,
]

/** Whether the output says that something failed, for commands whose exit status was lost in a pipe. */
export function saysFailure(output: string): boolean {
  return output
    .replace(ANSI, '')
    .split('\n')
    .some((line) => FAILURE.some((mark) => mark.test(line)))
}

/** Lines that say that tests failed, not only that a program complained. */
const TEST_FAILURE = [
  /^\s*(?:--- )?FAIL\b/,
  /\bFAILED\b/,
  /(?:^|[^\d.])[1-9]\d* (?:tests? )?(?:failed|failing|failures?)\b/i,
  /^not ok \d+ /,
]

/** Whether the output says that tests failed. */
export const saysTestFailure = (output: string): boolean =>
  output
    .replace(ANSI, '')
    .split('\n')
    .some((line) => TEST_FAILURE.some((mark) => mark.test(line)))

/** Whether the output says that no such script exists: nothing was checked (npm 10, pnpm 9, yarn 1 and 4). */
export const saysMissingScript = (output: string): boolean =>
  /\bMissing script:|^error Command "[^"]*" not found|Couldn't find a script named "/m.test(
    output.replace(ANSI, ''),
  )

/** The first line of an output that tells the error, else its first line; null when it has none. Whitespace folded. */
export function firstErrorOf(output: string): string | null {
  const lines = output
    .replace(ANSI, '')
    .split('\n')
    .map((line) => line.replace(/\s+/g, ' ').trim())
    .filter(
      (line) =>
        /[\p{L}\p{N}]/u.test(line) &&
        !/^(?:Exit code:? \d+|\[… .* left out …\]|Error: Exit code \d+)$/i.test(line) &&
        // A YAML block of TAP: the words stand in the lines below it.
        !/^error: [|>][-+]?$/.test(line),
    )
  for (const mark of TELLING) {
    const line = lines.find((text) => mark.test(text) && !/\b0 (?:errors?|failed)\b/i.test(text))
    if (line !== undefined) return atWord(line)
  }
  const line = lines.find((text) => FAILURE.some((mark) => mark.test(text))) ?? lines[0]
  return line === undefined ? null : atWord(line)
}

/** Longest error line in characters. */
const MAX_LINE = 300

function atWord(line: string): string {
  if (line.length <= MAX_LINE) return line
  const cut = line.lastIndexOf(' ', MAX_LINE)
  // A line without spaces stays whole: half a token could hide what must be removed later.
  return cut <= 0 ? shorten(line, MAX_LINE) : `${line.slice(0, cut)} […]`
}

/** Output of a command that went on in the background: its outcome is not known. */
export const ranOn = (output: string): boolean =>
  /^(?:Command (?:is )?running in (?:the )?background|Process running with session ID|Running in background)/im.test(
    output,
  )
