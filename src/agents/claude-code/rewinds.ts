import { type Fields, fieldsOf, listOf, recordOf, textOf } from '../fields.ts'
import { type Block, readLineBatches } from '../lines.ts'
import { rowOf } from './rows.ts'

/** What the person took back by going to an earlier point and saying something else. */
export interface Rewinds {
  /** A line by the offset of its first byte. */
  isAbandoned(offset: number): boolean
  /** The same for a subagent, by the ISO time it began. */
  wasAbandoned(at: string): boolean
}

/** A row of the person and what followed it. */
interface Turn {
  /** Offset of the row's first byte in the file. */
  offset: number
  at: string
  /** Index of the turn it goes on from, -1 for none. */
  from: number
  /** Index of the first turn after the last compaction before it. */
  barrier: number
}

/**
 * Finds abandoned turns of a transcript. A turn goes on from the one that holds the record named by `parentUuid`;
 * links inside a turn are not followed, since parallel calls make side branches there (2.0.76 to 2.1.330).
 */
export async function findRewinds(path: string, signal?: AbortSignal): Promise<Rewinds> {
  const turns = await readTurns(path, signal)
  const active = new Set<number>()
  for (let index = turns.length - 1; index >= 0; ) {
    active.add(index)
    const { from = -1, barrier = 0 } = turns[index] ?? {}
    // A compaction starts the chain anew; what it kept may hang on a record before it.
    index = from < barrier ? index - 1 : from
  }
  const gone = turns
    .map((turn, index) => ({ ...turn, next: turns[index + 1], kept: active.has(index) }))
    .filter((turn) => !turn.kept)
  return {
    isAbandoned: (offset) =>
      gone.some((turn) => offset >= turn.offset && offset < (turn.next?.offset ?? Infinity)),
    wasAbandoned: (at) => gone.some((turn) => at >= turn.at && (!turn.next || at < turn.next.at)),
  }
}

async function readTurns(path: string, signal?: AbortSignal): Promise<Turn[]> {
  const turns: Turn[] = []
  /** The turn that a record stands in, by the record's name. */
  const turnOf = new Map<string, number>()
  let barrier = 0
  for await (const batch of readLineBatches(path, signal ? { signal } : {}))
    for (const { bytes, offset } of batch) {
      if (isBoundary(bytes)) barrier = turns.length
      const record = turnRow(bytes)
      if (record) {
        const from = turnOf.get(textOf(record.parentUuid)) ?? turns.length - 1
        turns.push({ offset, at: textOf(record.timestamp), from, barrier })
      }
      for (const name of namesOf(bytes)) turnOf.set(name, turns.length - 1)
    }
  return turns
}

/** Lines longer than this hold tool output, which may quote the name of any record, in bytes. */
const SMALL = 8192
const ROW = Buffer.from('"role":"user","content":')
const BOUNDARY = Buffer.from('"subtype":"compact_boundary"')
const NEWLINE = 10

const lineStart = (block: Buffer, at: number): number =>
  at === 0 ? 0 : block.lastIndexOf(NEWLINE, at - 1) + 1

/** Whether a line is the record of a compaction. */
const isBoundary = (line: Buffer): boolean =>
  line.length < SMALL && line.includes(BOUNDARY) && !line.includes(ROW)

/** Records remembered of the block before; a few snapshots at most stand between a turn and the next. */
const CARRIED = 16

/** Names of the last records of a block. */
function lastNames(block: Buffer): Set<string> {
  const names = new Set<string>()
  let stop = block.length - 1
  for (let count = 0; count < CARRIED && stop >= 0; count++) {
    const start = lineStart(block, stop)
    for (const name of namesOf(block.subarray(start, stop))) names.add(name)
    stop = start - 1
  }
  return names
}

/**
 * Whether the named record stands in the lines of a block from `from`, which is negative for a turn of an earlier block,
 * to `to`; the last ones are the likeliest.
 */
function isSince(
  from: number,
  block: Buffer,
  to: number,
  name: string,
  carried: ReadonlySet<string>,
): boolean {
  for (let stop = to - 1; stop >= Math.max(from, 0); ) {
    const start = lineStart(block, stop)
    if (namesOf(block.subarray(start, stop)).includes(name)) return true
    stop = start - 1
  }
  return from < 0 && carried.has(name)
}

const OTHERS = ['isSidechain', 'isMeta', 'isCompactSummary']

/** The record when the line is a row of the person that a rewind can go back to; damage is told by the pass that reads the events. */
function turnRow(line: Buffer): Fields | null {
  const row = line.indexOf(ROW)
  if (row === -1) return null
  // Nearly all rows hold the result of a call.
  const content = line.toString('latin1', row + ROW.length, row + ROW.length + 24)
  if (content.startsWith('[{"tool_use_id":') || content.startsWith('[{"type":"tool_result"')) return null
  const record = recordOf(line.toString())
  return isTurn(record) ? record : null
}

/** Whether a record is a row of the person that a rewind can go back to. */
function isTurn(record: Fields): boolean {
  if (record.type !== 'user' || OTHERS.some((mark) => record[mark] === true)) return false
  const { content } = fieldsOf(record.message)
  const blocks =
    typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content).map(fieldsOf)
  if (blocks.some((block) => block.type === 'tool_result')) return false
  const rows = blocks.map((block) => rowOf(textOf(fieldsOf(block).text)).is)
  return rows.some((row) => row === 'words' || row === 'command' || row === 'shell')
}

const NAME = Buffer.from('"uuid":"')
const nameAt = (line: Buffer, at: number): string =>
  line.toString('latin1', at + NAME.length, at + NAME.length + 36)

/** Names that a line may be known by: its last one, since nested messages stand before it; in a long one, any. */
function namesOf(line: Buffer): string[] {
  const last = line.lastIndexOf(NAME)
  if (last === -1) return []
  if (line.length < SMALL) return [nameAt(line, last)]
  const names: string[] = []
  for (let at = line.indexOf(NAME); at !== -1; at = line.indexOf(NAME, at + 1)) names.push(nameAt(line, at))
  return names
}

export type Watch = ReturnType<typeof createWatch>

/**
 * Watches the rows of a transcript pass for one of the person that does not go on from the turn before it. Suspects more than
 * `findRewinds` finds, never less: it does not look for the row that a turn goes on from.
 */
export function createWatch() {
  /** Offset of the turn before in the file. */
  let previous: number | null = null
  /** No turn has begun since the last compaction: what the next one goes on from does not count. */
  let isFresh = false
  let carried: ReadonlySet<string> = new Set()
  let isRewound = false
  return {
    /** Takes a row and where its line stands; true when it may take back what came before. */
    row(
      record: Fields,
      { bytes, offset }: Pick<Block, 'bytes' | 'offset'>,
      start: number,
      stop: number,
    ): boolean {
      if (record.type === 'system') {
        if (record.subtype === 'compact_boundary' && isBoundary(bytes.subarray(start, stop))) isFresh = true
        return false
      }
      if (!isTurn(record)) return false
      const parent = textOf(record.parentUuid)
      isRewound =
        previous !== null &&
        !isFresh &&
        parent !== '' &&
        !isSince(previous - offset, bytes, start, parent, carried)
      previous = offset + start
      isFresh = false
      return isRewound
    },
    /** The block has passed. */
    end(bytes: Buffer): void {
      carried = lastNames(bytes)
    },
    get isRewound(): boolean {
      return isRewound
    },
  }
}
