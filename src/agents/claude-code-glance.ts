/** Bytes in which a record tells what it is; its envelope before the message is shorter in every version seen. */
const HEAD = 700
/** Records shorter than this are parsed whole, in bytes: looking closer would cost as much. */
const SMALL = 2048

/** What a line is worth: nothing, a parse, or (with its call's id) a look at one tool result. */
export type Glance = 'skip' | 'parse' | { result: string }

/** Judges a line by its first bytes, since most of a transcript is schemas, snapshots, thinking and file contents. */
export function glance(line: Buffer): Glance {
  const head = line.toString('latin1', 0, HEAD)
  const type = /^\{"type":"([a-z-]+)"/.exec(head)?.[1]
  if (type !== undefined && NOT_TALK.has(type)) return 'skip'
  // Shell output while it runs is repeated line by line; only a subagent's messages matter here.
  if (head.includes('"type":"progress"')) return head.includes('"data":{"message":') ? 'parse' : 'skip'
  const attachment = /"attachment":\{"type":"([a-z_]+)"/.exec(head)?.[1]
  if (attachment !== undefined) return NEEDED_ATTACHMENTS.has(attachment) ? 'parse' : 'skip'
  if (line.length < SMALL) return 'parse'
  if (head.includes('"content":[{"type":"thinking"') && !BLOCKS.some((block) => line.includes(block)))
    return 'skip'
  const result = /"content":\[\{"tool_use_id":"([^"\\]+)","type":"tool_result"/.exec(head)?.[1]
  const certain = !head.includes('"isSidechain":true') && !head.includes(FAILED)
  return result !== undefined && certain ? { result } : 'parse'
}

// A quote inside a JSON string is escaped, so these bytes are found in structure only.
const BLOCKS = ['"type":"text"', '"type":"tool_use"'].map((text) => Buffer.from(text))
const NEXT_BLOCK = Buffer.from('},{"t')
const MESSAGE_END = Buffer.from(']},"')
const FAILED = '"is_error":true'
const TIME = /","timestamp":"([^"]+)"/
const OUTPUT = Buffer.from('"toolUseResult":')

/** A tool result that went well, taken apart without parsing what it holds. */
export interface Peek {
  /** Time of the record as written. */
  at: string
  /** Offset of the value of `toolUseResult`, or -1 when there is none. */
  output: number
}

/** Finds the parts of a line with one successful tool result; null when it must be parsed to be sure. */
export function peek(line: Buffer): Peek | null {
  const end = line.indexOf(MESSAGE_END)
  if (end === -1) return null
  // Words typed in the middle of a turn stood beside the result until about 2.1.40.
  if (line.subarray(0, end).includes(NEXT_BLOCK)) return null
  if (line.toString('latin1', Math.max(0, end - 40), end).includes(FAILED)) return null
  const after = line.toString('latin1', end, end + 160)
  // The time stands before the output, or, in records of other writers, at the end of the line.
  const place = after.startsWith('uuid":"', MESSAGE_END.length)
    ? after
    : line.toString('latin1', line.length - 160)
  const time = TIME.exec(place)
  const output = line.indexOf(OUTPUT, end)
  return time?.[1] === undefined ? null : { at: time[1], output: output === -1 ? -1 : output + OUTPUT.length }
}

/** Whether the client read an exit code of its own accord (`No matches found`); that stands in the output. */
export const hasReading = (line: Buffer): boolean => line.includes(READING)
const READING = Buffer.from('"returnCodeInterpretation":"')

/** The record as text without its `toolUseResult` and what follows: the output stands twice in a line. */
export const withoutOutput = (line: Buffer, output: number): string =>
  `${line.toString('utf8', 0, output - OUTPUT.length - 1)}}`

/** Record types up to 2.1.330 that hold nothing of the conversation. */
const NOT_TALK = new Set([
  'agent-color',
  'agent-name',
  'agent-setting',
  'api-request',
  'api-request-blob',
  'api-request-shape',
  'atis-latch',
  'bridge-session',
  'cost-state',
  'file-history-delta',
  'file-history-snapshot',
  'last-prompt',
  'mode',
  'permission-mode',
  'pr-link',
  'summary',
  'tag',
])

const NEEDED_ATTACHMENTS = new Set(['queued_command', 'task_reminder'])
