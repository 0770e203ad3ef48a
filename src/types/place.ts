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
