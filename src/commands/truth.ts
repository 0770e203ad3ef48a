import type { ParsedBrief } from '../brief/parse.ts'
import { type FileTruth, judgeTruth, type Truth, type TruthFacts } from '../brief/truth.ts'
import { type BaseCandidate, chooseBase } from '../git/find-base.ts'
import { checkObjects } from '../git/objects.ts'
import type { Repo } from '../git/open-repo.ts'
import { branchName, readHead } from '../git/read-head.ts'
import { isOnDisk, isPartial, pathsAt, readChanged, readLines, statusOf } from '../git/read-named.ts'
import { type Ref, readRefs } from '../git/read-refs.ts'
import { MOST_COMMITS, readSince, refWith, type Since } from '../git/read-since.ts'
import { tryMerge } from '../git/try-merge.ts'
import type { FileFact, GitChange } from '../types.ts'

/** What is known of a brief besides its text. */
export interface BriefPlace {
  path: string
  /** It stands in the tree of HEAD, or of a branch of briefs. */
  committed: boolean
}

/** Files of a brief that are looked at; a brief names fewer, a hostile text may name thousands. */
const MOST_FILES = 200

/**
 * Is the brief still true: what git and the work tree tell of it now. Reads only; git is asked side by side, in a bounded
 * number of processes whatever the brief names. Throws `gitFailed`.
 */
export async function truthOf(repo: Repo, parsed: ParsedBrief, place: BriefPlace): Promise<Truth> {
  return judgeTruth(await factsOf(repo, parsed, place), parsed)
}

async function factsOf(
  repo: Repo,
  { meta, brief, sections }: ParsedBrief,
  place: BriefPlace,
): Promise<TruthFacts> {
  const files = brief.files.filter(({ path }) => isPlainPath(path)).slice(0, MOST_FILES)
  const paths = [...new Set(files.map(({ path }) => path))]
  const [[then, now], { ref }, refs] = await Promise.all([
    checkObjects(repo, [`${meta.head ?? ''}^{commit}`, 'HEAD^{commit}']),
    readHead(repo),
    readRefs(repo, ['refs/heads', 'refs/remotes']),
  ])
  const branch = branchName(ref)
  const head = meta.head === null ? 'none' : then == null ? 'unknown' : 'here'
  const [since, named, merge] = await Promise.all([
    head === 'here' && now != null ? lineSince(repo, meta.head as string, now.oid, meta.branch) : null,
    namedFiles(repo, head === 'here' ? meta.head : null, now?.oid ?? null, paths),
    now == null
      ? { base: null, conflicts: [], why: null }
      : mergeTrial(repo, meta.base, now.oid, branch, refs),
  ])
  return {
    path: place.path,
    head,
    shallow: repo.shallow,
    now: now?.oid ?? null,
    branch,
    hasBranch: refs.some(({ name }) => isBranch(name, meta.branch)),
    commits: { listed: since?.ahead ?? [], count: since?.ahead.length ?? 0, own: since?.own ?? 0 },
    lacking: lackingOf(since, named.differing),
    most: MOST_COMMITS,
    files: files.map((file) => fileTruth(file, named)),
    commands: [],
    merge,
    edited: null,
    isCommitted: place.committed,
    markers: sections.flatMap(({ lines }) =>
      lines.flatMap(({ line, text }) => (isMarker(text) ? [line] : [])),
    ),
  }
}

const isMarker = (text: string): boolean => /^(?:<{7} |>{7} )/.test(text)

/** A path that git can be asked for: relative, without steps up, as a brief writes them. */
const isPlainPath = (path: string): boolean =>
  path !== '' &&
  !/^\/|^[A-Za-z]:|\/$|\0|\n/.test(path) &&
  !path.split('/').some((part) => part === '' || part === '.' || part === '..')

