import type { Home } from './config.ts'

/** Which coding agent: the `id` of its adapter. The table in `src/agents/` is the one list of them. */
export type AgentId = string

/** One conversation on disk. */
export interface SessionRef {
  agent: AgentId
  id: string
  /** Absolute path of the transcript; `<file>#<id>` where one file holds many. */
  path: string
  /** Directory the session was started in, absolute, as recorded; null when the format does not say. */
  cwd: string | null
  startedAt: string | null
  /** ISO time of the last event when known from the file's tail, else the file's mtime. */
  updatedAt: string
  /** Size of the transcript in bytes. */
  bytes: number
  title?: string
  branch?: string
}

interface Stamp {
  /** ISO 8601, or null when the record has no time. */
  at: string | null
  /** Null in the main conversation, else the id or label of the subagent that did it. */
  sub: string | null
  /** Working directory in force, absolute, when the record tells; paths of the event are relative to it. */
  cwd: string | null
}

/** `from` is the old path of a rename. Paths are as the agent gave them: absolute or relative to `cwd`. */
export interface FileTouch {
  path: string
  change: 'create' | 'update' | 'delete' | 'rename'
  from?: string
}

/** What a tool call attempts, in the same few words for every agent. A call is an attempt; its result is the outcome. */
export type Action =
  | { type: 'read'; paths: string[] }
  | { type: 'edit'; files: FileTouch[] }
  | { type: 'run'; command: string }
  | { type: 'search'; pattern: string; paths: string[] }
  | { type: 'task'; prompt: string }
  | { type: 'other'; paths: string[] }

export interface PlanItem {
  text: string
  status: 'pending' | 'in_progress' | 'done' | 'cancelled'
  /** Texts or ids this item waits for. */
  blockedBy?: string[]
  id?: string
}

/** One normalised thing in a session. Adapters translate; they never summarise, judge or render. */
export type SessionEvent = Stamp &
  (
    | {
        /** The person's own words. Injected, meta and tool-result rows are never prompts. */
        kind: 'prompt'
        text: string
      }
    | {
        /** Text the agent said to the person. */
        kind: 'reply'
        text: string
      }
    | {
        kind: 'call'
        id: string
        /** The tool's name in its own agent. */
        tool: string
        action: Action
        /** `user` for the person's own shell rows (`!` commands). */
        by: 'agent' | 'user'
      }
    | {
        kind: 'result'
        /** Id of the call it answers. */
        id: string
        ok: boolean
        /** Numeric exit status of a shell command; null when the format has none. */
        exitCode: number | null
        /** Output, cut at line boundaries to at most 4,000 characters (head and tail). */
        text: string
        /** Files really changed, when the result knows better than the call. */
        files?: FileTouch[]
        /** The person refused it, or stopped it in the middle. */
        refused?: boolean
        /** The words with which the person refused it. With `refused`. */
        reason?: string
        /** Nobody refused it: the client never made the call, since one beside it failed or no leave was given. With `refused`. */
        byClient?: true
        /** The record does not tell how it ended (a shell row of the person, a command sent to the background): `ok` means nothing. */
        unsure?: boolean
      }
    | {
        /** The whole plan as it stands after this event. */
        kind: 'plan'
        items: PlanItem[]
      }
    | {
        /** The agent asked the person through its question tool. */
        kind: 'question'
        id: string
        text: string
        options: string[]
      }
    | { kind: 'answer'; id: string; text: string }
    | {
        /** A plan the agent proposed; `accepted` null while unanswered. */
        kind: 'proposal'
        text: string
        accepted: boolean | null
      }
    | {
        /** The agent's context was summarised; what stood before is still in the stream when it is on file. */
        kind: 'compaction'
        summary: string
      }
    | { kind: 'skill'; name: string }
    | {
        /** Facts about the session; a later value replaces an earlier one. */
        kind: 'setting'
        model?: string
        thinking?: string
        tools?: string[]
        version?: string
        branch?: string
        title?: string
      }
    | {
        /** Counted once per model reply. `contextTokens`: what the last request held. */
        kind: 'usage'
        inputTokens: number
        outputTokens: number
        contextTokens: number
        contextWindow: number | null
      }
    | {
        /** The agent itself failed: API error, rate limit. */
        kind: 'failure'
        text: string
      }
    | {
        /** The person stopped the agent. */
        kind: 'interrupt'
      }
  )

/** Where a session ends that is handed over as it stood at an earlier time. */
export interface SessionCut {
  /** `turn 7`, or a time (ISO 8601): it finds the same place again. */
  until: string
  /** The turn in which it ends, of how many, and when that began. */
  turn: number
  turns: number
  at: string | null
  /** From then on all is left out; null where the session does not tell. */
  end: string | null
}

/** Events as they come, some at a time. */
export type Batches = AsyncGenerator<SessionEvent[]>

export interface ReadOptions {
  signal?: AbortSignal | undefined
  /** Where a program is found that has to be asked for the session; absent: this process's own surroundings. */
  place?: Home
  /** Bytes of a file that is read whole; a larger one is refused. Absent: 512 MB. */
  largest?: number
  /** Called with every raw block of a file before anything is skipped, and where it stands; the buffer is reused afterwards. */
  onRaw?: (block: Buffer, from: { path: string; offset: number }) => void
  /** Called once per line that could not be used, with the reason, and its number in its file, from 1 on, where it is damaged. */
  onSkip?: (reason: 'torn' | 'not-json' | 'unknown', line?: number) => void
}

/** A text, or the parts of one; a part without text, such as a picture, says nothing. */
type Content = string | { type: string; text?: string }[]

/** What was said or done at one moment of a conversation, as the Agent Trajectory Interchange Format has it (1.0 to 1.8). */
export interface AtifStep {
  source: 'user' | 'agent' | 'system'
  message: Content
  /** ISO 8601. */
  timestamp?: string
  /** Names that common agents give their tools are known: `Edit`, `read_file`, `Bash`. */
  tool_calls?: { tool_call_id: string; function_name: string; arguments: object; extra?: object }[]
  /** What came of the calls. */
  observation?: { results: { source_call_id?: string; content?: Content; extra?: object }[] }
  metrics?: { prompt_tokens?: number; completion_tokens?: number }
  extra?: object
}
