import { makeBriefId } from '../brief/id.ts'
import { isHandoffError } from '../errors/handoff-error.ts'
import type { Files } from '../eval/case.ts'
import { type Outcome, type Score, scoreCase } from '../eval/score.ts'
import { textOfTrace, type Witness } from '../eval/witness.ts'
import { openOutput, type Stream } from '../output/output.ts'
import type { LoadedCase } from './eval-load.ts'
import { makeScratch, type Scratch } from './eval-scratch.ts'
import type { Invocation } from '../command.ts'

/** One case, run and judged. */
export interface EvalResult {
  score: Score
  outcome: Outcome
  loaded: LoadedCase
}

/** Runs `create --dry-run` as it is on the case's session and repository, and holds the brief against the case. */
export async function runCase(invocation: Invocation, loaded: LoadedCase): Promise<EvalResult> {
  const scratch = await makeScratch(loaded, invocation.place.env.PATH ?? '')
  try {
    const { one } = loaded
    const outcome = await outcomeOf(invocation, loaded, scratch)
    return { score: scoreCase(one, outcome, witnessOf(loaded, scratch), scratch.secrets), outcome, loaded }
  } finally {
    await scratch.remove()
  }
}

/** The view of `create --preview` on a case. */
export async function showCase(invocation: Invocation, loaded: LoadedCase): Promise<string> {
  const scratch = await makeScratch(loaded, invocation.place.env.PATH ?? '')
  try {
    return await create(invocation, loaded, scratch, { preview: true }, false)
  } finally {
    await scratch.remove()
  }
}

async function outcomeOf(invocation: Invocation, loaded: LoadedCase, scratch: Scratch): Promise<Outcome> {
  const start = performance.now()
  try {
    const text = await create(invocation, loaded, scratch, { dryRun: true }, true)
    const { markdown, tokens } = JSON.parse(text) as { markdown: string; tokens: number }
    return { markdown, error: null, tokens, ms: performance.now() - start }
  } catch (error) {
    if (!isHandoffError(error)) throw error
    return { markdown: null, error: error.code, tokens: 0, ms: performance.now() - start }
  }
}

/** What `create` prints. */
async function create(
  invocation: Invocation,
  { one }: LoadedCase,
  scratch: Scratch,
  how: Record<string, unknown>,
  json: boolean,
): Promise<string> {
  const { run } = await import('./create.ts')
  let text = ''
  const stdout: Stream = { write: (part: string) => (text += part) }
  const silent: Stream = { write: () => true }
  const { place } = invocation
  const columns = invocation.out.screen?.columns ?? place.env.COLUMNS
  await run(
    {
      ...invocation,
      out: openOutput({ stdout, stderr: silent, json, color: false, interactive: false }),
      stderr: silent,
      readStdin: async () => '',
      place: {
        ...place,
        root: scratch.root,
        home: scratch.home,
        env: columns === undefined ? scratch.env : { ...scratch.env, COLUMNS: String(columns) },
        now: () => scratch.now,
        newId: (parent) => makeBriefId(scratch.now, '00000', parent),
      },
    },
    [one.goal],
    {
      ...one.options,
      ...how,
      ...(scratch.session === null ? { from: 'git' } : { session: scratch.session }),
    },
  )
  return text
}

function witnessOf({ one }: LoadedCase, scratch: Scratch): Witness {
  const { base, commits, changes } = one.git
  const worked = Object.keys(Object.assign({}, ...commits.map(({ files }) => files), changes) as Files)
  return {
    text: textOfTrace(scratch.trace),
    changed: new Set(worked),
    paths: new Set([...Object.keys(base.files), ...worked]),
    goal: one.goal,
  }
}
