import { randomBytes } from 'node:crypto'
import { realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import { OTHER_NAME } from '../agents/setup.ts'
import { labelOf } from '../agents/table.ts'
import { readCopy } from '../brief/latest.ts'
import {
  agoOf,
  clipInjected,
  fencedBrief,
  hasPointer,
  pointerPrompt,
  takenWords,
  untrustedLine,
} from '../brief/prompt.ts'
import { type CurrentBrief, inHeadOf, readCurrent } from '../briefs/current.ts'
import { tellBeside, verdictOn } from '../briefs/verdict.ts'
import type { Invocation } from '../command.ts'
import type { Repo } from '../git/open-repo.ts'
import { listParked } from '../git/parked.ts'
import { branchName, readHead } from '../git/refs.ts'
import { processChain } from '../process-chain.ts'
import { LATEST } from '../store/folder.ts'
import { isJustStarted, readPickUp } from '../store/journal.ts'
import { addNudge } from '../store/live.ts'
import { readPlain } from '../store/plain-file.ts'
import type { Adapter, Fullness, HookCall, HookDialect } from '../types/agent.ts'
import type { Config, Place } from '../types/config.ts'
import { copyOfBrief, driftOf, fileOf } from '../verify/pointer.ts'

/** What a session is told at its start, and the id of the brief shown; the id is empty when none was. */
export interface Context {
  id: string
  text: string
  /** It was started with the brief: its prompt tells what is told here otherwise, and `text` is empty. */
  isGiven?: true
  /** Nobody sits there: it is told nothing, and may read the brief all the same. `text` is empty. */
  isUntold?: true
}

/** A session that was there before has its orders. */
export const isOld = ({ source }: HookCall): boolean => source === 'resume' || source === 'compact'

/**
 * The pointer to the open brief of this line of work, or with `inject: full` its fenced text; one line without any of it when it is
 * not trusted; null when there is nothing to say: no open brief, or the very session that wrote it.
 */
export async function contextFor(
  invocation: Invocation,
  repo: Repo,
  config: Config,
  adapter: Pick<Adapter, 'id' | 'hooks'>,
  call: HookCall,
): Promise<Context | null> {
  const [brief, parked] = await Promise.all([readCurrent(repo), listParked(repo)])
  // Loaded where it is needed: mostly the copy is right, and an agent waits.
  if (await isStale(repo, brief))
    await (await import('../briefs/latest-file.ts')).refreshInHook(invocation, repo, brief)
  if (isOld(call)) return null
  if (await isUnattended(adapter, call, invocation.place.env))
    return brief === null || isAuthor(call, brief) ? null : { id: brief.id, text: '', isUntold: true }
  const waiting = parked.flatMap(({ id, branch, isGone }) => {
    if (id === brief?.id || isGone) return []
    const name = branch.replace('refs/heads/', '')
    return `A handoff brief ${id} waits for the unfinished git operation on ${name}: \`git handoff show ${id}\`.\n`
  })
  const main = brief === null ? null : await tell(invocation.place, repo, config, adapter, call, brief)
  if (main === null && waiting.length === 0) return null
  return { id: main?.id ?? '', text: clipInjected([main?.text ?? '', ...waiting].join('')) }
}

/** Nobody sits there, or it is a subagent. */
async function isUnattended({ hooks }: Pick<Adapter, 'hooks'>, call: HookCall, env: Place['env']) {
  if (hooks?.isUnattended?.(call, env)) return true
  return hooks?.unattended !== undefined && (await isStartedWith(hooks.unattended))
}

/** The author is told nothing that it has written itself. */
const isAuthor = ({ sessionId }: HookCall, { parsed }: CurrentBrief): boolean =>
  sessionId !== null && parsed.meta.agent.session === sessionId

/** The agent that calls this hook was started with one of these options. False where processes cannot be read, as on Windows. */
async function isStartedWith({ program, options }: NonNullable<HookDialect['unattended']>): Promise<boolean> {
  for await (const { words } of processChain(process.ppid)) {
    const at = words.findIndex((word) => program.test(word))
    if (at !== -1 && words.slice(at + 1).some((word) => options.includes(word.split('=')[0] ?? '')))
      return true
  }
  return false
}

/** The copy is of another brief or branch: no hook of git runs at a reset, and in many clones none at all. */
async function isStale(repo: Repo, brief: CurrentBrief | null): Promise<boolean> {
  const text = await readPlain(repo.root, LATEST)
  const copy = text === null ? null : readCopy(text)
  if (copy?.state !== 'ours' || copy.marker === null) return false
  const branch = branchName((await readHead(repo)).ref)
  return copy.marker.id !== (brief?.id ?? null) || copy.marker.branch !== branch
}

async function tell(
  place: Pick<Place, 'now'>,
  repo: Repo,
  config: Config,
  { id: agent }: Pick<Adapter, 'id'>,
  call: HookCall,
  brief: CurrentBrief,
): Promise<Context | null> {
  const { meta } = brief.parsed
  if (isAuthor(call, brief)) return null
  const now = place.now().getTime()
  const holder = await readPickUp(repo.commonDir, brief.id, now)
  const isStarted = holder !== null && isJustStarted(holder, { agent, root: repo.root }, now)
  if (isStarted || (call.text !== null && hasPointer(call.text)))
    return { id: brief.id, text: '', isGiven: true }
  const beside = await tellBeside(repo, brief)
  const [verdict, drift, here] = await Promise.all([
    verdictOn(repo, brief, inHeadOf(brief)),
    driftOf(repo, brief),
    fileOf(repo, brief, beside),
  ])
  if (!verdict.trusted) return { id: '', text: untrustedLine(brief.id, verdict.because) }
  const file = here ?? (await copyOfBrief(repo, brief))
  if (config.inject === 'full') {
    const nonce = randomBytes(8).toString('hex')
    const { text, id } = brief
    return { id, text: fencedBrief({ id, text, because: verdict.because, file, nonce, beside }) }
  }
  // The built-in text: a template of the repository is a stranger's as much as a brief is.
  const there = isAtTop(repo, call.cwd) ? file : resolve(repo.root, file)
  const taken =
    holder === null || holder.sessionId === call.sessionId
      ? null
      : takenWords({ ...holder, label: labelOf(holder.agent) }, repo.root, now)
  const age = agoOf(meta.createdAt, now)
  const told = { meta, file: there, drift, start: [], age, taken, isAsked: false }
  return { id: brief.id, text: [pointerPrompt(told), ...beside.map((line) => `${line}\n`)].join('') }
}

/** An agent takes paths from the folder it was started in. */
function isAtTop({ root }: Repo, cwd: string | null): boolean {
  return cwd === null || cwd === root || realpathSync(cwd) === root
}

/** Of what the context may hold until the client compacts it. */
export const percentFull = ({ tokens, window, compactsAt }: Fullness): number =>
  Math.min(100, Math.floor((100 * tokens) / (compactsAt ?? window)))

/** The nudge as one line for the person, or null: below the threshold, not known, or told before. */
export async function nudgeFor(
  commonDir: string,
  input: {
    adapter: Adapter
    call: HookCall
    fullness: Fullness | null
    at: string
    threshold: number
    /** The name of ours is taken here. */
    isRenamed: boolean
  },
): Promise<string | null> {
  const { adapter, call, fullness, at, threshold, isRenamed } = input
  if (fullness === null || call.sessionId === null) return null
  const pct = percentFull(fullness)
  if (pct < threshold) return null
  const isNew = await addNudge(commonDir, {
    kind: 'handoff-prompt',
    schemaVersion: 1,
    sessionId: call.sessionId,
    agent: adapter.id,
    thresholdPct: threshold,
    pct,
    at,
  })
  if (!isNew) return null
  const { launch } = adapter
  const command =
    launch?.handoffLine ?? launch?.skillLine(isRenamed ? OTHER_NAME : 'handoff') ?? 'git handoff create'
  const until = fullness.compactsAt === undefined ? '' : ` (${adapter.label} compacts it at 100 %)`
  return `handoff: the context of this session is ${pct} % full${until}. To hand the work over, type: ${command} <what the next session must achieve>`
}
