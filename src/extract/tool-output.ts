import { cutAtWord, hasLetter } from './prose.ts'

/** Colours and other control sequences of terminals. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal escapes begin with a control character
const ANSI = /\u001b\[[0-9;?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*\u0007|[\u0000-\u0008\u000b-\u001f\u007f]/g

const SYMBOLS = /^\s*(?:✗|✖|❌|×)\s/
const PANIC = /^panic: /
const TEST_NAME = /^\s*(?:--- )?FAIL\b|\bFAILED\b/
const TEST_COUNT =
  // The totals of Bun stand on lines of their own.
  /(?:^|[^\d.])[1-9]\d* (?:tests? )?(?:failed|failing|failures?)\b|^\s*(?:\d+ pass, )?[1-9]\d* fail$/i
/** The totals of Node's test runner (TAP and spec reporter of Node 20). */
const NODE_COUNT = /^\s*[#ℹ] fail [1-9]/
const LINTED = /^\s*\S+:\d+:\d+\s+error\s/

/** Lines by which tools say that something failed; none of them fires on "0 failed" or "no errors". */
const FAILURE: readonly RegExp[] = [
  TEST_NAME,
  TEST_COUNT,
  NODE_COUNT,
  /(?:^|[^\d.])[1-9]\d* (?:tests? )?errors?\b/i,
  /^\s*(?:fatal )?error(?:\[\w+\])?:/i,
  /^npm (?:ERR!|error)/,
  /\berror TS\d+/,
  SYMBOLS,
  PANIC,
  /^Traceback \(most recent call last\)/,
  /\*\*\* .*(?:Error \d+|Stop\.)/,
  /\bexit(?:ed)?(?: with)?(?: code| status)?[:= ]+[1-9]\d*\b/i,
  /^\S+\.\w+:\d+:\d+: (?:fatal )?error\b/,
  LINTED,
  /^\s*[1-9]\d* issues?:$/, // golangci-lint
  /\b(?:Format|style) issues found in\b/, // oxfmt, Prettier
  /\bERROR task failed$/, // mise
  /^make: \*\*\*/,
  /command not found(?:: \S+)?$/,
  /^\s*\S+\.go:\d+:\d+: \S/, // go build, go vet
  /\bFailed: [1-9]/,
]

/** The most telling lines first: what was expected, which error, then which test. */
const TELLING: readonly RegExp[] = [
  /\b(?:AssertionError|TypeError|ReferenceError|SyntaxError|\w+(?:Error|Exception)): \S/,
  /\berror(?: TS\d+|\[\w+\])?: \S/i,
  PANIC,
  /^\s*\S+\.\w+:\d+(?::\d+)?:? \S/,
  LINTED,
  /^not ok \d+ /,
  /\bexpected\b.{0,300}\b(?:got|received|to)\b/i,
  TEST_NAME,
  SYMBOLS,
]

/** Lines that say that tests failed, not only that a program complained. */
const TEST_FAILURE: readonly RegExp[] = [TEST_NAME, TEST_COUNT, NODE_COUNT, /^not ok \d+ /]

export const plainOutput = (output: string): string => output.replace(ANSI, '')

/** `3 problems (0 errors, 3 warnings)`, yet not `1 failed, 0 errors`. */
const NO_ERRORS = /^(?!.*\b[1-9]\d* fail).*\b0 errors?\b/i

const hasLine = (output: string, shapes: readonly RegExp[]): boolean =>
  plainOutput(output)
    .split('\n')
    .some((line) => shapes.some((shape) => shape.test(line)) && !NO_ERRORS.test(line))

/** Whether the output says that something failed, for commands whose exit status was lost in a pipe. */
export const saysFailure = (output: string): boolean => hasLine(output, FAILURE)

export const saysTestFailure = (output: string): boolean => hasLine(output, TEST_FAILURE)

/** Whether the output says that nothing was checked: no such script (npm 10, pnpm 9, yarn 1 and 4), no runner, no tests (Jest, Vitest). */
export const saysNothingRan = (output: string): boolean => MISSING.test(plainOutput(output))

const MISSING =
  /\bMissing script:|^error Command "[^"]*" not found|Couldn't find a script named "|\bNone of the selected packages has a "|: No module named \S+$|^No tests? (?:files )?found, exiting with code 0/m

/** Whether the output says that every test was skipped: TAP (Bats, Node), pytest, Jest, Vitest. */
export function saysAllSkipped(output: string): boolean {
  const text = plainOutput(output)
  const points = text.match(/^(?:not )?ok \d+\b.*$/gm) ?? []
  return points.length > 0 ? points.every((point) => /# skip\b/i.test(point)) : ALL_SKIPPED.test(text)
}

const ALL_SKIPPED = /^(?:=+ )?\d+ skipped in [\d.]+s\b|^\s*Tests:?\s+\d+ skipped(?:, \d+ total| \(\d+\))\s*$/m

/** The line of an output that tells its error best, else its first line, whitespace folded; null when it says nothing. */
export function firstErrorOf(output: string): string | null {
  const lines = plainOutput(output)
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
  for (const shape of TELLING) {
    const found = lines.find((line) => shape.test(line) && !/\b0 (?:errors?|failed)\b/i.test(line))
    if (found !== undefined) return cutAtWord(found, MAX_LINE)
  }
  const line = lines.find((line) => FAILURE.some((shape) => shape.test(line))) ?? lines[0]
  return line === undefined ? null : cutAtWord(line, MAX_LINE)
}

const MAX_LINE = 300

/** Output of a command that went on in the background: its outcome is not known. */
export const ranOn = (output: string): boolean =>
  /running/i.test(output) &&
  /^(?:Command (?:is )?running in (?:the )?background|Process running with session ID|Running in background)/im.test(
    output,
  )
