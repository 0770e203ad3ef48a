import type { ParsedBrief } from '../brief/parse.ts'
import { plural, shortSha, someOf } from '../text/count.ts'
import { clipLine, codeSpan, escapeText } from '../text/safe-text.ts'
import type { CommandTruth, FileTruth } from '../types/checks.ts'

/** Stable codes; `findings` say that something the brief states is no longer so. */
export const truthCodes = {
  'brief-conflicted': 'finding',
  'brief-edited': 'finding',
  'head-unknown': 'finding',
  'commits-gone': 'finding',
  'file-gone': 'finding',
  'file-renamed': 'finding',
  'file-missing': 'finding',
  'file-made': 'finding',
  'file-back': 'finding',
  'command-gone': 'finding',
  conflict: 'finding',
  'no-commit-then': 'note',
  'not-committed': 'note',
  'commits-since': 'note',
  'own-commits': 'note',
  'commits-rebased': 'note',
  'commits-contained': 'note',
  'commits-elsewhere': 'note',
  'file-changed': 'note',
  'file-added': 'note',
  'file-never': 'note',
  'file-unknown': 'note',
  'file-dirty': 'note',
  'branch-other': 'note',
  'branch-gone': 'note',
  'merge-unknown': 'note',
  'not-verified': 'note',
} as const

type TruthCode = keyof typeof truthCodes

export interface TruthItem {
  code: TruthCode
  level: 'finding' | 'note'
  /** One safe line. */
  message: string
  /** The file or command it is about. */
  path?: string
  to?: string
  command?: string
}

/** Commits told by their subject, and paths in one line. */
const SUBJECTS = 5
const NAMES = 8

const item = (
  code: TruthCode,
  message: string,
  about: Pick<TruthItem, 'path' | 'to' | 'command'> = {},
): TruthItem => ({
  code,
  level: truthCodes[code],
  message,
  ...about,
})

export function itselfItems({
  head,
  standIn,
  shallow,
  edited,
  isCommitted,
  markers,
}: TruthFacts): TruthItem[] {
  const found: TruthItem[] = []
  if (markers.length > 0)
    found.push(
      item('brief-conflicted', `Conflict markers stand in the brief itself, line ${markers.join(', ')}.`),
    )
  if (edited !== null)
    found.push(
      item(
        'brief-edited',
        edited === 'since-commit'
          ? 'The brief was edited after it was first committed.'
          : 'The file in the work tree is not the brief that is committed.',
      ),
    )
  if (!isCommitted) found.push(item('not-committed', 'The brief is not in a commit of this branch.'))
  if (head === 'unknown')
    found.push(
      item(
        'head-unknown',
        `The commit it was made at is not in this clone${shallow ? ', which is shallow' : ''}, ${
          standIn === null
            ? 'so what changed since is not known; verify every fact.'
            : `its history was rewritten or is another one; what follows counts from ${shortSha(standIn)}, on which the brief stands here.`
        }`,
      ),
    )
  if (head === 'none')
    found.push(item('no-commit-then', 'It was made before the first commit: everything in git is newer.'))
  return found
}

export function lackingItems({ lacking: { listed, count, ref }, most }: TruthFacts): TruthItem[] {
  if (count === 0) return []
  const of = (fate: Fate) => listed.filter((commit) => commit.fate === fate)
  const [rebased, contained, gone] = [of('rebased'), of('contained'), of('gone')]
  // What lies beyond the limit was not looked at one by one.
  const lost = gone.length + (count - listed.length)
  return [
    ...(lost === 0
      ? []
      : [
          ref === null
            ? item(
                'commits-gone',
                `${counted(lost, most)} of then ${lost === 1 ? 'is' : 'are'} gone from this history, and so is the change: ${subjects(gone)}.`,
              )
            : item(
                'commits-elsewhere',
                `${counted(lost, most)} of then ${lost === 1 ? 'is' : 'are'} not in this checkout but on ${codeSpan(ref)}: ${subjects(gone)}.`,
              ),
        ]),
    ...(rebased.length === 0
      ? []
      : [
          item(
            'commits-rebased',
            `${plural(rebased.length, 'commit')} of then ${rebased.length === 1 ? 'stands' : 'stand'} here rewritten (rebased): ${subjects(rebased)}.`,
          ),
        ]),
    ...(contained.length === 0
      ? []
      : [
          item(
            'commits-contained',
            `${plural(contained.length, 'commit')} of then ${contained.length === 1 ? 'is' : 'are'} gone from this history, the files as ${contained.length === 1 ? 'it' : 'they'} left them are here: ${subjects(contained)}.`,
          ),
        ]),
  ]
}

export function commitItems({ commits: { listed, count, own }, most }: TruthFacts): TruthItem[] {
  return [
    ...(count === 0
      ? []
      : [item('commits-since', `${counted(count, most)} since: ${subjects(listed, count)}.`)]),
    ...(own === 0 ? [] : [item('own-commits', `${counted(own, most)} of handoff itself since.`)]),
  ]
}

const counted = (count: number, most: number): string =>
  count >= most ? `${count} commits or more` : plural(count, 'commit')

