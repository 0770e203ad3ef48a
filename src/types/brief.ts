import type { CommandFact, DecisionFact, FileFact, QuestionFact, TextFact } from './evidence.ts'
import type { AgentId } from './session.ts'

/**
 * What became of a brief. `landed`: its work is in a trunk. `closed`: a `done` record ended it. `followed`: another brief went on from
 * it. People and agents are told of open briefs only.
 */
export type BriefState = 'open' | 'landed' | 'closed' | 'followed'

/** The working memory only the departing agent knows. Stored privately, told whole by the next brief. */
export interface Notes {
  schemaVersion: 1
  /** ISO 8601. */
  capturedAt: string
  capturedBySessionId: string | null
  branch: string | null
  head: string | null
  /** Markdown under the agent's own headings, unchanged; slots are lines of it. */
  page: string
  /** The goal it was written for; absent: whatever comes next. */
  goal?: string
  /** Who wrote it; absent: the agent of the session. `document`: the agent, as a file that was found. */
  by?: { person: string } | { model: string } | { document: string }
  /** The record that closed the work it was written for. */
  endedBy?: string
}

/** What an agent may give in parts: each becomes a labelled line of the page, `other` is a page itself. */
export interface NoteSlots {
  currentLineOfAttack: string | null
  activeHypothesis: string | null
  abandonedApproaches: string[]
  openQuestions: string[]
  decisions: { what: string; why: string | null; alternatives: string[] }[]
  blockers: string[]
  nextSteps: string[]
  information: string[]
  files: { path: string; reason: string }[]
  progress?: string[]
  other: string | null
}

export type Reason = 'manual' | 'context_limit' | 'shift_end' | 'task_boundary' | (string & {})

/** Front matter, schema version 1, in one level; a file groups it. Unknown keys are kept. */
export interface FrontMatter {
  schemaVersion: 1
  id: string
  goal: string
  branch: string | null
  createdAt: string
  agent: {
    id: AgentId | 'git'
    label: string
    version?: string
    model?: string
    thinking?: string
    tools?: string[]
    session?: string
    /** The session as it stood then, as `SessionCut` has it. */
    until?: string
  }
  /** The briefs that this one follows; empty for the first of a line of work. */
  parents: string[]
  head: string | null
  kind?: 'handoff' | 'done'
  reason: Reason
  base?: string
  dirty: boolean
  vague?: boolean
  focus?: string
  skills?: string[]
  persona?: string
  resumedFrom?: { id: string; createdAt: string }
  notes?: { capturedAt: string } | null
  extraction: { mode: 'none' | 'agent' | 'model'; model?: string; attempts: number }
  tokens: number
  limits?: Record<string, number>
  [key: string]: unknown
}

export interface Progress {
  /** Commits since base. */
  done: TextFact[]
  /** The dirty tree. */
  inProgress: TextFact[]
  /** Open plan and work items. */
  pending: TextFact[]
}

/** One handoff document as a value. Lists stand best first or in order of time, as the layout says per section. */
export interface Brief {
  meta: FrontMatter
  status: string[]
  notes: Notes | null
  /** How old the notes were, e.g. `3 h`, when stale ones are shown on purpose. */
  notesAge?: string
  /** The notes were held against session and repository; marks tell what does not hold. */
  notesChecked?: true
  /** The last message of the agent as lines of markdown, safe as they are. */
  closing: string[]
  /** The turns as lines of markdown, safe as they are. */
  trail: string[]
  /** What a model found, where one was asked. */
  information: TextFact[]
  constraints: TextFact[]
  decisions: DecisionFact[]
  progress: Progress
  files: FileFact[]
  /** The limitation line of Relevant Files. */
  limitation: string | null
  commands: CommandFact[]
  questions: QuestionFact[]
  nextSteps: TextFact[]
  previous: { id: string; createdAt: string; goal: string } | null
  /** Section id → the line that states what was cut there. */
  cuts: Record<string, string>
  /** The sentences under the title; null leaves them out, absent means the built-in ones. */
  preamble?: string | null
}
