import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type CurrentBrief, readCurrent } from '../briefs/current.ts'
import { verdictOn } from '../briefs/verdict.ts'
import type { Invocation, Outcome } from '../command.ts'
import { agentFailed, agentNotStarted, startCancelled, untrustedBrief } from '../errors/cycle.ts'
import type { HandoffError } from '../errors/handoff-error.ts'
import { type Repo, withoutAbort } from '../git/open-repo.ts'
import { type Child, start as startProgram } from '../programs.ts'
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

interface SuccessorOptions {
  headless: boolean
  /** Milliseconds after which a headless turn is ended; `HEADLESS_MS` when left out. */
  timeout?: number | undefined
  /** Called when it runs. */
  onStart?: () => Promise<unknown>
}

/** How a successor ended. */
interface Ended {
  /** What a headless one printed. */
  output: string
  /** Its exit status; null when it was ended. */
  exit: number | null
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
  { headless, timeout = HEADLESS_MS, onStart }: SuccessorOptions,
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
  if (!headless && !mayAsk(invocation)) {
    const isThere = acp !== undefined || (await findProgram(launch.program, env.PATH ?? '')) !== null
    throw agentNotStarted(
      label,
      isThere ? 'there is no terminal here; add --headless for one turn without' : notOnPath(launch.program),
      manual,
    )
  }
  if (place.signal?.aborted) throw startCancelled(brief.id, manual)
  if (withheld.length > 0) out.say(withheldLine(label, withheld, loaded.ownFile))
  let output = ''
  const onOutput = (text: string): void => {
    output += text
    if (!headless) out.raw(text)
  }
  const begun = async (): Promise<void> => {
    out.say('New session started with handoff context')
    await onStart?.()
  }
  const exit = await withPickUp(repo, brief, destination, place.now(), async () => {
    if (acp !== undefined) {
      const { startAcp } = await import('./start-acp.ts')
      const turn = { name: acp, cwd, env, prompt, timeout: headless ? timeout : undefined }
      return startAcp(invocation, workspace, { ...turn, onText: onOutput, onStart: begun })
    }
    const started = await startAgent({
      ...{ program: launch.program, cwd, env, captured: headless, onOutput },
      ...(headless ? launch.headless(prompt) : launch.interactive(prompt)),
      // An interactive one has the terminal, and with it Ctrl-C.
      ...(headless ? { signal: place.signal, timeout } : {}),
    }).catch((cause: NodeJS.ErrnoException) => {
      const isMissing = cause.code === 'ENOENT' && existsSync(cwd)
      throw agentNotStarted(label, isMissing ? notOnPath(launch.program) : cause, manual)
    })
    await begun()
    return started.ended
  })
  if (headless && exit !== 0) throw failedTurn(label, { output, exit }, manual)
  return { output, exit }
}

/** The error of a headless turn that did not go well. */
export function failedTurn(label: string, { output, exit }: Ended, manual: string): HandoffError {
  const how = exit === null ? 'was ended before it was done' : `ended with status ${exit}`
  return agentFailed(label, how, lastWords(output.trim()), manual)
}

/** Runs `start` while the brief is on record as held by the agent that it starts, so that the agent's own hook does not offer it again. */
async function withPickUp<T>(
  { commonDir }: Repo,
  { id }: CurrentBrief,
  { adapter, cwd }: Destination,
  now: Date,
  start: () => Promise<T>,
): Promise<T> {
  const by = { id, agent: adapter.id, root: cwd }
  // Worth knowing, not worth failing for.
  await recordPickUp(commonDir, { ...by, at: now.toISOString(), sessionId: null, isActing: true }).catch(
    () => undefined,
  )
  try {
    return await start()
  } finally {
    await endStarted(commonDir, by).catch(() => undefined)
  }
}

/** Names of variables that are told; a shell may hold a hundred. */
const MOST_NAMES = 12

const withheldLine = (label: string, names: readonly string[], ownFile: string): string =>
  `Not passed to ${label}, which works unwatched and may run what a brief says: ${names.slice(0, MOST_NAMES).join(', ')}${names.length > MOST_NAMES ? ` and ${names.length - MOST_NAMES} more` : ''}. To pass one: \`passEnv: [NAME]\` in ${ownFile}`

const notOnPath = (program: string): string => `\`${program}\` is not on PATH`

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

/** A program to be started and how. */
export interface Start {
  program: string
  args: readonly string[]
  /** Given on standard input; undefined: the terminal, or nothing when `captured`. */
  stdin?: string | undefined
  cwd: string
  env: Record<string, string>
  /** No terminal: what it prints goes to `onOutput`. */
  captured: boolean
  onOutput?: (text: string) => void
  signal?: AbortSignal | undefined
  /** Milliseconds after which it is ended; only when captured. */
  timeout?: number
}

export interface Started {
  pid: number
  /** Exit status; null when a signal ended it. */
  ended: Promise<number | null>
}

/** Milliseconds between the request to end and the end by force. */
const GRACE = 3000

/**
 * Starts a program directly, through no shell. Resolves when it runs; rejects when it cannot be started, with the error of the
 * system. Both streams of a captured one are told as they come.
 */
export function startAgent(start: Start): Promise<Started> {
  const { program, args, cwd, env, captured } = start
  const input = start.stdin !== undefined ? 'pipe' : captured ? 'ignore' : 'inherit'
  const output = captured ? 'pipe' : 'inherit'
  const child = startProgram(program, args, { cwd, env, stdio: [input, output, output] })
  child.stdin?.end(start.stdin)
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => start.onOutput?.(text))
  const stop = () => endChild(child)
  const timer = start.timeout === undefined ? null : setTimeout(stop, start.timeout)
  start.signal?.addEventListener('abort', stop, { once: true })
  const ended = new Promise<number | null>((resolve) => {
    child.once('close', (code) => {
      if (timer !== null) clearTimeout(timer)
      start.signal?.removeEventListener('abort', stop)
      resolve(code)
    })
  })
  return new Promise((resolve, reject) => {
    child.once('error', (error) => {
      if (timer !== null) clearTimeout(timer)
      reject(error)
    })
    child.once('spawn', () => resolve({ pid: child.pid as number, ended }))
  })
}

function endChild(child: Child): void {
  child.kill('SIGTERM')
  setTimeout(() => child.kill('SIGKILL'), GRACE).unref()
}
