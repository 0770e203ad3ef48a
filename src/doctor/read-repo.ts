import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { pointerText, readCopy } from '../brief/latest.ts'
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
import { hasCommits, readHead } from '../git/refs.ts'
import { CLEAN_FILTER, FILTER, originUrl, readConfig } from '../git/settings.ts'
import { attributeOf, isIgnored, SOME_BRIEF } from '../git/status.ts'
import { ATTRIBUTES, checkFolder, LATEST } from '../store/folder.ts'
import { readLedger } from '../store/ledger.ts'
import { readPlain } from '../store/plain-file.ts'
import { privateFolder } from '../store/private.ts'
import type { Config } from '../types/config.ts'

/** Ms after which whoever took a lock of git was killed, or hangs. */
const LEFT = 10_000

/** Everything of a repository that the checks judge. Nothing is written, not even what other commands refresh. `name`: a path as people write it. */
export async function lookAtRepository(repo: Repo, config: Config, name: (path: string) => string) {
  const problem = await checkFolder(repo.root).then(() => null, asFinding)
  const folder = isApart(config.commit) ? null : problem
  // Behind a link git has nothing to say of it, and where briefs are kept elsewhere a folder of others is no matter.
  const isOdd = problem !== null && (folder === null || problem.code === 'E_UNSAFE_PATH')
  const [rule, { identity, last }, parked, locks, { ref }, url, ledger, saved] = await Promise.all([
    isOdd ? null : isIgnored(repo, SOME_BRIEF),
    readConfig(repo),
    listParked(repo),
    heldLocks(repo, LEFT),
    readHead(repo),
    originUrl(repo),
    readLedger(repo.commonDir),
    problem === null ? listUncommitted(repo) : [],
  ])
  // The name of the file may hold colons.
  const [, source = '', line = '', pattern = ''] = /^(.*):(\d+): (.*)$/s.exec(rule ?? '') ?? []
  const { env } = repo
  return {
    /** The rule of git that hides `.handoff/`; null: none. */
    ignored: rule === null ? null : { source, line, pattern },
    /** Why `.handoff/` cannot be used. */
    folder: folder && { code: folder.code as string, message: folder.message },
    // The environment speaks for whoever is not configured.
    identity: {
      name: identity.name || env.GIT_AUTHOR_NAME || '',
      email: identity.email || env.GIT_AUTHOR_EMAIL || env.EMAIL || '',
    },
    filter: { final: last(FILTER) ?? null, wanted: CLEAN_FILTER as string },
    latest: await lookAtLatest(repo, isOdd),
    locks: locks.map(({ path, age }) => ({ path: name(path), ageSeconds: Math.round(age / 1000) })),
    parked: parked.map(({ id, path, branch, isGone }) => ({
      ...{ id, branch, isGone, isHere: branch === ref },
      /** Its path where the file is on disk, which stands in the way of picking it. */
      onDisk: saved.some((one) => one.path === path) ? path : null,
    })),
    /** An unfinished merge, rebase or the like. */
    operation: readOperation(repo.gitDir),
    /** Briefs of the work tree that HEAD does not hold, without parked ones. */
    uncommitted: saved.flatMap(({ path }) => (parked.some((one) => one.path === path) ? [] : path)),
    drafts: keptBriefs(repo).map((one) => ({ ...one, path: name(one.path) })),
    /** Where origin is, and where it was when it was trusted. */
    origin: { url, trusted: ledger.origin },
  }
}

/** `latest.md` in the work tree, in the index and in HEAD; what is odd about the folder is told by the check of the folder. */
async function lookAtLatest(repo: Repo, isOdd: boolean) {
  const text = isOdd ? null : await readPlain(repo.root, LATEST).catch(() => null)
  const copy = text === null ? null : readCopy(text)
  const inHead = (await hasCommits(repo)) ? [`HEAD:${LATEST}`, `HEAD:${ATTRIBUTES}`] : []
  const pointer = blobId(repo, copy?.state === 'ours' ? copy.pointer : pointerText())
  const [entries, [latest, attributes], attribute] = await Promise.all([
    readEntries(repo, [LATEST]),
    checkObjects(repo, inHead),
    text === null ? null : attributeOf(repo, 'filter', LATEST),
  ])
  const entry = entries.get(LATEST)
  return {
    /** What is in the work tree; null: nothing. */
    state: copy?.state ?? null,
    /** The copy of a brief stands below the pointer. */
    hasCopy: copy?.state === 'ours' && copy.marker !== null,
    /** Git has one in its index, and it is what it should be. */
    isTracked: !isOdd && entry !== undefined,
    isRight: entry === undefined || entry.oid === pointer,
    /** HEAD has one that a checkout would bring back, and it is what it should be. */
    isRightInHead: latest?.oid === pointer,
    /** What git takes for the filter of that path. */
    attribute,
    attributes: { isThere: existsSync(join(repo.root, ATTRIBUTES)), isInHead: (attributes ?? null) !== null },
  }
}

/**
 * Briefs that never reached a commit, absolute, told apart by their names: `edit-<id>` of an edit, `<id>` of a commit that failed, and the
 * name of its file of a handoff that was killed. Texts of `latest.md` that were set aside are no briefs.
 */
function keptBriefs(repo: Repo): { path: string; why: string }[] {
  const folder = join(privateFolder(repo.commonDir), 'drafts')
  const names = orNull(() => readdirSync(folder)) ?? []
  return names.sort().flatMap((name) => {
    const [, edit, rest] = /^(edit-)?\d{8}T\d{6}-[0-9a-f]{8}(.*)$/.exec(name) ?? []
    if (rest === undefined) return []
    const path = join(folder, name)
    if (edit !== undefined) return { path, why: 'the edit of a brief was cancelled, refused or stopped' }
    if (rest === '.md') return { path, why: 'a brief could not be committed to its branch' }
    return { path, why: 'a handoff was stopped before it had committed its brief' }
  })
}

/** An error that doctor reports as a finding. Throws what is none: a defect, and that the person pressed Ctrl-C. */
export function asFinding(error: unknown): HandoffError {
  if (!isHandoffError(error) || error.code === 'E_CANCELLED') throw error
  return error
}
