import { reasonOf } from '../errors/handoff-error.ts'
import { adoptedMessage, commitFiles, parkedOn } from './commit-files.ts'
import { type BriefBlob, hashPlainFile, ID, MAX_BLOB } from './files.ts'
import { once, type Repo } from './open-repo.ts'
import { branchHere, isBehind, readOperation } from './operation.ts'
import { readBriefTrees } from './read-briefs.ts'
import { branchName, moveRefs, type Ref, readRefs } from './refs.ts'

/** A brief that waits under `refs/handoff/<id>` for its branch, because an operation was unfinished. */
export interface ParkedBrief extends Omit<BriefBlob, 'mode'> {
  commit: string
  /** Full name of the branch that shall adopt it, under its present name; `HEAD` when there was none. */
  branch: string
  /** No branch of that name is there any more, nor one that goes on from it. */
  isGone: boolean
}

export interface Adoption {
  adopted: { id: string; commit: string; path: string }[]
  /** Parked briefs of this branch that could not be adopted, and why in one clause. */
  left: { id: string; why: string }[]
}

/** Writes a new file of the work tree; false when the name is taken. */
type Create = (path: string, content: Buffer) => Promise<boolean>

/** Parked briefs that their branch does not hold yet, oldest id first. `known`: refs that were read already. Throws `gitFailed`. */
export async function listParked(repo: Repo, known: readonly Ref[] | null = null): Promise<ParkedBrief[]> {
  const parked = await (known === null
    ? once(repo, 'parked', () => readParked(repo))
    : readParked(repo, known))
  return parked.filter(({ isHeld }) => !isHeld)
}

/** Of these the ones that wait for the branch which work here belongs to. Throws `gitFailed`. */
export async function parkedHere<T extends ParkedBrief>(repo: Repo, parked: readonly T[]): Promise<T[]> {
  if (parked.length === 0) return []
  const here = await branchHere(repo)
  // A detached HEAD has no name: the brief belongs where the commit it was written on is in the history.
  const fits = await Promise.all(
    parked.map(
      ({ branch, commit }) => branch === here && (branch !== 'HEAD' || isBehind(repo, `${commit}^`)),
    ),
  )
  return parked.filter((_, at) => fits[at] === true)
}

/** Every parked brief, and whether its branch holds it. */
async function readParked(
  repo: Repo,
  known: readonly Ref[] | null = null,
): Promise<(ParkedBrief & { isHeld: boolean })[]> {
  const listing = known ?? (await readRefs(repo, ['refs/handoff']))
  const refs = listing.flatMap(({ name, oid }) => {
    const id = name.startsWith('refs/handoff/') ? name.slice('refs/handoff/'.length) : ''
    return ID.test(id) ? [{ id, commit: oid }] : []
  })
  if (refs.length === 0) return []
  const ids = refs.map(({ commit }) => commit)
  const [commits, trees] = await Promise.all([repo.objects.read(ids), readBriefTrees(repo, ids)])
  const parked = refs.flatMap(({ id, commit }, at): ParkedBrief[] => {
    const branch = parkedOn(commits[at]?.content.toString('utf8') ?? '')
    const brief = trees[at]?.find((candidate) => candidate.id === id)
    // Without that trailer the ref only keeps the commit of a detached HEAD.
    if (branch === null || !brief) return []
    return [{ id, commit, path: brief.path, oid: brief.oid, branch, isGone: false }]
  })
  const found = await withHeirs(repo, parked)
  const held = await repo.objects.read(found.map(({ branch, path }) => `${branch}:${path}`))
  return found.map((brief, at) => ({ ...brief, isHeld: held[at]?.oid === brief.oid }))
}

/**
 * With the branch that goes on from one that is gone: by the logs of git the one that it was renamed to, else the one that is checked out, where
 * that has the commit at which the brief was made.
 */
