/** Shapes of lines that are no prose of the person's own. */
const PASTED: readonly RegExp[] = [
  /^\s*>|^\s*\|.*\|\s*$/, // quoted, table
  /^\s*(?:at |File ")\S+.*[:(]\d+|^\s*\S+\.\w{1,5}:\d+(?::\d+)?:?\s/, // stack frames, compiler lines
  /^(?:\+{1,3}|-{3}|@@|diff --git|index [0-9a-f]{7})\s?\S/, // diffs
  // Logs.
  /^\s*\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|^\s*\[?\d\d:\d\d:\d\d/,
  /^\s*(?:\[?(?:ERROR|WARN(?:ING)?|INFO|DEBUG|FATAL|TRACE)\b\]?[: ]|(?:npm|yarn|pnpm) (?:ERR!|WARN|error|notice)|(?:error|warning)(?:\[\w+\])?: )/,
  /^\s*(?:---|===) (?:FAIL|PASS|RUN|NAME|CONT|SKIP)/, // go test
  /^\s*(?:\$|❯|➜|%|#!)\s+?\S|^\s*PS [A-Z]:\\/, // shell prompts
  /^\s*(?:[-+*]\s+)?(?:\/\/|\/\*|\*\/)/, // comments
  /^\s*(?:Traceback \(most recent|panic:|goroutine \d+|Caused by:|Exit code \d+)/,
  /^\s+(?:Error Trace|Error|Test|Messages):\s{2,}\S/, // what testify says about an assertion
  // Code.
  /[{};]\s*$|^\s*[{}[\]()]+[,;]?\s*$|^\s*"[^"]+"\s*:\s|=>\s*\{?$|^\s*<\/?[a-zA-Z][^>]*>\s*$/,
  /^\s*(?:import|export|const|let|var|function|class|def|return|public|private|package|func|fn|use|#include)\s+[\w{*.:"'<]+.*(?:[;{=(]|\bfrom\b)/,
]

/** Whether a line is no prose of the person's own: quoted, code, a log, what a tool said. */
export const isPasted = (line: string): boolean =>
  line.trim() !== '' && PASTED.some((shape) => shape.test(line))
