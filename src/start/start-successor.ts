import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type CurrentBrief, readCurrent } from '../briefs/current.ts'
import { verdictOn } from '../briefs/verdict.ts'
import type { Invocation, Outcome } from '../command.ts'
import { agentFailed, agentNotStarted, startCancelled, untrustedBrief } from '../errors/cycle.ts'
import { type HandoffError, isHandoffError } from '../errors/handoff-error.ts'
import { type Repo, withoutAbort } from '../git/open-repo.ts'
import { run, start } from '../programs.ts'
import { endStarted, recordPickUp } from '../store/journal.ts'
import { typedWord } from '../text/safe-text.ts'
import { copyOfBrief, pointerFor } from '../verify/pointer.ts'
import { mayAsk } from '../workspace/at-terminal.ts'
import { findProgram } from '../workspace/find-program.ts'
import type { RepoWorkspace } from '../workspace/workspace.ts'
import { personEnv, unattendedEnv } from './agent-env.ts'
import { type Destination, findDestination } from './destination.ts'

/** Milliseconds: some agents try a server that refuses them for ever. */
const HEADLESS_MS = 30 * 60_000

export interface SuccessorOptions {
  headless: boolean
  /** In a window of tmux, beside the one of that pane; for one that this terminal is not given to. */
  window?: { beside: string | null }
  /** Milliseconds after which a headless turn is ended; `HEADLESS_MS` when left out. */
  timeout?: number | undefined
}

/** How a successor ended. */
interface Ended {
  /** What a headless one printed. */
  output: string
  /** Its exit status; null when it was ended, or goes on in its window. */
  exit: number | null
  /** Where it goes on, and the session that its hooks told of. */
  pane?: string
  sessionId?: string | null
}

/**
 * Starts the agent of a destination with the pointer to a brief and waits for its end. The brief itself is read by the agent. Throws
 * `untrustedBrief`, `agentNotStarted`, `startCancelled`; `agentFailed` for a headless turn that did not go well.
 */
export async function startSuccessor(
  invocation: Invocation,
  workspace: RepoWorkspace,
  brief: CurrentBrief,
  destination: Destination,
  { headless, window, timeout = HEADLESS_MS }: SuccessorOptions,
): Promise<Ended> {
  const { place, out } = invocation
  const { repo, loaded } = workspace
  const { adapter, cwd, acp } = destination
  const { launch, label } = adapter
  const prompt = await promptFor(workspace, brief, destination, place.now())
  const manual = manualCommand(repo, brief, destination)
  const { env, withheld } = headless
    ? unattendedEnv(place.env, [...launch.passEnv, ...loaded.own.passEnv])
    : { env: personEnv(place.env), withheld: [] }
  const isThere = acp !== undefined || (await findProgram(launch.program, env.PATH ?? '')) !== null
  const isAlone = !headless && window === undefined && !mayAsk(invocation)
  if (!isThere) throw agentNotStarted(label, `\`${launch.program}\` is not on PATH`, manual)
  if (isAlone)
    throw agentNotStarted(label, 'there is no terminal here; add --headless for one turn without', manual)
  if (place.signal?.aborted) throw startCancelled(brief.id, manual)
  if (withheld.length > 0) out.say(withheldLine(label, withheld, loaded.ownFile))
  const tell = (): void => out.say('New session started with handoff context')
  return withPickUp(repo, brief, destination, place.now(), async () => {
    if (window !== undefined) {
      const { openInWindow } = await import('./start-window.ts')
      const near = [window.beside, place.env.TMUX_PANE ?? null]
      const name = `handoff-${brief.id.slice(-8)}`
      const opened = await openInWindow(invocation, destination, { prompt, manual, near, name })
      tell()
      return { output: '', exit: null, ...opened }
    }
    if (acp !== undefined) {
      const { startAcp } = await import('./start-acp.ts')
      const turn = { name: acp, cwd, env, prompt, timeout: headless ? timeout : undefined }
      const ended = await startAcp(invocation, workspace, { ...turn, isShown: !headless, onStart: tell })
      if (headless && ended.exit !== 0) throw failedTurn(label, ended, manual)
      return ended
    }
    tell()
    const failed = (cause: unknown): never => {
      throw agentNotStarted(label, cause, manual)
    }
    if (!headless) {
      // It has the terminal, and with it Ctrl-C.
      const { args, stdin } = launch.interactive(prompt)
      const input = stdin === undefined ? 'inherit' : 'pipe'
      const child = start(launch.program, args, { cwd, env, stdio: [input, 'inherit', 'inherit'] })
      child.stdin?.end(stdin)
      const exit = await new Promise<number | null>((resolve, reject) => {
        child.once('error', reject).once('close', resolve)
      }).catch(failed)
      return { output: '', exit }
    }
    const { args, stdin: input } = launch.headless(prompt)
    const { signal } = place
    const ended = await run(launch.program, args, { cwd, env, input, timeout, signal, group: true }).catch(
      (error: unknown) => (signal?.aborted ? { code: null, stdout: '', stderr: '' } : failed(error)),
    )
    const output = ended.stdout.toString()
    if (ended.code !== 0)
      throw failedTurn(label, { output: `${output}\n${ended.stderr}`, exit: ended.code }, manual)
    return { output, exit: 0 }
  })
}

/** The error of a headless turn that did not go well. */
export function failedTurn(label: string, { output, exit }: Ended, manual: string): HandoffError {
  const how = exit === null ? 'was ended before it was done' : `ended with status ${exit}`
  return agentFailed(label, how, lastWords(output.trim()), manual)
}

