import { randomBytes } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { requestText } from '../brief/prompt.ts'
import type { Invocation } from '../command.ts'
import { noPane, tmuxUnusable } from '../errors/cycle.ts'
import { usage } from '../errors/usage.ts'
import type { Repo } from '../git/open-repo.ts'
import { branchName, readHead } from '../git/refs.ts'
import { pasteText, TmuxError } from '../start/tmux.ts'
import { type Cycle, isEnded, listOpen, type Pending, writePending } from '../store/pending.ts'
import { readPlain } from '../store/plain-file.ts'
import { fileWord, withLock } from '../store/private.ts'
import type { Workspace } from '../workspace/workspace.ts'
import { step } from './cycle-step.ts'
import { checkPane, findPane, findTarget, type Target } from './request-target.ts'

/** How an agent can be asked. */
export const WAYS = ['tmux', 'hook', 'print'] as const

/** Whom to ask and how. Throws what finding the session and the pane throws. */
export async function chooseWay(
  invocation: Invocation,
  repo: Repo,
  options: Record<string, unknown>,
): Promise<{ target: Target; via: Pending['via']; pane: string | null }> {
  const text = (name: string) => (typeof options[name] === 'string' ? (options[name] as string) : undefined)
  const [from, given] = [text('from'), text('via')]
  const target = await findTarget(invocation, repo, {
    session: text('session'),
    from,
  })
  if (given === 'print') return { target, via: 'print', pane: null }
  if (given === 'hook') {
    if (target.adapter.hooks?.goOn === undefined)
      throw usage(`${target.adapter.label} cannot be asked by a hook.`, 'Use --via tmux or --via print.')
    return { target, via: 'hook', pane: null }
  }
  const pane = await findPane(invocation, repo, target.adapter, text('pane'))
  if (pane === null && given === 'tmux') throw noPane(`no pane here shows ${target.adapter.label}`, [])
  return { target, via: pane === null ? 'print' : 'tmux', pane: pane?.id ?? null }
}

/** Writes the request down, unless the session has an open one: then that is the answer. Throws `unsafeFolder`. */
export function beginRequest(
  ...asked: Parameters<typeof findOrWrite>
): Promise<{ pending: Pending; isNew: boolean }> {
  const [, { repo }, { adapter, sessionId }] = asked
  // Of two that run together the second finds the request of the first.
  return withLock(repo.commonDir, `request-${adapter.id}-${fileWord(sessionId)}`, () => findOrWrite(...asked))
}

async function findOrWrite(
  { place }: Invocation,
  { repo }: Workspace & { repo: Repo },
  target: Target,
  via: Pending['via'],
  pane: string | null,
  reason: string,
  cycle: Cycle | null,
): Promise<{ pending: Pending; isNew: boolean }> {
  const known = await openRequestTo(repo, target)
  if (known !== null) return { pending: known, isNew: false }
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
    branch: branchName((await readHead(repo)).ref),
    head: head.trim() || null,
    reason,
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
  return { pending, isNew: true }
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
export const IGNORE = '.gitignore'

export const openRequestTo = async (
  { commonDir }: Repo,
  { adapter, sessionId }: Target,
): Promise<Pending | null> =>
  (await listOpen(commonDir)).find(
    (one) => !isEnded(one) && one.agent === adapter.id && one.sessionId === sessionId,
  ) ?? null

/** The instruction, by the repository's own template where it has one. Throws `badTemplate`. */
export async function instructionFor(repo: Repo, { requestId, path }: Pending): Promise<string> {
  const place = '.handoff/templates/request.txt'
  const text = await readPlain(repo.root, place)
  return requestText(requestId, path, text === null ? null : { text, place })
}

/** Brings the instruction to the agent; a hook fetches it by itself. Throws `paneGone`, `noPane`, `tmuxUnusable`; then the request has failed. */
export async function deliver(
  invocation: Invocation,
  { repo, loaded }: Workspace & { repo: Repo },
  { adapter }: Target,
  pending: Pending,
  text: string,
): Promise<Pending> {
  const { place } = invocation
  await makeFolder(dirname(pending.path))
  if (pending.via === 'hook') return step(place, repo, pending, {}, loaded.own)
  if (pending.via === 'print' || pending.pane === null)
    return step(place, repo, pending, { state: 'delivered' }, loaded.own)
  try {
    await checkPane(invocation, repo, adapter, pending.pane)
    await pasteText(place.env, pending.pane, text)
  } catch (error) {
    const known = error instanceof TmuxError ? tmuxUnusable(error.message) : (error as Error)
    const code = 'code' in known ? String(known.code) : 'E_UNEXPECTED'
    await step(
      place,
      repo,
      pending,
      { state: 'failed', failure: { code, message: known.message } },
      loaded.own,
    )
    throw known
  }
  return step(place, repo, pending, { state: 'delivered' }, loaded.own)
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
