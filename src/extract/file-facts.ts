import type { Dropped, FileEvidence, FileFact } from '../types/evidence.ts'
import type { GitState } from '../types/git.ts'
import { addNames } from './file-names.ts'
import { isGone, rankFiles } from './file-order.ts'
import { describeFile } from './file-reason.ts'
import { type FileRecord, mergeRecords } from './file-record.ts'
import type { Fold } from './fold.ts'
import type { GoalWords } from './goal.ts'
import { looksLikePath } from './mentions.ts'
import { atHome } from './path-text.ts'
import type { Resolver } from './resolve.ts'

/** Everything known about one file of the repository. */
export class Candidate {
  readonly path: string
  /** Git knows the file as it is now. */
  readonly here: boolean
  record: FileRecord | null = null
  change: GitState['changes'][number] | null = null
  commits = 0
  renamedFrom: string | null = null
  goal = false
  /** Named in an item of the last reply that the goal refers to. */
  referred = false
  /** Words of its name that tell it from others and that the goal has. */
  goalWords: readonly string[] = []
  failing = false
  /** Somebody wants it made; only when it is not here. */
  wanted: 'goal' | 'user' | 'plan' | null = null
  /** An open plan step names it. */
  planned = false
  namedByUser = 0
  namedByAgent = 0
  /** Number of the message of the last turn that names it last; 0 for none. */
  message = 0
  /** Named in the last summary of a compaction. */
  inSummary = false

  constructor(path: string, here: boolean) {
    this.path = path
    this.here = here
  }
}

export interface FileInput {
  fold: Fold
  git: GitState | null
  resolver: Resolver
  goal: GoalWords
  /** Texts of open plan items. */
  planTexts: string[]
  /** Words that look like paths, of the last failing checks that no edit came after. */
  failedIn: string[]
  lastReply: string
  /** Keep paths that nothing confirms, marked (configuration key `validate.files` false). */
  keepUnverified: boolean
  drop(item: Dropped): void
}

/**
 * Files with their evidence, best first. Order of operations: paths the session touched are made canonical and merged; then
 * git's changes and commits are added; then names in the goal, prompts, plan and replies are resolved against what is known.
 */
export function fileFacts(input: FileInput): { files: FileFact[]; outside: string[]; untracked: number } {
  const { fold, git, resolver } = input
  const found = new Map<string, Candidate>()
  const at = (path: string, here: boolean): Candidate => {
    const held = found.get(path) ?? new Candidate(path, here)
    found.set(path, held)
    return held
  }
  const outside = addTouched(input, at)
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
  const keepsNames = fold.files.clock === 0 || input.keepUnverified
  const files = [...found.values()].filter(
    (file) => (file.here || !('drop' in resolver.touched(file.path))) && (keepsNames || isOfUse(file)),
  )
  const untracked = files.filter(
    (candidate) => git !== null && !candidate.here && candidate.record?.byTool && !isGone(candidate),
  ).length
  const ranked = rankFiles(files, input.goal, input.lastReply)
  return { files: ranked.map((candidate) => factOf(candidate, fold, git)), outside, untracked }
}

/**
 * A name in words is no reason to open a file that nobody opened: the last of these words stand in the brief themselves. What
 * a subagent looked at on its way is none either.
 */
const isOfUse = ({ record, change, commits, goal, failing, wanted, planned }: Candidate): boolean =>
  (record !== null && record.touches > 0) ||
  change !== null ||
  commits > 0 ||
  goal ||
  failing ||
  wanted !== null ||
  planned

/** Adds what tools and commands touched; returns those edited outside the repository. */
function addTouched(
  { fold, git, resolver, drop }: FileInput,
  at: (path: string, here: boolean) => Candidate,
) {
  const placed = [...fold.files.records].map(([key, record]) => ({
    key,
    record,
    place: resolver.touched(key),
  }))
  const seen = placed.flatMap(({ record, place }) => ('drop' in place || !isDone(record) ? [] : [place]))
  // A repository that has few of the files read and edited is not the one of the session: it does not say what is a file.
  const isOther = git !== null && seen.filter(({ here }) => here).length * 2 < seen.length
  const outside: string[] = []
  for (const { key, record, place } of placed) {
    if ('drop' in place) {
      // Words of a command line are only guesses; what a tool touched is a fact worth reporting.
      if (!record.byTool || place.drop === 'not a file') continue
      if (place.drop === 'outside the repository' && record.edits > 0) outside.push(atHome(key, fold.home))
      drop({ kind: 'file', text: atHome(key, fold.home), why: place.drop })
      continue
    }
    if (git !== null && !place.here) {
      const isNamed = place.path.includes('/') || looksLikePath(place.path)
      // An attachment such as "clipboard" is no file; one that was edited is.
      if (record.edits === 0 && !isNamed) continue
      if (record.byTool && !isDone(record)) {
        drop({ kind: 'file', text: place.path, why: 'only an attempt that did not succeed' })
        continue
      }
      if (!record.byTool && !(isOther && isFileName(place.path))) continue
    }
    const candidate = at(place.path, place.here)
    candidate.record = candidate.record ? mergeRecords(candidate.record, record) : record
  }
  return outside
}

const isDone = ({ edits, reads, deleted, reverted }: FileRecord): boolean =>
  edits > 0 || reads > 0 || deleted || reverted > 0

/** `.user.login` is a word of a query; so are most names that begin with a dot. */
const isFileName = (path: string): boolean => looksLikePath(path) && !/(?:^|\/)\.[^/]*$/.test(path)

function factOf(candidate: Candidate, fold: Fold, git: GitState | null): FileFact {
  const { evidence, reason } = describeFile(candidate, fold.files.turns)
  const { record, here } = candidate
  const source = record
    ? 'transcript'
    : candidate.change || candidate.commits > 0
      ? 'git'
      : candidate.goal || candidate.namedByUser > 0
        ? 'user'
        : 'transcript'
  const mark =
    isGone(candidate) || (!here && candidate.commits > 0)
      ? 'gone'
      : candidate.wanted !== null && !here && !record
        ? 'planned'
        : !here && git !== null
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
