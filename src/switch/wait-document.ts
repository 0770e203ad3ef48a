import { setTimeout as sleep } from 'node:timers/promises'
import { notesFrom, pageProblem, parseSlots } from '../brief/notes.ts'
import { finishedText } from '../brief/prompt.ts'
import type { Invocation, Outcome } from '../command.ts'
import {
  badDocument,
  noDocument,
  noRequest,
  paneGone,
  requestEnded,
  requestTimeout,
} from '../errors/cycle.ts'
import { isHandoffError } from '../errors/handoff-error.ts'
import { type SecretPlace, secretInDocument } from '../errors/writing.ts'
import type { Repo } from '../git/open-repo.ts'
import { writeNotesFile } from '../store/notes.ts'
import { isEnded, listPending, type Pending, readPending } from '../store/pending.ts'
import { readPlain } from '../store/plain-file.ts'
import { checkInput, openScanner } from '../workspace/input-secrets.ts'
import type { RepoWorkspace } from '../workspace/workspace.ts'
import { removeDocument, step, summaryOf } from './requests.ts'

/** Ms between two looks. */
const LOOK = 200
/** Ms after the stop signal in which the document may still come: a rename after the last word of the reply. */
const GRACE = 15_000
/** Looks after which it is asked whether anybody is left: every two seconds. */
const GONE_LOOKS = 10

/**
 * Waits for what a session was asked for: the request with that id or prefix, without one the last of this worktree. Throws `noRequest` and
 * what `waitForDocument` throws.
 */
export async function awaitNotes(
  invocation: Invocation,
  workspace: RepoWorkspace,
  wanted: string | undefined,
  timeout: number,
): Promise<Outcome> {
  const { out } = invocation
  const { repo } = workspace
  const pending = pickRequest(await listPending(repo.commonDir), repo.root, wanted)
  if (pending === null) throw noRequest(wanted ?? null)
  if (isEnded(pending) && pending.state !== 'noted') throw requestEnded(pending.requestId, pending.state)
  if (pending.state === 'noted') await removeDocument(pending)
  const done =
    pending.state === 'noted' ? pending : await waitForDocument(invocation, workspace, pending, timeout)
  return {
    result: { ok: true, ...summaryOf(done), warnings: out.warnings },
    text: `${done.requestId}\n`,
    said: ['Noted. It goes into the next brief of that session: `git handoff create "<goal>"`'],
  }
}

function pickRequest(all: readonly Pending[], root: string, wanted: string | undefined): Pending | null {
  if (wanted !== undefined) {
    const found = all.filter(({ requestId }) => requestId.startsWith(wanted))
    return found.length === 1 ? (found[0] ?? null) : null
  }
  const here = all.filter((one) => one.root === root)
  return here.filter((one) => !isEnded(one)).at(-1) ?? here.at(-1) ?? null
}

/**
 * Waits for the document of a request and the stop signal of its agent, and makes notes of it. The session that wrote it goes on as before, whatever
 * comes. `isGone`: whether nobody is left who could answer. Throws `noDocument`, `badDocument`, `secretInDocument`, `requestTimeout`, `requestEnded`, `paneGone`; the request has failed then.
 */
export async function waitForDocument(
  invocation: Invocation,
  workspace: RepoWorkspace,
  pending: Pending,
  timeout: number,
  isGone: () => Promise<boolean> = async () => false,
): Promise<Pending> {
  const { place } = invocation
  const { repo, loaded } = workspace
  try {
    const text = await watch(invocation, repo, pending, timeout, isGone)
    await keepNotes(invocation, workspace, pending, text)
  } catch (error) {
    if (place.signal?.aborted || !isHandoffError(error) || error.code === 'E_REQUEST_ENDED') throw error
    const failure = { code: error.code, message: error.message }
    await step(place, repo, pending, { state: 'failed', failure }, loaded.own)
    throw error
  }
  // In this order: whoever is killed in between finds the document again, or has notes already.
  const noted = await step(place, repo, pending, { state: 'noted' }, loaded.own)
  await removeDocument(pending)
  return noted
}

async function watch(
  { place }: Invocation,
  repo: Repo,
  { requestId, root, file, path, pane }: Pending,
  timeout: number,
  isGone: () => Promise<boolean>,
): Promise<string> {
  const begun = performance.now()
  for (let looks = 1; ; looks++) {
    place.signal?.throwIfAborted()
    const now = await readPending(repo.commonDir, requestId)
    if (now === null || (isEnded(now) && now.state !== 'noted'))
      throw requestEnded(requestId, now?.state ?? 'removed')
    const text = await readPlain(root, file)
    const finished = text === null ? null : finishedText(text, requestId)
    const stopped = now.stoppedAt === null ? null : Date.parse(now.stoppedAt)
    if (stopped !== null && finished !== null) return finished
    if (stopped !== null && place.now().getTime() - stopped > GRACE)
      throw text === null
        ? noDocument(path)
        : badDocument(path, 'its last line is not the agreed one, so it is not whole')
    if (looks % GONE_LOOKS === 0 && (await isGone())) throw paneGone(pane ?? '')
    if (performance.now() - begun > timeout) {
      const missing =
        finished === null ? 'the document is not there' : 'the agent did not say that its turn ended'
      throw requestTimeout(Math.round(timeout / 1000), missing)
    }
    await sleep(LOOK, undefined, { signal: place.signal }).catch(() => undefined)
  }
}

/** Throws `badDocument`, `secretInDocument`, `badNotes`. */
async function keepNotes(
  { place }: Invocation,
  { repo, root, loaded }: RepoWorkspace,
  { sessionId, branch, head, path, goal }: Pending,
  text: string,
): Promise<void> {
  const problem = pageProblem(text)
  if (problem !== null) throw badDocument(path, problem)
  const capture = {
    ...{ capturedAt: place.now().toISOString(), capturedBySessionId: sessionId, branch, head },
    ...(goal ? { goal } : {}),
  }
  const scanner = await openScanner(place, root, loaded.config)
  // Before it is taken apart: a part of a secret is not known for one.
  scanner.collect(text)
  const slots = await checkInput(scanner, 'document', parseSlots(text), false).catch(
    async (error: unknown) => {
      if (!isHandoffError(error) || error.code !== 'E_SECRET_INPUT') throw error
      // It stands in the work tree, from where the next `git add` would take it.
      await removeDocument({ path })
      throw secretInDocument(error.data.places as SecretPlace[])
    },
  )
  await writeNotesFile(repo.commonDir, notesFrom(slots, capture))
}
