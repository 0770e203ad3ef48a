import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { attributesText, type Copy, expandedLatest, pointerText, readCopy } from '../brief/latest.ts'
import type { Invocation } from '../command.ts'
import { reasonOf } from '../errors/handoff-error.ts'
import { lookUp } from '../git/build-tree.ts'
import { forgetStat, readEntries } from '../git/commit-files.ts'
import { blobId } from '../git/files.ts'
import { readBlobs } from '../git/objects.ts'
import type { Repo } from '../git/open-repo.ts'
import { readOperation } from '../git/operation.ts'
import { branchName, readHead } from '../git/refs.ts'
import { CLEAN_FILTER, FILTER, isStoredAs, readConfig } from '../git/settings.ts'
import { readHeadView } from '../git/snapshot.ts'
import { ATTRIBUTES, BRIEFS, LATEST } from '../store/folder.ts'
import { readPlain, replacePlain } from '../store/plain-file.ts'
import { privateFolder, writePrivate } from '../store/private.ts'
import { findProgram } from '../workspace/find-program.ts'
import { maskName } from '../workspace/input-secrets.ts'
import { type CurrentBrief, inHeadOf, readCurrent } from './current.ts'
import { tellBeside, verdictOn } from './verdict.ts'

type LatestBrief = Pick<CurrentBrief, 'id' | 'path' | 'oid' | 'text' | 'committed' | 'apart' | 'beside'>

/** What the copy is made of. */
interface Here {
  /** `filter.handoff.clean`; empty when it is not set. */
  filter: string
  branch: string | null
  head: string | null
  /** The tree of `.handoff/briefs` in it. */
  briefs: string | null
  /** The blob of `latest.md` in it. */
  committed: string | null
  brief: LatestBrief | null
  /** What HEAD has at the brief's path, when that is known. */
  inHead: { mode: string; oid: string } | null
}

/**
 * Brings the work-tree copy of `latest.md` in line with the current brief: pointer, and below it the brief when it is
 * trusted, or that none is open. Git does not see the difference (clean filter), and the index learns the new size. Never fails a command:
 * what could not be done is a warning, and so is what somebody else wrote there. Does nothing where there is no
 * `latest.md` of ours, or where an earlier version committed a whole brief. `current`: the current brief when it is known; `made`: this
 * run made it, and where; committed here, the index has the pointer.
 */
export async function refreshLatest(
  invocation: Invocation,
  repo: Repo,
  current: CurrentBrief | null | undefined = undefined,
  made: 'here' | 'elsewhere' | null = null,
): Promise<void> {
  // Inside a hook of git the index is being committed from; the next command outside brings the copy up to date.
  if (repo.env.GIT_INDEX_FILE) return
  try {
    const now = await readPlain(repo.root, LATEST)
    if (now === null) return await tellMissing(invocation, repo)
    const copy = readCopy(now)
    if (copy.state === 'ours') {
      await refresh(invocation, repo, now, copy, await ask(repo, current), made)
    }
    // Git sees what stands there, so it is the person's to keep or to throw away.
    else if (copy.state === 'changed' && existsSync(join(repo.root, BRIEFS)))
      invocation.out.warn(`${LATEST} is not the pointer that handoff wrote; \`git handoff check\` tells more`)
    else if (copy.state === 'conflicted')
      invocation.out.warn(
        `${LATEST} holds the marks of a merge conflict; \`git checkout HEAD -- ${LATEST}\` takes that of this branch`,
      )
  } catch (error) {
    repo.signal?.throwIfAborted()
    invocation.out.warn(`${LATEST} was not refreshed: ${reasonOf(error)}`)
  }
}

/**
 * The same for a hook of git, which prints one line or nothing: what a person should know is returned instead of printed.
 * `current`: the current brief when it is known.
 */
export async function refreshInHook(
  invocation: Invocation,
  repo: Repo,
  current: CurrentBrief | null | undefined = undefined,
): Promise<string[]> {
  const told: string[] = []
  const out = { ...invocation.out, say: () => undefined, warn: (text: string) => void told.push(text) }
  await refreshLatest({ ...invocation, out }, repo, current)
  return told
}

