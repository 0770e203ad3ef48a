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
  /** Number of the last touch and of the last edit; touches are counted through the session. */
  last: number
  lastEdit: number
  /** All touches. */
  touches: number
  /** The subagent that made every edit, or null. */
  sub: string | null
  /** A file tool named it, not only a shell line. */
  byTool: boolean
  /** In how many turns it was touched, and in which one last; turns are counted by `turn()`. */
  turns: number
  lastTurn: number
  /** Call numbers of the last touch and of the last edit (-1: none); calls are counted by `call()`. */
  lastCall: number
  editCall: number
  /** Touches up to `lastCall`, each worth `cooled` of its age: recency and frequency in one number. */
  heat: number
}

/** What is left of a touch after so many calls: after 8 calls a third (of 8, 30 and 100 the best on 440 cuts). */
export const cooled = (calls: number): number => Math.exp(-calls / 8)

/** A record of a file that nothing happened to yet; `calls` is how many calls there were so far. */
export const freshRecord = (calls: number): FileRecord => ({
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
  last: 0,
  lastEdit: 0,
  touches: 0,
  sub: null,
  byTool: false,
  turns: 0,
  lastTurn: -1,
  lastCall: calls,
  editCall: -1,
  heat: 0,
})

/** One record for two names of the same file. */
export function mergeRecords(a: FileRecord, b: FileRecord): FileRecord {
  const [older, newer] = b.last > a.last ? [a, b] : [b, a]
  return {
    edits: a.edits + b.edits,
    created: a.created || b.created,
    deleted: newer.deleted,
    reads: a.reads + b.reads,
    commands: a.commands + b.commands,
    searches: a.searches + b.searches,
    failed: a.failed + b.failed,
    refused: a.refused + b.refused,
    reverted: a.reverted + b.reverted,
    stashed: a.stashed + b.stashed,
    last: newer.last,
    lastEdit: Math.max(a.lastEdit, b.lastEdit),
    touches: a.touches + b.touches,
    sub: a.sub === b.sub ? a.sub : null,
    byTool: a.byTool || b.byTool,
    // Two names of one file are mostly used in the same turns.
    turns: Math.max(a.turns, b.turns),
    lastTurn: newer.lastTurn,
    lastCall: newer.lastCall,
    editCall: Math.max(a.editCall, b.editCall),
    heat: newer.heat + older.heat * cooled(newer.lastCall - older.lastCall),
  }
}
