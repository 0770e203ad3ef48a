import type { CommandFact } from '../types.ts'
import type { CommandShape } from './command-kind.ts'
import { type Mark, plainOutput, shapesIn } from './outcome.ts'

/** Lines by which tools say that all is well, per kind: that a linter is content says nothing about the tests beside it. */
const SUCCESS: Partial<Record<CommandFact['kind'], readonly Mark[]>> = {
  test: [
    // Vitest, Jest, pytest, Mocha; Go; Rust; Node's runner; RSpec, ExUnit, JUnit; unittest; ticks.
    { holds: ['pass'], shape: /(?:^|[^\d.])[1-9]\d* (?:tests? )?pass(?:ed|ing|es)?\b/i },
    { holds: ['ok'], shape: /^ok\s+\S+\s+(?:\(cached\)|[\d.]+m?s)/ },
    { holds: ['pass'], shape: /^PASS\b|^\s*--- PASS: / },
    { holds: ['test result: ok'], shape: /^test result: ok\./ },
    { holds: ['# pass ', 'ℹ pass '], shape: /^\s*[#ℹ] pass [1-9]/ },
    { holds: ['0 fail', 'failures: 0'], shape: /(?:^|[^\d.])0 fail(?:ures?|ed|ing)?\b|\bFailures: 0\b/i },
    { holds: ['ok'], shape: /^OK(?: \(.*\))?$/ },
    { holds: ['✓', '✔'], shape: /^\s*[✓✔] / },
  ],
  lint: [
    { holds: ['0 '], shape: /(?:^|[^\d.])0 (?:errors?|issues|problems|warnings|violations|offenses)\b/i },
    { holds: ['no '], shape: /\bno (?:lint )?(?:errors?|issues|problems|warnings|violations|offenses)\b/i },
    { holds: ['pass'], shape: /\ball (?:\w+ )?(?:checks|tests) pass(?:ed)?\b/i },
    { holds: ['is valid', 'are valid'], shape: /\b(?:is|are) valid\b/i },
    { holds: ['all matched files'], shape: /\bAll matched files use\b/ },
    { holds: ['checked '], shape: /^Checked \d+ files? in .*(?:No fixes applied|Fixed \d+ files?)\.?/ },
    { holds: ['finished'], shape: /^\s*Finished `/ },
    { holds: ['✓', '✔'], shape: /^\s*[✓✔] / },
  ],
  build: [
    { holds: ['finished'], shape: /^\s*Finished `/ },
    {
      holds: ['success', 'succeeded'],
      shape: /\b(?:compiled|built|build) (?:was )?(?:success\w*|succeeded)/i,
    },
    { holds: ['built in'], shape: /\bbuilt in [\d.]+ ?m?s\b/i },
    { holds: ['compiled'], shape: /\bCompiled (?:\S+ )?successfully\b/i },
    { holds: ['✓', '✔'], shape: /^\s*[✓✔] / },
  ],
}

/** Checks that say nothing when all is well. */
const SILENT = /^(?:go (?:build|vet)|tsc|vue-tsc|eslint|gofmt)\b|(?:^| )(?:tsc|eslint)$/
/** What agents write for an output that was empty. */
const EMPTY = /^(?:\(?(?:bash completed with )?no (?:output|content)\)?)?$/i
/** What Claude Code adds. */
const MOVED = /^Shell cwd was reset to .*$/m
/** Programs that show all or an end of what they are fed. */
const SHOWS = new Set(['head', 'tail', 'cat', 'tee'])

/** Whether the output says that the check passed, for commands whose exit status is not known. */
export function saysSuccess(shape: CommandShape, output: string): boolean {
  const text = plainOutput(output).replace(MOVED, '')
  if (EMPTY.test(text.trim())) return isSilent(shape)
  const shapes = shapesIn(text, SUCCESS[shape.kind] ?? [])
  if (shapes.length === 0) return false
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
