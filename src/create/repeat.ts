import { createHash } from 'node:crypto'
import { masked, sameInput } from '../brief/measure.ts'
import { type CurrentBrief, readBlobBrief } from '../briefs/current.ts'
import { readFileBrief } from '../briefs/find-brief.ts'
import type { Invocation } from '../command.ts'
import { isHandoffError } from '../errors/handoff-error.ts'
import type { Repo } from '../git/open-repo.ts'
import { listBriefsAtHead } from '../git/read-briefs.ts'
import { readHistory } from '../git/read-history.ts'
import { readRefs } from '../git/refs.ts'
import type { RepoSnapshot } from '../git/snapshot.ts'
import { listBriefFiles } from '../store/briefs.ts'
import { readLedger } from '../store/ledger.ts'
import { readPrivate, writePrivate } from '../store/private.ts'
import { type Built, buildBrief } from './build-brief.ts'
import type { CreateRequest } from './create-request.ts'
import type { Gathered } from './gathered.ts'

/**
 * A brief that already says exactly this: the current one, or one that an earlier run saved and could not commit
 * (`committed` false). Null when there is none.
 *
 * The current brief is compared with what it would be today: built again as the child of its own parent, since a child
 * of itself inherits and differs.
 */
export async function findRepeat(
  invocation: Invocation,
  request: CreateRequest,
  gathered: Gathered,
  built: Built,
  vague: boolean,
): Promise<CurrentBrief | null> {
  const { current, workspace } = gathered
  const { repo } = workspace
  if (repo === null) return null
  const again = await builtAgain(invocation, request, gathered, built.brief.meta.id, vague)
  if (current !== null && again !== null && sameInput(again.text, current.text)) return current
  return findSaved(repo, built.text, gathered.reading)
}

/** The current brief as it would be today; null when it has another goal or its parent is not to be had. */
async function builtAgain(
  invocation: Invocation,
  request: CreateRequest,
  gathered: Gathered,
  id: string,
  vague: boolean,
): Promise<Built | null> {
  const { current } = gathered
  if (current === null || current.parsed.meta.goal !== request.goal) return null
  const grandId = current.parsed.meta.parent
  const grand = grandId === null ? null : await briefOf(gathered, grandId)
  if (grandId !== null && grand === null) return null
  // As it was then: whom somebody trusts since, and what landed since, makes no other brief.
  const then = { ...gathered, inherits: current.parsed.brief.previous !== null }
  return buildBrief(invocation, request, then, grand, id, vague)
}

async function briefOf({ workspace, reading, current }: Gathered, id: string): Promise<CurrentBrief | null> {
  const { repo } = workspace
  if (repo === null) return null
  const briefs = await listBriefsAtHead(repo, reading)
  const here = briefs.find((brief) => brief.id === id)
  if (here !== undefined) return readBlobBrief(repo, here, true, reading?.objects)
  const past = (await readHistory(repo, { all: current?.apart !== undefined })).find(
    (entry) => entry.id === id,
  )
  return past === undefined ? null : readBlobBrief(repo, past, false)
}

/**
 * A brief of this clone that stands in the work tree and in no commit, with the same content as `text`: an earlier run could not
 * commit it, or was killed before it did.
 */
export async function findSaved(
  repo: Repo,
  text: string,
  reading: RepoSnapshot | null,
): Promise<CurrentBrief | null> {
  const [files, briefs, ledger, refs] = await Promise.all([
    listBriefFiles(repo.root),
    listBriefsAtHead(repo, reading),
    readLedger(repo.commonDir),
    reading?.refs ?? readRefs(repo, ['refs/handoff/']),
  ])
  const known = new Set([...briefs.map(({ id }) => id), ...refs.map(({ name }) => parkedId(name))])
  const waiting = files.filter(({ id }) => !known.has(id))
  for (const { path } of waiting.reverse()) {
    const saved = await readIfThere(repo, path)
    if (saved === null) continue
    if (ledger.created.has(`${path}\t${saved.oid}`) && sameInput(saved.text, text)) return saved
  }
  return null
}

/** Null when it is gone: a rebase or switch may take a file away between the listing and the reading. */
async function readIfThere(repo: Repo, path: string): Promise<CurrentBrief | null> {
  try {
    return await readFileBrief(repo, `${repo.root}/${path}`)
  } catch (error) {
    if (isHandoffError(error) && error.code === 'E_UNKNOWN_ID') return null
    throw error
  }
}

const parkedId = (ref: string): string => ref.replace('refs/handoff/', '')

/** Which brief a model had a part in, who was asked, and what it would have been without: asked again it would say it otherwise. */
interface Record {
  id: string
  by: string
  input: string
}

const FILE = 'extracted.json'

/**
 * The current brief, when it was made from this input with the help of the one who would be asked now; null when it was not. Nobody
 * needs to be asked then.
 */
export async function findExtracted(
  invocation: Invocation,
  request: CreateRequest,
  gathered: Gathered,
  plain: Built,
  vague: boolean,
): Promise<CurrentBrief | null> {
  const { current, workspace } = gathered
  if (workspace.repo === null || current === null) return null
  const known = recordOf(await readPrivate(workspace.repo.commonDir, FILE))
  if (known?.id !== current.id || known.by !== nameOf(request)) return null
  const again = await builtAgain(invocation, request, gathered, plain.brief.meta.id, vague)
  return again !== null && digest(again) === known.input ? current : null
}

/** Keeps what `findExtracted` needs. */
export async function rememberExtracted(
  request: CreateRequest,
  { workspace }: Gathered,
  plain: Built,
  built: Built,
): Promise<void> {
  if (workspace.repo === null) return
  const record: Record = { id: built.brief.meta.id, by: nameOf(request), input: digest(plain) }
  await writePrivate(workspace.repo.commonDir, FILE, JSON.stringify(record), { flush: false })
}

const nameOf = ({ extract }: CreateRequest): string => JSON.stringify(extract)
const digest = ({ text }: Built): string => createHash('sha256').update(masked(text)).digest('hex')

function recordOf(text: string | null): Partial<Record> | null {
  try {
    const value: unknown = JSON.parse(text ?? 'null')
    return typeof value === 'object' ? value : null
  } catch {
    return null // Somebody else's: the model is asked again.
  }
}