/** Does the work while the brief is on record as held by the agent that it starts, so that the agent's own hook does not offer it again. */
async function withPickUp(
  { commonDir }: Repo,
  { id }: CurrentBrief,
  { adapter, cwd }: Destination,
  now: Date,
  work: () => Promise<Ended>,
): Promise<Ended> {
  const by = { id, agent: adapter.id, root: cwd }
  // Worth knowing, not worth failing for.
  await recordPickUp(commonDir, { ...by, at: now.toISOString(), sessionId: null, isActing: true }).catch(
    () => undefined,
  )
  let isLeft = false
  try {
    const ended = await work()
    isLeft = ended.pane !== undefined
    return ended
  } finally {
    if (!isLeft) await endStarted(commonDir, by).catch(() => undefined)
  }
}

/** Names of variables that are told; a shell may hold a hundred. */
const MOST_NAMES = 12

const withheldLine = (label: string, names: readonly string[], ownFile: string): string =>
  `Not passed to ${label}, which works unwatched and may run what a brief says: ${names.slice(0, MOST_NAMES).join(', ')}${names.length > MOST_NAMES ? ` and ${names.length - MOST_NAMES} more` : ''}. To pass one: \`passEnv: [NAME]\` in ${ownFile}`

/**
 * The same on the brief `id` that this very run has made; null, and a warning, where that waits for its branch. Throws `noDestination` and
 * what `startSuccessor` throws.
 */
export async function startOnMade(
  invocation: Invocation,
  workspace: RepoWorkspace,
  id: string,
  to: string,
  options: SuccessorOptions,
): Promise<(Ended & { destination: Destination }) | null> {
  // It stands now, and whoever cancels is told so.
  const after = { ...workspace, repo: withoutAbort(workspace.repo) }
  const brief = await readCurrent(after.repo)
  if (brief === null || brief.id !== id || brief.parked) {
    invocation.out.warn('the brief waits for its branch, so nobody was started on it')
    return null
  }
  const destination = await findDestination(invocation, after, brief.parsed.meta, to)
  return { ...(await startSuccessor(invocation, after, brief, destination, options)), destination }
}

/** What became of a verb that made a brief and starts an agent on it: who goes on is told beside the brief, or why nobody does. */
export async function madeAndStarted<T extends { id: string }>(
  invocation: Invocation,
  workspace: RepoWorkspace,
  made: T,
  to: string,
  options: SuccessorOptions,
): Promise<Outcome> {
  try {
    const started = await startOnMade(invocation, workspace, made.id, to, options)
    if (started === null) return { result: { ...made, successor: null }, text: null, said: [] }
    const { destination, ...ended } = started
    const successor = { agent: destination.adapter.id, cwd: destination.cwd, ...ended }
    return { result: { ...made, successor }, text: options.headless ? ended.output : null, said: [] }
  } catch (error) {
    if (!isHandoffError(error)) throw error
    return notStarted({ ...made, successor: null }, error)
  }
}

/** The outcome of a verb that made a brief on which nobody goes on, and why. */
export const notStarted = (made: object, failure: HandoffError): Outcome => {
  const { code, message, hint, data } = failure
  const result = { ...made, ok: false, errors: [{ code, message, hint, ...data }] }
  return { result, text: null, said: [], failure }
}

/** Characters of a failed agent's last words that are worth telling. */
const MAX_OUTPUT = 2000

/** From a whole word on: the rest of a secret would not be known for one. */
const lastWords = (output: string): string =>
  output.length <= MAX_OUTPUT ? output : output.slice(-MAX_OUTPUT).replace(/^\S*\s*/, '')

/** The whole first prompt: lines of skills and persona, then the pointer. Throws `untrustedBrief`. */
export async function promptFor(
  { repo, loaded }: RepoWorkspace,
  brief: CurrentBrief,
  destination: Destination,
  now: Date,
): Promise<string> {
  const verdict = await verdictOn(repo, brief)
  if (!verdict.trusted) throw untrustedBrief(brief.id, verdict.because)
  const { start, cwd } = destination
  const template = loaded.templateOf('pointer-prompt')
  const file = cwd === repo.root ? {} : { file: await readableFile(repo, brief) }
  return pointerFor(repo, brief, { now, start, template, ...file })
}

/** An absolute path at which the brief can be read from anywhere on this machine. */
async function readableFile(repo: Repo, brief: CurrentBrief): Promise<string> {
  const path = join(repo.root, brief.path)
  return existsSync(path) ? path : resolve(repo.root, await copyOfBrief(repo, brief))
}

/**
 * The command a person types instead; the prompt is made anew there, so that nothing of a brief stands in it: with the lines of persona
 * and skills, and a path that leads there from elsewhere, where `resume` alone knows them.
 */
export function manualCommand(
  repo: Repo,
  { id }: CurrentBrief,
  { to, adapter, cwd, start }: Destination,
): string {
  const isPlain = start.length === 0 && cwd === repo.root
  const ask = isPlain ? `show --prompt ${id}` : `resume ${id} --to ${typedWord(to)} --print`
  const prompt = `"$(cd ${typedWord(repo.root)} && git handoff ${ask})"`
  const { args } = adapter.launch.interactive('\0')
  const words = args.map((arg) => (arg === '\0' ? prompt : typedWord(arg)))
  return [`cd ${typedWord(cwd)} &&`, adapter.launch.program, ...words].join(' ')
}
