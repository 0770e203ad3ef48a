import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { BEGIN, type Copy, pointerText, readCopy } from '../brief/latest.ts'
import { readCurrent } from '../briefs/current.ts'
import { listUncommitted } from '../briefs/find-saved.ts'
import { isApart } from '../briefs/save-brief.ts'
import { type HandoffError, isHandoffError, orNull } from '../errors/handoff-error.ts'
import { readEntries } from '../git/commit-files.ts'
import { blobId } from '../git/files.ts'
import { heldLocks } from '../git/locks.ts'
import { checkObjects } from '../git/objects.ts'
import type { Repo } from '../git/open-repo.ts'
import { readOperation } from '../git/operation.ts'
import { listParked } from '../git/parked.ts'
import { branchName, hasCommits, readHead } from '../git/refs.ts'
import { CLEAN_FILTER, isStoredAs, originUrl, readSettings } from '../git/settings.ts'
import { attributeOf, isIgnored, SOME_BRIEF } from '../git/status.ts'
import { ATTRIBUTES, checkFolder, LATEST } from '../store/folder.ts'
import { readLedger } from '../store/ledger.ts'
import { readPlain } from '../store/plain-file.ts'
import { privateFolder } from '../store/private.ts'
import type { Config } from '../types/config.ts'

/** Ms after which whoever took a lock of git was killed, or hangs. */
const LEFT = 10_000

interface Where {
  repo: Repo
  /** A path as a command at the top is told it. */
  local: (path: string) => string
}

/** Everything of a repository that the checks judge. Nothing is written, not even what other commands refresh. */
export async function lookAtRepository({ repo, local }: Where, config: Config) {
  const problem = await folderProblem(repo)
  const folder = isApart(config.commit) ? null : problem
  // Behind a link git has nothing to say of it, and where briefs are kept elsewhere a folder of others is no matter.
  const isOdd = problem !== null && (folder === null || problem.code === 'E_UNSAFE_PATH')
  const [rule, { filter, identity }, parked, locks, { ref }, url, ledger, hasHead] = await Promise.all([
    isOdd ? null : isIgnored(repo, SOME_BRIEF),
    readSettings(repo),
    listParked(repo),
    heldLocks(repo, LEFT),
    readHead(repo),
    originUrl(repo),
    readLedger(repo.commonDir),
    hasCommits(repo),
  ])
  const { env } = repo
  return {
    /** The rule of git that hides `.handoff/`; null: none. */
    ignored: rule === null ? null : partsOf(rule),
    /** Why `.handoff/` cannot be used. */
    folder,
    // The environment speaks for whoever is not configured.
    identity: {
      name: identity.name || env.GIT_AUTHOR_NAME || '',
      email: identity.email || env.GIT_AUTHOR_EMAIL || env.EMAIL || '',
    },
    filter: { local: filter.local, final: filter.final, wanted: CLEAN_FILTER },
    latest: await lookAtLatest(repo, { branch: branchName(ref), hasHead, isOdd }),
    locks: locks.map(({ path, age }) => ({ path: local(path), ageSeconds: Math.round(age / 1000) })),
    parked: parked.map(({ id, path, branch, isGone }) => ({
      id,
      path,
      branch,
      isGone,
      isHere: branch === ref,
    })),
    /** An unfinished merge, rebase or the like. */
    operation: readOperation(repo.gitDir),
    /** Briefs of the work tree that HEAD does not hold. */
    uncommitted: problem === null ? (await listUncommitted(repo)).map(({ path }) => path) : [],
    drafts: keptBriefs(repo).map(({ path, why }) => ({ path: local(path), why })),
    /** Briefs are kept on branches of their own, and a fetch from origin leaves those out. */
    lacksRefspec: config.commit.branch === 'separate' && (await leavesOutBriefs(repo)),
    /** Where origin is, and where it was when it was trusted. */
    origin: { url, trusted: ledger.origin },
  }
}

/** `file:line: pattern`; the name of the file may hold colons. */
function partsOf(rule: string) {
  const [, source = '', line = '', pattern = ''] = /^(.*):(\d+): (.*)$/s.exec(rule) ?? []
  return { source, line, pattern }
}

