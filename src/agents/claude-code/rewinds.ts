import { type Fields, fieldsOf, listOf, partTexts, recordOf, textOf } from '../fields.ts'
import { readLineBatches } from '../lines.ts'
import { rowOf } from './rows.ts'

/** A row of the person and what followed it. */
interface Turn {
  line: number
  at: string
  /** Index of the turn it goes on from, -1 for none. */
  from: number
  /** Index of the first turn after the last compaction before it. */
  barrier: number
}

/**
 * Finds abandoned turns of a transcript. A turn goes on from the one that holds the record named by `parentUuid`;
 * links inside a turn are not followed, since parallel calls make side branches there (2.0.76 to 2.1.330). Lines go by their 0-based
 * numbers, subagents by the ISO time they began.
 */
export async function findRewinds(path: string, signal?: AbortSignal) {
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
    isAbandoned: (index: number) =>
      gone.some((turn) => index >= turn.line && index < (turn.next?.line ?? Infinity)),
    wasAbandoned: (at: string) => gone.some((turn) => at >= turn.at && (!turn.next || at < turn.next.at)),
  }
}

async function readTurns(path: string, signal?: AbortSignal): Promise<Turn[]> {
  const turns: Turn[] = []
  /** The turn that a record stands in, by the record's name. */
  const turnOf = new Map<string, number>()
  let barrier = 0
  for await (const batch of readLineBatches(path, { signal }))
    for (const { bytes, index } of batch) {
      if (isBoundary(bytes)) barrier = turns.length
      const record = turnRow(bytes)
      if (record) {
        const from = turnOf.get(textOf(record.parentUuid)) ?? turns.length - 1
        turns.push({ line: index, at: textOf(record.timestamp), from, barrier })
      }
      for (const name of namesOf(bytes)) turnOf.set(name, turns.length - 1)
    }
  return turns
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
function turnRow(line: Buffer): Fields | null {
  const head = line.toString('latin1', 0, HEAD)
  const row = head.indexOf(ROW)
  // Nearly all rows hold the result of a call.
  if (row === -1 || /^\[\{"(?:tool_use_id":|type":"tool_result")/.test(head.slice(row + ROW.length)))
    return null
  const record = recordOf(line.toString())
  if (record.type !== 'user' || OTHERS.some((mark) => record[mark] === true)) return null
  const { content } = fieldsOf(record.message)
  if (listOf(content).some((block) => fieldsOf(block).type === 'tool_result')) return null
  const rows = partTexts(content).map((text) => rowOf(text).is)
  return rows.some((row) => row === 'words' || row === 'command' || row === 'shell') ? record : null
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
