import type { ParsedBrief } from '../brief/parse.ts'
import { plural, shortSha, someOf } from '../text/count.ts'
import { clipLine, codeSpan, escapeText } from '../text/safe-text.ts'
import type { FileTruth } from '../types/checks.ts'

/** Stable codes; `findings` say that something the brief states is no longer so. */
export const truthCodes = {
  'brief-conflicted': 'finding',
  'brief-edited': 'finding',
  'head-unknown': 'finding',
  'commits-gone': 'finding',
  'file-gone': 'finding',
  'file-renamed': 'finding',
  'file-missing': 'finding',
  'file-back': 'finding',
  'change-lost': 'finding',
  conflict: 'finding',
  'no-commit-then': 'note',
  'not-committed': 'note',
  'commits-since': 'note',
  'own-commits': 'note',
  'commits-rebased': 'note',
  'commits-contained': 'note',
  'commits-elsewhere': 'note',
  'file-made': 'note',
  'file-changed': 'note',
  'file-added': 'note',
  'file-never': 'note',
  'file-unknown': 'note',
  'file-dirty': 'note',
  'branch-other': 'note',
  'branch-gone': 'note',
  'merge-unknown': 'note',
} as const

type TruthCode = keyof typeof truthCodes

export interface TruthItem {
  code: TruthCode
  level: 'finding' | 'note'
  /** One safe line. */
  message: string
  /** The file it is about. */
  path?: string
  to?: string
}

/** Commits told by their subject, and paths in one line. */
const SUBJECTS = 5
const NAMES = 8

export const HEAD_UNKNOWN = 'The commit it was made at is not in this clone'

type Add = (code: TruthCode, message: string, about?: Pick<TruthItem, 'path' | 'to'>) => void

/** Everything that was found, in the order of what it is about. */
export function truthItems(facts: TruthFacts, parsed: ParsedBrief): TruthItem[] {
  const items: TruthItem[] = []
  const add: Add = (code, message, about = {}) => {
    items.push({ code, level: truthCodes[code], message, ...about })
  }
  addBrief(facts, add)
  addLacking(facts, add)
  for (const file of facts.files) addFile(file, add)
  addLost(facts.files, parsed, add)
  addNever(facts.files, add)
  addMerge(facts.merge, add)
  const { listed, count, own, restart } = facts.commits
  const since = restart ? `since ${shortSha(restart)}, the parent of the one that added the brief` : 'since'
  if (count > 0) add('commits-since', `${counted(count, facts.most)} ${since}: ${subjects(listed, count)}.`)
  if (own > 0) add('own-commits', `${counted(own, facts.most)} since with changes in .handoff/ only.`)
  addBranch(facts, parsed.meta.branch, add)
  return items
}

function addBrief({ head, standIn, shallow, edited, isCommitted, markers }: TruthFacts, add: Add): void {
  if (markers.length > 0)
    add('brief-conflicted', `The brief itself has conflict markers, line ${markers.join(', ')}.`)
  if (edited === 'since-commit') add('brief-edited', 'The brief was edited after it was first committed.')
  if (edited === 'in-work-tree')
    add('brief-edited', 'The file in the work tree differs from the brief that is committed.')
  if (!isCommitted) add('not-committed', 'The brief is not in a commit of this branch.')
  if (head === 'unknown')
    add(
      'head-unknown',
      `${HEAD_UNKNOWN}${shallow ? ', which is shallow' : ''}, ${
        standIn === null
          ? 'so what changed since is not known; verify every fact.'
          : `so history was rewritten or is another one; changes are counted from ${shortSha(standIn)}, the parent of the commit that added the brief.`
      }`,
    )
  if (head === 'none')
    add('no-commit-then', 'It was made before the first commit: everything in git is newer.')
}

function addLacking({ lacking: { listed, count, ref }, most }: TruthFacts, add: Add): void {
  const of = (fate: Fate) => listed.filter((commit) => commit.fate === fate)
  const [rebased, contained, gone] = [of('rebased'), of('contained'), of('gone')]
  // What lies beyond the limit was not looked at one by one.
  const lost = gone.length + (count - listed.length)
  const earlier = (number: number) => `${counted(number, most, 'earlier commit')} ${isOrAre(number)}`
  if (lost > 0 && ref === null)
    add('commits-gone', `${earlier(lost)} gone from this history with all changes: ${subjects(gone)}.`)
  if (lost > 0 && ref !== null)
    add(
      'commits-elsewhere',
      `${earlier(lost)} not in this checkout but on ${codeSpan(ref)}: ${subjects(gone)}.`,
    )
  if (rebased.length > 0)
    add(
      'commits-rebased',
      `${earlier(rebased.length)} here in rewritten form (rebased): ${subjects(rebased)}.`,
    )
  if (contained.length > 0)
    add(
      'commits-contained',
      `${earlier(contained.length)} gone from this history, but the changed files are here as they were then: ${subjects(contained)}.`,
    )
}

const isOrAre = (count: number): string => (count === 1 ? 'is' : 'are')

const counted = (count: number, most: number, one = 'commit'): string =>
  count >= most ? `${count} ${one}s or more` : plural(count, one)

function subjects(commits: readonly TruthCommit[], count = commits.length): string {
  const named = commits
    .slice(0, SUBJECTS)
    .map(({ sha, subject }) => `${sha.slice(0, 8)} ${escapeText(clipLine(subject, 80))}`)
  const more = count - named.length
  return [...named, ...(more > 0 ? [`and ${more} more`] : [])].join('; ') || 'not looked at one by one'
}

