import { conflictMarkers, type ParsedBrief } from '../brief/parse.ts'
import { renderMemory } from '../brief/working-memory.ts'
import type { CurrentBrief } from '../briefs/current.ts'
import { isHandoffError } from '../errors/handoff-error.ts'
import { pathTokens } from '../facts/paths.ts'
import {
  MOST_COMMITS,
  type Named,
  readNamed,
  readSince,
  refWith,
  type Since,
  tryMerge,
} from '../git/compare-commits.ts'
import type { Repo } from '../git/open-repo.ts'
import { type FirstAdded, firstAdded } from '../git/read-history.ts'
import type { BaseCandidate } from '../git/read-state.ts'
import { branchName, type Ref, readHead, readRefs, WORK } from '../git/refs.ts'
import { isSameWork } from '../git/snapshot.ts'
import { readBase } from '../life/trunk.ts'
import { readPlain } from '../store/plain-file.ts'
import type { FileTruth } from '../types/checks.ts'
import type { FileFact } from '../types/evidence.ts'
import { type Drift, driftLine, judgeTruth, type Truth } from './truth.ts'
import type { TruthFacts } from './truth-items.ts'

/** What is known of a brief besides its parsed text; without `oid` and `text` nobody is told that it was edited. */
type BriefPlace = Pick<CurrentBrief, 'path' | 'committed'> &
  Partial<Pick<CurrentBrief, 'oid' | 'text' | 'apart'>> & {
    /** Full id of a commit that it is held against instead of HEAD: where it is another one, the work tree counts for nothing. */
    at?: string
    /** Its work is in a trunk: merging it once more is no question. */
    isLanded?: boolean
  }

/** Commits since that are told one by one. */
const LISTED = 100
/** Files of a brief that are looked at; a brief names fewer, a hostile text may name thousands. */
const MOST_FILES = 200

/**
 * Is the brief still true: what git and the work tree tell of it now. Only reads; git is asked side by side, in a bounded
 * number of processes whatever the brief names. Throws `gitFailed`.
 */
export async function truthOf(repo: Repo, parsed: ParsedBrief, place: BriefPlace): Promise<Truth> {
  const { meta } = parsed
  const [[then, now, out], { ref }, refs] = await Promise.all([
    repo.objects.read([`${meta.head ?? ''}^{commit}`, `${place.at ?? 'HEAD'}^{commit}`, 'HEAD^{commit}']),
    readHead(repo),
    readRefs(repo, ['refs/heads', 'refs/remotes']),
  ])
  const known = meta.head !== null && then != null ? meta.head : null
  const tip = now?.oid ?? null
  const added = tip === null ? null : await addedBy(repo, parsed, place, known, tip)
  const standIn = meta.head !== null && known === null ? (added?.parents[0] ?? null) : null
  const from = known ?? standIn
  const [drift, merge, edited] = await Promise.all([
    readDrift(repo, parsed, { from, now: tip, isBare: tip !== (out?.oid ?? null) }, async () => added),
    tip === null || place.isLanded === true
      ? NO_MERGE
      : mergeTrial(repo, meta.base, tip, branchName(ref), refs),
    editedSince(repo, place, added),
  ])
  const isLacking = from !== null && drift.lacking.count > 0
  const isBranch = ({ name }: Ref): boolean =>
    name === `refs/heads/${meta.branch}` ||
    (name.startsWith('refs/remotes/') && name.split('/').slice(3).join('/') === meta.branch)
  return judgeTruth(
    {
      path: place.path,
      head: meta.head === null ? 'none' : known === null ? 'unknown' : 'here',
      standIn,
      shallow: repo.shallow,
      now: tip,
      branch: place.at === undefined ? branchName(ref) : meta.branch,
      hasBranch: meta.branch !== null && refs.some(isBranch),
      commits: drift.commits,
      lacking: {
        ...drift.lacking,
        ref: isLacking ? await refWith(repo, from, meta.branch) : null,
      },
      most: MOST_COMMITS,
      files: drift.files,
      merge,
      edited,
      isCommitted: place.committed || place.apart !== undefined,
      markers: conflictMarkers(parsed),
    },
    parsed,
  )
}

/**
 * What was committed since the commit `head` at which a brief was made, in one line. Where that is not here, as after a rebase elsewhere, the
 * parent of the commit that brought nothing but the brief stands for it.
 */
