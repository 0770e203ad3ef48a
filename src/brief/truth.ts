import { plural } from '../text/count.ts'
import type { ParsedBrief } from './parse.ts'
import {
  branchItems,
  commandItem,
  commitItems,
  fileItems,
  itselfItems,
  lackingItems,
  mergeItems,
  neverItems,
  type TruthCode,
  unverifiedItems,
} from './truth-items.ts'

export type { TruthCode }

/** A commit, as it is told. */
export interface TruthCommit {
  sha: string
  subject: string
}

/** What became of a commit that HEAD does not have. */
export type Fate =
  /** HEAD has it as another commit, of the same change (patch id) or of the same subject, author and date: it was rebased or picked. */
  | 'rebased'
  /** The files it changed are at HEAD as they were then: it was squashed. */
  | 'contained'
  | 'gone'

export interface FileTruth {
  /** As the brief names it. */
  path: string
  /**
   * `made`: to be made then, here now; `back`: gone then, here now; `added`: in git only since; `missing`: neither in git
   * then nor here now; `never`: the same, and the brief itself says that nothing confirmed it; `unknown`: what stood there then is not known here.
   */
  state:
    | 'same'
    | 'changed'
    | 'renamed'
    | 'gone'
    | 'made'
    | 'planned'
    | 'back'
    | 'added'
    | 'missing'
    | 'never'
    | 'unknown'
  /** Where a renamed one is now. */
  to?: string
  /** Lines added and deleted since; absent for what is not text. */
  lines?: { added: number; deleted: number }
  /** How it stands in the work tree, when that is not HEAD. */
  work?: 'modified' | 'deleted' | 'untracked' | 'conflicted'
}

/** What a command calls and is not defined any more. */
export interface CommandTruth {
  command: string
  cwd: string | null
  missing: { kind: 'script' | 'target' | 'recipe' | 'task' | 'file'; name: string; where: string }[]
}

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

/** Is the brief still true: everything found, findings first. */
export interface Truth extends TruthFacts {
  id: string
  stillTrue: boolean
  items: TruthItem[]
}

/** Judges what was found. */
export function judgeTruth(facts: TruthFacts, parsed: ParsedBrief): Truth {
  const items = [
    ...itselfItems(facts),
    ...lackingItems(facts),
    ...facts.files.flatMap(fileItems),
    ...neverItems(facts),
    ...facts.commands.map(commandItem),
    ...mergeItems(facts),
    ...commitItems(facts),
    ...branchItems(facts, parsed.meta.branch),
    ...unverifiedItems(parsed),
  ]
  const sorted = [
    ...items.filter(({ level }) => level === 'finding'),
    ...items.filter(({ level }) => level === 'note'),
  ]
  return { ...facts, id: parsed.meta.id, stillTrue: sorted[0]?.level !== 'finding', items: sorted }
}

/** How many things the brief states are no longer so. */
export const findingsIn = ({ items }: Pick<Truth, 'items'>): number =>
  items.filter(({ level }) => level === 'finding').length

/** The verdict in one safe line. */
export function verdictLine(truth: Pick<Truth, 'items'>): string {
  const found = findingsIn(truth)
  return found === 0
    ? 'Nothing that was checked contradicts it.'
    : `${plural(found, 'thing')} it states or relies on ${found === 1 ? 'is' : 'are'} no longer so.`
}
