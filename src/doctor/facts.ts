import type { HookTrust } from '../types/agent.ts'

/** Everything that the checks judge: read once by `src/commands/doctor.ts`, so that a check is a pure look at it. */
export interface Facts {
  /** Version of the handoff that runs. */
  version: string
  /** What a command begins with so that it reaches this handoff from here: `handoff`, `git-handoff`, `yarn git-handoff` or `npx git-handoff`. */
  call: string
  /** Version of Node that runs. */
  node: string
  /** Null when there is no git on PATH; empty when it did not say its version. */
  git: string | null
  /** The home directory; what else stands at its path. */
  home: { path: string; is: 'there' | 'missing' | 'no folder' }
  /** What `handoff` and `git-handoff` mean on PATH; null: nothing. */
  onPath: { handoff: Installed | null; gitHandoff: Installed | null }
  /** What `npx handoff` would run here; `yarn`: what the registry has, though Yarn has ours. */
  npx: { from: 'local' | 'global' | 'registry' | 'yarn'; installed: Installed | null; hasManifest: boolean }
  /** `HANDOFF=0` stands in the environment. */
  isOff: boolean
  config: ConfigFacts
  models: ModelFacts
  agents: readonly AgentFacts[]
  repo: RepoFacts | null
  /** Why there is no repository; null when there is one, or simply none here. */
  noRepo: { message: string; hint: string } | null
}

/** A program and the package it belongs to; null where that cannot be told. */
export interface Installed {
  path: string
  name: string | null
  version: string | null
}

export interface ConfigFacts {
  /** Why the configuration cannot be used; null when it can. */
  problem: string | null
  unknown: readonly { name: string; where: string; isOwn: boolean }[]
  /** An executable file of the repository that was left alone. */
  refusedCode: string | null
  /** The person's own file, as people write it. */
  ownFile: string
}

/** Packages that only extraction by a model needs. */
export interface ModelFacts {
  found: readonly string[]
  missing: readonly string[]
  /** The command that installs the missing ones beside this handoff. */
  install: string
}

export interface AgentFacts {
  /** A skill or command of the person's own that wins over that of `init`, as people write it; absent or null: none. */
  shadow?: string | null
  id: string
  label: string
  /** Absolute path of its program; null: not on PATH. */
  program: string | null
  /** What `--version` said; null when it did not, `why` then. */
  version: string | null
  why: string | null
  /** It has left its folder at home. */
  hasRun: boolean
  /** Sessions of this repository; null outside of one, or where they cannot be had. */
  sessions: number | null
  /** Why they cannot be had. */
  sessionsProblem: string | null
  /** What `init` put into its settings here; null for one that cannot be set up, or outside of a repository. */
  setup: { state: 'done' | 'partly' | 'none'; missing: string[]; left: Left[]; problem: string | null } | null
  /** What it must be told itself before it runs that; null where nobody can say. */
  trust: HookTrust | null
}

/** What `init` leaves alone, and why. */
export interface Left {
  path: string
  reason: string
}

/** One repository. Paths are as people write them: from its top, else from home. */
export interface RepoFacts {
  /** The rule of git that hides `.handoff/`, in parts; null: none. */
  ignored: { source: string; line: string; pattern: string } | null
  /** Why `.handoff/` cannot be used. */
  folder: { code: string; message: string } | null
  identity: { name: string; email: string }
  filter: { local: string | null; final: string | null; wanted: string }
  latest: LatestFacts
  runner: RunnerFacts | null
  /** Agents that `init` set up in this clone, by id; null when its record cannot be read. */
  setUp: readonly string[] | null
  gitHooks: GitHookFacts | null
  locks: readonly { path: string; ageSeconds: number }[]
  parked: readonly { id: string; path: string; branch: string; isHere: boolean }[]
  /** An unfinished merge, rebase or the like. */
  operation: string | null
  /** Briefs of the work tree that HEAD does not hold. */
  uncommitted: readonly string[]
  /** Briefs that were kept when a handoff was killed, its edit came to nothing, or its commit failed. */
  drafts: readonly { path: string; why: 'killed' | 'edited' | 'failed' }[]
  requests: readonly RequestFacts[]
  /** What a fetch from origin does with branches of briefs, and whether there are any to fetch. */
  fetch: { state: 'none' | 'lacking' | 'covered'; isSeparate: boolean }
  /** Where origin is, and where it was when it was trusted. */
  origin: { url: string | null; trusted: string | null }
}

export interface LatestFacts {
  /** Git would store the pointer alone where the copy of a brief stands below it. */
  isHidden: boolean
  /** What stands in the work tree; null: nothing. */
  state: 'ours' | 'brief' | 'conflicted' | 'changed' | null
  /** Git has one in its index, and whether that is what it should be. */
  isTracked: boolean
  isRight: boolean
  /** HEAD has one that a checkout would bring back, and it is what it should be. */
  isRightInHead: boolean
  /** What the copy below the pointer belongs to. */
  marker: { branch: string | null; id: string | null } | null
  isEdited: boolean
  branch: string | null
  /** Id of the current brief. */
  current: string | null
  /** What git takes for the filter of that path. */
  attribute: string | null
  attributes: { isThere: boolean; isInHead: boolean }
}

/** The installation that the hooks of this clone call. */
export interface RunnerFacts {
  path: string
  node: { path: string; isThere: boolean }
  /** `isCopy`: it lies in the private folder, where no checkout can change it. */
  program: { path: string; isThere: boolean; version: string | null; isCopy: boolean }
  /** It says what this version would write. */
  isCurrent: boolean
}

export interface GitHookFacts {
  manager: string
  where: string | null
  /** Somebody asked for none. */
  isUnwanted: boolean
  /** Files that lack what `init` would put in. */
  missing: readonly string[]
  left: readonly Left[]
  /** Events that git does not call, though they are written down. */
  uncalled: readonly string[]
  /** Files of hooks that may not be run. */
  closed: readonly string[]
  /** How the manager is told to call them. */
  activate: string | null
  warnings: readonly string[]
}

export interface RequestFacts {
  id: string
  agent: string
  state: string
  isSwitch: boolean
  /** Nobody goes on with it. */
  isStalled: boolean
  ageSeconds: number
}