export async function readDriftLine(repo: Repo, brief: CurrentBrief, head: string): Promise<string> {
  const [then, now] = await repo.objects.read([`${head}^{commit}`, 'HEAD^{commit}'])
  if (now == null) return driftLine(null)
  const from = then != null ? head : await standInOf(repo, brief, now.oid)
  if (from === null) return driftLine(null)
  const ends = { from, now: now.oid, isBare: true }
  // What a rebase put below the brief is new to whoever goes on.
  return driftLine(await readDrift(repo, brief.parsed, ends, async () => null))
}

async function standInOf(repo: Repo, brief: CurrentBrief, tip: string): Promise<string | null> {
  const added = await addedBy(repo, brief.parsed, brief, null, tip)
  const [parent] = added?.parents ?? []
  return added && parent !== undefined && (await isSameWork(repo, added.commit, parent)) ? parent : null
}

/**
 * What became of commits and files of a brief from one commit to another. `isBare`: the work tree counts for nothing. Where history was
 * rewritten, commits are counted from the parent of the one that added the brief.
 */
async function readDrift(
  repo: Repo,
  { brief }: ParsedBrief,
  { from, now, isBare }: { from: string | null; now: string | null; isBare: boolean },
  addedBy: () => Promise<FirstAdded | null>,
): Promise<Drift> {
  const files = brief.files.filter(({ path }) => isPlainPath(readPath(path))).slice(0, MOST_FILES)
  // The list of files does not repeat what the notes name.
  const notes = brief.notes === null ? '' : renderMemory(brief.notes, null).join('\n')
  const told = pathTokens(notes)
    .filter((path) => isPlainPath(path) && !files.some((file) => file.path === path))
    .slice(0, MOST_FILES)
  const paths = [...new Set([...files.flatMap(({ path }) => [path, readPath(path)]), ...told])]
  const [since, named] = await Promise.all([
    from === null || now === null ? null : readSince(repo, from, now),
    readNamed(repo, from, now, paths, { isBare }),
  ])
  const added = since !== null && since.lacking.length > 0 ? await addedBy() : null
  const [restart] = added?.parents ?? []
  const { ahead = [] } = (restart && now ? await readSince(repo, restart, now) : since) ?? {}
  const listed = ahead.slice(0, LISTED).map(({ sha, subject }) => ({ sha, subject }))
  // What looks like a path in the notes may be none.
  const known = told.filter((path) => named.then.has(path)).map((path) => ({ path }))
  return {
    commits: { listed, count: ahead.length, own: since?.own ?? 0, ...(restart && { restart }) },
    lacking: lackingOf(since, named),
    files: [...files, ...known].map((file) => fileTruth(file, named)),
  }
}

function lackingOf(since: Since | null, { changed }: Named): Drift['lacking'] {
  const differing = new Set(
    changed === null
      ? []
      : [...changed.changed, ...changed.added, ...changed.gone, ...[...changed.renamed].flat()],
  )
  const listed = (since?.lacking ?? []).map(({ sha, subject, files, isRewritten }) => {
    const isContained = changed !== null && files.length > 0 && !files.some((file) => differing.has(file))
    const fate = isRewritten ? 'rebased' : isContained ? 'contained' : 'gone'
    return { sha, subject, fate } as const
  })
  return { listed, count: listed.length }
}

// ---------------------------------------------------------------- the files

/**
 * A path that git can be asked for: relative and without steps up, as a brief writes them. What a hostile text names instead is
 * left to its reader.
 */
const isPlainPath = (path: string): boolean =>
  path !== '' &&
  // Of a name that is no UTF-8 a brief has U+FFFD, which git does not know.
  !/^\/|^[A-Za-z]:|\/$|[\0\ufffd]/.test(path) &&
  !path.split('/').some((part) => part === '' || part === '.' || part === '..' || part === '.git')

/** The path as git knows it: a brief shows hidden characters and line breaks as `\u{hex}`. */
const readPath = (shown: string): string =>
  shown.replace(/\\u\{(10[0-9a-f]{4}|[0-9a-f]{1,5})\}/g, (_, hex: string) =>
    String.fromCodePoint(Number.parseInt(hex, 16)),
  )

