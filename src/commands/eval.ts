import { resolve } from 'node:path'
import type { Command } from 'commander'
import { usage } from '../errors/usage.ts'
import { isGood, renderScores, summarise } from '../eval/summary.ts'
import type { Place } from '../types/place.ts'
import { type EvalResult, runCase, showCase } from './eval-case.ts'
import { loadCases } from './eval-load.ts'
import type { CommandModule } from '../command.ts'

/** Where this project keeps its cases. */
const FOLDER = 'test/evals'

export function define(command: Command): void {
  command
    .usage('[folder] [options]')
    .argument('[folder]', 'folder with one subfolder per case; `test/evals` without one')
    .option('--case <id>', 'this case alone')
    .option('--only-tag <tag>', 'the cases with this tag')
    .option('--smoke', 'the cases tagged `smoke`')
    .option('--show', 'with `--case`: session, evidence, kept and dropped items side by side')
    .option(
      '--judge [program]',
      'let a model judge the briefs too: a program that reads a prompt and answers',
    )
    .addHelpText('after', '\nExample:\n  handoff eval --smoke --json')
}

export const run: CommandModule['run'] = async (invocation, args, options) => {
  const { out, place } = invocation
  const id = typeof options.case === 'string' ? options.case : undefined
  const tag = tagOf(options)
  if (options.show === true && id === undefined)
    throw usage('--show needs --case <id>.', 'Example: handoff eval --case cc-feature-cap --show')
  const loaded = await loadCases(resolve(place.root, args[0] ?? FOLDER), { id, tag })
  const ask = options.judge === undefined ? null : await judgeOf(options.judge, place.env)
  const results: EvalResult[] = []
  for (const one of loaded) {
    place.signal?.throwIfAborted()
    results.push(await runCase(invocation, one))
  }
  const scores = results.map(({ score }) => score)
  const summary = summarise(scores)
  const judged = ask === null ? null : await ask(results, place.signal)
  const view = options.show === true && loaded[0] !== undefined ? await showCase(invocation, loaded[0]) : ''
  const text = [view, renderScores(scores, summary), judged?.text ?? '']
    .filter((part) => part !== '')
    .join('\n\n')
  out.result(text, {
    ok: isGood(summary),
    ...summary,
    scores,
    ...(judged === null ? {} : { judge: judged.json }),
    ...(view === '' ? {} : { view }),
    warnings: out.warnings,
    errors: [],
  })
  return isGood(summary) ? 0 : 1
}

function tagOf(options: Record<string, unknown>): string | undefined {
  const only = typeof options.onlyTag === 'string' ? options.onlyTag : undefined
  if (only !== undefined && options.smoke === true)
    throw usage('--smoke is --only-tag smoke.', 'Leave out one of the two.')
  return options.smoke === true ? 'smoke' : only
}

async function judgeOf(option: unknown, env: Place['env']) {
  const { openJudge } = await import('./eval-judge.ts')
  return openJudge(option, env)
}