async function refresh(
  invocation: Invocation,
  repo: Repo,
  now: string,
  copy: Extract<Copy, { state: 'ours' }>,
  here: Here,
  made: 'here' | 'elsewhere' | null,
): Promise<void> {
  const { brief, head, briefs, committed } = here
  const branch = await maskName(here.branch)
  // Git may have an earlier text, which the filter leaves as it is.
  const isKept = copy.pointer !== pointerText() && committed === blobId(repo, copy.pointer)
  const pointer = isKept ? copy.pointer : pointerText()
  const oid = blobId(repo, pointer)
  const isCommitted = committed !== null && committed !== oid
  const expanded = expandedLatest({
    branch,
    masked: branch !== here.branch,
    head,
    briefs,
    id: brief?.id ?? null,
    brief: brief?.text ?? null,
    beside: brief === null ? [] : await tellBeside(repo, brief),
    trusted: brief !== null && (await verdictOn(repo, brief, here.inHead)).trusted,
    pointer,
  })
  const isHidden = await isHiddenHere(repo, here.filter, expanded, oid)
  if (isCommitted) invocation.out.warn(isHidden ? COMMITTED : CUT)
  if (!isHidden && made !== null) invocation.out.warn(SEEN)
  // What a commit says below the marker is its author's, so it is cut also where git then sees that.
  if (!isHidden && copy.marker === null && !copy.isEdited) return
  const text = isHidden ? expanded : pointer
  if (text === now) return
  // Git has what was committed.
  if (copy.isEdited && committed !== blobId(repo, now)) await setAside(invocation, repo, now, EDITED)
  else if (copy.marker !== null && copy.marker.branch !== branch)
    invocation.out.say(
      `Updated ${LATEST}, which was for ${nameOf(copy.marker.branch)}, for ${nameOf(branch)}.`,
    )
  // A checkout that took it away meanwhile must not find it again as a file that git does not know.
  if ((await readPlain(repo.root, LATEST)) !== now) return
  await replacePlain(repo.root, LATEST, text, { aside: privateFolder(repo.gitDir) })
  const isKnown = made === 'here' && committed === oid
  const entry = isKnown ? { mode: '100644', oid } : (await readEntries(repo, [LATEST])).get(LATEST)
  const problem = entry === undefined ? null : await forgetStat(repo, { path: LATEST, ...entry })
  if (problem !== null)
    invocation.out.warn(`git status shows ${LATEST}, since the index is locked: ${problem}`)
}

const nameOf = (branch: string | null): string => (branch === null ? 'a detached HEAD' : `branch ${branch}`)

const SEEN = `${LATEST} does not show the brief, because git does not hide the copy in this clone; \`git handoff doctor\` says why`

const COMMITTED = `${LATEST} was committed with a text of its own, where git should keep the pointer alone; the next \`git handoff create\` puts it right`

const CUT = `${LATEST} was committed with a text of its own. It is cut to the pointer here, which git shows as a change until the next \`git handoff create\`, or \`git checkout -- ${LATEST}\``

/** A copy that was taken away is missed only where git has one. */
async function tellMissing({ out }: Invocation, repo: Repo): Promise<void> {
  if (!existsSync(join(repo.root, BRIEFS))) return
  if ((await readEntries(repo, [LATEST])).has(LATEST))
    out.warn(`${LATEST} is gone from the work tree; \`git checkout -- ${LATEST}\` brings it back`)
}

/**
 * Writes the pointer, which git is about to hold there. A copy that is ours stays, since `refreshLatest` follows; what somebody else wrote is kept aside. Throws `unsafeFolder`, `writeFailed`.
 */
