/**
 * The shapes that flow, on one page. Imports nothing.
 *
 * agents: SessionRef → SessionEvent…   git: GitState   extract: events + git + goal → Evidence
 * brief: goal + Evidence + notes + parent → Brief → markdown   validate: markdown + Facts → Finding[]
 */

// ---------------------------------------------------------------- where we are

/** Everything a command may know about its surroundings; tests point it at a temporary folder. */
export interface Place {
  /** Absolute directory the command works in (process cwd or `--cwd`). */
  root: string
  /** Home directory, absolute. */
  home: string
  env: Readonly<Record<string, string | undefined>>
  now: () => Date
  /** A new brief id: time = max(now, parent + 1 ms), UTC. `parent` is a brief id or null. */
  newId: (parent: string | null) => string
  signal?: AbortSignal
}

// ---------------------------------------------------------------- sessions

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

/** Where an event stands. */
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
  /** The file of the repository it stands in; absent for the agent's own plan. */
  path?: string
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
        /** The person refused or interrupted it: it did not happen. */
        refused?: boolean
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

export interface ReadOptions {
  signal?: AbortSignal
  /** Where a program is found that has to be asked for the session; absent: this process's own surroundings. */
  place?: Pick<Place, 'home' | 'env'>
  /** Called with every raw block of a file before anything is skipped, and where it stands; the buffer is reused afterwards. */
  onRaw?: (block: Buffer, from: { path: string; offset: number }) => void
  /** Called once per line that could not be used, with the reason. */
  onSkip?: (reason: 'torn' | 'not-json' | 'unknown') => void
  /**
   * Called when what was told up to now, events and skipped lines, counts no more, since a later record took some of it
   * back: all is told anew. A caller without it gets a reading that knows beforehand, at the price of a pass over the file.
   */
  onRestart?: () => void
}

/** What the environment says about who called us. */
export interface Caller {
  agent: AgentId
  sessionId: string | null
  path: string | null
}

/** Everything known about one coding agent. One file in `src/agents/`, one line in its table. */
export interface Adapter {
  id: AgentId
  /** Name people use, e.g. `Claude Code`. */
  label: string
  /** Environment variable names that mark a process started by this agent. */
  marks: string[]
  caller(env: Place['env']): Caller | null
  /**
   * Sessions whose working directory lies in one of `roots` (absolute, real paths), newest first. `onUnread` is told of files of sessions
   * there that cannot be read, with the time of their last change in ms since 1970.
   */
  find(
    place: Pick<Place, 'home' | 'env' | 'signal'>,
    roots: string[],
    onUnread?: (error: Error, changedAt: number) => void,
  ): Promise<SessionRef[]>
  /**
   * For an agent whose `find` is costly: when the newest thing that it could find may have been written, in ms since 1970,
   * told without looking; null when there is nothing.
   */
  lastWrite?(place: Pick<Place, 'home' | 'env'>): Promise<number | null>
  /** Reads one file as a session of this agent, or null when the first bytes are not its format. */
  identify(path: string, head: string): Promise<SessionRef | null>
  /**
   * The active conversation in order of time, subagents included, in batches as they come: a wait for each event would take
   * longer than to make it. Throws `sessionUnreadable`, `sessionEmpty`.
   */
  read(ref: SessionRef, options: ReadOptions): AsyncIterable<readonly SessionEvent[]>
  /** The session as the text of one JSON file that `identify` takes for it; null, or absent, where its own file is that. */
  text?(ref: SessionRef, options: Pick<ReadOptions, 'place' | 'signal'>): Promise<string | null>
  /** How full the context was at the last request of the session, from the end of its file; null when that is not known. */
  fullness?(
    ref: Pick<SessionRef, 'id' | 'path'>,
    place: Pick<Place, 'home' | 'env'>,
  ): Promise<Fullness | null>
  hooks?: HookDialect
  /** What `init` puts into this agent's settings, in this order; absent when nothing can be put there. */
  setup?(place: SetupPlace): SetupEdit[]
  /** Files and folders that show, in the repository and at home, that this agent is used; absolute. */
  traces?(place: Pick<SetupPlace, 'root' | 'home' | 'env'>): { project: string[]; home: string[] }
  /** A skill or command of the person's own, named `handoff` too, that wins over the one of `init`; its absolute path, or null. */
  shadow?(place: Pick<Place, 'home' | 'env'>): string | null
  /** What a person must still do after `init`, one sentence each. */
  afterSetup?: string[]
  /** What the agent's person has told it about running hooks here, read from its own files; absent where those are not known. */
  trust?(place: SetupPlace): Promise<HookTrust>
  launch?: Launch
}

