import { isHandoffError, reasonOf } from '../errors/handoff-error.ts'
import { badVerdict, modelFailed, noModel } from '../errors/model.ts'
import { agreement, judgePrompt, LEAST_AGREEMENT, readVerdict, type Verdict } from '../eval/judge.ts'
import { percent } from '../eval/summary.ts'
import type { Model } from '../model/model.ts'
import { programModel } from '../model/program.ts'
import { createScanner } from '../secrets/scanner.ts'
import type { Place } from '../types/place.ts'
import type { EvalResult } from './eval-case.ts'
import { secretValues } from '../workspace/input-secrets.ts'
import { openReplyWords } from '../workspace/reply-words.ts'

/** Labelled cases that a judge is shown as examples. */
const EXAMPLES = 4

export interface Judged {
  text: string
  json: object
}

/** The judge that `--judge` names. Throws `noModel` when it names none. */
export function openJudge(
  option: unknown,
  env: Place['env'],
): (results: EvalResult[], signal?: AbortSignal) => Promise<Judged> {
  if (typeof option !== 'string' || option.trim() === '') throw noModel('--judge')
  const model = discreet(programModel(option), env)
  return (results, signal) => judgeAll(model, results, signal)
}

/** The same model; what it complains about is shown without secrets, in one line. */
function discreet(model: Model, env: Place['env']): Model {
  const words = openReplyWords(createScanner({ values: secretValues(env) }), env, [])
  return {
    ...model,
    ask: (request) =>
      model.ask(request).catch(async (error: unknown) => {
        if (!isHandoffError(error) || error.code !== 'E_MODEL') throw error
        throw modelFailed(model.name, await words.line(reasonOf(error.cause)))
      }),
  }
}

/** Asks about every brief and compares with the people's labels. Gates nothing. Throws `modelFailed`, `badVerdict`. */
async function judgeAll(model: Model, results: EvalResult[], signal?: AbortSignal): Promise<Judged> {
  const verdicts: Verdict[] = []
  const cases = results.map(({ loaded }) => loaded.one)
  for (const { loaded, outcome } of results) {
    if (outcome.markdown === null) continue
    const { one } = loaded
    const examples = cases.filter(({ id }) => id !== one.id).slice(0, EXAMPLES)
    const reply = await model.ask({
      prompt: judgePrompt(one, outcome.markdown, examples),
      ...(signal === undefined ? {} : { signal }),
    })
    const verdict = readVerdict(reply)
    if (verdict === null) throw badVerdict(model.name, one.id)
    verdicts.push({ id: one.id, ...verdict, agrees: verdict.pass === one.label.pass })
  }
  const { share, mayGate, both } = agreement(verdicts)
  const differing = verdicts.filter(({ agrees }) => !agrees)
  return {
    text: [
      `judge ${model.name}: agrees with ${percent(share)} of ${verdicts.length} labels; it gates nothing${mayGate ? ' yet, and could' : whyNoGate(both)}`,
      ...differing.map(({ id, pass, critique }) => `    ${id}: ${pass ? 'pass' : 'fail'}: ${critique}`),
    ].join('\n'),
    json: { model: model.name, agreement: share, mayGate, verdicts },
  }
}

const whyNoGate = (both: boolean): string =>
  both ? ` (more than ${percent(LEAST_AGREEMENT)} is needed)` : ' (labels of both kinds are needed)'