const isBranch = (name: string, branch: string | null): boolean =>
  branch !== null &&
  (name === `refs/heads/${branch}` ||
    (/^refs\/remotes\/[^/]+\//.test(name) && name.replace(/^refs\/remotes\/[^/]+\//, '') === branch))

// ---------------------------------------------------------------- commits

interface Line extends Since {
  ref: string | null
}

async function lineSince(repo: Repo, head: string, now: string, branch: string | null): Promise<Line | null> {
  const since = await readSince(repo, head, now)
  if (since === null) return null
  return { ...since, ref: since.lacking.length === 0 ? null : await refWith(repo, head, branch) }
}

function lackingOf(since: Line | null, differing: ReadonlySet<string>): TruthFacts['lacking'] {
  if (since === null) return { listed: [], count: 0, ref: null }
  const listed = since.lacking.map(({ sha, subject, files, isPicked }) => ({
    sha,
    subject,
    fate: isPicked
      ? ('rebased' as const)
      : files.length > 0 && !files.some((file) => differing.has(file))
        ? ('contained' as const)
        : ('gone' as const),
  }))
  return { listed, count: listed.length, ref: since.ref }
}

// ---------------------------------------------------------------- files

interface Named {
  isKnown: boolean
  then: ReadonlySet<string>
  now: ReadonlySet<string>
  changed: ReadonlySet<string>
  renamed: ReadonlyMap<string, string>
  lines: ReadonlyMap<string, { added: number; deleted: number }>
  work: ReadonlyMap<string, GitChange>
  onDisk: ReadonlySet<string>
  /** Every path that differs between then and now. */
  differing: ReadonlySet<string>
}

async function namedFiles(
  repo: Repo,
  head: string | null,
  now: string | null,
  paths: readonly string[],
): Promise<Named> {
  const [then, here, changed, status] = await Promise.all([
    head === null ? new Set<string>() : pathsAt(repo, head, paths),
    now === null ? new Set<string>() : pathsAt(repo, now, paths),
    head === null || now === null ? null : readChanged(repo, head, now, { exact: isPartial(repo) }),
    statusOf(repo, paths),
  ])
  const renamed = changed?.renamed ?? new Map<string, string>()
  const own = new Set(paths)
  const touched = [...(changed?.changed ?? []), ...(changed?.added ?? [])].filter((path) => own.has(path))
  const moved = [...renamed].filter(([from]) => own.has(from)).flat()
  const lines =
    head === null || now === null || isPartial(repo)
      ? new Map()
      : await readLines(repo, head, now, [...touched, ...moved])
  return {
    isKnown: changed !== null,
    then,
    now: here,
    changed: new Set(changed?.changed ?? []),
    renamed,
    lines,
    work: new Map(status.map((change) => [change.path, change])),
    onDisk: new Set(paths.filter((path) => isOnDisk(repo, path))),
    differing: new Set([
      ...(changed?.changed ?? []),
      ...(changed?.added ?? []),
      ...(changed?.gone ?? []),
      ...[...renamed].flat(),
    ]),
  }
}

function fileTruth({ path, mark }: FileFact, named: Named): FileTruth {
  const change = named.work.get(path)
  const isHere = named.onDisk.has(path) || (named.now.has(path) && change?.state !== 'deleted')
  const lines = named.lines.get(named.renamed.get(path) ?? path)
  const work =
    change === undefined
      ? undefined
      : change.state === 'deleted' || change.state === 'untracked' || change.state === 'conflicted'
        ? change.state
        : ('modified' as const)
  const tell = (state: FileTruth['state'], to?: string): FileTruth => ({
    path,
    state,
    ...(to === undefined ? {} : { to }),
    ...(lines === undefined ? {} : { lines }),
    ...(work === undefined ? {} : { work }),
  })
  if (mark === 'planned') return tell(isHere ? 'made' : 'planned')
  if (mark === 'gone') return tell(isHere ? 'back' : 'same')
  if (!isHere) {
    const to = named.renamed.get(path)
    if (to !== undefined) return tell('renamed', to)
    return tell(named.then.has(path) || named.now.has(path) ? 'gone' : 'missing')
  }
  if (!named.now.has(path)) return tell('same')
  if (!named.isKnown) return tell('unknown')
  if (!named.then.has(path)) return tell('added')
  return tell(named.changed.has(path) ? 'changed' : 'same')
}

// ---------------------------------------------------------------- the base

async function mergeTrial(
  repo: Repo,
  base: string | undefined,
  now: string,
  branch: string | null,
  refs: readonly Ref[],
): Promise<TruthFacts['merge']> {
  const then = base?.replace(/@[0-9a-f]{40,64}$/, '')
  const own =
    then === undefined
      ? undefined
      : refs.find(({ name }) => name === `refs/heads/${then}` || name === `refs/remotes/${then}`)
  const found: BaseCandidate | null =
    own === undefined || then === undefined ? chooseBase(refs, branch, null) : { ref: then, rev: own.oid }
  if (found === null || found.rev === now)
    return {
      base: null,
      conflicts: [],
      why: then !== undefined && found === null ? `${then} is no branch here any more` : null,
    }
  return { base: found.ref, ...(await tryMerge(repo, now, found.rev)) }
}
