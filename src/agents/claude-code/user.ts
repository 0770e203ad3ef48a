import type { SessionEvent } from '../../types/session.ts'
import { blocksOf, contentText, partTexts, readBlocks, readLineBatches } from '../content.ts'
import { clip, type Stamp, stamped } from '../draft.ts'
import { type Fields, fieldsOf, listOf, recordOf, textOf } from '../fields.ts'
import { isOwnSkill, skillOf } from '../tools.ts'
import { type Actions, type Row, rowOf, withoutReminders } from './calls.ts'

/** Rows in the person's name: their words, and all that the client writes there as well. */
export function createUser(emit: (event: SessionEvent) => void, actions: Actions) {
  const queue = createQueue((text) => rowOf(text).is === 'words')
  let compacted: Stamp | null = null
  let shell = ''

  function row(record: Fields, stamp: Stamp): void {
    const { content } = fieldsOf(record.message)
    if (record.isCompactSummary === true) {
      compaction(contentText(content), stamp)
      return
    }
    for (const block of blocksOf(content)) {
      if (block.type === 'tool_result') actions.result(block, record, stamp)
      // The first row of a subagent is its task; it never hears the person.
      else if (block.type === 'text' && stamp.sub === null) said(textOf(block.text), record, stamp)
    }
  }

  function said(text: string, record: Fields, stamp: Stamp): void {
    if (record.isMeta === true) return
    const plan = textOf(record.planContent)
    // A plan accepted with "clear context" begins a new session as if it had been typed; the order is the person's.
    if (plan !== '') emit({ kind: 'proposal', ...stamp, text: plan, accepted: true })
    const words = plan === '' ? text : (text.split(plan)[0] ?? '')
    queue.heard(words)
    tell(rowOf(words), textOf(record.uuid), isHuman(record), stamp)
  }

  function tell(row: Row, uuid: string, human: boolean, stamp: Stamp): void {
    if (row.is === 'words' && human) emit({ kind: 'prompt', ...stamp, text: row.text })
    if (row.is === 'command' && human) {
      for (const draft of skillOf(row.name)) emit(stamped(draft, stamp))
      // As it was typed: what follows a call of ours belongs to the handoff, which is told apart later.
      const text = `/${isOwnSkill(row.name) ? 'handoff' : row.name} ${row.args}`.trim()
      emit({ kind: 'prompt', ...stamp, text })
    }
    if (row.is === 'interrupt') emit({ kind: 'interrupt', ...stamp })
    if (row.is === 'shell') {
      shell = uuid
      const action = { type: 'run', command: row.command } as const
      emit({ kind: 'call', ...stamp, id: uuid, tool: 'Bash', action, by: 'user' })
    }
    if (row.is === 'shell-output' || (row.is === 'shell' && row.output !== null)) {
      const text = clip(row.output ?? '')
      emit({ kind: 'result', ...stamp, id: shell, ok: true, exitCode: null, text, unsure: true })
    }
    if (row.is === 'task') {
      const id = row.call ?? actions.startedBy(row.task)
      const { ok, exitCode } = row
      if (id !== null) emit({ kind: 'result', ...stamp, id, ok, exitCode, text: clip(row.text) })
    }
  }

  function compaction(text: string, stamp: Stamp): void {
    emit({ kind: 'compaction', ...stamp, summary: summaryText(text) })
    compacted = null
  }

  function boundary(stamp: Stamp): void {
    if (compacted) emit({ kind: 'compaction', ...compacted, summary: '' })
    compacted = stamp
  }

  return {
    row,
    boundary,
    attachment(attachment: Fields, stamp: Stamp): void {
      if (attachment.type === 'task_reminder' && listOf(attachment.content).length > 0)
        actions.tasks(listOf(attachment.content), stamp)
      const text = contentText(attachment.prompt)
      if (attachment.type === 'queued_command' && attachment.commandMode === 'prompt' && isHuman(attachment))
        if (!queue.given(text)) tell(rowOf(text), '', true, stamp)
    },
    queued(record: Fields, stamp: Stamp): void {
      const text = contentText(record.content)
      if (record.operation === 'enqueue') queue.enqueue(text, stamp.at)
      if (record.operation === 'dequeue') queue.dequeue()
      if (record.operation === 'popAll') queue.clear()
      if (record.operation === 'remove') {
        const given = queue.remove(text)
        // Other reasons mean that the person took it back.
        if (given !== null && (record.reason ?? 'absorbed_mid_turn') === 'absorbed_mid_turn')
          tell(rowOf(queuedText(given)), '', true, stamp)
      }
    },
    end(): void {
      if (compacted) emit({ kind: 'compaction', ...compacted, summary: '' })
      for (const { text, at } of queue.rest())
        tell(rowOf(queuedText(text)), '', true, { at, sub: null, cwd: null })
    },
  }
}