/** What one request held, in tokens, against the model's window. */
export interface Fullness {
  tokens: number
  window: number
  /** Tokens at which the client compacts by itself, where that is before the window is full. */
  compactsAt?: number
}

/** What happens in an agent that a hook may tell us, in the same words for every agent. */
export type HookEvent = 'session-start' | 'prompt' | 'stop' | 'pre-compact' | 'session-end' | 'interrupt'

/** What a hook's payload says; null where the agent does not say it. */
export interface HookCall {
  sessionId: string | null
  /** Absolute path of the transcript; it may not exist yet. */
  path: string | null
  /** Absolute directory the agent works in. */
  cwd: string | null
  /** Why the event came, in the agent's own word: `startup`, `resume`, `clear`, `compact`, `manual` … */
  source: string | null
  /** The person's prompt or the agent's last reply, when the payload has it. */
  text: string | null
  /** The agent's own figure, where its file has none. */
  fullness: Fullness | null
}

/** How an agent's hooks speak: JSON on standard input, an answer on standard output. */
export interface HookDialect {
  /** Throws nothing: a payload of an unknown shape is a call of nulls. */
  read(payload: unknown): HookCall
  /**
   * What to print so that `context` reaches the model and `notice` the person; either may be null. Empty when nothing is to
   * be said or the event takes no answer.
   */
  answer(event: HookEvent, say: { context: string | null; notice: string | null }): string
  /** What to print at `stop` so that the agent takes `text` for its next prompt; absent where no hook can do that. */
  goOn?(text: string): string
  /** False when the agent throws away what it is told at this call; absent: it never does. */
  isHeard?(event: HookEvent, call: HookCall): boolean
}

/** Where `init` works: absolute paths. */
export interface SetupPlace {
  /** Top level of the worktree. */
  root: string
  home: string
  env: Place['env']
  /** The one line of shell that calls our hook runner, constant over versions (Codex asks for trust again when it changes). */
  hookCommand: (event: HookEvent) => string
  /** Program and arguments of the MCP server. */
  mcp: { command: string; args: string[] }
  /** Texts of `templates/agents/`, by file name. */
  template: (name: string) => string
}

/** What an agent must be told by its person before it runs hooks of a repository. */
export interface HookTrust {
  /** False: it does not trust this folder, or was never asked. */
  folder: boolean
  /** Hooks of ours that it skips until it is told to trust them, by its own name of the event. */
  waiting: string[]
  /** The file that says so, absolute. */
  where: string
}

/** One change to a file; applied and undone by `src/hooks/`. `path` is absolute. */
export type SetupEdit =
  | {
      /** A whole file of ours. One that is there already with other content is foreign: it is left alone and said. */
      type: 'file'
      path: string
      content: string
    }
  | {
      /** JSON, comments allowed: the member at `at` gets `value`; one that is there with another value is foreign. */
      type: 'json-value'
      path: string
      at: string[]
      value: unknown
    }
  | {
      /** JSON, comments allowed: the array at `at` gets `value` as its last element, once. */
      type: 'json-item'
      path: string
      at: string[]
      value: unknown
    }
  | {
      /** Lines between two marker lines at the end of a text file; `comment` is how the format starts (and ends) a comment. */
      type: 'block'
      path: string
      comment: '#' | '<!--'
      text: string
      /** The file is a script that is run: a new one is executable and begins with `#!/bin/sh`. */
      isScript?: true
    }
  | {
      /** YAML: the member at `at` gets `value`; one that is there with another value is foreign. */
      type: 'yaml-value'
      path: string
      at: string[]
      value: unknown
    }
  | {
      /** YAML: the list at `at` gets `value` as its last element, once. */
      type: 'yaml-item'
      path: string
      at: string[]
      value: unknown
    }
  | {
      /**
       * An executable of ours in a folder of git hooks. Whatever is there already, script, program or link, is kept beside it as
       * `<path>.before-handoff`, which ours calls first.
       */
      type: 'hook'
      path: string
      content: string
    }

