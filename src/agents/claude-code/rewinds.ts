import { type Fields, fieldsOf, listOf, partTexts, recordOf, textOf } from '../fields.ts'
import { readBlocks, readLineBatches } from '../lines.ts'
import { rowOf } from './rows.ts'

/** A row of the person and what followed it. Places are offsets in the file. */
interface Turn {
  offset: number
  at: string
  parent: string
  /** Its parent stands in the turn before. */
  isNext: boolean
}

/**
 * Finds abandoned turns of a transcript. A turn goes on from the one that holds the record named by `parentUuid`;
 * links inside a turn are not followed, since parallel calls make side branches there (2.0.76 to 2.1.330). Lines go by their
 * offset, subagents by the ISO time they began.
 */
export async function findRewinds(path: string, signal?: AbortSignal) {
  const turns = await readTurns(path, signal)
  const gone = turns.every(({ isNext }) => isNext) ? [] : await findGone(path, turns, signal)
  return {
    isAbandoned: (offset: number) =>
      gone.some(({ turn, next }) => offset >= turn.offset && offset < (next?.offset ?? Infinity)),
    wasAbandoned: (at: string) => gone.some(({ turn, next }) => at >= turn.at && (!next || at < next.at)),
  }
}

/** Bytes before a row in which its parent mostly stands. */
const NEAR = 64 * 1024

/** Only rows of the person are read: to name every record of 44 MB takes three times as long. */
async function readTurns(path: string, signal?: AbortSignal): Promise<Turn[]> {
  const turns: Turn[] = []
  let near = Buffer.alloc(0)
  for await (const { bytes, offset } of readBlocks(path, { signal })) {
    let last = 0
    for (let at = bytes.indexOf(ROW), end = 0; at !== -1; at = bytes.indexOf(ROW, end)) {
      const { start, line } = lineAt(bytes, at)
      end = start + line.length
      const record = turnRow(line, at - start + ROW.length)
      if (record === null) continue
      const parent = textOf(record.parentUuid)
      const isNext = holds(bytes.subarray(last, start), parent) || holds(near, parent)
      turns.push({
        offset: offset + start,
        at: textOf(record.timestamp),
        parent,
        isNext: isNext || parent === '' || turns.length === 0,
      })
      last = start
      near = Buffer.alloc(0)
    }
    near = Buffer.from(bytes.subarray(Math.max(last, bytes.length - NEAR)))
  }
  return turns
}

/** The abandoned turns, each with the one that stands behind it. */
async function findGone(path: string, turns: readonly Turn[], signal?: AbortSignal) {
  const names = new Set(turns.map(({ parent }) => parent))
  /** The turn that a record stands in, by the record's name. */
  const turnOf = new Map<string, number>()
  const before: number[] = []
  let [now, barrier] = [-1, -1]
  for await (const batch of readLineBatches(path, { signal }))
    for (const { bytes, offset } of batch) {
      if (isBoundary(bytes)) barrier = now
      const next = turns[now + 1]
      if (next?.offset === offset) {
        const from = turnOf.get(next.parent) ?? now
        // A compaction starts the chain anew; what it kept may hang on a record before it.
        before.push(from <= barrier ? now : from)
        now++
      }
      for (const name of namesOf(bytes)) if (names.has(name)) turnOf.set(name, now)
    }
  const active = new Set<number>()
  for (let index = now; index >= 0; index = before[index] ?? -1) active.add(index)
  return turns.flatMap((turn, index) => (active.has(index) ? [] : [{ turn, next: turns[index + 1] }]))
}

const NEWLINE = 10

function lineAt(bytes: Buffer, at: number): { line: Buffer; start: number } {
  const start = bytes.lastIndexOf(NEWLINE, at) + 1
  const end = bytes.indexOf(NEWLINE, at)
  return { line: bytes.subarray(start, end === -1 ? bytes.length : end), start }
}

/** Whether a record of this name stands in the bytes. */
function holds(bytes: Buffer, name: string): boolean {
  const at = bytes.lastIndexOf(`${NAME}${name}"`)
  return at !== -1 && namesOf(lineAt(bytes, at).line).includes(name)
}

/** Lines longer than this hold tool output, which may quote the name of any record, in bytes. */
const SMALL = 8192
/** Bytes in which the message of a record begins. */
const HEAD = 1024
const ROW = '"role":"user","content":'
const BOUNDARY = Buffer.from('"subtype":"compact_boundary"')

const isBoundary = (line: Buffer): boolean =>
  line.length < SMALL && line.includes(BOUNDARY) && !line.includes(ROW)

const OTHERS = ['isSidechain', 'isMeta', 'isCompactSummary']

/** The record when the line is a row of the person that a rewind can go back to; damage is told by the pass that reads the events. */
function turnRow(line: Buffer, content: number): Fields | null {
  // Nearly all rows hold the result of a call.
  if (content > HEAD || RESULT.test(line.toString('latin1', content, content + LONGEST_RESULT))) return null
  const record = recordOf(line.toString())
  if (record.type !== 'user' || OTHERS.some((mark) => record[mark] === true)) return null
  const blocks = fieldsOf(record.message).content
  if (listOf(blocks).some((block) => fieldsOf(block).type === 'tool_result')) return null
  const rows = partTexts(blocks).map((text) => rowOf(text).is)
  return rows.some((row) => row === 'words' || row === 'command' || row === 'shell') ? record : null
}
const RESULT = /^\[\{"(?:tool_use_id":|type":"tool_result")/
const LONGEST_RESULT = 24

const NAME = '"uuid":"'
const nameAt = (line: Buffer, at: number): string =>
  line.toString('latin1', at + NAME.length, at + NAME.length + 36)

/** Names that a line may be known by: its last one, since nested messages stand before it; in a long one, any. */
function namesOf(line: Buffer): string[] {
  const names: string[] = []
  for (let at = line.indexOf(NAME); at !== -1; at = line.indexOf(NAME, at + 1)) names.push(nameAt(line, at))
  return line.length < SMALL ? names.slice(-1) : names
}
