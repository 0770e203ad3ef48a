/** What happened to one file in the session; the key is its absolute place, or the path as given when no directory is known. */
export interface FileRecord {
  /** Successful edits that still stand. */
  edits: number
  created: boolean
  deleted: boolean
  reads: number
  /** Times it stood in a command that ran. */
  commands: number
  searches: number
  /** Edits that failed, were refused, or were undone. */
  failed: number
  refused: number
  reverted: number
  /** Edits set aside by `git stash`. */
  stashed: number
  /** Touches, without what a subagent only looked at. */
  touches: number
  /** Number of the last of them and of the last edit; touches are counted through the session. */
  last: number
  lastEdit: number
  /** In how many turns it was edited, and in which one last; turns are counted by `turn()`. */
  editTurns: number
  lastEditTurn: number
  /** The subagent that made every edit, or null. */
  sub: string | null
  /** A file tool named it, not only a shell line. */
  byTool: boolean
}

/** A record of a file that nothing happened to yet. */
export const freshRecord = (): FileRecord => ({
  edits: 0,
  created: false,
  deleted: false,
  reads: 0,
  commands: 0,
  searches: 0,
  failed: 0,
  refused: 0,
  reverted: 0,
  stashed: 0,
  touches: 0,
  last: 0,
  lastEdit: 0,
  editTurns: 0,
  lastEditTurn: -1,
  sub: null,
  byTool: false,
})

const COUNTS = [
  'edits',
  'reads',
  'commands',
  'searches',
  'failed',
  'refused',
  'reverted',
  'stashed',
  'touches',
] as const

/** One record for two names of the same file. */
export function mergeRecords(a: FileRecord, b: FileRecord): FileRecord {
  const newer = b.last > a.last ? b : a
  const merged: FileRecord = {
    ...newer,
    created: a.created || b.created,
    lastEdit: Math.max(a.lastEdit, b.lastEdit),
    // Two names of one file are mostly used in the same turns.
    editTurns: Math.max(a.editTurns, b.editTurns),
    lastEditTurn: Math.max(a.lastEditTurn, b.lastEditTurn),
    sub: a.sub === b.sub ? a.sub : null,
    byTool: a.byTool || b.byTool,
  }
  for (const key of COUNTS) merged[key] = a[key] + b[key]
  return merged
}
