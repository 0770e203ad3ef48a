import { isAscii } from 'node:buffer'
import { closeSync, openSync, readSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { orNull } from '../errors/handoff-error.ts'
import { sessionFormat, sessionUnreadable } from '../errors/session.ts'
import type { Adapter } from '../types/agent.ts'
import type { Batches, ReadOptions, SessionEvent } from '../types/session.ts'
import { type Draft, type Stamp, stamped } from './draft.ts'
import { type Fields, fieldsOf, itemsOf, listOf, recordOf, textOf } from './fields.ts'
import { isPacked, unpackFile } from './packed.ts'
import { LONGEST_LINE } from './session-files.ts'

/** A reader whose code is loaded where a session is read. */
export const loaded = (load: () => Promise<Adapter['read']>): Adapter['read'] =>
  async function* (...given) {
    yield* (await load())(...given)
  }

/** The text of each part of a content, empty where it has none; a content that is a plain string is one part. */
export const partTexts = (content: unknown): string[] =>
  typeof content === 'string' ? [content] : listOf(content).map((part) => textOf(fieldsOf(part).text))

/** The `text` blocks of a message's content; thoughts and calls of tools are none. */
export const textBlocks = (content: unknown): string[] =>
  partTexts(listOf(content).filter((block) => fieldsOf(block).type === 'text'))

/** Texts of a message's content: a plain string, or its text blocks joined by newlines. */
export const contentText = (content: unknown): string =>
  typeof content === 'string' ? content : textBlocks(content).join('\n')

/** The blocks of a message's content; a plain string is one text. */
export const blocksOf = (content: unknown): Fields[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : itemsOf(content)

export const labelsOf = (options: unknown): string[] =>
  listOf(options).map((option) => textOf(option) || textOf(fieldsOf(option).label))

/** The id of the first, second … question of a call: the first goes by the call's own. */
export const numbered = (id: string, index: number, mark = '#'): string =>
  index === 0 ? id : `${id}${mark}${index + 1}`

/** The words of a list that is written as one text. */
export const wordsIn = (text: string): string[] => text.trim().split(/\s+/)
export const wordSet = (text: string): ReadonlySet<string> => new Set(wordsIn(text))

/** The first of these values that is a text with anything in it. */
export const firstText = (...values: unknown[]): string =>
  values.map(textOf).find((text) => text !== '') ?? ''

/** Keys by which tools of any agent, and of MCP servers, name files and folders. */
const PATH_KEYS = [
  ...[
    'path',
    'paths',
    'file_path',
    'file_paths',
    'filePath',
    'filePaths',
    'filepath',
    'file',
    'files',
    'filename',
  ],
  ...['absolute_path', 'notebook_path', 'dir_path', 'dirpath', 'dirPath', 'directory_path'],
  ...['target_file', 'target_notebook', 'target_directory', 'target_directories'],
]

/** The paths that stand under these keys of an input, alone or in lists. */
export const pathsUnder = (input: Fields, keys: readonly string[] = PATH_KEYS): string[] =>
  keys
    .flatMap((key) => [input[key], ...listOf(input[key])])
    .map(textOf)
    .filter((path) => path !== '' && !/\n|:\/\//.test(path))

/** A path, which some agents write as a URL; empty for one of another machine. */
export function pathOf(value: string): string {
  if (!value.includes('://')) return value
  if (!value.startsWith('file://')) return ''
  // Some write a path behind `file://` as it is.
  return orNull(() => fileURLToPath(value)) ?? value.slice('file://'.length)
}

/** A tag of the clients, which have more than one word: `<system_reminder>`; those of the person's own markup rarely do. */
const OPEN = /^\s*<([A-Za-z]+(?:_[A-Za-z]+)+|timestamp)(?: [^<>]*)?>/

/** A text without what a client puts before the person's words, each piece in a tag of its own; one that never ends is left. */
export function withoutLeadingBlocks(text: string): string {
  let rest = text
  for (;;) {
    const name = OPEN.exec(rest)?.[1]
    const end = name === undefined ? -1 : rest.indexOf(`</${name}>`)
    if (name === undefined || end === -1) return rest.trim()
    rest = rest.slice(end + name.length + 3)
  }
}

/** A text without the elements of one name, and without the blanks around them; `instead` takes the place of each. */
export function withoutElements(text: string, name: string, instead: string): string {
  const close = `</${name}>`
  let [clean, rest] = ['', text]
  for (;;) {
    const at = rest.indexOf(`<${name}>`)
    const end = at === -1 ? -1 : rest.indexOf(close, at)
    if (end === -1) return clean + rest
    const before = rest.slice(0, at)
    clean += (instead === '' ? before : before.trimEnd()) + instead
    rest = rest.slice(end + close.length).trimStart()
  }
}

/** Read size in bytes, of which 256 KB to 4 MB measured equal, and the first one: most sessions of a list are shorter. */
const BLOCK = 1 << 19
const FIRST = 1 << 16
const NEWLINE = 10

/** One physical line without its newline. `bytes` is valid until the next batch is asked for. */
export interface Line {
  bytes: Buffer
  index: number
  /** Byte offset of its first byte in the file. */
  offset: number
  /** The file ended before its newline: a writer may be in the middle of it. */
  torn: boolean
}

/** What is ASCII, as most lines are, takes a third of the time when it is not looked at for anything else. */
export const decoded = (bytes: Buffer): string => bytes.toString(isAscii(bytes) ? 'latin1' : 'utf8')

/** The record of a line, empty when its JSON is no object; null for a blank line, and for one of which `onSkip` is told. */
export function parseLine(
  line: Line,
  { onSkip }: Pick<ReadOptions, 'onSkip'>,
  text = decoded(line.bytes),
): Fields | null {
  // Asked for thousands of blank lines a parser takes a second to refuse them.
  if (text.trim() === '') return null
  try {
    return fieldsOf(JSON.parse(text))
  } catch {
    onSkip?.(line.torn ? 'torn' : 'not-json', line.index + 1)
    return null
  }
}

type Part = Pick<ReadOptions, 'signal' | 'onRaw'> & { start?: number; end?: number }

/** Reads a file as batches of lines with flat memory; see `readBlocks`. */
export async function* readLineBatches(path: string, options: Part = {}): AsyncGenerator<Line[]> {
  let index = 0
  for await (const { bytes, offset } of readBlocks(path, options)) {
    const batch: Line[] = []
    for (let from = 0; from < bytes.length; ) {
      const found = bytes.indexOf(NEWLINE, from)
      const torn = found === -1
      const stop = torn ? bytes.length : found
      batch.push({ bytes: bytes.subarray(from, stop), index: index++, offset: offset + from, torn })
      from = stop + 1
    }
    yield batch
  }
}

/**
 * Reads a file in blocks of whole lines, so that nobody sees a value in halves; what stands behind the last newline is a block of its
 * own. `bytes` is valid until the next block is asked for. Throws `sessionUnreadable` when the file cannot be opened or read, or has a line of more than 256 MB; rejects
 * with the signal's reason on abort.
 */
export async function* readBlocks(
  path: string,
  { signal, onRaw, start = 0, end = Number.POSITIVE_INFINITY }: Part = {},
): AsyncGenerator<{ bytes: Buffer; offset: number }> {
  const source = openSource(path)
  let buffer: Buffer = Buffer.allocUnsafe(FIRST)
  let [offset, held] = [start, 0]
  const block = (bytes: Buffer) => {
    const found = { bytes, offset }
    onRaw?.(bytes, { path, offset })
    offset += bytes.length
    return found
  }
  try {
    for (;;) {
      // A Ctrl-C is heard between two blocks.
      await new Promise(setImmediate)
      signal?.throwIfAborted()
      const room = Math.min(buffer.length - held, end - offset - held)
      const came = room > 0 ? source.read(buffer, held, room, offset + held) : 0
      if (came === 0) break
      const filled = held + came
      const whole = held + buffer.subarray(held, filled).lastIndexOf(NEWLINE) + 1
      if (whole > held) {
        yield block(buffer.subarray(0, whole))
        buffer.copy(buffer, 0, whole, filled)
      }
      held = whole > held ? filled - whole : filled
      if (held === buffer.length || buffer.length < BLOCK) {
        if (held >= LONGEST_LINE)
          throw sessionUnreadable(path, new Error('one of its lines has more than 256 MB'))
        const larger = Buffer.allocUnsafe(Math.max(BLOCK, 2 * held))
        buffer.copy(larger, 0, 0, held)
        buffer = larger
      }
    }
    if (held > 0) yield block(buffer.subarray(0, held))
  } finally {
    source.close()
  }
}

/** Every record of a file with the number of its line, for a look before its events are read: nothing is told of damage. */
export async function* recordsIn(
  path: string,
  { signal }: Pick<ReadOptions, 'signal'>,
): AsyncGenerator<{ record: Fields; index: number }> {
  for await (const batch of readLineBatches(path, { signal }))
    for (const { bytes, index } of batch) yield { record: recordOf(decoded(bytes)), index }
}

interface Source {
  read(buffer: Buffer, at: number, length: number, position: number): number
  close(): void
}

/** Reads without threads, whose start takes longer than most sessions do. */
function openSource(path: string): Source {
  if (isPacked(path)) {
    const all = unpackFile(path)
    return { read: (buffer, at, length, from) => all.copy(buffer, at, from, from + length), close: () => {} }
  }
  const readable = <T>(use: () => T): T => {
    try {
      return use()
    } catch (cause) {
      throw sessionUnreadable(path, cause)
    }
  }
  const file = readable(() => openSync(path, 'r'))
  return {
    read: (...part) => readable(() => readSync(file, ...part)),
    close: () => closeSync(file),
  }
}

export interface Translator {
  /** False for a line that need not be parsed, told by its first bytes or its place. */
  wants?(line: Line): boolean
  /** The events of one record, in the order of the file; null for a kind of record that nobody knows. */
  add(record: Fields, line: Line): SessionEvent[] | null
  /** What was held back until the file ended. */
  end?(): SessionEvent[]
  parse?: typeof parseLine
}

/** A translator of records that are told one by one; null for a kind of record that nobody knows. */
export const eachRecord = (
  told: (record: Fields) => Draft[] | null,
  stampOf: (record: Fields) => Stamp,
): Translator => ({
  add: (record) => told(record)?.map((draft) => stamped(draft, stampOf(record))) ?? null,
})

/** Reads a file of JSON lines as events. `mustHold`: throws `sessionFormat` when no line of it is a record. */
export async function* translate(
  path: string,
  options: ReadOptions & Part,
  { wants, add, end, parse = parseLine }: Translator,
  { mustHold = false } = {},
): Batches {
  let isRecord = !mustHold
  for await (const batch of readLineBatches(path, options)) {
    const events: SessionEvent[] = []
    for (const line of batch) {
      if (wants?.(line) === false) {
        isRecord = true
        continue
      }
      const record = parse(line, options)
      if (record === null) continue
      isRecord = true
      const told = add(record, line)
      if (told) events.push(...told)
      else options.onSkip?.('unknown')
    }
    yield events
  }
  if (!isRecord) throw sessionFormat(path, 'no line of it is a valid record')
  if (end) yield end()
}
