import type { CommandFact } from '../types/evidence.ts'
import { type CommandShape, shapeOf } from './command-kind.ts'
import { plainOutput } from './outcome.ts'

/** Lines by which tools say that all is well, per kind: that a linter is content says nothing about the tests beside it. */
const SUCCESS: Partial<Record<CommandFact['kind'], readonly RegExp[]>> = {
  test: [
    // Vitest, Jest, pytest, Mocha; Go; Rust; Node's runner; RSpec, ExUnit, JUnit; unittest; ticks.
    /(?:^|[^\d.])[1-9]\d* (?:tests? )?pass(?:ed|ing|es)?\b/i,
    /^ok\s+\S+\s+(?:\(cached\)|[\d.]+m?s)/,
    /^PASS\b|^\s*--- PASS: /,
    /^test result: ok\./,
    /^\s*[#ℹ] pass [1-9]/,
    /(?:^|[^\d.])0 fail(?:ures?|ed|ing)?\b|\bFailures: 0\b/i,
    /^OK(?: \(.*\))?$/,
    /^\s*[✓✔] /,
  ],
  lint: [
    /(?:^|[^\d.])0 (?:errors?|issues|problems|warnings|violations|offenses)\b/i,
    /\bno (?:lint )?(?:errors?|issues|problems|warnings|violations|offenses)\b/i,
    /\ball (?:\w+ )?(?:checks|tests) pass(?:ed)?\b/i,
    /\b(?:is|are) valid\b/i,
    /\bAll matched files use\b/,
    /^Checked \d+ files? in .*(?:No fixes applied|Fixed \d+ files?)\.?/,
    /^\s*Finished `/,
    /^\s*[✓✔] /,
  ],
  build: [
    /^\s*Finished `/,
    /\b(?:compiled|built|build) (?:was )?(?:success\w*|succeeded)/i,
    /\bbuilt in [\d.]+ ?m?s\b/i,
    /\bCompiled (?:\S+ )?successfully\b/i,
    /^\s*[✓✔] /,
  ],
}

/** Checks that say nothing when all is well. */
const SILENT = /^(?:go (?:build|vet)|tsc|vue-tsc|eslint|gofmt)\b|(?:^| )(?:tsc|eslint)$/
/** What agents write for an output that was empty. */
const EMPTY = /^(?:\(?(?:bash completed with )?no (?:output|content)\)?)?$/i
/** What Claude Code adds. */
const MOVED = /^Shell cwd was reset to .*$/m
/** What npm, pnpm and Bun print of the script they run: its name, then its command. */
const ECHO = /^(?:> \S+@\S+ .*\n+)?[>$] (.+)$/m
/** Programs that show all or an end of what they are fed. */
const SHOWS = new Set(['head', 'tail', 'cat', 'tee'])

/** Whether the output says that the check passed, for commands whose exit status is not known. */
export function saysSuccess(shape: CommandShape, output: string): boolean {
  const whole = plainOutput(output).replace(MOVED, '')
  const text = whole.replace(ECHO, '')
  if (EMPTY.test(text.trim())) {
    const ran = ECHO.exec(whole)?.[1]
    return isSilent(ran === undefined ? shape : { ...shape, families: shapeOf(ran).families })
  }
  const shapes = SUCCESS[shape.kind] ?? []
  // `check | tail; echo OK` prints it whatever the check said.
  const echoed = new Set(
    shape.parts
      .filter(({ words }) => words[0] === 'echo')
      .map(({ words }) => words.slice(1).join(' ').trim()),
  )
  return text.split('\n').some((line) => !echoed.has(line.trim()) && shapes.some((mark) => mark.test(line)))
}

/** Every check of the line is silent when content, and all that it would say is shown. */
function isSilent({ families, parts }: CommandShape): boolean {
  return (
    families.length > 0 &&
    families.every((family) => SILENT.test(family)) &&
    parts.every((part, at) => parts[at - 1]?.next !== '|' || SHOWS.has(part.words[0] ?? ''))
  )
}