async function folderProblem(repo: Repo): Promise<{ code: string; message: string } | null> {
  try {
    await checkFolder(repo.root)
    return null
  } catch (error) {
    return asFinding(error)
  }
}

/** The clone fetches single branches, as a shallow one does, and those of briefs are none of them. */
async function leavesOutBriefs(repo: Repo): Promise<boolean> {
  const listing = await repo.git(['config', '--get-all', 'remote.origin.fetch'], { answers: [1] })
  const sources = listing.split('\n').flatMap((line) => line.replace(/^\+/, '').split(':')[0] || [])
  if (sources.length === 0) return false
  const isIn = sources.some((source) => ['refs/*', 'refs/heads/*', 'refs/heads/handoff/*'].includes(source))
  return !isIn || sources.some((source) => source.startsWith('^refs/heads/handoff/'))
}

/** `latest.md` in the work tree, in the index and in HEAD. */
async function lookAtLatest(
  repo: Repo,
  { branch, hasHead, isOdd }: { branch: string | null; hasHead: boolean; isOdd: boolean },
) {
  // What is odd about the folder is told by the check of the folder.
  const text = isOdd ? null : await readPlain(repo.root, LATEST).catch(() => null)
  const copy: Copy | null = text === null ? null : readCopy(text)
  const ours = copy?.state === 'ours' ? copy : null
  const [entries, inHead, attribute, current] = await Promise.all([
    readEntries(repo, [LATEST]),
    checkObjects(repo, hasHead ? [`HEAD:${LATEST}`, `HEAD:${ATTRIBUTES}`] : []),
    text === null ? null : attributeOf(repo, 'filter', LATEST),
    ours === null ? null : readCurrent(repo),
  ])
  const top = ours?.pointer ?? pointerText()
  const pointer = blobId(repo, top)
  const entry = entries.get(LATEST)
  return {
    /** Git would store the pointer alone where the copy of a brief stands below it. */
    isHidden: await isStoredAs(repo, LATEST, `${top}${BEGIN}\n`, pointer),
    /** What is in the work tree; null: nothing. */
    state: copy?.state ?? null,
    /** Git has one in its index, and it is what it should be. */
    isTracked: !isOdd && entry !== undefined,
    isRight: entry === undefined || entry.oid === pointer,
    /** HEAD has one that a checkout would bring back, and it is what it should be. */
    isRightInHead: inHead[0]?.oid === pointer,
    /** What the copy below the pointer belongs to. */
    marker: ours?.marker ? { branch: ours.marker.branch, id: ours.marker.id } : null,
    isEdited: ours?.isEdited ?? false,
    branch,
    /** Id of the current brief. */
    current: current?.id ?? null,
    /** What git takes for the filter of that path. */
    attribute,
    attributes: {
      isThere: existsSync(join(repo.root, ATTRIBUTES)),
      isInHead: (inHead[1] ?? null) !== null,
    },
  }
}

export type Latest = Awaited<ReturnType<typeof lookAtLatest>>
export type RepoFacts = Awaited<ReturnType<typeof lookAtRepository>>

/**
 * Briefs that never reached a commit, absolute, told apart by their names: `edit-<id>` of an edit, `<id>` of a commit that failed, and the
 * name of its file of a handoff that was killed. Texts of `latest.md` that were set aside are no briefs.
 */
function keptBriefs(repo: Repo): { path: string; why: 'killed' | 'edited' | 'failed' }[] {
  const folder = join(privateFolder(repo.commonDir), 'drafts')
  const names = orNull(() => readdirSync(folder)) ?? []
  return names.sort().flatMap((name) => {
    const [, edit, rest] = /^(edit-)?\d{8}T\d{6}-[0-9a-f]{8}(.*)$/.exec(name) ?? []
    if (rest === undefined) return []
    const why = edit !== undefined ? 'edited' : rest === '.md' ? 'failed' : 'killed'
    return [{ path: join(folder, name), why }]
  })
}

/** An error that doctor reports as a finding. Throws what is none: a defect, and that the person pressed Ctrl-C. */
export function asFinding(error: unknown): HandoffError {
  if (!isHandoffError(error) || error.code === 'E_CANCELLED') throw error
  return error
}