/** What the client puts before a model's summary and after it (2.0 … 2.1.330). */
const SUMMARY_HEAD =
  /^This session is being continued from a previous conversation[^\n]*\n+(?:Analysis:\n[\s\S]*?\n(?=Summary:\n))?/
const SUMMARY_END =
  /(?<!\n)\n+(?:If you need specific details from before compaction|(?:Please )?[Cc]ontinue the conversation from where)\b.*(?:\n.*){0,3}$/

const summaryText = (text: string): string =>
  withoutReminders(text).trim().replace(SUMMARY_HEAD, '').replace(SUMMARY_END, '').trim()

/** A slash command on the queue is told by the row it makes when it runs. */
const queuedText = (text: string): string => (/^\/[\w:-]+(?:\s|$)/.test(text) ? '' : text)

/** Typed by a person, or given on the command line; the client marks what it writes itself. */
const isHuman = (record: Fields): boolean =>
  record.isMeta !== true &&
  record.isVisibleInTranscriptOnly !== true &&
  record.promptSource !== 'system' &&
  (record.origin === undefined || fieldsOf(record.origin).kind === 'human')

/**
 * Words typed while the agent works. Three generations of the client record them differently: taken off the queue and
 * written as a user row (`dequeue`), handed over in the middle of a turn with a `queued_command` attachment (`remove`,
 * since about 2.1.80), or handed over without any other trace (`remove`, before).
 * `isWords`: the person typed it; notices of the client stand on the queue as well, and leave it when a turn ends.
 */
function createQueue(isWords: (text: string) => boolean) {
  let waiting: { text: string; at: string | null }[] = []
  const handedOver: string[] = []
  return {
    enqueue: (text: string, at: string | null) => void waiting.push({ text, at }),
    dequeue: () => void waiting.shift(),
    /** The words that were handed over, when there are any; `named`: the words, where the record says which. */
    remove(named: string): string | null {
      const index = waiting.findIndex(({ text }) => (named === '' ? isWords(text) : text === named))
      const [next] = waiting.splice(Math.max(index, 0), 1)
      if (next) handedOver.push(next.text)
      return next?.text ?? null
    },
    /** The person took everything back into the input line. */
    clear() {
      waiting = []
    },
    /** A user row holds these words: they wait no longer. */
    heard(text: string) {
      const index = waiting.findIndex((one) => one.text === text)
      if (index !== -1) waiting.splice(index, 1)
    },
    /** True when `remove` already gave these words. */
    given(text: string): boolean {
      const index = handedOver.indexOf(text)
      if (index !== -1) handedOver.splice(index, 1)
      return index !== -1
    },
    /** Words the agent never got. */
    rest: () => waiting,
  }
}

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
 * links inside a turn are not followed, since parallel calls make side branches there (2.1.5 to 2.1.330). Lines go by their
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
  const begin = line.toString('latin1', content, content + LONGEST_RESULT)
  if (content > HEAD || RESULTS.some((mark) => begin.startsWith(mark))) return null
  const record = recordOf(line.toString())
  if (record.type !== 'user' || OTHERS.some((mark) => record[mark] === true)) return null
  const blocks = fieldsOf(record.message).content
  if (listOf(blocks).some((block) => fieldsOf(block).type === 'tool_result')) return null
  const rows = partTexts(blocks).map((text) => rowOf(text).is)
  return rows.some((row) => row === 'words' || row === 'command' || row === 'shell') ? record : null
}
const RESULTS = ['[{"tool_use_id":', '[{"type":"tool_result"']
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
