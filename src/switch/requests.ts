import { randomBytes } from 'node:crypto'
import { mkdir, readdir, rm, rmdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { requestText } from '../brief/prompt.ts'
import type { Invocation, Outcome } from '../command.ts'
import type { LoadedConfig } from '../config/load.ts'
import { agentBusy } from '../errors/cycle.ts'
import { usage } from '../errors/usage.ts'
import type { Repo } from '../git/open-repo.ts'
import { branchName, readHead } from '../git/refs.ts'
import { pasteText } from '../start/tmux.ts'
import { changePending, closePending, listPending, type Pending, writePending } from '../store/pending.ts'
import { readPlain } from '../store/plain-file.ts'
import { fileWord, withLock } from '../store/private.ts'
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
  const { reason, goal = null } = wanted
  const scanner = await openScanner(place, repo.root, loaded.config)
  await checkInput(scanner, 'reason or goal', { reason, goal }, false)
  const way = await chooseWay(invocation, repo, wanted)
  const { target, via, pane } = way
  if ((await openRequestTo(repo, target)) === null && !(await isFree(invocation, repo, target, pane)))
    throw agentBusy(target.adapter.label, target.adapter.hooks?.goOn !== undefined)
  const { pending, isNew } = await askSession(invocation, workspace, way, { reason, goal })
  if (!isNew) out.warn(`this session has been asked already, at ${pending.askedAt}`)
  const text = instructionFor(loaded, pending)
  const how = {
    print: 'Paste this into the session, then: `git handoff await`',
    hook: 'It is asked when its turn ends. Then: `git handoff await`',
    tmux: `Asked in pane ${pending.pane}. Then: \`git handoff await\``,
  }
  return {
    result: { ok: true, ...summaryOf(pending), instruction: text, warnings: out.warnings },
    text: via === 'print' ? text : `${pending.requestId}\n`,
    said: [how[via]],
  }
}

/** Gives an open request up. Throws `usage` where the id, or a prefix of one, means none or several. */
export async function cancelRequest({ out }: Invocation, repo: Repo, id: string): Promise<Outcome> {
  const open = (await listPending(repo.commonDir)).filter(({ requestId }) => requestId.startsWith(id))
  const [pending] = open
  if (pending === undefined || open.length > 1)
    throw usage(`There is no one open request ${id}.`, '`git handoff status` lists them.')
  await giveUp(repo, pending)
  const result = { ok: true, ...summaryOf(pending), state: 'cancelled', warnings: out.warnings }
  return { result, text: `Given up: ${pending.requestId}`, said: [] }
}

/** Ends a request, with the document that may be there. */
export async function giveUp({ commonDir }: Repo, pending: Pending): Promise<void> {
  await closePending(commonDir, pending)
  await removeDocument(pending)
}

/**
 * Brings the instruction to a session; one that has an open request is not asked again, and that is the answer. Throws `unsafeFolder`, `badTemplate`,
 * and what delivering throws: `paneGone`, `noPane`, `tmuxUnusable`; then it is not asked.
 */
export async function askSession(
  invocation: Invocation,
  { repo, loaded }: RepoWorkspace,
  way: Way,
  why: Why,
): Promise<{ pending: Pending; isNew: boolean }> {
  const { adapter, sessionId } = way.target
  const { commonDir } = repo
  // Of two that run together the second finds the request of the first.
  return withLock(commonDir, `locks/request-${adapter.id}-${fileWord(sessionId)}`, async () => {
    const known = await openRequestTo(repo, way.target)
    if (known !== null) return { pending: known, isNew: false }
    const pending = await writeRequest(invocation, repo, way, why)
    // A hook fetches it by itself.
    if (pending.via === 'hook') return { pending, isNew: true }
    try {
      if (pending.pane !== null) {
        const text = instructionFor(loaded, pending)
        // The agent may have ended since, and a shell is in front now.
        await findPane(invocation, repo, adapter, pending.pane)
        await pasteText(invocation.place.env, pending.pane, text)
      }
    } catch (error) {
      await giveUp(repo, pending)
      throw error
    }
    const asked = await changePending(commonDir, pending, () => ({ state: 'delivered' }))
    return { pending: asked ?? pending, isNew: true }
  })
}

async function writeRequest(
  { place }: Invocation,
  repo: Repo,
  { target, via, pane }: Way,
  why: Why,
): Promise<Pending> {
  const at = place.now().toISOString()
  const requestId = `${at.slice(0, 19).replace(/[-:]/g, '')}-${randomBytes(4).toString('hex')}`
  const file = `.handoff/requests/${requestId}.md`
  const path = join(repo.root, file)
  // A folder that leads elsewhere is told before anybody is asked to write there.
  await readPlain(repo.root, file)
  await makeFolder(dirname(path))
  const head = await repo.git(['rev-parse', '-q', '--verify', 'HEAD'], { answers: [1] })
  // The agent is told it.
  const branch = await maskName(branchName((await readHead(repo)).ref))
  const pending: Pending = {
    ...{ schemaVersion: 1, requestId, agent: target.adapter.id, sessionId: target.sessionId },
    ...{ root: repo.root, branch, head: head.trim() || null, ...why },
    ...{ file, path, via, pane, state: 'asked', askedAt: at, stoppedAt: null },
  }
  await writePending(repo.commonDir, pending)
  return pending
}

/** Stands in the folder of documents as long as that is there. */
const IGNORE = '.gitignore'

/** An agent may not be allowed to make it. Git ignores all in it: nobody has looked through a document for secrets. */
async function makeFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, IGNORE), '*\n', { flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
}

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

export const openRequestTo = async (
  { commonDir }: Repo,
  { adapter, sessionId }: Way['target'],
): Promise<Pending | null> =>
  (await listPending(commonDir)).find((one) => one.agent === adapter.id && one.sessionId === sessionId) ??
  null

/** The instruction, with the person's own text where there is one. Throws `badTemplate`. */
export const instructionFor = (
  { templateOf }: Pick<LoadedConfig, 'templateOf'>,
  { goal = null, ...pending }: Pending,
): string => requestText({ ...pending, goal }, templateOf('request'))

/** What the world may know of a request. */
export const summaryOf = ({
  requestId,
  state,
  agent,
  sessionId,
  path,
  via,
  pane,
  askedAt,
  stoppedAt,
}: Pending) => ({
  ...{ requestId, state, agent, sessionId, path, via, pane, askedAt, stoppedAt },
})
