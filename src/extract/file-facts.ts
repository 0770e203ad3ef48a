import type { Dropped, FileEvidence, FileFact, GitState } from '../types.ts'
import { createTies, type Tie } from './co-change.ts'
import { addNames, addTied } from './file-names.ts'
import { rankFiles } from './file-order.ts'
import { describeFile } from './file-reason.ts'
import { type FileRecord, mergeRecords } from './file-record.ts'
import type { Fold } from './fold.ts'
import type { GoalWords } from './goal.ts'
import { looksLikePath, pathTokens } from './mentions.ts'
import { atHome } from './path-text.ts'
import type { Resolver } from './resolve.ts'

/** Everything known about one file of the repository. */
export interface Candidate {
  path: string
  /** Git knows the file as it is now. */
  here: boolean
  record: FileRecord | null
  goal: boolean
  change: GitState['changes'][number] | null
  commits: number
  failing: boolean
  /** Somebody wants it made; only when it is not here. */
  wanted: 'goal' | 'user' | 'plan' | null
  namedByUser: number
  namedByAgent: number
  /** Named in the reply with which the agent stopped. */
  inLastReply: boolean
  /** Named in the last summary of a compaction. */
  inSummary: boolean
  /** Touch number of the last mention. */
  lastNamed: number
  renamedFrom: string | null
  /** Words of its path that the goal has, when they are much of it; the file that the goal names whose test it is. */
  goalWords: readonly string[]
  testOf: string | null
  /** Its name without the ending is a word of a goal that names no path. */
  called: boolean
  /** The open plan step that names it, or that means it by its words. */
  step: string | null
  meantBy: string | null
  /** The file that it changed with in most commits; `tied` when nothing but that speaks for it. */
  tie: Tie | null
  tied: boolean
}

export interface FileInput {
  fold: Fold
  git: GitState | null
  resolver: Resolver
  goal: GoalWords
  /** Texts of open plan items. */
  planTexts: string[]
  /** Words of the last failing checks that look like paths; stale when files were edited since. */
  failedIn: { token: string; isStale: boolean }[]
  lastReply: string
  /** Keep paths that nothing confirms, marked (configuration key `validate.files` false). */
  keepUnverified: boolean
  drop(item: Dropped): void
}

/**
 * Files with their evidence, best first. Order of operations: paths the session touched are made canonical and merged; then
 * git's changes and commits are added; then names in the goal, prompts, plan and replies are resolved against what is known.
 */
export function fileFacts(input: FileInput): {
  files: FileFact[]
  outside: number
  untracked: number
  /** Files left out because they matter less than the few that are certain. */
  faint: number
} {
  const { fold, git, resolver, drop } = input
  const found = new Map<string, Candidate>()
  const at = (path: string, here: boolean): Candidate => {
    const held = found.get(path)
    if (held) return held
    const fresh: Candidate = {
      path,
      here,
      record: null,
      goal: false,
      change: null,
      commits: 0,
      failing: false,
      wanted: null,
      namedByUser: 0,
      namedByAgent: 0,
      inLastReply: false,
      inSummary: false,
      lastNamed: 0,
      renamedFrom: null,
      goalWords: [],
      testOf: null,
      called: false,
      step: null,
      meantBy: null,
      tie: null,
      tied: false,
    }
    found.set(path, fresh)
    return fresh
  }

  let outside = 0
  for (const [key, record] of fold.files.records) {
    const place = resolver.touched(key)
    if ('drop' in place) {
      // Words of a command line are only guesses; what a tool touched is a fact worth reporting.
      if (record.byTool && place.drop !== 'not a file') {
        if (place.drop === 'outside the repository') outside++
        drop({ kind: 'file', text: atHome(key, fold.home), why: place.drop })
      }
      continue
    }
    // An attachment such as "clipboard" is no file; one that was edited is.
    if (
      !place.here &&
      git !== null &&
      record.edits === 0 &&
      !place.path.includes('/') &&
      !looksLikePath(place.path)
    )
      continue
    const isDone = record.edits > 0 || record.reads > 0 || record.deleted
    if (!place.here && git !== null && !(record.byTool && (isDone || record.reverted > 0))) {
      if (record.byTool) drop({ kind: 'file', text: place.path, why: 'only an attempt that did not succeed' })
      continue
    }
    const candidate = at(place.path, place.here)
    candidate.record = candidate.record ? mergeRecords(candidate.record, record) : record
  }
  for (const { from, to } of fold.files.renames) {
    const [old, now] = [resolver.relative(from), resolver.touched(to)]
    const candidate = 'drop' in now ? undefined : found.get(now.path)
    if (candidate && old !== null && old !== candidate.path && !git?.files.has(old))
      candidate.renamedFrom = old
  }
  for (const change of git?.changes ?? []) {
    const candidate = at(change.path, change.state !== 'deleted')
    candidate.change = change
    if (change.from !== undefined) candidate.renamedFrom = change.from
  }
  for (const commit of git?.commits ?? [])
    for (const path of commit.files) {
      const now = resolver.current(path)
      at(now, git?.files.has(now) ?? true).commits++
    }
  addNames(input, found, at)
  const ties = createTies(git?.history ?? [])
  addTied(ties, git, found, at)

  const files = [...found.values()].filter(
    (candidate) => !('drop' in resolver.touched(candidate.path)) || candidate.here,
  )
  const { files: ranked, faint } = rankFiles(files, {
    goal: input.goal,
    lastReply: input.lastReply,
    clock: fold.files.clock,
    calls: fold.files.calls,
    // A step that names a file is about that one.
    steps: input.planTexts.filter((text) => pathTokens(text).length === 0),
    ties,
  })
  const untracked = files.filter(
    (candidate) => git !== null && !candidate.here && candidate.record?.byTool && !isGone(candidate),
  ).length
  return { files: ranked.map((candidate) => factOf(candidate, git)), outside, untracked, faint }
}

/** Deleted in the session or in git, and not here again. */
const isGone = (candidate: Candidate): boolean =>
  !candidate.here && (candidate.record?.deleted === true || candidate.change?.state === 'deleted')

function factOf(candidate: Candidate, git: GitState | null): FileFact {
  const { evidence, reason } = describeFile(candidate)
  const { record } = candidate
  const source = record
    ? 'transcript'
    : candidate.change || candidate.commits > 0 || candidate.tied
      ? 'git'
      : candidate.goal || candidate.namedByUser > 0
        ? 'user'
        : 'transcript'
  const mark =
    isGone(candidate) || (!candidate.here && candidate.commits > 0)
      ? 'gone'
      : candidate.wanted !== null && !candidate.here && !record
        ? 'planned'
        : !candidate.here && git !== null
          ? 'unverified'
          : undefined
  return {
    path: candidate.path,
    reason,
    evidence: evidence as FileEvidence[],
    source,
    ...(mark ? { mark } : {}),
  }
}