function addFile({ path, state, to, lines, work }: FileTruth, add: Add): void {
  const name = codeSpan(path)
  const isText = lines !== undefined && lines.added + lines.deleted > 0
  const much = isText ? `, +${lines.added} −${lines.deleted} lines` : ''
  const about = { path, ...(to === undefined ? {} : { to }) }
  const told: Partial<Record<FileTruth['state'], [TruthCode, string]>> = {
    gone: ['file-gone', `is gone${work === 'deleted' ? ', not committed yet' : ''}.`],
    renamed: ['file-renamed', `is ${codeSpan(to ?? '')} now${much}.`],
    missing: ['file-missing', 'was in no commit then and is not here.'],
    made: ['file-made', 'was still to be made then; it is here now.'],
    back: ['file-back', 'was gone then; it is here again.'],
    changed: ['file-changed', `changed since${much}.`],
    added: ['file-added', `was committed since${much}.`],
    unknown: ['file-unknown', 'is here; whether it changed since is not known.'],
  }
  const [code, words] = told[state] ?? []
  if (code !== undefined) add(code, `${name} ${words}`, about)
  if (work === 'untracked') add('file-dirty', `${name} is in no commit.`, about)
  if (work === 'conflicted') add('file-dirty', `${name} is in conflict in the work tree.`, about)
  if (work === 'modified') add('file-dirty', `${name} has changes that are not committed.`, about)
}

/** What was changed and not committed then, and is neither committed nor changed here: another clone, or it was undone. */
function addLost(files: readonly FileTruth[], { brief }: ParsedBrief, add: Add): void {
  const was = brief.progress.inProgress.filter(({ text }) => /^\d+ modified: /.test(text))
  for (const { path, state, work } of files)
    if (state === 'same' && work === undefined && was.some(({ text }) => text.includes(codeSpan(path))))
      add('change-lost', `The change of ${codeSpan(path)} was not committed then, and it is not here.`, {
        path,
      })
}

/** In one line: a session of another repository names many. */
function addNever(files: readonly FileTruth[], add: Add): void {
  const [first, ...more] = files.flatMap(({ path, state }) => (state === 'never' ? path : []))
  if (first === undefined) return
  add(
    'file-never',
    `${plural(more.length + 1, 'file')} it names ${isOrAre(more.length + 1)} not here and ${more.length === 0 ? 'was' : 'were'} not here when it was made: ${someOf([first, ...more], NAMES)}. The session may belong to another repository.`,
    more.length > 0 ? {} : { path: first },
  )
}

function addMerge({ base, conflicts, why }: TruthFacts['merge'], add: Add): void {
  if (why !== null) add('merge-unknown', `Whether it merges with its base was not tried: ${why}.`)
  else if (conflicts.length > 0)
    add(
      'conflict',
      `Merging with ${codeSpan(base ?? '')} conflicts in ${plural(conflicts.length, 'file')}: ${someOf(conflicts, NAMES)}.`,
    )
}

function addBranch({ branch, hasBranch }: TruthFacts, then: string | null, add: Add): void {
  if (then === null || then === branch) return
  const here = branch === null ? 'HEAD is detached' : `this is ${codeSpan(branch)}`
  if (hasBranch) add('branch-other', `It was written on ${codeSpan(then)}; ${here}.`)
  else add('branch-gone', `It was written on ${codeSpan(then)}, which no longer exists; ${here}.`)
}

/** A commit, as it is told. */
interface TruthCommit {
  sha: string
  subject: string
}

/** What became of a commit that HEAD does not have. */
type Fate =
  /** HEAD has it as another commit, of the same change (patch id) or of the same subject, author and date: it was rebased or picked. */
  | 'rebased'
  /** The files it changed are at HEAD as they were then: it was squashed. */
  | 'contained'
  | 'gone'

/** What git and the work tree tell of a brief now. */
export interface TruthFacts {
  /** Repository-relative file of the brief. */
  path: string
  /** The commit it was made at: in this clone, not known here, or none was there yet. */
  head: 'here' | 'unknown' | 'none'
  /** Where it is not known: the commit on which the brief stands in this history, which counts in its place. */
  standIn: string | null
  shallow: boolean
  /** HEAD and its branch; null before the first commit, and when detached. */
  now: string | null
  branch: string | null
  /** The branch of the brief exists, here or as a remote-tracking one. */
  hasBranch: boolean
  /** Commits since, without handoff's own, newest first; `count` stops at `most`. `restart`: where counting began, if history was rewritten. */
  commits: { listed: TruthCommit[]; count: number; own: number; restart?: string }
  /** Commits of then that HEAD lacks. `ref`: a branch that still has them all. */
  lacking: { listed: (TruthCommit & { fate: Fate })[]; count: number; ref: string | null }
  /** At which count of commits counting ended. */
  most: number
  files: FileTruth[]
  /** The merge with the base branch; `why` tells what stood in the way of trying. */
  merge: { base: string | null; conflicts: string[]; why: string | null }
  /** The text differs from what was first committed, or from what is committed now. */
  edited: 'since-commit' | 'in-work-tree' | null
  isCommitted: boolean
  /** Lines of the file on which conflict markers stand. */
  markers: number[]
}