/** How a successor is started. The brief itself never travels on the command line. */
export interface Launch {
  /** Program looked up on PATH. */
  program: string
  /** Interactive form with `prompt` submitted at once, under the agent's own permission defaults. */
  interactive(prompt: string): LaunchArgs
  /** One turn without a terminal. */
  headless(prompt: string): LaunchArgs
  /** Names of environment variables handed on besides the common ones; a trailing `*` stands for any ending. */
  passEnv: string[]
  /** How a skill of this name is called in a prompt, e.g. `/name` or `$name`. */
  skillLine(name: string): string
  /** What its set-up calls our command, where that is no skill named `handoff`. */
  handoffLine?: string
  /** What stands on its screen when it takes input, when it runs in a terminal multiplexer. */
  ready: RegExp
  /** What stands there besides while a turn is under way; absent: nobody has looked, so the screen is not believed. */
  busy?: RegExp
  /** What a person types to end it. */
  exitLine: string
  /** Its shell refuses a command with backquotes, also where they are quoted. */
  refusesBackquotes?: true
  /** How one question is put to its model; absent: it cannot be asked. */
  ask?: Ask
  /** How its session is asked one question more, in a fork; absent: it has none, and what was said goes to `ask`. */
  fork?: Fork
}

/** One question in a fork of a session: the session stays as it is, and no tool runs. The answer is read as that of `ask`. */
export interface Fork {
  /** `scratch`: an empty folder that goes afterwards. The prompt comes on standard input. */
  args(session: Pick<SessionRef, 'id' | 'path'>, model: string | null, scratch: string): string[]
  /** It finds the session only from the folder that it began in. */
  inPlace?: true
  /** What takes the fork out again where one was kept, from what was printed. */
  undo?(stdout: string): string[] | null
}

/** One question to an agent's own model, on its own login: the prompt on standard input, no session kept, no tools where it can be told so. */
export interface Ask {
  /** `model`: as the agent names it; null: whichever it takes by itself. */
  args(model: string | null): string[]
  env?: Readonly<Record<string, string>>
  /** The one provider whose models it knows; absent: models are named `provider/model`. */
  provider?: string
  /** It takes a model as `provider/model` alone. */
  needsProvider?: true
  /** Characters by which a prompt calls in files or skills: none of them may reach it. */
  expands: string
  /** The text blocks of the answer in what it printed. */
  blocks(stdout: string): string[]
  /** What it says itself of a question that failed, from its own records; null when it says nothing. `model`: as it was told. */
  failure(printed: { stdout: string; stderr: string }, model: string | null): AskFailure | null
}

export interface AskFailure {
  /** A sentence, as it stands there. */
  said: string
  /** True only where its record is known to mean that. */
  isUnknownModel?: boolean
}

export interface LaunchArgs {
  args: string[]
  /** Given on standard input; absent: standard input is the terminal, or empty when headless. */
  stdin?: string
}

// ---------------------------------------------------------------- git

export type Operation = 'merge' | 'rebase' | 'am' | 'cherry-pick' | 'revert' | 'bisect'

export interface GitChange {
  /** Relative to the repository root, `/` separators. */
  path: string
  /** Old path of a rename or copy. */
  from?: string
  /** How it stands: `staged` and `unstaged` may both hold. */
  staged: boolean
  unstaged: boolean
  state: 'added' | 'modified' | 'deleted' | 'renamed' | 'untracked' | 'conflicted' | 'type-changed'
}

export interface GitCommit {
  sha: string
  subject: string
  /** ISO 8601. */
  at: string
  /** Trailer lines `Key: value`. */
  trailers: string[]
  /** Without those in `.handoff/`. */
  files: GitChange['path'][]
}

/** Where a commit stands in the line of work. */
export interface LineCommit {
  sha: string
  parents: readonly string[]
  /** Without those in `.handoff/`. */
  files: readonly string[]
  /** It touches nothing but `.handoff/`. */
  own?: true
}

/** Paths of files, `/` between their parts. To go through all of them makes a string of each. */
export interface PathSet extends Iterable<string> {
  has(path: string): boolean
  /** Some file lies in this folder, or in one below it. */
  hasFolder(path: string): boolean
  /** Those whose last part is `name`, but for its ending and for large and small letters. */
  namedLike(name: string): string[]
}

