import type { Carried } from '../brief/carry.ts'
import type { CurrentBrief } from '../briefs/current.ts'
import type { Extractor } from '../extract/extractor.ts'
import type { RepoSnapshot } from '../git/snapshot.ts'
import type { Scanner } from '../secrets/scanner.ts'
import type { PickedSession } from '../session/pick-session.ts'
import type { ReadSession } from '../session/read-session.ts'
import type { FrontMatter } from '../types/brief.ts'
import type { Config } from '../types/config.ts'
import type { Evidence } from '../types/evidence.ts'
import type { GitState } from '../types/git.ts'
import type { Truth } from '../verify/truth.ts'
import type { Workspace } from '../workspace/workspace.ts'
import type { PickedNotes } from './pick-notes.ts'
import type { Sources } from './read-sources.ts'

/** Everything a brief is made of, read. */
export interface Gathered {
  workspace: Workspace
  /** What was asked of git; null outside a repository. */
  reading: RepoSnapshot | null
  config: Config
  git: GitState | null
  picked: PickedSession | null
  session: ReadSession
  scanner: Scanner
  /** The open brief of this checkout; where there is none, the one that landed last: the parent of the new one. */
  current: CurrentBrief | null
  /** The parent is open and trusted, so that the new brief takes over what it hands down. */
  inherits: boolean
  /** All words are this person's own or trusted; false where an untrusted brief is resumed. */
  isOwn: boolean
  /** How many items of an open parent are left out because nobody trusts it. */
  leftOut: number
  notes: PickedNotes
  /** Names and quotes of the notes that nothing here holds; absent where they were not looked up. */
  unseen?: ReadonlySet<string>
  /** Decision and plan files of the repository. */
  sources: Sources
  /** For a brief that is made anew from an earlier one, which is `current`. */
  resumed?: Resumed
  /** What a model added, where one was asked. */
  extracted?: Extracted
}

/** What a model said of the session, held against the facts. */
export interface Extracted {
  meta: FrontMatter['extraction']
  /** Why there is nothing of it; null when there is. */
  failed: string | null
  join(evidence: Evidence): Evidence
}

/** What a resumed brief has besides what every brief is made of. */
export interface Resumed {
  carried: Omit<Carried, 'isAll'>
  /** The session as it stood when the brief was made; null without one. */
  earlier: Extractor | null
  /** Paths that differ from then. */
  changed: ReadonlySet<string>
  /** What was uncommitted then and is not here: one sentence. */
  left: string | null
  truth: Truth
  /** One line. */
  drift: string | null
}
