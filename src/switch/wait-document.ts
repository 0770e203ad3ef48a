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
import { livePane } from '../start/tmux.ts'
import { writeNotesFile } from '../store/notes.ts'
import { closePending, listPending, type Pending, readPending } from '../store/pending.ts'
import { readPlain } from '../store/plain-file.ts'
import { checkInput, openScanner } from '../workspace/input-secrets.ts'
import type { RepoWorkspace } from '../workspace/workspace.ts'
import { removeDocument, summaryOf } from './requests.ts'

/** Ms between two looks. */
export const LOOK = 200
/** Ms after the stop signal in which the document may still come: a rename after the last word of the reply. */
const GRACE = 15_000
/** Looks after which it is asked whether the pane is still there: every two seconds. */
const GONE_LOOKS = 10

/**
 * Waits for what a session was asked for: the open request with that id or prefix, without one the last of this worktree. Throws `noRequest`
 * and what `waitForDocument` throws.
 */
export async function awaitNotes(
  invocation: Invocation,
  workspace: RepoWorkspace,
  wanted: string | undefined,
  timeout: number,
): Promise<Outcome> {
  const { out } = invocation
  const { commonDir, root } = workspace.repo
  const found = (await listPending(commonDir)).filter((one) =>
    wanted === undefined ? one.root === root : one.requestId.startsWith(wanted),
  )
  const pending = found.at(-1)
  if (pending === undefined || (wanted !== undefined && found.length > 1)) throw noRequest(wanted ?? null)
  await waitForDocument(invocation, workspace, pending, timeout)
  return {
    result: { ok: true, ...summaryOf(pending), state: 'noted', warnings: out.warnings },
    text: `${pending.requestId}\n`,
    said: ['Noted. It goes into the next brief of that session: `git handoff create "<goal>"`'],
  }
}

/**
 * Waits for the document of a request and the stop signal of its agent, and makes notes of it; the request is over then. The session that wrote it goes
 * on as before, whatever comes. Throws `noDocument`, `badDocument`, `secretInDocument`, `requestTimeout`, `requestEnded`, `paneGone`.
 */
export async function waitForDocument(
  invocation: Invocation,
  workspace: RepoWorkspace,
  pending: Pending,
  timeout: number,
): Promise<void> {
  const { commonDir } = workspace.repo
  try {
    await keepNotes(invocation, workspace, pending, await watch(invocation, workspace.repo, pending, timeout))
  } catch (error) {
    if (!invocation.place.signal?.aborted && isHandoffError(error)) await closePending(commonDir, pending)
    throw error
  }
  // In this order: whoever is killed in between finds the document again, or has notes already.
  if (!(await closePending(commonDir, pending))) throw requestEnded(pending.requestId)
  await removeDocument(pending)
}

async function watch({ place }: Invocation, repo: Repo, pending: Pending, timeout: number): Promise<string> {
  const { requestId, root, file, path, pane } = pending
  const begun = performance.now()
  for (let looks = 1; ; looks++) {
    place.signal?.throwIfAborted()
    const now = await readPending(repo.commonDir, pending)
    if (now === null) throw requestEnded(requestId)
    const text = await readPlain(root, file)
    const finished = text === null ? null : finishedText(text, requestId)
    const stopped = now.stoppedAt === null ? null : Date.parse(now.stoppedAt)
    if (stopped !== null && finished !== null) return finished
    if (stopped !== null && place.now().getTime() - stopped > GRACE)
      throw text === null
        ? noDocument(path)
        : badDocument(path, 'its last line is not the agreed one, so it is not whole')
    if (pane !== null && looks % GONE_LOOKS === 0) {
      // Whoever cannot ask tmux goes on waiting.
      const found = await livePane(place.env, pane).catch(() => undefined)
      if (found === null) throw paneGone(pane)
    }
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