/** What git knows, read once. */
export interface GitState {
  /** Absolute top level of this worktree. */
  root: string
  /** Absolute top levels of all worktrees, this one first. */
  worktrees: string[]
  /** Null when detached; during a rebase or bisect the branch that git will come back to. */
  branch: string | null
  /** Full commit id; null when unborn. */
  head: string | null
  upstream: string | null
  ahead: number | null
  behind: number | null
  /** The branch this one grew from, and where. */
  base: { ref: string; sha: string } | null
  operation: Operation | null
  /** Changes outside `.handoff/`. */
  changes: GitChange[]
  /** Commits since base, newest first, at most 50, without those that touch only `.handoff/`. */
  commits: GitCommit[]
  /** How many there were in all. */
  commitCount: number
  /** What the same reading told of HEAD's line of work, newest first: the commits since base, our own too, and some before. */
  lineage?: readonly LineCommit[]
  stashes: number
  shallow: boolean
  sparse: boolean
  /** Tracked paths at HEAD or in the index, and untracked ones that are not ignored. */
  files: PathSet
  /** Old path → new path, from renames in `commits` and `changes`. */
  renames: ReadonlyMap<string, string>
  /** `user.name` and `user.email`, to keep user names out of briefs; empty when unset. */
  identity: { name: string; email: string }
}

// ---------------------------------------------------------------- evidence

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
  | 'together'

export interface FileFact {
  /** Relative to the repository root. */
  path: string
  /** Why this file, one clause. */
  reason: string
  evidence: FileEvidence[]
  source: Source
  /** `planned`: named to be made, and not there; `gone`: deleted or no longer here; `unverified`: nothing confirms it. */
  mark?: 'planned' | 'gone' | 'unverified'
  /** Id of the brief it was carried from. */
  from?: string
  /** First digits of the commit at which that brief was made, where a resumed brief carries it. */
  fromHead?: string
  /** Without what a model added to the reason; it gives way when space is short. Never rendered. */
  plain?: Pick<FileFact, 'reason' | 'source'>
}

export interface CommandFact {
  /** Byte for byte as it was run. */
  command: string
  outcome: 'ok' | 'failed' | 'unknown'
  exitCode: number | null
  /** Relative to the repository root; null for the root itself. */
  cwd: string | null
  kind: 'build' | 'test' | 'lint' | 'run' | 'git' | 'deploy' | 'install' | 'other'
  runs: number
  source: Source
  at: string | null
  /** `gone`: what it calls is not defined here any more. */
  mark?: 'gone'
  from?: string
  fromHead?: string
}

/** A sentence with its source. `at` in ISO 8601. */
export interface TextFact {
  text: string
  source: Source
  at: string | null
  /** Id of the brief it was inherited from. */
  from?: string
  fromHead?: string
}

export interface DecisionFact {
  what: string
  why: string | null
  alternatives: string[]
  /** `project`: it stands in a decision record of the repository. */
  by: 'user' | 'agent' | 'project'
  source: Source
  at: string | null
  from?: string
  fromHead?: string
}

/** What a decision record says. */
export interface RecordedDecision {
  title: string
  status: 'accepted' | 'proposed' | 'rejected' | 'deprecated' | 'superseded' | null
  /** What took its place, as the record names it. */
  supersededBy: string | null
  /** The option that was taken, when the record says more than its title. */
  chosen: string | null
  why: string | null
  alternatives: string[]
}

/** A decision or plan file of the repository (configuration key `sources`), read. */
export interface SourceRecord {
  path: string
  decision: RecordedDecision | null
  items: PlanItem[]
}

/** Commits and files that belong to one ticket. */
export interface TicketFact {
  /** `ABC-123`, or `#123` for every form of a bare number. */
  id: string
  /** The branch is named after it: it has the commits that name no other. */
  ofBranch: boolean
  /** Full ids, newest first. */
  commits: string[]
  files: string[]
}

export interface QuestionFact extends TextFact {
  kind: 'question' | 'failing' | 'blocker' | 'risk'
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
  /** A check of the same kind ran after it, and its output shows no end. */
  unclearSince?: boolean
  /** Of one that failed: what the agent said next. */
  said?: string
}

export interface Dropped {
  kind: 'file' | 'command' | 'other'
  text: string
  why: string
}

/** What is known about the departing agent. */
export interface AgentFacts {
  id: AgentId
  label: string
  version: string | null
  model: string | null
  thinking: string | null
  tools: string[]
  session: string | null
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
  commits: { branch: string | null; sha: string | null; subject: string; isPushed: boolean | null }[]
  /** It edited files after its last commit. */
  isEdited: boolean
  /** It ran `git commit`, whatever came of it. */
  hasTried: boolean
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
  /** How much of the repository's plan files is done, where they matter here. */
  planFiles?: { path: string; done: number; total: number }[]
  tickets?: TicketFact[]
  lastCheck: CheckFact | null
  /** The last run of every check, in order of time. */
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
  dropped: Dropped[]
}

