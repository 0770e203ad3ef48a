import type { AgentId, PlanItem, SessionCut } from './session.ts'

export type Source = 'git' | 'transcript' | 'agent' | 'model' | 'user'

/** Kinds of evidence for a file, strongest first. */
export type FileEvidence =
  | 'goal'
  | 'edited'
  | 'created'
  | 'deleted'
  | 'renamed'
  | 'uncommitted'
  | 'committed'
  | 'failing'
  | 'planned'
  | 'read'
  | 'searched'
  | 'command'
  | 'named'

/** Where a fact of a brief comes from. */
export interface Sourced {
  source: Source
  /** Id of the brief it was inherited or carried from. */
  from?: string
  /** First digits of the commit at which that brief was made, where a resumed brief carries it. */
  fromHead?: string
}

export interface FileFact extends Sourced {
  /** Relative to the repository root. */
  path: string
  /** Why this file, one clause. */
  reason: string
  evidence: FileEvidence[]
  /** `planned`: named to be made, and not there; `gone`: deleted or no longer here; `unverified`: nothing confirms it. */
  mark?: 'planned' | 'gone' | 'unverified'
}

export interface CommandFact extends Sourced {
  /** Byte for byte as it was run. */
  command: string
  outcome: 'ok' | 'failed' | 'unknown'
  exitCode: number | null
  /** Relative to the repository root; null for the root itself. */
  cwd: string | null
  kind: 'build' | 'test' | 'lint' | 'run' | 'git' | 'deploy' | 'install' | 'other'
  runs: number
  at: string | null
  /** Of a check: files were edited after it ran. */
  stale?: boolean
}

/** A sentence with its source. `at` in ISO 8601. */
export interface TextFact extends Sourced {
  text: string
  at: string | null
  /** Of a rule that was recognised: how sure it is one. */
  certainty?: number
}

export interface DecisionFact extends Sourced {
  what: string
  why: string | null
  alternatives: string[]
  /** `project`: it stands in a decision record of the repository. */
  by: 'user' | 'agent' | 'project'
  at: string | null
}

export interface QuestionFact extends TextFact {
  kind: 'question' | 'failing' | 'blocker' | 'risk'
}

/** What a session, and git since, say of items that earlier briefs left. */
export interface Heard {
  /** What the person said, oldest first. */
  said: readonly string[]
  /** Paths that it changed, or that are not committed. */
  changed: readonly string[]
  /** It changed code. */
  isEdited: boolean
}

/** The last check (test, build, lint) that ran, with its result. */
export interface CheckFact {
  command: string
  outcome: CommandFact['outcome']
  exitCode: number | null
  /** First line of the output that tells the error; null when it passed. */
  firstError: string | null
  at: string | null
  /** Files were edited after it ran. */
  stale?: boolean
}

/** What is known about the departing agent. */
export interface AgentFacts {
  id: AgentId
  label: string
  version: string | null
  model: string | null
  thinking: string | null
  session: string | null
  /** As `SessionCut` has it: what came later in the session is left out on purpose. */
  until?: string
}

/** One thing that came of a request, in the words of whoever said it. */
export interface Step {
  /** `said`: a reply; `summary`: what a client kept of turns that it dropped. */
  kind: 'said' | 'answer' | 'refused' | 'interrupt' | 'plan' | 'commit' | 'summary'
  text: string
  at: string | null
}

/** What the person asked and what came of it. */
export interface Turn {
  /** Empty for a turn that no words of the person began. */
  request: string
  /** The question that a short answer was given to; null for none. */
  to: string | null
  at: string | null
  steps: Step[]
  /** Its last message is told by itself (`Closing`): what is left was said on the way. */
  isUnderWay?: true
  /** Names of files that a later request names and a later turn changed. */
  revised?: string[]
  /** The next request was to do all that it found, and that was done. */
  isSettled?: true
  /** The person's prompt was the pointer to a brief, and `request` is empty. */
  isPointer?: true
}

/** The last message of the agent. */
export interface Closing {
  text: string
  at: string | null
  /** What happened after it or speaks against it, one sentence each. */
  after: string[]
}

/** What a session did with git, by its own commands. */
export interface SessionWork {
  branch: string | null
  /** Oldest first; without an id where git did not tell it or rewrote it since; `isPushed` null where something else was pushed. */
  commits: {
    branch: string | null
    sha: string | null
    subject: string
    isPushed: boolean | null
    /** The folder of another repository, where it was made. */
    place?: string
  }[]
  /** It edited files after its last commit. */
  isEdited: boolean
  /** Another worktree than this one, that the session was in last. */
  worktree: string | null
  /** A command of the last turn that has no result yet. */
  running?: string
  /** It was recorded in another repository than this one. */
  isElsewhere?: true
  /** It is told up to there alone. */
  cut?: SessionCut
}

/** A pull request, issue or discussion: `PR #12`. */
export interface Reference {
  name: string
  url: string | null
  /** As the last command about it told: `open`, `merged`, `closed`. */
  state?: string
}

/** The facts of one piece of work, redacted, canonical, best first. Pure value: same inputs, same bytes. */
export interface Evidence {
  files: FileFact[]
  commands: CommandFact[]
  constraints: TextFact[]
  /** What a model found, where one was asked. */
  information: TextFact[]
  decisions: DecisionFact[]
  questions: QuestionFact[]
  plan: PlanItem[]
  /** Steps of earlier briefs that nobody has done. */
  pending?: TextFact[]
  heard: Heard
  lastCheck: CheckFact | null
  /** The last run of every check, and of what may be a test by its words, in order of time. */
  checks: { command: string; kind: CommandFact['kind']; outcome: CommandFact['outcome'] }[]
  closing: Closing | null
  /** Without the closing message. Oldest first. */
  turns: Turn[]
  /** Turns that nobody remembers any more. */
  forgotten: number
  work: SessionWork | null
  references: Reference[]
  skills: string[]
  agent: AgentFacts | null
  /** Prompts and replies of the main conversation. */
  messages: number
  /** Time of the last event. */
  endedAt: string | null
  /** Something may be missing: the sentence that says so. */
  limitations: string[]
}
