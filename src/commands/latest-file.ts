import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { attributesText, expandedLatest, pointerText, readMarker } from '../brief/latest.ts'
import { blobId } from '../git/blob-id.ts'
import { lookUp, readTreeView } from '../git/build-tree.ts'
import type { CommitOutcome } from '../git/commit-files.ts'
import { CLEAN_FILTER, refreshIndexStat } from '../git/latest-filter.ts'
import type { Repo } from '../git/open-repo.ts'
import { branchName, readHead } from '../git/read-head.ts'
import type { Reading } from '../git/reading.ts'
import { readSettings } from '../git/settings.ts'
import { ATTRIBUTES, LATEST } from '../store/folder.ts'
import { readPlain, replacePlain } from '../store/plain-file.ts'
import { type CurrentBrief, readCurrent } from './current.ts'
import { maskSecrets } from './mask.ts'
import type { Invocation } from './table.ts'
import { verdictOn } from './verdict.ts'

/**
 * Seconds that the copy claims to be old. Git doubts a file as young as its index (in whole seconds) and compares its
 * content, for which it starts the filter's shell and sed at every `git status`. Whoever writes to it makes it young again.
 */
const AGE = 2

/** A brief that this run made. */
export interface Made {
  id: string
  path: string
  text: string
  /** Null when it was not committed. */
  outcome: CommitOutcome | null
  /** It has set the filter of `latest.md`. */
  isFilterNew: boolean
  reading: Reading | null
}

type LatestBrief = Pick<CurrentBrief, 'id' | 'path' | 'oid' | 'text' | 'committed' | 'apart'>

/** What the copy is made of. */
interface Here {
  /** `filter.handoff.clean`; empty when it is not set. */
  filter: string
  branch: string | null
  head: string | null
  brief: LatestBrief | null
  /** What HEAD has at the brief's path, when that is known. */
  inHead: { mode: string; oid: string } | null
}

/**
 * Brings the work-tree copy of `latest.md` in line with the current brief: pointer, and below it the brief when it is
 * trusted. Git does not see the difference (clean filter), and the index learns the new size. Never fails a command:
 * what could not be done is a warning. Does nothing where there is no `latest.md` of ours or the brief itself is
 * committed there (`latest: full`). `current`: the current brief when it is known; `made`: a commit of this very run.
 */
export async function refreshLatest(
  invocation: Invocation,
  repo: Repo,
  current: CurrentBrief | null | undefined = undefined,
  made: Made | null = null,
): Promise<void> {
  // Inside a hook of git the index is being committed from; the next command outside brings the copy up to date.
  if (repo.env.GIT_INDEX_FILE) return
  try {
    const now = await readPlain(repo.root, LATEST)
    if (now === null) return
    if (!now.startsWith(pointerText())) {
      // With `latest: full` it is a brief; anything else somebody changed, and agents are told to read it.
      if (!now.startsWith('---'))
        invocation.out.warn(`${LATEST} is not the pointer that handoff wrote; \`handoff check\` tells more`)
      return
    }
    const here = (made === null ? null : await stillOurs(repo, made)) ?? (await ask(repo, current))
    // Without the filter git would see the copy as a change.
    if (here.filter === '') return
    const { brief, head } = here
    const branch = await maskedName(here.branch)
    const marker = readMarker(now)
    const text = expandedLatest({
      branch,
      masked: branch !== here.branch,
      head,
      id: brief?.id ?? null,
      brief: brief?.text ?? null,
      trusted: brief !== null && (await verdictOn(repo, brief, here.inHead)).trusted,
    })
    if (text === now && marker?.branch === branch) return
    const stat = await replacePlain(repo.root, LATEST, text, { age: AGE })
    const isFiltered = here.filter === CLEAN_FILTER && (await areAttributesOurs(repo))
    const written = isFiltered ? { path: LATEST, stat, oid: blobId(repo, pointerText()) } : null
    const problem = await refreshIndexStat(repo, [LATEST], written)
    if (problem !== null)
      invocation.out.warn(`git status may show ${LATEST} until the index is free: ${problem}`)
  } catch (error) {
    repo.signal?.throwIfAborted()
    invocation.out.warn(
      `${LATEST} was not refreshed: ${error instanceof Error ? error.message : String(error)}`,
    )
  }
}

/** The name as it may be written into a file: a key in it is masked, as it is in the brief. */
const maskedName = async (branch: string | null): Promise<string | null> =>
  // Every value that a rule knows has as long a run; most names have none, and for those nothing is loaded.
  branch === null || !/[A-Za-z0-9]{10}|[=:]/.test(branch) ? branch : maskSecrets(branch)

/** The brief of HEAD's own commit is the current one; null when somebody moved HEAD since, or it never was on our branch. */
async function stillOurs(repo: Repo, made: Made): Promise<Here | null> {
  const { id, path, text, outcome, isFilterNew, reading } = made
  if (outcome?.state !== 'committed' || reading === null) return null
  const [{ ref }, view, { filter }] = await Promise.all([
    readHead(repo),
    readTreeView(reading.objects, 'HEAD', [path]),
    reading.settings,
  ])
  // Where no configuration had a filter, the one that this run has set holds.
  const isFirst = isFilterNew && filter.final === null
  const final = isFirst ? CLEAN_FILTER : filter.local === CLEAN_FILTER ? filter.final : null
  if (final === null || ref !== outcome.ref || view.commit !== outcome.commit) return null
  const brief = { id, path, text, oid: blobId(repo, text), committed: true }
  return {
    filter: final,
    branch: branchName(ref),
    head: view.commit,
    brief,
    inHead: lookUp(view, path),
  }
}

async function ask(repo: Repo, current: CurrentBrief | null | undefined): Promise<Here> {
  const [{ filter }, head, { ref }] = await Promise.all([
    readSettings(repo),
    repo.git(['rev-parse', '-q', '--verify', 'HEAD'], { answers: [1] }),
    readHead(repo),
  ])
  const final = filter.final?.trim() ?? ''
  const brief = final === '' ? null : current === undefined ? await readCurrent(repo) : current
  return { filter: final, branch: branchName(ref), head: head.trim() || null, brief, inHead: null }
}

/** Nothing stands over the attributes that handoff wrote, so the filter is in force. */
const areAttributesOurs = async (repo: Repo): Promise<boolean> =>
  (await readPlain(repo.root, ATTRIBUTES)) === attributesText() &&
  !existsSync(join(repo.commonDir, 'info', 'attributes'))
