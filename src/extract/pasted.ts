/** What the gates of `PASTED` look at: the first visible character and word of a line, and its last visible character. */
export interface Line {
  text: string
  first: string
  word: string
  last: string
}

const LOGGED = new Set('ERROR WARN WARNING INFO DEBUG FATAL TRACE npm yarn pnpm error warning'.split(' '))
const TRACED = new Set('Traceback panic goroutine Caused Exit'.split(' '))
const ASSERTED = new Set('Error Test Messages'.split(' '))
const CODED = new Set(
  'import export const let var function class def return public private package func fn use'.split(' '),
)

/** Shapes of pasted lines, each with what stands in every line it fits; it is compiled only for such a line. */
export const PASTED: readonly { may(line: Line): boolean; shape: RegExp }[] = [
  { may: ({ first }) => first === '>', shape: /^\s*>/ }, // quoted
  { may: ({ first }) => first === '|', shape: /^\s*\|.*\|\s*$/ }, // table
  {
    // Stack frames, compiler lines.
    may: ({ text }) => /[:(]\d/.test(text),
    shape: /^\s*(?:at |File ")\S+.*[:(]\d+|^\s*\S+\.\w{1,5}:\d+(?::\d+)?:?\s/,
  },
  {
    // Diffs.
    may: ({ first, word }) => '+-@'.includes(first) || word === 'diff' || word === 'index',
    shape: /^(?:\+{1,3}|-{3}|@@|diff --git|index [0-9a-f]{7})\s?\S/,
  },
  {
    // Logs.
    may: ({ text }) => /\d:\d/.test(text),
    shape: /^\s*\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|^\s*\[?\d\d:\d\d:\d\d/,
  },
  {
    may: ({ first, word }) => first === '[' || LOGGED.has(word),
    shape:
      /^\s*(?:\[?(?:ERROR|WARN(?:ING)?|INFO|DEBUG|FATAL|TRACE)\b\]?[: ]|(?:npm|yarn|pnpm) (?:ERR!|WARN|error|notice)|(?:error|warning)(?:\[\w+\])?: )/,
  },
  { may: ({ first }) => '-='.includes(first), shape: /^\s*(?:---|===) (?:FAIL|PASS|RUN|NAME|CONT|SKIP)/ }, // go test
  {
    // Shell prompts.
    may: ({ first, word }) => '$❯➜%#'.includes(first) || word === 'PS',
    shape: /^\s*(?:\$|❯|➜|%|#!)\s+?\S|^\s*PS [A-Z]:\\/,
  },
  {
    // Comments.
    may: ({ text }) => text.includes('//') || text.includes('/*') || text.includes('*/'),
    shape: /^\s*(?:[-+*]\s+)?(?:\/\/|\/\*|\*\/)/,
  },
  {
    may: ({ word }) => TRACED.has(word),
    shape: /^\s*(?:Traceback \(most recent|panic:|goroutine \d+|Caused by:|Exit code \d+)/,
  },
  // What testify says about an assertion.
  { may: ({ word }) => ASSERTED.has(word), shape: /^\s+(?:Error Trace|Error|Test|Messages):\s{2,}\S/ },
  {
    // Code.
    may: ({ first, last }) => '{};>'.includes(last) || '{}[]()"'.includes(first),
    shape: /[{};]\s*$|^\s*[{}[\]()]+[,;]?\s*$|^\s*"[^"]+"\s*:\s|=>\s*\{?$|^\s*<\/?[a-zA-Z][^>]*>\s*$/,
  },
  {
    may: ({ first, word }) => first === '#' || CODED.has(word),
    shape:
      /^\s*(?:import|export|const|let|var|function|class|def|return|public|private|package|func|fn|use|#include)\s+[\w{*.:"'<]+.*(?:[;{=(]|\bfrom\b)/,
  },
]

/** Whether a line is no prose of the person's own: quoted, code, a log, what a tool said. */
export function isPasted(text: string): boolean {
  const line = lineOf(text)
  return line !== null && PASTED.some(({ may, shape }) => may(line) && shape.test(text))
}

/** What the gates look at; null for a blank line. */
export function lineOf(text: string): Line | null {
  const visible = text.trim()
  if (visible === '') return null
  const word = /^\w+/.exec(visible)?.[0] ?? ''
  return { text, first: visible.charAt(0), word, last: visible.charAt(visible.length - 1) }
}
