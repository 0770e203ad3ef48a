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
import type { Gathered } from './gather.ts'

/** A brief that is there, and what would be made in its place today. */
export interface Again {
  brief: CurrentBrief
  built: Built
  /** It says exactly that already. */
  isSame: boolean
}

/**
 * The current brief as it would be today: as the child of its own parent, since a child of itself inherits and differs. Null when it has
 * another goal or its parent is not to be had.
 */
export async function buildAgain(invocation: Invocation, gathered: Gathered): Promise<Again | null> {
  const { current: brief, request } = gathered
  if (brief === null || brief.parsed.meta.goal !== request.goal) return null
  const { parent } = brief.parsed.meta
  const grand = parent === null ? null : await briefOf(gathered, parent)
  if (parent !== null && grand === null) return null
  // As it was then: whom somebody trusts since, and what landed since, makes no other brief.
  const then = { ...gathered, inherits: brief.parsed.brief.previous !== null }
  const built = await buildBrief(invocation, then, grand, brief.id)
  return { brief, built, isSame: sameInput(built.text, brief.text) }
}

async function briefOf({ workspace, reading, current }: Gathered, id: string): Promise<CurrentBrief | null> {
  const { repo } = workspace
  if (repo === null) return null
  const isId = (one: { id: string }): boolean => one.id === id
  const here = (await listBriefsAtHead(repo, reading)).find(isId)
  if (here !== undefined) return readBlobBrief(repo, here, true)
  const past = (await readHistory(repo, { all: current?.apart !== undefined })).find(isId)
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
    reading?.refs ?? readRefs(repo, ['refs/handoff']),
  ])
  const parked = refs.map(({ name }) => name.replace('refs/handoff/', ''))
  const known = new Set([...briefs.map(({ id }) => id), ...parked])
  const waiting = files.filter(({ id }) => !known.has(id))
  for (const { path } of waiting.reverse()) {
    // A rebase or switch may take a file away between the listing and the reading.
    const saved = await readFileBrief(repo, `${repo.root}/${path}`).catch((error: unknown) => {
      if (isHandoffError(error) && error.code === 'E_UNKNOWN_ID') return null
      throw error
    })
    if (saved !== null && ledger.created.has(`${path}\t${saved.oid}`) && sameInput(saved.text, text))
      return saved
  }
  return null
}

/** Of the last brief that a model had a part in: its id, who was asked, and a digest of what it would have been without. */
const FILE = 'extracted.json'

/** Whether the brief was made from today's input with the help of the one who would be asked now: asked again it would say it otherwise. */
export async function isExtracted(
  { request, workspace }: Gathered,
  { brief, built }: Again,
): Promise<boolean> {
  const text = workspace.repo === null ? null : await readPrivate(workspace.repo.commonDir, FILE)
  return text === recordOf(brief.id, request, built)
}

/** Keeps what `isExtracted` needs. `plain`: the brief without the model. */
export async function rememberExtracted(
  { request, workspace }: Gathered,
  plain: Built,
  { brief }: Built,
): Promise<void> {
  if (workspace.repo === null) return
  const record = recordOf(brief.meta.id, request, plain)
  await writePrivate(workspace.repo.commonDir, FILE, record, { flush: false })
}

function recordOf(id: string, { extract }: Gathered['request'], { text }: Built): string {
  const input = createHash('sha256').update(masked(text)).digest('hex')
  return JSON.stringify({ id, by: JSON.stringify(extract), input })
}
