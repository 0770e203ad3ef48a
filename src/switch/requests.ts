import { randomBytes } from 'node:crypto'
import { mkdir, readdir, rm, rmdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { requestText } from '../brief/prompt.ts'
import type { Invocation, Outcome } from '../command.ts'
import type { LoadedConfig } from '../config/load.ts'
import type { OwnSettings } from '../config/own.ts'
import { agentBusy } from '../errors/cycle.ts'
import { isHandoffError, reasonOf } from '../errors/handoff-error.ts'
import { usage } from '../errors/usage.ts'
import type { Repo } from '../git/open-repo.ts'
import { branchName, readHead } from '../git/refs.ts'
import { launch } from '../programs.ts'
import { pasteText } from '../start/tmux.ts'
import { writeJournal } from '../store/journal.ts'
import {
  type Cycle,
  isEnded,
  isStalled,
  listOpen,
  type Pending,
  readPending,
  writePending,
} from '../store/pending.ts'
import { readPlain } from '../store/plain-file.ts'
import { fileWord, withLock } from '../store/private.ts'
import type { Adapter } from '../types/agent.ts'
import type { Place } from '../types/config.ts'
import { checkInput, maskName, openScanner } from '../workspace/input-secrets.ts'
import type { RepoWorkspace } from '../workspace/workspace.ts'
import { chooseWay, findPane, isFree, type Wanted, type Way } from './request-target.ts'

/** Why a page is asked for, and for which goal; null: nobody has said it yet. */
interface Why {
  reason: string
  goal: string | null
}

/** Asks a running session for its working memory. Throws what finding the session and the pane throws, `agentBusy`, `secretInInput`. */
export async function requestNotes(
  invocation: Invocation,
  workspace: RepoWorkspace,
  wanted: Wanted & { reason: string; goal?: string },
): Promise<Outcome> {
  const { out, place } = invocation
  const { repo, loaded } = workspace
  const scanner = await openScanner(place, repo.root, loaded.config)
  const { reason, goal = null } = wanted
  await checkInput(scanner, 'reason or goal', { reason, goal }, false)
  const way = await chooseWay(invocation, repo, wanted)
  const { target, via, pane } = way
  if ((await openRequestTo(repo, target)) === null && !(await isFree(invocation, repo, target, pane)))
    throw agentBusy(target.adapter.label, target.adapter.hooks?.goOn !== undefined)
  const { pending, isNew } = await beginRequest(invocation, repo, way, { reason, goal }, null)
  const text = instructionFor(loaded, pending)
  const asked = isNew ? await deliver(invocation, workspace, target.adapter, pending, text) : pending
  if (!isNew) out.warn(`this session has been asked already, at ${asked.askedAt}`)
  const how = {
    print: 'Paste this into the session, then: `git handoff await`',
    hook: 'It is asked when its turn ends. Then: `git handoff await`',
    tmux: `Asked in pane ${asked.pane}. Then: \`git handoff await\``,
  }
  return {
    result: { ok: true, ...summaryOf(asked), instruction: text, warnings: out.warnings },
    text: via === 'print' ? text : `${asked.requestId}\n`,
    said: [how[via]],
  }
}

/** Gives an open request up. Throws `usage` where the id, or a prefix of one, means none or several. */
export async function cancelRequest({ place, out }: Invocation, repo: Repo, id: string): Promise<Outcome> {
  const open = (await listOpen(repo.commonDir)).filter((one) => !isEnded(one) && one.requestId.startsWith(id))
  const [pending] = open
  if (pending === undefined || open.length > 1)
    throw usage(`There is no one open request ${id}.`, '`git handoff status` lists them.')
  const cancelled = await giveUp({ place }, repo, pending)
  const result = { ok: true, ...summaryOf(cancelled), warnings: out.warnings }
  return { result, text: `Given up: ${pending.requestId}`, said: [] }
}

async function giveUp({ place }: Pick<Invocation, 'place'>, repo: Repo, pending: Pending): Promise<Pending> {
  const cancelled = await step(place, repo, pending, { state: 'cancelled' })
  await removeDocument(pending)
  return cancelled
}

/** Writes the request down, unless the session has an open one: then that is the answer. Throws `unsafeFolder`. */
export function beginRequest(
  invocation: Invocation,
  repo: Repo,
  way: Way,
  why: Why,
  cycle: Cycle | null,
): Promise<{ pending: Pending; isNew: boolean }> {
  const { adapter, sessionId } = way.target
  // Of two that run together the second finds the request of the first.
  return withLock(repo.commonDir, `locks/request-${adapter.id}-${fileWord(sessionId)}`, async () => {
    const known = await openRequestTo(repo, way.target)
    if (known !== null && isStalled(known)) await giveUp(invocation, repo, known)
    else if (known !== null) return { pending: known, isNew: false }
    return { pending: await writeRequest(invocation, repo, way, why, cycle), isNew: true }
  })
}

async function writeRequest(
  { place }: Invocation,
  repo: Repo,
  { target, via, pane }: Way,
  { reason, goal }: Why,
  cycle: Cycle | null,
): Promise<Pending> {
  const { adapter, sessionId } = target
  const at = place.now().toISOString()
  const requestId = `${at.slice(0, 19).replace(/[-:]/g, '')}-${randomBytes(4).toString('hex')}`
  const file = `.handoff/requests/${requestId}.md`
  // A folder that leads elsewhere is told before anybody is asked to write there.
  await readPlain(repo.root, file)
  const head = await repo.git(['rev-parse', '-q', '--verify', 'HEAD'], { answers: [1] })
  const pending: Pending = {
    schemaVersion: 1,
    requestId,
    agent: adapter.id,
    sessionId,
    root: repo.root,
    // The agent is told it.
    branch: await maskName(branchName((await readHead(repo)).ref)),
    head: head.trim() || null,
    reason,
    goal,
    file,
    path: join(repo.root, file),
    via,
    pane,
    state: 'asked',
    askedAt: at,
    changedAt: at,
    stoppedAt: null,
    failure: null,
    cycle,
  }
  await writePending(repo.commonDir, pending)
  return pending
}

/**
 * An agent may not be allowed to make it. What it writes there nobody has looked through for secrets: git ignores the folder and all in
 * it, so that no `git add` takes it, and the work tree stays clean.
 */
async function makeFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, IGNORE), '*\n', { flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
}

