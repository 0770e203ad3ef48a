import { askJudge } from './ask-judge.ts'
import { type Choice, loadCases } from './load-cases.ts'
import { type EvalResult, type Program, runCase, showCase } from './run-case.ts'
import type { Score } from './score.ts'
import { isGood, renderScores, type Summary, summarise } from './summary.ts'

export interface EvalOptions extends Partial<Choice> {
  folder: string
  show?: boolean | undefined
  /** A program that reads a prompt and answers. */
  judge?: string | undefined
}

export interface Evaluation {
  text: string
  json: { ok: boolean; scores: Score[]; judge?: Awaited<ReturnType<typeof askJudge>>['json'] } & Summary
}

/** Runs the chosen cases with `run`, the program's main function. Throws an `Error` when there is no case or one cannot be used. */
export async function evaluate(run: Program, options: EvalOptions): Promise<Evaluation> {
  const { folder, id, tag, judge } = options
  if (options.show === true && id === undefined) throw new Error('--show needs --case <id>.')
  const loaded = await loadCases(folder, { id, tag })
  const results: EvalResult[] = []
  for (const one of loaded) results.push(await runCase(run, one))
  const scores = results.map(({ score }) => score)
  const summary = summarise(scores)
  const judged = judge === undefined ? null : askJudge(judge, results)
  const view = options.show === true && loaded[0] !== undefined ? await showCase(run, loaded[0]) : ''
  return {
    text: [view, renderScores(scores, summary), judged?.text ?? '']
      .filter((part) => part !== '')
      .join('\n\n'),
    json: {
      ok: isGood(summary),
      ...summary,
      scores,
      ...(judged === null ? {} : { judge: judged.json }),
    },
  }
}
