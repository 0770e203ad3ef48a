import { hasLetter, shorten } from './prose.ts'

/** Colours and other control sequences of terminals. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal escapes begin with a control character
const ANSI = /\u001b\[[0-9;?]*[ -/]*[@-~]|\u001b\][^\u0007]*\u0007|[\u0000-\u0008\u000b-\u001f\u007f]/g

/** A shape of a line; one of `holds` stands, in lower case, in every output that has such a line. */
export interface Mark {
  holds: readonly string[]
  shape: RegExp
}

const SYMBOLS: Mark = { holds: ['✗', '✖', '❌', '×'], shape: /^\s*(?:✗|✖|❌|×)\s/ }
const PANIC: Mark = { holds: ['panic: '], shape: /^panic: / }
const TEST_NAME: Mark = { holds: ['fail'], shape: /^\s*(?:--- )?FAIL\b|\bFAILED\b/ }
const TEST_COUNT: Mark = {
  holds: ['fail'],
  // The totals of Bun stand on lines of their own.
  shape: /(?:^|[^\d.])[1-9]\d* (?:tests? )?(?:failed|failing|failures?)\b|^\s*(?:\d+ pass, )?[1-9]\d* fail$/i,
}
/** The totals of Node's test runner (TAP and spec reporter of Node 20). */
const NODE_COUNT: Mark = { holds: ['# fail ', 'ℹ fail '], shape: /^\s*[#ℹ] fail [1-9]/ }
const LINTED: Mark = { holds: ['error'], shape: /^\s*\S+:\d+:\d+\s+error\s/ }

/** Lines by which tools say that something failed; none of them fires on "0 failed" or "no errors". */
export const FAILURE: readonly Mark[] = [
  TEST_NAME,
  TEST_COUNT,
  NODE_COUNT,
  { holds: ['error'], shape: /(?:^|[^\d.])[1-9]\d* (?:tests? )?errors?\b/i },
  { holds: ['error'], shape: /^\s*(?:fatal )?error(?:\[\w+\])?:/i },
  { holds: ['npm err'], shape: /^npm (?:ERR!|error)/ },
  { holds: ['error ts'], shape: /\berror TS\d+/ },
  SYMBOLS,
  PANIC,
  { holds: ['traceback (most'], shape: /^Traceback \(most recent call last\)/ },
  { holds: ['*** '], shape: /\*\*\* .*(?:Error \d+|Stop\.)/ },
  { holds: ['exit'], shape: /\bexit(?:ed)?(?: with)?(?: code| status)?[:= ]+[1-9]\d*\b/i },
  { holds: ['error'], shape: /^\S+\.\w+:\d+:\d+: (?:fatal )?error\b/ },
  LINTED,
  { holds: [' issue'], shape: /^\s*[1-9]\d* issues?:$/ }, // golangci-lint
  { holds: ['issues found in'], shape: /\b(?:Format|style) issues found in\b/ }, // oxfmt, Prettier
  { holds: ['task failed'], shape: /\bERROR task failed$/ }, // mise
  { holds: ['make: ***'], shape: /^make: \*\*\*/ },
  { holds: ['command not found'], shape: /command not found(?:: \S+)?$/ },
  { holds: ['.go:'], shape: /^\s*\S+\.go:\d+:\d+: \S/ }, // go build, go vet
  { holds: ['failed: '], shape: /\bFailed: [1-9]/ },
]

/** The most telling lines first: what was expected, which error, then which test. */
export const TELLING: readonly Mark[] = [
  {
    holds: ['error: ', 'exception: '],
    shape: /\b(?:AssertionError|TypeError|ReferenceError|SyntaxError|\w+(?:Error|Exception)): \S/,
  },
  { holds: ['error'], shape: /\berror(?: TS\d+|\[\w+\])?: \S/i },
  PANIC,
  { holds: [':'], shape: /^\s*\S+\.\w+:\d+(?::\d+)?:? \S/ },
  LINTED,
  { holds: ['not ok '], shape: /^not ok \d+ / },
  { holds: ['expected'], shape: /\bexpected\b.*\b(?:got|received|to)\b/i },
  TEST_NAME,
  SYMBOLS,
]

/** Lines that say that tests failed, not only that a program complained. */
export const TEST_FAILURE: readonly Mark[] = [
  TEST_NAME,
  TEST_COUNT,
  NODE_COUNT,
  { holds: ['not ok '], shape: /^not ok \d+ / },
]

/** An output without colours and other control sequences. */
export const plainOutput = (output: string): string => output.replace(ANSI, '')

/** The shapes that lines of an output may have. */
export function shapesIn(output: string, marks: readonly Mark[]): RegExp[] {
  const lower = output.toLowerCase()
  return marks.filter(({ holds }) => holds.some((part) => lower.includes(part))).map(({ shape }) => shape)
}

/** `3 problems (0 errors, 3 warnings)`, yet not `1 failed, 0 errors`. */
const NO_ERRORS = /^(?!.*\b[1-9]\d* fail).*\b0 errors?\b/i

function hasLine(output: string, marks: readonly Mark[]): boolean {
  const text = output.replace(ANSI, '')
  const shapes = shapesIn(text, marks)
  return (
    shapes.length > 0 &&
    text.split('\n').some((line) => !NO_ERRORS.test(line) && shapes.some((shape) => shape.test(line)))
  )
}

/** Whether the output says that something failed, for commands whose exit status was lost in a pipe. */
export const saysFailure = (output: string): boolean => hasLine(output, FAILURE)

/** Whether the output says that tests failed. */
export const saysTestFailure = (output: string): boolean => hasLine(output, TEST_FAILURE)

/** Whether the output says that no such script exists: nothing was checked (npm 10, pnpm 9, yarn 1 and 4). */
export function saysMissingScript(output: string): boolean {
  const text = output.replace(ANSI, '')
  return (
    ['Missing script:', 'not found', "Couldn't find"].some((part) => text.includes(part)) &&
    MISSING.test(text)
  )
}

const MISSING = /\bMissing script:|^error Command "[^"]*" not found|Couldn't find a script named "/m

/** The line of an output that tells its error best, else its first line, whitespace folded; null when it says nothing. */
export function firstErrorOf(output: string): string | null {
  const text = output.replace(ANSI, '')
  const lines = text
    .split('\n')
    .map((line) => line.replace(/\s+/g, ' ').trim())
    .filter(
      (line) =>
        hasLetter(line) &&
        !/^(?:Exit code:? \d+|\[… .* left out …\]|Error: Exit code \d+)$/i.test(line) &&
        // A YAML block of TAP: the words stand in the lines below it.
        !/^error: [|>][-+]?$/.test(line) &&
        // What a test runner counts and what passed is no error.
        !/^(?:TAP version \d+|ok \d+\b.*|duration_ms: [\d.]+|[#ℹ] (?:tests|suites|pass|cancelled|skipped|todo|duration_ms) [\d.]+|(?:\d+ pass)?(?:, )?(?:0 fail)?)$/.test(
          line,
        ),
    )
  // Whitespace is folded in the lines, and lines that say nothing are gone.
  const told = lines.join('\n')
  for (const shape of shapesIn(told, TELLING)) {
    const found = lines.find((line) => shape.test(line) && !/\b0 (?:errors?|failed)\b/i.test(line))
    if (found !== undefined) return atWord(found)
  }
  const shapes = shapesIn(told, FAILURE)
  const line = lines.find((line) => shapes.some((shape) => shape.test(line))) ?? lines[0]
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
  /running/i.test(output) &&
  /^(?:Command (?:is )?running in (?:the )?background|Process running with session ID|Running in background)/im.test(
    output,
  )
