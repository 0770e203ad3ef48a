import { type Fields, fieldsOf, listOf, recordOf, textOf } from '../fields.ts'
import { type Block, readBlocks, readLineBatches } from '../lines.ts'
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
  /** Index of the turn it goes on from, -1 for none; null while only the record's name is known. */
  from: number | null
  parent: string
}

/**
 * Finds abandoned turns of a transcript. A turn goes on from the one that holds the record named by `parentUuid`;
 * links inside a turn are not followed, since parallel calls make side branches there (2.0.76 to 2.1.330).
 */
export async function findRewinds(path: string, signal?: AbortSignal): Promise<Rewinds> {
  const { turns, barriers } = await readTurns(path, signal)
  if (turns.some((turn) => turn.from === null)) await locate(path, turns, signal)
  const active = new Set<number>()
  for (let index = turns.length - 1; index >= 0; ) {
    active.add(index)
    const from = turns[index]?.from ?? index - 1
    // A compaction starts the chain anew; what it kept may hang on a record before it.
    index = from < (barriers[index] ?? 0) ? index - 1 : from
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

/** Lines longer than this hold tool output, on which no turn is hung, in bytes. */
const SMALL = 8192

async function readTurns(path: string, signal?: AbortSignal) {
  const turns: Turn[] = []
  /** For each turn, the first turn after the last compaction before it. */
  const barriers: number[] = []
  let barrier = 0
  let carried = new Set<string>()
  for await (const { bytes: block, offset } of readBlocks(path, signal ? { signal } : {})) {
    let boundary = nextBoundary(block, 0)
    for (let row = block.indexOf(ROW); row !== -1; ) {
      const stop = lineEnd(block, row)
      // The first one in a line is the row's own.
      const record = isResult(block, row) ? null : turnRow(block.subarray(lineStart(block, row), stop))
      if (record) {
        const start = lineStart(block, row)
        for (; boundary !== -1 && boundary < start; boundary = nextBoundary(block, boundary + 1))
          barrier = turns.length
        const parent = textOf(record.parentUuid)
        const previous = turns.at(-1)
        const goesOn =
          !previous || parent === '' || isSince(previous.offset - offset, block, start, parent, carried)
        turns.push({
          offset: offset + start,
          at: textOf(record.timestamp),
          from: goesOn ? turns.length - 1 : null,
          parent,
        })
        barriers.push(barrier)
      }
      row = block.indexOf(ROW, stop)
    }
    if (boundary !== -1) barrier = turns.length
    carried = lastNames(block)
  }
  return { turns, barriers }
}

const ROW = Buffer.from('"role":"user","content":')
const BOUNDARY = Buffer.from('"subtype":"compact_boundary"')
const NEWLINE = 10

const lineStart = (block: Buffer, at: number): number =>
  at === 0 ? 0 : block.lastIndexOf(NEWLINE, at - 1) + 1

function lineEnd(block: Buffer, at: number): number {
  const end = block.indexOf(NEWLINE, at)
  return end === -1 ? block.length : end
}

/** Place of the next record of a compaction, or -1. */
function nextBoundary(block: Buffer, from: number): number {
  for (let at = block.indexOf(BOUNDARY, from); at !== -1; at = block.indexOf(BOUNDARY, at + 1)) {
    if (isBoundary(block.subarray(lineStart(block, at), lineEnd(block, at)))) return at
  }
  return -1
}

/** Whether a line that names a compaction is its record. */
const isBoundary = (line: Buffer): boolean => line.length < SMALL && !line.includes(ROW)

/** Whether a row holds the result of a call, as nearly all rows do. */
function isResult(bytes: Buffer, row: number): boolean {
  const content = bytes.toString('latin1', row + ROW.length, row + ROW.length + 24)
  return content.startsWith('[{"tool_use_id":') || content.startsWith('[{"type":"tool_result"')
}

/** Records remembered of the block before; a few snapshots at most stand between a turn and the next. */
const CARRIED = 16

/** Names of the last records of a block. */
function lastNames(block: Buffer): Set<string> {
  const names = new Set<string>()
  let stop = block.length - 1
  for (let count = 0; count < CARRIED && stop >= 0; count++) {
    const start = lineStart(block, stop)
    names.add(nameOf(block.subarray(start, stop)) ?? '')
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
    if (isNamed(block.subarray(start, stop), name)) return true
    stop = start - 1
  }
  return from < 0 && carried.has(name)
}

/** Second pass, only when a turn does not go on from the one before it; ends where the last of them begins. */
async function locate(path: string, turns: Turn[], signal?: AbortSignal): Promise<void> {
  const open = new Map<string, Turn[]>()
  for (const turn of turns)
    if (turn.from === null) open.set(turn.parent, [...(open.get(turn.parent) ?? []), turn])
  const end = turns.findLast((turn) => turn.from === null)?.offset ?? 0
  let current = -1
  const settle = (name: string, at: number) => {
    for (const turn of open.get(name) ?? []) if (turn.from === null && turn.offset > at) turn.from = current
  }
  for await (const batch of readLineBatches(path, { end, ...(signal ? { signal } : {}) })) {
    for (const { bytes, offset } of batch) {
      if (offset === turns[current + 1]?.offset) current++
      if (bytes.length < SMALL) settle(nameOf(bytes) ?? '', offset)
      else for (const name of open.keys()) if (isNamed(bytes, name)) settle(name, offset)
    }
  }
}

const OTHERS = ['isSidechain', 'isMeta', 'isCompactSummary']

/** The record when the line is a row of the person that a rewind can go back to; damage is told by the pass that reads the events. */
function turnRow(bytes: Buffer): Fields | null {
  const record = recordOf(bytes.toString())
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

function isNamed(bytes: Buffer, name: string): boolean {
  return bytes.length < SMALL ? nameOf(bytes) === name : bytes.includes(`"uuid":"${name}"`)
}

const NAME = Buffer.from('"uuid":"')

function nameOf(bytes: Buffer): string | null {
  // The last one is the record's own: nested messages stand before it.
  const at = bytes.lastIndexOf(NAME)
  return at === -1 ? null : bytes.toString('latin1', at + NAME.length, at + NAME.length + 36)
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
