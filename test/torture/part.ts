/** One line of the table: how often a fault met an operation, and what came of it. */
export interface Row {
  /** What was done to the program, in a few words: `kill -9 before each call`. */
  fault: string
  /** What it was doing: `create`. */
  operation: string
  count: number
  /** `not run`: this machine cannot do it; `detail` says what it lacks. */
  result: 'ok' | 'FAILED' | 'not run'
  detail: string
}

/** `ci`: one or a few cases of each kind, with every pull request; `short`: a sample, every night; `long`: every case. */
export type Form = 'ci' | 'short' | 'long'

/** How much of something a run takes, by its form. */
export type ByForm<T> = Readonly<Record<Form, T>>

export interface Context {
  /** What `random` was made from. */
  seed: number
  form: Form
  /** The long form: every case instead of a sample. */
  long: boolean
  /** From 0 to 1, the same row of numbers for the same seed and part. */
  random: () => number
  /** An empty folder, removed when the part is over. */
  scratch(name: string): string
  /** A folder that stays until the run is over, the same for all parts of a file of tests. */
  kept(name: string): string
  /** bin/handoff.cjs of a private copy of the build, which nobody changes meanwhile. */
  program: string
  /** A line of the table. `result`: whether all was well, or what was wrong, which is told instead of `detail`. */
  row(
    fault: string,
    operation: string,
    count: number,
    result: boolean | readonly string[] | 'not run',
    detail?: string,
  ): void
  /** One line of the file of cases. */
  case(line: object): void
}

/** One subject of the suite. It throws only when the suite itself is broken; what it finds wrong is a row. */
export interface Part {
  name: string
  run(context: Context): Promise<void>
}