// ---------------------------------------------------------------- notes

/** The working memory only the departing agent knows. Stored privately, folded into the next brief. */
export interface Notes {
  schemaVersion: 1
  /** ISO 8601. */
  capturedAt: string
  capturedBySessionId: string | null
  branch: string | null
  head: string | null
  currentLineOfAttack: string | null
  activeHypothesis: string | null
  abandonedApproaches: string[]
  openQuestions: string[]
  decisions: { what: string; why: string | null; alternatives: string[] }[]
  blockers: string[]
  nextSteps: string[]
  information: string[]
  files: { path: string; reason: string }[]
  /** Progress and state in the agent's own words; only `request` asks for it. */
  progress?: string[]
  /** Markdown under headings nobody asked for, unchanged. */
  other: string | null
}

// ---------------------------------------------------------------- brief

export type Reason = 'manual' | 'context_limit' | 'shift_end' | 'task_boundary' | (string & {})

/** Front matter, schema version 1. Unknown keys are kept. Key order is the order of rendering. */
export interface FrontMatter {
  schemaVersion: 1
  id: string
  kind?: 'handoff' | 'done'
  goal: string
  vague?: boolean
  focus?: string
  reason: Reason
  createdAt: string
  branch: string | null
  head: string | null
  base?: string
  dirty: boolean
  agent: {
    id: AgentId | 'git'
    label: string
    version?: string
    model?: string
    thinking?: string
    tools?: string[]
    session?: string
  }
  skills?: string[]
  persona?: string
  parent: string | null
  resumedFrom?: { id: string; createdAt: string }
  notes?: { capturedAt: string } | null
  extraction: { mode: 'none' | 'agent' | 'model'; model?: string; attempts: number }
  tokens: number
  limits?: Record<string, number>
  dropped?: { files: number; commands: number; other: number }
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
  /** Everything that was left out for want of proof: what the session's evidence and the notes brought. */
  dropped?: Dropped[]
}

// ---------------------------------------------------------------- checks

/** One outcome of a check. `rule` is the rule's file name. */
export interface Finding {
  rule: string
  level: 'error' | 'warning'
  /** Repository-relative file. */
  path: string
  /** 1-based. */
  line: number
  message: string
  /** A warning only because the mode is permissive: `handoff check` refuses it. */
  refused?: true
}

/** A secret found in a text: where, never what. Offsets in UTF-16 units. */
export interface SecretHit {
  rule: string
  start: number
  end: number
  /** 1-based. */
  line: number
  /** First 12 hex of sha256 of rule and value: for the allow-list. */
  fingerprint: string
}

/** What became of a file that a brief names. */
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

// ---------------------------------------------------------------- configuration

/** Most items of each list in a brief. */
export interface Limits {
  files: number
  commands: number
  information: number
  constraints: number
  decisions: number
  openQuestions: number
}

/** Tokens of a whole brief: what it aims at, what is warned about, what is an error. */
export interface Budget {
  soft: number
  warn: number
  hard: number
}

export interface Config {
  limits: Limits
  budget: Budget
  include: { metadata: boolean; skill: boolean; fileReasons: boolean; preamble: boolean }
  validate: { files: boolean }
  progress: { phases: boolean }
  goal: { minLength: number }
  /** `maxAge` in ms. */
  notes: { maxAge: number; require: boolean }
  latest: 'pointer' | 'full'
  commit: { branch: 'current' | 'separate'; enabled: boolean }
  edit: boolean
  mission: string | null
  /** Globs of decision and plan files. */
  sources: string[]
  /** Fingerprints of reviewed false alarms. */
  secrets: { allow: string[] }
  personas: Record<string, { agent?: string; start?: string; skills?: string[] }>
  model: { name: string | null; useCurrent: boolean }
  /** Extraction by a model; `timeout` in ms, for both attempts. */
  extract: { timeout: number }
  nudge: { threshold: number }
  inject: 'pointer' | 'full'
  /** What hooks of git do only where somebody wants it. */
  gitHooks: { trailers: boolean; prePush: boolean }
  /** What `prune` keeps when nothing is said; `olderThan` in ms. Nothing acts on it alone. */
  retention: { keep: number | null; olderThan: number | null }
}
