import type { Brief, GitState, LineCommit } from '../types.ts'
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
 * from the commit that it was made at, as long as that is among those that were read. What another goal merely brings into
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
  const committed = committedSince(before.head, git)
  const made = Date.parse(createdAt)
  const isLater = ({ at }: { at: string | null }): boolean => at !== null && Date.parse(at) > made
  const changed = changedSince(before, git, committed.files)
  const own = now.commands.filter(isLater)
  const told = [
    count(committed.count, 'commit'),
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

interface Fresh {
  count: number
  files: readonly string[]
}

/** What was committed since `head`: what HEAD's line of work has and that commit has not. */
function committedSince(head: string | null, git: GitState | null): Fresh {
  if (git === null || head === null) return { count: 0, files: [] }
  const at = git.commits.findIndex(({ sha }) => sha === head)
  const since = at === -1 && git.base?.sha !== head ? lineSince(head, git) : null
  if (since !== null) return since
  const commits = at === -1 ? (git.base?.sha === head ? git.commits : []) : git.commits.slice(0, at)
  return {
    count: at === -1 && git.base?.sha === head ? git.commitCount : commits.length,
    files: commits.flatMap(({ files }) => files),
  }
}

/** The same for a commit that lies before base or is a handoff itself; null when it was not read. */
function lineSince(head: string, git: GitState): Fresh | null {
  const line = new Map((git.lineage ?? []).map((commit) => [commit.sha, commit]))
  if (git.head === null || !line.has(head) || !line.has(git.head)) return null
  const before = reachable(line, head)
  const fresh = [...reachable(line, git.head)].flatMap((sha) => {
    const commit = line.get(sha)
    return commit === undefined || commit.own || before.has(sha) ? [] : commit
  })
  return { count: fresh.length, files: fresh.flatMap(({ files }) => files) }
}

function reachable(line: ReadonlyMap<string, LineCommit>, from: string): Set<string> {
  const found = new Set<string>()
  const open = [from]
  for (let sha = open.pop(); sha !== undefined; sha = open.pop()) {
    if (found.has(sha)) continue
    found.add(sha)
    open.push(...(line.get(sha)?.parents ?? []))
  }
  return found
}

/** Files of those commits, and those of the work tree where it was clean. */
function changedSince(before: KnownBefore, git: GitState | null, files: readonly string[]): Set<string> {
  const changes = before.dirty || git === null ? [] : git.changes
  return new Set([...files, ...changes.map(({ path }) => path)])
}

const count = (n: number, one: string): string => (n === 0 ? '' : plural(n, one))

const named = (one: string, texts: readonly string[]): string =>
  texts.length === 0 ? '' : `${one}${texts.length === 1 ? '' : 's'} ${someOf(texts, NAMES)}`

const settled = (n: number): string => (n === 0 ? '' : `${count(n, 'question')} no longer open`)