export async function writeLatest(invocation: Invocation, repo: Repo): Promise<void> {
  const now = await readPlain(repo.root, LATEST)
  const copy = now === null ? null : readCopy(now)
  if (copy?.state === 'ours') return
  // The person is about to resolve it, and the brief is parked meanwhile.
  if (copy?.state === 'conflicted' && readOperation(repo.gitDir) !== null) return
  if (now !== null && (copy?.state === 'changed' || copy?.state === 'conflicted'))
    await setAside(invocation, repo, now, 'is not what handoff wrote there')
  await replacePlain(repo.root, LATEST, pointerText(), { aside: privateFolder(repo.gitDir) })
}

const EDITED = 'was changed below its marker, which git ignores'

/** Keeps what a person wrote there before it is written over, and says where. Throws `writeFailed`; then nothing is written over. */
async function setAside({ out, place }: Invocation, repo: Repo, text: string, why: string): Promise<void> {
  const stamp = place.now().toISOString().replace(/[:.]/g, '-')
  const kept = await writePrivate(repo.commonDir, `drafts/latest-${stamp}.md`, text)
  out.warn(`${LATEST} ${why}; the text is kept in ${kept}, and the file is written again`)
}

/** Undoes the cut of a committed copy, which would keep git from leaving the branch. Throws `writeFailed`. */
export async function uncutLatest(repo: Repo): Promise<boolean> {
  if ((await readPlain(repo.root, LATEST)) !== pointerText()) return false
  const entry = (await readEntries(repo, [LATEST])).get(LATEST)
  const text = (await readBlobs(repo, entry === undefined ? [] : [entry.oid])).get(entry?.oid ?? '')
  if (text !== undefined) await putBack(repo, text.toString('utf8'), entry)
  return text !== undefined
}

async function putBack(repo: Repo, text: string, entry: { mode: string; oid: string } | undefined) {
  await replacePlain(repo.root, LATEST, text, { aside: privateFolder(repo.gitDir) })
  if (entry !== undefined) await forgetStat(repo, { path: LATEST, ...entry })
}

/** Makes the copy in a work tree what git has there, so that it is clean without the filter. False where no copy stood. Throws `writeFailed`. */
export async function collapseLatest(invocation: Invocation, repo: Repo): Promise<boolean> {
  const now = await readPlain(repo.root, LATEST)
  const copy = now === null ? null : readCopy(now)
  if (now === null || copy?.state !== 'ours' || copy.marker === null) return false
  const entry = (await readEntries(repo, [LATEST])).get(LATEST)
  const blobs = await readBlobs(repo, entry === undefined ? [] : [entry.oid])
  const text = blobs.get(entry?.oid ?? '')?.toString('utf8') ?? copy.pointer
  if (copy.isEdited) await setAside(invocation, repo, now, EDITED)
  await putBack(repo, text, entry)
  return true
}

async function ask(repo: Repo, current: CurrentBrief | null | undefined): Promise<Here> {
  const [{ last }, head, { ref }] = await Promise.all([readConfig(repo), readHeadView(repo), readHead(repo)])
  const final = last(FILTER)?.trim() ?? ''
  const brief = final === '' ? null : current === undefined ? await readCurrent(repo) : current
  return {
    filter: final,
    branch: branchName(ref),
    head: head.commit,
    briefs: lookUp(head, BRIEFS)?.oid ?? null,
    committed: lookUp(head, LATEST)?.oid ?? null,
    brief,
    // What is current was read from HEAD a moment ago.
    inHead: brief === null ? null : inHeadOf(brief),
  }
}

/** Git stores the pointer alone for the copy. Mostly a look tells: our attributes and filter, nothing over them, and a `sed`. */
async function isHiddenHere(repo: Repo, filter: string, copy: string, pointer: string): Promise<boolean> {
  if (filter === '') return false
  const isUsual =
    filter === CLEAN_FILTER &&
    (await readPlain(repo.root, ATTRIBUTES)) === attributesText() &&
    !existsSync(join(repo.commonDir, 'info', 'attributes')) &&
    (await findProgram('sed', repo.env.PATH ?? '')) !== null
  return isUsual || isStoredAs(repo, LATEST, copy, pointer)
}
