import type { Home, Place } from './config.ts'
import type { AgentId, ReadOptions, SessionEvent, SessionRef } from './session.ts'

/** What the environment says about who called us. */
export interface Caller {
  agent: AgentId
  sessionId: string | null
  path: string | null
}

/** Is told of a file of sessions that cannot be read, with the time of its last change in ms since 1970. */
export type OnUnread = (error: Error, changedAt: number) => void

/** Everything known about one coding agent. One file in `src/agents/`, one entry in its table. */
export interface Adapter {
  id: AgentId
  /** Name people use, e.g. `Claude Code`. */
  label: string
  /** What the reader was written from: sessions recorded with the real client, or public descriptions and whose; with versions. */
  basis: { is: 'recorded' | 'documented'; of: string; source?: string }
  /** Nothing is searched for: a person names the file. */
  isNamed?: true
  /** Environment variable names that mark a process started by this agent. */
  marks: string[]
  /** Those that hold the id of the session, the best first. */
  sessionMarks?: string[]
  /** Who calls, where the marks alone do not tell it. */
  caller?(env: Place['env']): Caller | null
  /**
   * Sessions whose working directory lies in one of `roots` (absolute, real paths), newest first. `onUnread` is told of files of sessions
   * there that cannot be read, with the time of their last change in ms since 1970.
   */
  find(
    place: Pick<Place, 'home' | 'env' | 'signal'>,
    roots: string[],
    onUnread?: OnUnread,
  ): Promise<SessionRef[]>
  /**
   * For an agent whose `find` is costly: when the newest thing that it could find may have been written, in ms since 1970,
   * told without looking; null when there is nothing.
   */
  lastWrite?(place: Home): Promise<number | null>
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
  fullness?(ref: Pick<SessionRef, 'id' | 'path'>, place: Home): Promise<Fullness | null>
  hooks?: HookDialect
  /** What `init` puts into this agent's settings, in this order; absent when nothing can be put there. */
  setup?(place: SetupPlace): SetupEdit[]
  /** Files and folders that show, in the repository and at home, that this agent is used; absolute. */
  traces?(place: Pick<SetupPlace, 'root' | 'home' | 'env'>): { project: string[]; home: string[] }
  /** A skill or command of the person's own, named `handoff` too, that wins over the one of `init`; its absolute path, or null. */
  shadow?(place: Home): string | null
  /** What a person must still do after `init`, one sentence each. */
  afterSetup?: string[]
  /** What the agent's person has told it about running hooks here, read from its own files; absent where those are not known. */
  trust?(place: SetupPlace): Promise<HookTrust>
  launch?: Launch
  /** What shows on PATH that it is installed, where handoff cannot start it. */
  program?: string
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
  /** The payload says that nobody sits there. */
  isUnattended?: true
  /** The payload says that the session looked into a brief. */
  hasRead?: true
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
  /** True for a run that nobody sits at, and for a subagent: it has its orders. `env`: the hook's own. Absent: the agent does not tell. */
  isUnattended?(call: HookCall, env: Place['env']): boolean
  /** For an agent that tells its hooks nothing: its program and the options with which nobody sits there, as a process of that kind shows. */
  unattended?: { program: RegExp; options: readonly string[] }
  /** Its start is told only where a person sits there, so a first prompt without one is of a run that nobody sits at. */
  startsAttended?: true
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
  /** The line beside that of the start that says once where a clone is not set up; absent where the agent shows the person nothing then. */
  notSetUp?: string
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
