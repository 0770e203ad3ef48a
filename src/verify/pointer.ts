import { existsSync } from 'node:fs'
import { join, relative } from 'node:path'
import { isCopyOf } from '../brief/latest.ts'
import { agoOf, pointerPrompt } from '../brief/prompt.ts'
import type { CurrentBrief } from '../briefs/current.ts'
import { tellBeside } from '../briefs/verdict.ts'
import type { Repo } from '../git/open-repo.ts'
import { branchName, readHead } from '../git/refs.ts'
import { isRightUpon } from '../git/snapshot.ts'
import { LATEST } from '../store/folder.ts'
import { readPlain } from '../store/plain-file.ts'
import { writePrivate } from '../store/private.ts'
import { NOTHING_SINCE } from './truth.ts'

/** What was committed since a brief was made, in one line; null when it was made before the first commit. */
export async function driftOf(repo: Repo, { parsed }: CurrentBrief): Promise<string | null> {
  const { head } = parsed.meta
  if (head === null) return null
  // Mostly nothing but the brief was committed.
  if (await isRightUpon(repo, head)) return NOTHING_SINCE
  const { readDriftLine } = await import('./read-truth.ts')
  return readDriftLine(repo, parsed, head)
}

/**
 * The file of this worktree in which an agent reads the brief; the copy in `latest.md` when it is just that. Null when it
 * stands in none: on a branch of its own, parked, or in history alone. `beside`: the lines of `tellBeside`.
 */
export async function fileOf(
  repo: Repo,
  brief: CurrentBrief,
  beside: readonly string[],
): Promise<string | null> {
  const latest = await readPlain(repo.root, LATEST)
  if (latest !== null) {
    const branch = branchName((await readHead(repo)).ref)
    if (isCopyOf(latest, { ...brief, branch, beside })) return LATEST
  }
  return existsSync(join(repo.root, brief.path)) ? brief.path : null
}

/** A private copy of a brief that stands in no file of this worktree; its path, from the top where that is shorter. */
export async function copyOfBrief(repo: Repo, { id, text }: CurrentBrief): Promise<string> {
  const path = await writePrivate(repo.commonDir, `shown/${id}.md`, text)
  const inside = relative(repo.root, path)
  return inside.startsWith('..') ? path : inside
}

/**
 * The pointer prompt that a person asked for. `template`: the person's own text for it. `file`: where the brief stands, when not in this
 * worktree. Throws `badTemplate`.
 */
export async function pointerFor(
  repo: Repo,
  brief: CurrentBrief,
  {
    now,
    template,
    start = [],
    file,
  }: {
    now: Date
    template: { text: string; place: string } | null
    start?: readonly string[]
    file?: string
  },
): Promise<string> {
  const [drift, here] = await Promise.all([
    driftOf(repo, brief),
    file ??
      tellBeside(repo, brief)
        .then((beside) => fileOf(repo, brief, beside))
        .then((found) => found ?? copyOfBrief(repo, brief)),
  ])
  return pointerPrompt({
    meta: brief.parsed.meta,
    file: here,
    drift,
    start,
    age: agoOf(brief.parsed.meta.createdAt, now.getTime()),
    taken: null,
    isAsked: true,
    template,
  })
}
