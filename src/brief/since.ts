import type { Brief, GitState } from '../types.ts'
import { plural, someOf } from './count.ts'

/** What the brief before this one told, to say what is new. */
export interface KnownBefore {
  head: string | null
  /** The work tree had changes: which ones it did not list is not known. */
  dirty: boolean
  files: readonly string[]
  commands: readonly string[]
  decisions: readonly string[]
  /** Texts of the questions that stood open. */
  open: readonly string[]
}

/** Names listed of each kind; all of them stand in their own sections. */
const NAMES = 3

/**
 * What happened since the brief before was made, at `createdAt`, as one safe line; null when nothing did. Commits count
 * from the commit that it was made at, when that is still among those since base. What another goal merely brings into
 * the list is not new: files count when git changed them since, commands and decisions by their time.
 */
export function sinceThen(
  before: KnownBefore,
  createdAt: string,
  now: Pick<Brief, 'files' | 'commands' | 'decisions' | 'questions'>,
  git: GitState | null,
): string | null {
  const fresh = (texts: readonly string[], known: readonly string[]): string[] => {
    const held = new Set(known)
    return texts.filter((text) => !held.has(text) && !text.includes('\n'))
  }
  const commits = commitsSince(before.head, git)
  const made = Date.parse(createdAt)
  const isLater = ({ at }: { at: string | null }): boolean => at !== null && Date.parse(at) > made
  const changed = changedSince(before, git, commits)
  const own = now.commands.filter((fact) => !fact.habit && isLater(fact))
  const told = [
    count(commits, 'commit'),
    named(
      'new file',
      fresh(
        now.files.map(({ path }) => path).filter((path) => changed.has(path)),
        before.files,
      ),
    ),
    named(
      'new command',
      fresh(
        own.map(({ command }) => command),
        before.commands,
      ),
    ),
    count(
      fresh(
        now.decisions.filter(isLater).map(({ what }) => what),
        before.decisions,
      ).length,
      'new decision',
    ),
    settled(
      fresh(
        before.open,
        now.questions.map(({ text }) => text),
      ).length,
    ),
  ].filter((part) => part !== '')
  return told.length === 0 ? null : told.join('; ')
}

function commitsSince(head: string | null, git: GitState | null): number {
  if (git === null || head === null) return 0
  const at = git.commits.findIndex(({ sha }) => sha === head)
  if (at !== -1) return at
  return git.base?.sha === head ? git.commitCount : 0
}

/** Files of the first `commits` commits, and those of the work tree where it was clean. */
function changedSince(before: KnownBefore, git: GitState | null, commits: number): Set<string> {
  if (git === null) return new Set()
  const changes = before.dirty ? [] : git.changes
  return new Set([
    ...git.commits.slice(0, commits).flatMap(({ files }) => files),
    ...changes.map(({ path }) => path),
  ])
}

const count = (n: number, one: string): string => (n === 0 ? '' : plural(n, one))

const named = (one: string, texts: readonly string[]): string =>
  texts.length === 0 ? '' : `${one}${texts.length === 1 ? '' : 's'} ${someOf(texts, NAMES)}`

const settled = (n: number): string => (n === 0 ? '' : `${count(n, 'question')} no longer open`)
