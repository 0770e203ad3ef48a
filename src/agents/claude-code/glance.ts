import { type Fields, recordOf } from '../fields.ts'

/** Bytes in which a record tells what it is; its envelope before the message is shorter in every version seen. */
const HEAD = 700

/**
 * The call whose result is all that a line holds, and the byte at which the content of that begins; null for any other line. Results are
 * most of a transcript.
 */
export function glance(line: Buffer): { call: string; content: number } | null {
  const head = line.toString('latin1', 0, HEAD)
  const content = head.indexOf('"content":[{', head.indexOf('"message":{')) + '"content":['.length
  // Subagents are few, and their rows must be read to know which one they belong to.
  if (!head.startsWith(CALL_ID, content) || /"isSidechain":true|"type":"progress"/.test(head)) return null
  const id = content + CALL_ID.length
  const end = head.indexOf('"', id)
  return head.startsWith(RESULT, end) ? { call: head.slice(id, end), content: end + RESULT.length } : null
}

const CALL_ID = '{"tool_use_id":"'
const RESULT = '","type":"tool_result","content":'

// A quote inside a JSON string is escaped, so these bytes are found in structure only.
const NEXT_BLOCK = Buffer.from('},{"t')
const MESSAGE_END = Buffer.from(']},"')
const TIME = /","timestamp":"([^"]+)"/
const OUTPUT = Buffer.from('"toolUseResult":')

/** A tool result that went well, taken apart without parsing what it holds; offsets in bytes. */
interface Peek {
  /** Time of the record as written. */
  at: string
  /** Where the JSON of the result's content ends. */
  contentEnd: number
  /** Where the value of `toolUseResult` begins, or -1 when there is none. */
  output: number
}

/** Finds the parts of a line with one successful tool result; null when it must be parsed to be sure. */
export function peek(line: Buffer): Peek | null {
  const end = line.indexOf(MESSAGE_END)
  if (end === -1) return null
  // Words typed in the middle of a turn stood beside the result until about 2.1.40.
  if (line.subarray(0, end).includes(NEXT_BLOCK)) return null
  const before = line.toString('latin1', Math.max(0, end - 40), end)
  if (before.includes('"is_error":true')) return null
  const contentEnd = end - (before.endsWith(',"is_error":false}') ? ',"is_error":false}' : '}').length
  const after = line.toString('latin1', end, end + 160)
  // The time stands before the output, or, in records of other writers, in the envelope at the end of the line.
  const at = after.startsWith('uuid":"', MESSAGE_END.length) ? TIME.exec(after)?.[1] : timeAtEnd(line)
  const output = line.indexOf(OUTPUT, end)
  return at === undefined ? null : { at, contentEnd, output: output === -1 ? -1 : output + OUTPUT.length }
}

/** Bytes of an envelope that stands behind its message; its longest part is the directory. */
const ENVELOPE = 1024
const AT = '","timestamp":"'

/** Flat to the end of the line, so that the time is the record's own and not one inside of what a tool gave. */
function timeAtEnd(line: Buffer): string | undefined {
  const tail = line.toString('latin1', Math.max(0, line.length - ENVELOPE))
  const from = tail.lastIndexOf(AT) + AT.length
  const end = tail.indexOf('"', from)
  if (from < AT.length || end <= from || !tail.endsWith('}')) return undefined
  return /[{}[\]]/.test(tail.slice(end, -1)) ? undefined : tail.slice(from, end)
}

/** Bytes of an output in which the kind and path of an edit stand. */
const OUTPUT_HEAD = 1024

/** What an event needs of `toolUseResult`: which file was changed and how, or that an exit code was read as success. */
export function peekOutput(line: Buffer, content: number, { contentEnd, output }: Peek): Fields {
  if (output === -1) return {}
  const text = line.toString('utf8', output, Math.min(line.length, output + OUTPUT_HEAD))
  if (text.startsWith(STDOUT)) {
    // What was printed mostly stands here as it stands in the content; the reading comes behind it.
    const behind = output + STDOUT.length + contentEnd - content
    const isSame = line.toString('latin1', behind - 1, behind - 1 + STDERR.length) === STDERR
    return line.includes(READING, isSame ? behind : output) ? { returnCodeInterpretation: true } : {}
  }
  const found = /^\{(?:"type":"(\w+)",)?"filePath":("(?:[^"\\]|\\.)*")/.exec(text)
  // Damaged, the path is no string of JSON and tells nothing.
  return found?.[2] ? { type: found[1], ...recordOf(`{"filePath":${found[2]}}`) } : {}
}
const STDOUT = '{"stdout":'
const STDERR = '","stderr":"'
const READING = Buffer.from('"returnCodeInterpretation":"')