/** Stands in the folder of documents as long as that is there. */
const IGNORE = '.gitignore'

/** Nobody needs the document any more; a folder without another one goes too. */
export async function removeDocument({ path }: Pick<Pending, 'path'>): Promise<void> {
  await rm(path, { force: true })
  await rm(`${path}.part`, { force: true })
  const folder = dirname(path)
  const left = await readdir(folder).catch(() => [])
  if (left.some((name) => name !== IGNORE)) return
  await rm(join(folder, IGNORE), { force: true })
  await rmdir(folder).catch(() => undefined)
}

const openRequestTo = async (
  { commonDir }: Repo,
  { adapter, sessionId }: Way['target'],
): Promise<Pending | null> =>
  (await listOpen(commonDir)).find(
    (one) => !isEnded(one) && one.agent === adapter.id && one.sessionId === sessionId,
  ) ?? null

/** The instruction, with the person's own text where there is one. Throws `badTemplate`. */
export const instructionFor = ({ templateOf }: Pick<LoadedConfig, 'templateOf'>, pending: Pending): string =>
  requestText({ ...pending, goal: pending.goal ?? pending.cycle?.goal ?? null }, templateOf('request'))

/** Brings the instruction to the agent; a hook fetches it by itself. Throws `paneGone`, `noPane`, `tmuxUnusable`; then the request has failed. */
export async function deliver(
  invocation: Invocation,
  { repo, loaded }: RepoWorkspace,
  adapter: Adapter,
  pending: Pending,
  text: string,
): Promise<Pending> {
  const { place } = invocation
  const change = (changes: Partial<Pending>) => step(place, repo, pending, changes, loaded.own)
  await makeFolder(dirname(pending.path))
  if (pending.via === 'hook') return change({})
  try {
    if (pending.via === 'tmux' && pending.pane !== null) {
      // The agent may have ended since, and a shell is in front now.
      await findPane(invocation, repo, adapter, pending.pane)
      await pasteText(place.env, pending.pane, text)
    }
  } catch (error) {
    const code = isHandoffError(error) ? error.code : 'E_UNEXPECTED'
    await change({ state: 'failed', failure: { code, message: reasonOf(error) } })
    throw error
  }
  return change({ state: 'delivered' })
}

/** What the world may know of a request, in the order in which it is told. */
const TOLD = [
  'requestId',
  'state',
  'agent',
  'sessionId',
  'path',
  'via',
  'pane',
  'askedAt',
  'changedAt',
  'stoppedAt',
  'failure',
  'cycle',
] as const satisfies readonly (keyof Pending)[]

export const summaryOf = (pending: Pending): Pick<Pending, (typeof TOLD)[number]> =>
  Object.fromEntries(TOLD.map((name) => [name, pending[name]])) as Pick<Pending, (typeof TOLD)[number]>

/** Ms that a program of the person's own may take to hear of a step. */
const NOTIFY_MS = 5000

/** What is to change, given how the request stands at that moment; null: nothing. */
export type Change = Partial<Pending> | ((now: Pending) => Partial<Pending> | null)

/**
 * Writes a change of a request, the journal line that tells it, and tells the program of the person's own configuration. Hooks and the
 * waiting process write in turn. Gives the request as it stands then.
 */
export async function step(
  place: Pick<Place, 'now' | 'env'>,
  repo: Pick<Repo, 'commonDir'>,
  pending: Pending,
  change: Change,
  own: Pick<OwnSettings, 'notify'> = { notify: null },
): Promise<Pending> {
  const { before, next } = await withLock(repo.commonDir, `locks/${pending.requestId}`, async () => {
    const before = (await readPending(repo.commonDir, pending.requestId)) ?? pending
    const changes = typeof change === 'function' ? change(before) : change
    if (changes === null) return { before, next: before }
    const next: Pending = { ...before, ...changes, changedAt: place.now().toISOString() }
    await writePending(repo.commonDir, next)
    return { before, next }
  })
  if (next.state === before.state) return next
  const { requestId, state, agent, sessionId, failure, cycle, changedAt: at } = next
  const briefId = cycle?.briefId ?? null
  const told = { at, kind: 'cycle', requestId, state, agent, sessionId, failure, briefId }
  await writeJournal(repo.commonDir, told)
  const [program, ...args] = own.notify ?? []
  // A program that is not there, or does not read, is the person's affair; nobody waits for it.
  if (program !== undefined)
    launch(program, args, { env: place.env, timeout: NOTIFY_MS, input: `${JSON.stringify(told)}\n` })
  return next
}
