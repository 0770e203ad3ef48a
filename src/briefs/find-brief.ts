import { relative, resolve } from 'node:path'
import { resolveId } from '../brief/chain.ts'
import { idOfPath } from '../brief/id.ts'
import { parseBrief } from '../brief/parse.ts'
import { parkedLine } from '../brief/prompt.ts'
import { briefUnreadable, noBrief, onlyParked, unknownId } from '../errors/briefs.ts'
import { type BriefBlob, blobId } from '../git/files.ts'
import type { Repo } from '../git/open-repo.ts'
import { listParked } from '../git/parked.ts'
import { listBriefsAtHead, listTipBriefs } from '../git/read-briefs.ts'
import { readHistory } from '../git/read-history.ts'
import { readSeparateHere } from '../git/separate-branch.ts'
import type { Output } from '../output/output.ts'
import { listBriefFiles } from '../store/folder.ts'
import { readPlain } from '../store/plain-file.ts'
import { type Checkout, type CurrentBrief, readBlobBrief, readCheckout } from './current.ts'

/**
 * The brief that `input` means: `latest`, an id or a unique prefix, or a file. Looks in HEAD, in the work
 * tree, on branches of briefs, among parked briefs, then at the end of every branch, then in all of history, which takes
 * seconds where that is long. Throws `badId`, `unknownId`, `ambiguousId`, `briefUnreadable`, and for `latest` what `briefHere` throws.
 */
export async function findBrief(repo: Repo, input: string, cwd: string): Promise<CurrentBrief> {
  if (input === 'latest') return briefHere(repo)
  if (input.includes('/') || input.endsWith('.md')) return readFileBrief(repo, resolve(cwd, input), input)
  const [briefs, files, parked, apart] = await Promise.all([
    listBriefsAtHead(repo),
    listBriefFiles(repo.root),
    listParked(repo),
    readSeparateHere(repo),
  ])
  const near = [...briefs, ...files, ...parked, ...apart].map(({ id }) => id)
  const isNear = near.some((id) => id.startsWith(input))
  const far = isNear ? [] : await listFar(repo, input)
  const id = resolveId(input, [...near, ...far.map((entry) => entry.id)], null)
  const inHead = briefs.find((brief) => brief.id === id && brief.mode === '100644')
  if (inHead !== undefined) return present(await readBlobBrief(repo, inHead, true), id, inHead.path)
  const onDisk = files.find((file) => file.id === id)
  if (onDisk !== undefined) return readFileBrief(repo, resolve(repo.root, onDisk.path))
  const beside = apart.find((brief) => brief.id === id)
  if (beside !== undefined)
    return { ...present(await readBlobBrief(repo, beside, false), id, beside.path), apart: beside.apart }
  const elsewhere = [...parked, ...far].find((entry) => entry.id === id)
  if (elsewhere === undefined) throw unknownId(input)
  return present(await readBlobBrief(repo, elsewhere, false), id, elsewhere.path)
}

/** The open brief of this checkout, else the record that closed its branch. Throws `briefUnreadable`, `onlyParked`, `noBrief`. */
export async function briefHere(repo: Repo): Promise<CurrentBrief> {
  const { current, closing, landed, lost } = await readCheckout(repo)
  const brief = current ?? closing
  if (brief !== null) return brief
  const [unread] = lost
  if (unread !== undefined) throw briefUnreadable(unread, 'the newest brief here cannot be read')
  const waiting = (await listParked(repo)).at(-1)
  throw waiting === undefined ? noBrief(landed[0]?.id ?? null) : onlyParked(parkedLine(waiting), waiting)
}

/** Those of that beginning on other lines of work, or else in history; of one id the one that was added first comes first. */
async function listFar(repo: Repo, input: string): Promise<Pick<BriefBlob, 'id' | 'path' | 'oid'>[]> {
  const fits = ({ id, mode }: BriefBlob): boolean => mode === '100644' && id.startsWith(input)
  const tips = (await listTipBriefs(repo)).filter(fits)
  return tips.length > 0 ? tips : (await readHistory(repo, { all: true })).filter(fits).reverse()
}

/** A brief in the work tree, with the blob id its bytes would have. */
export async function readFileBrief(repo: Repo, path: string, typed?: string): Promise<CurrentBrief> {
  const inside = relative(repo.root, path)
  const text = await readPlain(repo.root, inside)
  // A key with two slashes is known for one only as it was typed.
  if (text === null) throw unknownId(typed ?? inside)
  const id = idOfPath(inside)
  if (id === null) throw briefUnreadable(inside, 'the name of a brief is `<id>-<words>.md`')
  return {
    id,
    path: inside,
    oid: blobId(repo, text),
    text,
    parsed: parseBrief(text, inside),
    committed: await isInHead(repo, inside, text),
  }
}

async function isInHead(repo: Repo, path: string, text: string): Promise<boolean> {
  const briefs = await listBriefsAtHead(repo)
  return briefs.some((brief) => brief.path === path && brief.oid === blobId(repo, text))
}

function present(brief: CurrentBrief | null, id: string, path: string): CurrentBrief {
  if (brief !== null) return brief
  throw briefUnreadable(path, `brief ${id} is no longer a readable brief`)
}

/** Warns of briefs that are newer than the current one and cannot be read: it may only be current because of that. */
export function warnPassedOver({ warn }: Output, { lost }: Checkout): void {
  for (const path of lost)
    warn(`${path} cannot be read as a brief and was passed over; \`git handoff check\` says why`)
}
