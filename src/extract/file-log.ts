/** When in a session something was, by what had been counted up to then. */
export interface Moment {
  touch: number
  edit: number
  order: number
}

export type TouchKind = 'read' | 'edit' | 'create' | 'delete' | 'command' | 'search' | 'failed' | 'refused'

export interface How {
  sub: string | null
  byTool: boolean
  /** When it was, if it is counted later. */
  asOf?: Moment
}

/** The key that stands in a map longest; empty for an empty map. */
export const firstKey = (map: ReadonlyMap<string, unknown>): string => map.keys().next().value ?? ''

/** Files remembered at most; the ones touched longest ago are forgotten first. */
const MAX_FILES = 20_000

interface Live extends FileRecord {
  /** Edits since the last commit; valid while `epoch` is the current one. */
  live: number
  epoch: number
}

/** Keeps one small record per file, so that memory grows with the number of files and not with the session. */
export function createFileLog() {
  const records = new Map<string, Live>()
  const renames: { from: string; to: string }[] = []
  let epoch = 0
  /** Touches so far, the touch that edited last, turns so far, files forgotten. */
  const counted = { clock: 0, lastEdit: 0, turns: 0, forgotten: 0 }

  const recordOf = (key: string): Live => {
    let record = records.get(key)
    if (record === undefined) {
      record = { ...freshRecord(), live: 0, epoch }
      if (records.size >= MAX_FILES) forgetOldest()
      records.set(key, record)
    }
    if (record.epoch !== epoch) {
      record.live = 0
      record.epoch = epoch
    }
    return record
  }
  const forgetOldest = () => {
    const byAge = [...records].sort(([, a], [, b]) => a.last - b.last).slice(0, MAX_FILES / 10)
    for (const [key] of byAge) records.delete(key)
    counted.forgotten += byAge.length
  }
  const undo = (record: Live, into: 'reverted' | 'stashed') => {
    if (record.epoch !== epoch || record.live === 0) return
    record.edits -= record.live
    record[into] += record.live
    record.live = 0
    if (record.edits === 0) record.created = false
  }

  const note = (record: Live, asOf?: Moment) => {
    counted.clock++
    record.touches++
    // Files of one call keep their order, whenever it is counted.
    record.last = Math.max(record.last, asOf ? asOf.touch + counted.clock * 1e-9 : counted.clock)
  }
  const noteEdit = (record: Live) => {
    record.lastEdit = counted.lastEdit = counted.clock
    if (record.lastEditTurn !== counted.turns) record.editTurns++
    record.lastEditTurn = counted.turns
  }

  const moveRecord = (from: string, to: string, { sub, byTool }: How) => {
    const old = recordOf(from)
    records.delete(from)
    const fresh = recordOf(to)
    note(fresh)
    const live = fresh.live + old.live
    Object.assign(fresh, mergeRecords(fresh, old), { live, sub: old.edits === 0 ? sub : old.sub })
    fresh.byTool ||= byTool
    noteEdit(fresh)
    fresh.deleted = false
  }

  return Object.assign(counted, {
    touch(key: string, kind: TouchKind, { sub, byTool, asOf }: How) {
      const record = recordOf(key)
      const isEdit = kind === 'edit' || kind === 'create'
      // What a subagent looks at on its way says little of the work.
      if (sub === null || isEdit || kind === 'delete') note(record, asOf)
      record.byTool ||= byTool
      if (isEdit) {
        record.sub = record.edits === 0 || record.sub !== null ? sub : null
        record.edits++
        record.live++
        noteEdit(record)
        if (kind === 'create') record.created = true
        record.deleted = false
      } else if (kind === 'delete') {
        record.deleted = true
        record.lastEdit = counted.lastEdit = counted.clock
      } else if (kind === 'read') record.reads++
      else if (kind === 'command') record.commands++
      else if (kind === 'search') record.searches++
      else record[kind]++
    },
    /** Files under `from` move along when it is a folder. */
    rename(from: string, to: string, how: How) {
      const folder = `${from}/`
      for (const key of [...records.keys()])
        if (key.startsWith(folder)) moveRecord(key, to + key.slice(from.length), how)
      moveRecord(from, to, how)
      if (renames.length < MAX_FILES) renames.push({ from, to })
    },
    /** `null` means every file. */
    revert(key: string | null) {
      for (const [path, record] of records)
        if (key === null || path === key || path.startsWith(`${key}/`)) undo(record, 'reverted')
    },
    stash() {
      for (const record of records.values()) undo(record, 'stashed')
    },
    unstash() {
      for (const [key, record] of records) {
        if (record.stashed === 0) continue
        const current = recordOf(key)
        current.edits += current.stashed
        current.live += current.stashed
        current.stashed = 0
      }
    },
    commit() {
      epoch++
    },
    turn() {
      counted.turns++
    },
    has: (key: string): boolean => records.has(key),
    records: records as ReadonlyMap<string, FileRecord>,
    renames,
  })
}

const COUNTS = [
  // Successful edits that still stand.
  'edits',
  'reads',
  // Times it stood in a command that ran.
  'commands',
  'searches',
  // Edits that failed, were refused, were undone, or were set aside by `git stash`.
  'failed',
  'refused',
  'reverted',
  'stashed',
  // All of them, without what a subagent only looked at.
  'touches',
] as const

/** What happened to one file in the session; the key is its absolute place, or the path as given when no directory is known. */
export interface FileRecord extends Record<(typeof COUNTS)[number], number> {
  created: boolean
  deleted: boolean
  /** Number of the last touch and of the last edit; touches are counted through the session. */
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

const freshRecord = (): FileRecord => ({
  ...(Object.fromEntries(COUNTS.map((key) => [key, 0])) as Record<(typeof COUNTS)[number], number>),
  ...{ created: false, deleted: false, last: 0, lastEdit: 0, editTurns: 0, lastEditTurn: -1 },
  ...{ sub: null, byTool: false },
})

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
