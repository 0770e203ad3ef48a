/**
 * The shapes that flow, on one page. Imports nothing.
 *
 * agents: SessionRef → SessionEvent…   git: GitState   extract: events + git + goal → Evidence
 * brief: goal + Evidence + notes + parent → Brief → markdown   validate: markdown + Facts → Finding[]
 */

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
  signal?: AbortSignal | undefined
}

/** What of it tells where the files of a person are. */
export type Home = Pick<Place, 'home' | 'env'>

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
  commit: { branch: 'current' | 'separate'; enabled: boolean }
  edit: boolean
  /** Names of the branches that finished work goes into; empty: found by themselves. */
  trunk: string[]
  mission: string | null
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