async function withHeirs(repo: Repo, parked: readonly ParkedBrief[]): Promise<ParkedBrief[]> {
  const here = await branchHere(repo)
  const tips = await repo.objects.read(parked.map(({ branch }) => `${branch}^{commit}`))
  const isLost = ({ branch }: ParkedBrief, at: number) => !tips[at] && branch !== here && branch !== 'HEAD'
  if (!parked.some(isLost)) return [...parked]
  const args = ['log', '--walk-reflogs', '--branches', '--grep-reflog=^Branch: renamed ', '--format=%gs']
  const heirs = new Map<string, string>()
  for (const line of (await repo.git(args, { answers: [128] })).split('\n')) {
    const [, former = '', name = ''] = /^Branch: renamed (\S+) to (\S+)$/.exec(line) ?? []
    if (!heirs.has(former)) heirs.set(former, name)
  }
  const heirOf = async ({ branch, commit }: ParkedBrief): Promise<string | undefined> => {
    let name = heirs.get(branch)
    for (let left = heirs.size; left > 0 && name !== undefined; left--) name = heirs.get(name) ?? name
    return name ?? (here !== 'HEAD' && (await isBehind(repo, `${commit}^`)) === true ? here : undefined)
  }
  return Promise.all(
    parked.map(async (brief, at) => {
      if (!isLost(brief, at)) return brief
      const heir = await heirOf(brief)
      return { ...brief, branch: heir ?? brief.branch, isGone: heir === undefined }
    }),
  )
}

/**
 * Commits the parked briefs of the current branch, each in a commit of its own, and lets their refs go. Does nothing while an operation is
 * unfinished; of one that the branch holds already the ref alone goes. A brief that cannot be adopted stays parked and is named in `left`;
 * rejects only on abort and when git cannot be read.
 */
export async function adoptParked(repo: Repo, create: Create): Promise<Adoption> {
  const result: Adoption = { adopted: [], left: [] }
  if (readOperation(repo.gitDir)) return result
  for (const brief of await parkedHere(repo, await readParked(repo))) {
    try {
      if (brief.isHeld) {
        await letGo(repo, brief)
        continue
      }
      const commit = await adopt(repo, create, brief)
      result.adopted.push({ id: brief.id, commit, path: brief.path })
    } catch (error) {
      repo.signal?.throwIfAborted()
      result.left.push({ id: brief.id, why: reasonOf(error) })
    }
  }
  return result
}

async function adopt(repo: Repo, create: Create, brief: ParkedBrief): Promise<string> {
  const args = ['diff-tree', '--root', '-r', '-z', '--no-commit-id', '--name-only', '--no-renames']
  const listing = await repo.git([...args, brief.commit])
  const paths = listing.split('\0').filter((path) => path.startsWith('.handoff/'))
  const at = (rev: string): string[] => paths.map((path) => `${rev}:${path}`)
  const [[commit], now, then] = await Promise.all([
    repo.objects.read([brief.commit]),
    repo.objects.read(at('HEAD')),
    repo.objects.read(at(brief.commit), MAX_BLOB),
  ])
  const text = commit?.content.toString('utf8') ?? ''
  const message = text.slice(text.indexOf('\n\n') + 2)
  // The constant files only where the branch has none: a later change of them is somebody's wish.
  const files = paths.flatMap((path, at) => {
    const found = then[at]
    return found && (path === brief.path || !now[at])
      ? [{ path, oid: found.oid, content: found.content }]
      : []
  })
  // Its ref is let go below; what git cannot read now it may read the next time.
  if (!files.some(({ path }) => path === brief.path)) throw new Error(`${brief.path} cannot be read`)
  // A file that is there stays; a brief that was changed since is not the one that waited.
  for (const { path, oid, content } of files)
    if (!(await create(path, content)) && path === brief.path && hashPlainFile(repo, path) !== oid)
      throw new Error(`${path} was changed after it was parked`)
  const branch = branchName(brief.branch)
  const of = { branch, head: branch === null ? `${brief.commit}^` : null }
  const outcome = await commitFiles(repo, { id: brief.id, files, message: adoptedMessage(message), of })
  if (outcome.state === 'parked')
    throw new Error(`${branch ?? 'that commit'} was left, or an operation began there, in the same moment`)
  // Whoever parked it may have taken its file back since it was looked for here.
  for (const { path, content } of files) await create(path, content)
  await letGo(repo, brief)
  return outcome.commit
}

const letGo = (repo: Repo, { id, commit }: ParkedBrief): Promise<void> =>
  moveRefs(repo, [{ ref: `refs/handoff/${id}`, to: null, from: commit }], 'adopted')