/** What became of one file that a brief names. */
function fileTruth({ path: shown, mark }: Pick<FileFact, 'path' | 'mark'>, named: Named): FileTruth {
  const isAsShown = [named.then, named.now, named.onDisk].some((paths) => paths.has(shown))
  const path = isAsShown ? shown : readPath(shown)
  const change = named.work.get(path)
  const isHere = isPathHere(path, named)
  const to = named.now.has(path) && isHere ? undefined : named.renamed.get(path)
  const lines = named.lines.get(to ?? path)
  const work = change === undefined ? undefined : workOf(change.state)
  const tell = (state: FileTruth['state']): FileTruth => ({
    path: shown,
    state,
    ...(to === undefined ? {} : { to }),
    ...(lines === undefined ? {} : { lines }),
    ...(work === undefined ? {} : { work }),
  })
  if (mark === 'planned') return tell(isHere ? 'made' : 'planned')
  if (mark === 'gone') return tell(isHere ? 'back' : 'same')
  if (to !== undefined) return tell('renamed')
  if (!isHere && (named.then.has(path) || named.now.has(path))) return tell('gone')
  if (!isHere) return tell(mark === 'unverified' ? 'never' : 'missing')
  if (!named.now.has(path)) return tell('same')
  if (named.changed === null) return tell('unknown')
  if (!named.then.has(path)) return tell('added')
  return tell(named.changed.changed.includes(path) ? 'changed' : 'same')
}

/** On disk, or in HEAD and only left out of this work tree (sparse checkout). */
const isPathHere = (path: string, named: Named): boolean =>
  named.onDisk.has(path) || (named.now.has(path) && named.work.get(path)?.state !== 'deleted')

const workOf = (state: string): NonNullable<FileTruth['work']> =>
  state === 'deleted' || state === 'untracked' || state === 'conflicted' ? state : 'modified'

// ---------------------------------------------------------------- the brief itself

/** The commit that brought this brief: on this line of work, on its branch of briefs, or anywhere. */
async function addedBy(
  repo: Repo,
  { meta }: ParsedBrief,
  { path, committed, apart }: BriefPlace,
  after: string | null,
  tip: string,
): Promise<FirstAdded | null> {
  const tips = committed
    ? [tip]
    : apart === undefined
      ? ['--exclude=refs/stash', `--exclude=${WORK}*`, '--all']
      : [apart]
  const found = await firstAdded(repo, path, {
    tips,
    after: apart === undefined ? after : null,
    made: meta.createdAt,
  })
  // Only on this line of work does its parent stand for what the brief was made at.
  return found === null || committed ? found : { ...found, parents: [] }
}

async function editedSince(
  repo: Repo,
  { path, committed, oid, text, at }: BriefPlace,
  added: FirstAdded | null,
): Promise<TruthFacts['edited']> {
  if (oid !== undefined && added !== null && added.oid !== oid) return 'since-commit'
  return text !== undefined && committed && at === undefined && (await isEditedInWorktree(repo, path, text))
    ? 'in-work-tree'
    : null
}

/** The file of a committed brief says something else in the work tree; its line ends do not count, and neither does its absence. */
export async function isEditedInWorktree(repo: Repo, path: string, text: string): Promise<boolean> {
  const here = await readPlain(repo.root, path).catch((error: unknown) => {
    if (isHandoffError(error)) return ''
    throw error
  })
  return here !== null && withLf(here) !== withLf(text)
}

const withLf = (text: string): string => text.replaceAll('\r\n', '\n')

// ---------------------------------------------------------------- the base

const NO_MERGE: TruthFacts['merge'] = { base: null, conflicts: [], why: null }

async function mergeTrial(
  repo: Repo,
  base: string | undefined,
  now: string,
  branch: string | null,
  refs: readonly Ref[],
): Promise<TruthFacts['merge']> {
  const then = base?.replace(/@[0-9a-f]{40,64}$/, '')
  const own = then === undefined ? undefined : baseNow(then, refs)
  const found: BaseCandidate | null = own ?? (await readBase(repo, refs, branch, null))
  if (found !== null && found.rev !== now)
    return { base: found.ref, ...(await tryMerge(repo, now, found.rev)) }
  // HEAD is its own base, or nothing here is one; the brief knew another.
  const isLost = then !== undefined && own === undefined
  return isLost ? { ...NO_MERGE, why: `its base ${then} is no branch here` } : NO_MERGE
}

/** The base of then: the branch itself, one of a remote, or in another clone that of a remote by the name it had at home. */
function baseNow(then: string, refs: readonly Ref[]): BaseCandidate | undefined {
  const [ref] = [`refs/heads/${then}`, `refs/remotes/${then}`, `refs/remotes/origin/${then}`].flatMap(
    (wanted) => refs.find(({ name }) => name === wanted) ?? [],
  )
  return ref && { ref: ref.name.split('/').slice(2).join('/'), rev: ref.oid }
}
