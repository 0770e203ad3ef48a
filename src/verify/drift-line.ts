import { plural } from '../text/count.ts'

/** How the repository changed since a brief was made; `null` when its commit is not known here. */
export type DriftFacts = {
  commits: number
  lacking: number
  changed: readonly string[]
  gone: readonly string[]
  /** Old path → new path. */
  renamed: ReadonlyMap<string, string>
  /** Commands of the brief that call what is not defined any more. */
  commandsGone?: number
} | null

/** What became of a brief's facts since, in one safe line. `files`: those that it names. */
export function driftLine(drift: DriftFacts, files: readonly string[]): string {
  if (drift === null)
    return 'The commit it was made at is not in this clone, so what changed since is not known; verify every fact.'
  const named = (paths: readonly string[]) => {
    const known = new Set(paths)
    return files.filter((path) => known.has(path)).length
  }
  const [changed, gone] = [named(drift.changed), named(drift.gone)]
  const renamed = named([...drift.renamed.keys()])
  const { commandsGone = 0 } = drift
  const told = [
    drift.commits > 0 ? plural(drift.commits, 'commit') : '',
    drift.lacking > 0 ? `${plural(drift.lacking, 'commit')} of then missing here` : '',
    changed > 0 ? `${changed} of the files it names changed` : '',
    renamed > 0 ? `${renamed} of the files it names renamed` : '',
    gone > 0 ? `${gone} of the files it names gone` : '',
    commandsGone > 0 ? `${commandsGone} of its commands without what they call` : '',
  ].filter((part) => part !== '')
  return told.length === 0 ? 'Nothing was committed since.' : `Since then: ${told.join(', ')}.`
}
