import type { Files } from './case.ts'
import { type Choice, type LoadedCase, loadCases } from './load-cases.ts'
import { type Outcome, type Score, scoreCase } from './score.ts'
import { makeScratch, type Scratch } from './scratch.ts'
import { isGood, renderScores, type Summary, summarise } from './summary.ts'
import { textOfTrace, type Witness } from './witness.ts'

/** The main function of the program, which this folder shares no code with. */
type Program = (terminal: {
  argv: readonly string[]
  env: Readonly<Record<string, string>>
  cwd: () => string
  home: string
  stdin: AsyncIterable<string>
  stdout: { write(text: string): unknown }
  stderr: { write(text: string): unknown }
  now: () => Date
  entropy: () => string
}) => Promise<number>

export interface EvalOptions extends Partial<Choice> {
  folder: string
  show?: boolean | undefined
}

export interface Evaluation {
  text: string
  json: { ok: boolean; scores: Score[] } & Summary
}

/** Runs the chosen cases with `run`, the program's main function. Throws an `Error` when there is no case or one cannot be used. */
export async function evaluate(run: Program, options: EvalOptions): Promise<Evaluation> {
  const { folder, id, tag, show = false } = options
  if (show && id === undefined) throw new Error('--show needs --case <id>.')
  const loaded = await loadCases(folder, { id, tag })
  const scores: Score[] = []
  for (const one of loaded) scores.push(await scoreOf(run, one))
  const summary = summarise(scores)
  const view = show && loaded[0] !== undefined ? `${await preview(run, loaded[0])}\n\n` : ''
  return { text: view + renderScores(scores, summary), json: { ok: isGood(summary), ...summary, scores } }
}

/** Runs `create --dry-run` as it is on the case's session and repository, and holds the brief against the case. */
async function scoreOf(run: Program, loaded: LoadedCase): Promise<Score> {
  const scratch = await makeScratch(loaded)
  try {
    const outcome = await outcomeOf(run, loaded, scratch)
    return scoreCase(loaded.one, outcome, witnessOf(loaded, scratch), scratch.secrets)
  } finally {
    await scratch.remove()
  }
}

/** The view of `create --preview` on a case. */
async function preview(run: Program, loaded: LoadedCase): Promise<string> {
  const scratch = await makeScratch(loaded)
  try {
    return await create(run, loaded, scratch, ['--preview'])
  } finally {
    await scratch.remove()
  }
}

async function outcomeOf(run: Program, loaded: LoadedCase, scratch: Scratch): Promise<Outcome> {
  const start = performance.now()
  const told = JSON.parse(await create(run, loaded, scratch, ['--dry-run', '--json']))
  const ms = performance.now() - start
  if (!told.ok) return { markdown: null, error: told.errors[0].code, tokens: 0, ms }
  return { markdown: told.markdown, error: null, tokens: told.tokens, ms }
}

/** What `create` prints. */
async function create(run: Program, { one }: LoadedCase, scratch: Scratch, flags: string[]): Promise<string> {
  const source = scratch.session === null ? ['--from', 'git'] : ['--session', scratch.session]
  let text = ''
  await run({
    argv: ['create', ...flags, ...source, '--', one.goal],
    env: scratch.env,
    cwd: () => scratch.root,
    home: scratch.home,
    stdin: (async function* () {})(),
    stdout: { write: (part) => (text += part) },
    stderr: { write: () => {} },
    now: () => scratch.now,
    entropy: () => '00000',
  })
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
