import { rowOf } from './claude-code-rows.ts'
import { type Fields, fieldsOf, listOf, textOf } from './fields.ts'
import { type Line, readLineBatches } from './lines.ts'

/** What the person took back by going to an earlier point and saying something else. */
export interface Rewinds {
  isAbandoned(line: number): boolean
  /** The same for a subagent, by the ISO time it began. */
  wasAbandoned(at: string): boolean
}

/** A row of the person and what followed it. */
interface Turn {
  line: number
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
    isAbandoned: (line) => gone.some((turn) => line >= turn.line && line < (turn.next?.line ?? Infinity)),
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
  for await (const batch of readLineBatches(path, signal ? { signal } : {})) {
    for (const { bytes, index } of batch) {
      const row = bytes.indexOf(ROW)
      if (row === -1 && bytes.length < SMALL && bytes.includes(BOUNDARY)) barrier = turns.length
      const record = row !== -1 && !isResult(bytes, row) ? turnRow(bytes) : null
      if (!record) continue
      const parent = textOf(record.parentUuid)
      const previous = turns.at(-1)
      const goesOn = !previous || parent === '' || isSince(previous.line, batch, index, parent, carried)
      turns.push({
        line: index,
        at: textOf(record.timestamp),
        from: goesOn ? turns.length - 1 : null,
        parent,
      })
      barriers.push(barrier)
    }
    carried = new Set(batch.slice(-CARRIED).map(({ bytes }) => nameOf(bytes) ?? ''))
  }
  return { turns, barriers }
}

const ROW = Buffer.from('"role":"user","content":')
const BOUNDARY = Buffer.from('"subtype":"compact_boundary"')

/** Whether a row holds the result of a call, as nearly all rows do. */
function isResult(bytes: Buffer, row: number): boolean {
  const content = bytes.toString('latin1', row + ROW.length, row + ROW.length + 24)
  return content.startsWith('[{"tool_use_id":') || content.startsWith('[{"type":"tool_result"')
}

/** Records remembered of the batch before; a few snapshots at most stand between a turn and the next. */
const CARRIED = 16

/** Whether the named record stands between line `from` and line `to`; the last ones are the likeliest. */
function isSince(from: number, batch: Line[], to: number, name: string, carried: Set<string>): boolean {
  const start = batch[0]?.index ?? 0
  for (let index = to - 1; index >= Math.max(from, start); index--) {
    const line = batch[index - start]
    if (line && isNamed(line.bytes, name)) return true
  }
  return from < start && carried.has(name)
}

/** Second pass, only when a turn does not go on from the one before it. */
async function locate(path: string, turns: Turn[], signal?: AbortSignal): Promise<void> {
  const open = turns.filter((turn) => turn.from === null)
  let current = -1
  for await (const batch of readLineBatches(path, signal ? { signal } : {})) {
    for (const { bytes, index } of batch) {
      if (index === turns[current + 1]?.line) current++
      for (const turn of open) {
        if (turn.from === null && turn.line > index && isNamed(bytes, turn.parent)) turn.from = current
      }
    }
  }
}

const OTHERS = ['isSidechain', 'isMeta', 'isCompactSummary']

/** The record when the line is a row of the person that a rewind can go back to. */
function turnRow(bytes: Buffer): Fields | null {
  const record = parsed({ bytes })
  const { content } = fieldsOf(record?.message)
  if (record?.type !== 'user' || OTHERS.some((mark) => record[mark] === true)) return null
  const blocks =
    typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content).map(fieldsOf)
  if (blocks.some((block) => block.type === 'tool_result')) return null
  const rows = blocks.map((block) => rowOf(textOf(fieldsOf(block).text)).is)
  return rows.some((row) => row === 'words' || row === 'command' || row === 'shell') ? record : null
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

function parsed({ bytes }: Pick<Line, 'bytes'>): Fields | null {
  try {
    return fieldsOf(JSON.parse(bytes.toString()))
  } catch {
    // Reported by the pass that reads the events.
    return null
  }
}