function subjects(commits: readonly TruthCommit[], count = commits.length): string {
  const named = commits
    .slice(0, SUBJECTS)
    .map(({ sha, subject }) => `${sha.slice(0, 8)} ${escapeText(clipLine(subject, 80))}`)
  const more = count - named.length
  return [...named, ...(more > 0 ? [`and ${more} more`] : [])].join('; ') || 'not looked at one by one'
}

export function fileItems({ path, state, to, lines, work }: FileTruth): TruthItem[] {
  const name = codeSpan(path)
  const much =
    lines === undefined || lines.added + lines.deleted === 0
      ? ''
      : `, +${lines.added} −${lines.deleted} lines`
  const found: TruthItem[] = []
  const add = (code: TruthCode, message: string) =>
    found.push(item(code, message, { path, ...(to === undefined ? {} : { to }) }))
  if (state === 'gone') add('file-gone', `${name} is gone${work === 'deleted' ? ', not committed yet' : ''}.`)
  else if (state === 'renamed') add('file-renamed', `${name} is ${codeSpan(to ?? '')} now${much}.`)
  else if (state === 'missing') add('file-missing', `${name} was in no commit then and is not here.`)
  else if (state === 'made') add('file-made', `${name} was still to be made then; it is here now.`)
  else if (state === 'back') add('file-back', `${name} was gone then; it is here again.`)
  else if (state === 'changed') add('file-changed', `${name} changed since${much}.`)
  else if (state === 'added') add('file-added', `${name} was committed since${much}.`)
  else if (state === 'unknown') add('file-unknown', `${name} is here; whether it changed since is not known.`)
  if (work === 'untracked') add('file-dirty', `${name} is in no commit.`)
  else if (work === 'conflicted') add('file-dirty', `${name} is in conflict in the work tree.`)
  else if (work === 'modified') add('file-dirty', `${name} has changes that are not committed.`)
  return found
}

/** In one line: a session of another repository names many. */
export function neverItems({ files }: TruthFacts): TruthItem[] {
  const never = files.flatMap(({ path, state }) => (state === 'never' ? path : []))
  if (never.length === 0) return []
  const [only] = never
  return [
    item(
      'file-never',
      `${plural(never.length, 'file')} it names cannot be checked here, since ${never.length === 1 ? 'it was' : 'they were'} not here when it was made either, as it says itself: ${someOf(never, NAMES)}. The session may be one of another repository.`,
      never.length > 1 || only === undefined ? {} : { path: only },
    ),
  ]
}

export function commandItem({ command, missing }: CommandTruth): TruthItem {
  const what = missing.map(({ kind, name, where }) =>
    kind === 'file' ? `the file ${codeSpan(name)}` : `the ${kind} ${codeSpan(name)} of ${codeSpan(where)}`,
  )
  const text = `${codeSpan(clipLine(command, 160))} cannot run as it did: ${what.join(' and ')} ${missing.length === 1 ? 'is' : 'are'} not here.`
  return item('command-gone', text, { command })
}

export function mergeItems({ merge: { base, conflicts, why } }: TruthFacts): TruthItem[] {
  if (why !== null) return [item('merge-unknown', `Whether it merges with its base was not tried: ${why}.`)]
  if (conflicts.length === 0) return []
  return [
    item(
      'conflict',
      `Merging with ${codeSpan(base ?? '')} conflicts in ${plural(conflicts.length, 'file')}: ${someOf(conflicts, NAMES)}.`,
    ),
  ]
}

export function branchItems(facts: TruthFacts, then: string | null): TruthItem[] {
  if (then === null || then === facts.branch) return []
  const here = facts.branch === null ? 'HEAD is detached' : `this is ${codeSpan(facts.branch)}`
  return [
    facts.hasBranch
      ? item('branch-other', `It was written on ${codeSpan(then)}; ${here}.`)
      : item('branch-gone', `It was written on ${codeSpan(then)}, which is no branch any more; ${here}.`),
  ]
}

export function unverifiedItems({ brief }: ParsedBrief): TruthItem[] {
  const told = [
    [brief.constraints.length, 'constraint'],
    [brief.decisions.length, 'decision'],
    [brief.questions.length, 'open question'],
    [brief.nextSteps.length, 'next step'],
  ] as [number, string, string?][]
  const parts = told.flatMap(([count, one, many]) => (count === 0 ? [] : [plural(count, one, many)]))
  return parts.length === 0
    ? []
    : [item('not-verified', `Not verified, since only a reader can: ${parts.join(', ')}.`)]
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
  /** Commits since, without handoff's own, newest first; `count` stops at `most`. */
  commits: { listed: TruthCommit[]; count: number; own: number }
  /** Commits of then that HEAD lacks. `ref`: a branch that still has them all. */
  lacking: { listed: (TruthCommit & { fate: Fate })[]; count: number; ref: string | null }
  /** At which count of commits counting ended. */
  most: number
  files: FileTruth[]
  commands: CommandTruth[]
  /** The merge with the base branch; `why` tells what stood in the way of trying. */
  merge: { base: string | null; conflicts: string[]; why: string | null }
  /** The text differs from what was first committed, or from what is committed now. */
  edited: 'since-commit' | 'in-work-tree' | null
  isCommitted: boolean
  /** Lines of the file on which conflict markers stand. */
  markers: number[]
}
