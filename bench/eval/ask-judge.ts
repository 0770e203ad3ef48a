import { spawnSync } from 'node:child_process'
import { agreement, judgePrompt, LEAST_AGREEMENT, readVerdict, type Verdict } from './judge.ts'
import type { EvalResult } from './run-case.ts'
import { percent } from './summary.ts'

/** Labelled cases that a judge is shown as examples. */
const EXAMPLES = 4
/** A reply takes seconds; one that takes longer than this never comes. In ms. */
const TIMEOUT = 300_000

export interface Judged {
  text: string
  json: { model: string; agreement: number; mayGate: boolean; verdicts: Verdict[] }
}

/**
 * Asks a program, whose words are split at spaces, about every brief and compares with the people's labels. Gates nothing. Throws an
 * `Error` when it gives no verdict.
 */
export function askJudge(command: string, results: readonly EvalResult[]): Judged {
  const cases = results.map(({ loaded }) => loaded.one)
  const verdicts: Verdict[] = results.flatMap(({ loaded: { one }, outcome }) => {
    if (outcome.markdown === null) return []
    const examples = cases.filter(({ id }) => id !== one.id).slice(0, EXAMPLES)
    const verdict = readVerdict(replyOf(command, judgePrompt(one, outcome.markdown, examples)))
    if (verdict === null) throw new Error(`The model ${command} gave no verdict on ${one.id}.`)
    return [{ id: one.id, ...verdict, agrees: verdict.pass === one.label.pass }]
  })
  const { share, mayGate, both } = agreement(verdicts)
  const differing = verdicts.filter(({ agrees }) => !agrees)
  return {
    text: [
      `judge ${command}: agrees with ${percent(share)} of ${verdicts.length} labels; it gates nothing${mayGate ? ' yet, and could' : whyNoGate(both)}`,
      ...differing.map(({ id, pass, critique }) => `    ${id}: ${pass ? 'pass' : 'fail'}: ${critique}`),
    ].join('\n'),
    json: { model: command, agreement: share, mayGate, verdicts },
  }
}

function replyOf(command: string, prompt: string): string {
  const [file = '', ...args] = command.trim().split(/\s+/)
  const { status, stdout, stderr, error } = spawnSync(file, args, {
    input: prompt,
    encoding: 'utf8',
    timeout: TIMEOUT,
  })
  if (status === 0 && stdout.trim() !== '') return stdout
  throw new Error(
    `The model ${command} gave no answer: ${error?.message ?? (stderr.trim() || `exit ${status}`)}`,
  )
}

const whyNoGate = (both: boolean): string =>
  both ? ` (more than ${percent(LEAST_AGREEMENT)} is needed)` : ' (labels of both kinds are needed)'
