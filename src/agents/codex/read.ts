import { dirname, join } from 'node:path'
import type { Batches, ReadOptions, SessionRef } from '../../types/session.ts'
import { readLineBatches, translate } from '../content.ts'
import { type Fields, fieldsOf, numberOf, textOf, timeOf } from '../fields.ts'
import { mergeByTime } from '../merge-by-time.ts'
import { createTranslator } from './events.ts'
import {
  changedAt,
  fileId,
  findRollout,
  homeOf,
  type Rollout,
  readMeta,
  readStart,
  rolloutFolders,
  rolloutOf,
  rolloutsIn,
} from './files.ts'

/** A thread in order of time: what it was forked from, its own records, those of its subagents. Throws `sessionUnreadable`. */
export async function* readThread(ref: SessionRef, options: ReadOptions): Batches {
  const parts = historyOf(ref.path, options)
  const seen = new Set<string>()
  const main = readParts(parts, null, seen, options)
  const helpers = subagentsOf(parts).map((one) => ({ ...one, startedAt: one.startedAt ?? '' }))
  yield* mergeByTime(main, helpers, ({ label, ...one }) =>
    readParts([{ ...one, until: null, undone: false }], label ?? one.thread, seen, options),
  )
}

/** Events of files that continue each other, a batch of records at a time. */
async function* readParts(
  parts: readonly Part[],
  sub: string | null,
  seen: Set<string>,
  options: ReadOptions,
): Batches {
  const translator = createTranslator(sub, seen)
  for (const part of parts) {
    translator.nextFile()
    const undone = part.undone ? await undoneLines(part.path, options) : []
    yield* translate(part.path, options, {
      wants: ({ index }) => !undone.some(([from, to]) => index >= from && index < to),
      add: (record, { offset }) =>
        isPast(part, numberOf(record.ordinal), offset) ? [] : translator.add(record),
    })
  }
}

/** Ordinals decide; the byte offset does for records without one. */
const isPast = ({ until }: Part, ordinal: number | null, offset: number): boolean =>
  until !== null &&
  (ordinal !== null && until.ordinal !== null
    ? ordinal >= until.ordinal
    : until.offset !== null && offset >= until.offset)

/** One file of a conversation and how far it counts. */
interface Part {
  path: string
  thread: string
  startedAt: string | null
  /** First record that no longer counts; null for all of it. */
  until: { ordinal: number | null; offset: number | null } | null
  /** Undone turns may stand in the file (before 0.169, which starts a new file instead). */
  undone: boolean
}

/**
 * The files of a conversation, oldest first. A fork or rewind (0.169) names the file before it as `history_base`;
 * forks of older clients hold copies. A base that is missing is told through `onSkip`, and the rest is read.
 */
function historyOf(path: string, options: Pick<ReadOptions, 'onSkip'>): Part[] {
  const parts: Part[] = []
  const visited = new Set<string>()
  let until: Part['until'] = null
  for (let at: string | null = path; at !== null && !visited.has(at); ) {
    visited.add(at)
    const meta: Fields = readMeta(at)
    const undone = meta.history_mode !== 'paginated'
    parts.unshift({ path: at, thread: textOf(meta.id), startedAt: timeOf(meta.timestamp), until, undone })
    const base = fieldsOf(meta.history_base)
    const id = textOf(base.thread_id)
    if (id === '') break
    until = { ordinal: numberOf(base.end_ordinal_exclusive), offset: numberOf(base.end_byte_offset) }
    at = findRollout(at, id)
    if (at === null) options.onSkip?.('unknown')
  }
  return parts
}

/** Rollouts of the subagents, and of theirs, that a conversation started; oldest first. */
function subagentsOf(parts: readonly Part[]): Rollout[] {
  const own = new Set(parts.map(({ path }) => path))
  // A base's subagents count as far as the base does.
  const wanted = new Map(
    parts.map(({ thread }, index) => {
      const next = parts.slice(index).find((part) => part.thread !== thread)
      return [thread, next?.startedAt ?? null] as const
    }),
  )
  wanted.delete('')
  const oldest = [...wanted.keys()].sort()[0] ?? ''
  const found: Rollout[] = []
  // Ids are UUIDv7, so a helper sorts after the thread that started it.
  const byId = [...new Set(foldersOf(parts))]
    .flatMap((folder) => rolloutsIn(folder))
    .filter((path) => !own.has(path) && fileId(path) > oldest)
    .sort((a, b) => (fileId(a) < fileId(b) ? -1 : 1))
  for (const path of byId) {
    const rollout = rolloutOf(path, readStart(path) ?? '')
    const before = rollout?.parent ? wanted.get(rollout.parent) : undefined
    if (!rollout || before === undefined) continue
    if (before !== null && rollout.startedAt !== null && rollout.startedAt >= before) continue
    wanted.set(rollout.thread, before)
    found.push(rollout)
  }
  return found
}

const DAY = 24 * 60 * 60 * 1000

/** Folders in which helpers of these files may lie: their own, and those of the days they were written on. */
function foldersOf(parts: readonly Part[]): string[] {
  const last = parts.at(-1)
  const home = last ? homeOf(last.path) : null
  const own = parts.map(({ path }) => dirname(path))
  if (!last || home === null) return own
  // Folders are named by local days, records by UTC: a day of slack on both sides.
  const day = (ms: number): string => new Date(ms).toISOString().slice(0, 10).replaceAll('-', '/')
  const from = Math.min(
    ...parts.map(({ startedAt }) => Date.parse(startedAt ?? '') || Number.POSITIVE_INFINITY),
  )
  if (!Number.isFinite(from)) return own
  const first = join(home, 'sessions', day(from - DAY))
  const end = join(home, 'sessions', day(changedAt(last.path) + DAY))
  return [...own, ...rolloutFolders(home).filter((folder) => folder >= first && folder <= end)]
}

const ROLLED_BACK = '"type":"thread_rolled_back"'

/** Lines of turns that the person took back (`thread_rolled_back`, before 0.169), as [first, end) pairs. */
async function undoneLines(path: string, { signal }: ReadOptions): Promise<[number, number][]> {
  const turns: number[] = []
  const undone: [number, number][] = []
  let started = -1
  for await (const batch of readLineBatches(path, { signal })) {
    for (const { bytes, index } of batch) {
      const head = bytes.toString('latin1', 0, 160)
      if (head.includes('"type":"task_started"')) started = index
      else if (/"type":"(?:user_message|item_completed)"/.test(head)) {
        const prompt = head.includes('user_message') || bytes.includes('"type":"UserMessage"')
        // A turn begins with its `task_started`, or in older files with the row before the prompt.
        if (prompt) turns.push(started === -1 ? index - 1 : started)
        if (prompt) started = -1
      } else if (head.includes(ROLLED_BACK)) {
        const count = Number(/"num_turns":(\d+)/.exec(bytes.toString('latin1'))?.[1] ?? 0)
        const first = turns.splice(Math.max(0, turns.length - count))[0]
        if (first !== undefined) undone.push([first, index])
      }
    }
  }
  return undone
}
