import { basename } from 'node:path'
import type { ReadOptions, SessionEvent, SessionRef } from '../../types/session.ts'
import { readLineBatches, type Translator, translate } from '../lines.ts'
import { mergeByTime } from '../merge-by-time.ts'
import { createGeminiTranslator, SNAPSHOT } from './events.ts'
import { geminiSubagents } from './files.ts'

/**
 * The conversation of one session, subagents merged in by time. The file is a log of changes: replayed to its end it has lost what
 * was compacted and the prompts whose requests failed, so the lines themselves are told, each message once. Throws `sessionUnreadable`,
 * and `sessionFormat` when no line of the file is a record.
 */
export async function* readGeminiSession(
  ref: SessionRef,
  options: ReadOptions,
): AsyncGenerator<SessionEvent[]> {
  const rewound = await findRewound(ref.path, options.signal ? { signal: options.signal } : {})
  const read = (path: string, sub: string | null, leftOut: Rewound) =>
    translate(path, options, translatorOf(sub, ref.cwd, leftOut), { mustHold: sub === null })
  const sides = (await geminiSubagents(ref)).map(({ path, startedAt }) => ({
    startedAt,
    read: () => read(path, basename(path, '.jsonl'), []),
  }))
  yield* mergeByTime(read(ref.path, null, rewound), sides)
}

function translatorOf(sub: string | null, cwd: string | null, leftOut: Rewound): Translator {
  const { add, endCopy } = createGeminiTranslator(sub, cwd)
  return {
    add,
    wants({ bytes, index, torn }) {
      const start = bytes.toString('latin1', 0, HEAD)
      if (start.startsWith(REWIND) || (!torn && isIdle(start))) return false
      if (leftOut.some(([from, to]) => index >= from && index < to)) return false
      const isCopy = start.startsWith(COPY) && !bytes.includes(SNAPSHOT)
      if (isCopy) endCopy()
      return !isCopy
    },
  }
}

/** Bytes that hold the kind of a record, its id, and the beginning of a message up to its content. */
const HEAD = 160
/** A tool's result, told by the call already: most of them begin like this. */
const ANSWER = /^\{"id":"[\w-]+","timestamp":"[^"]+","type":"user","content":\[\{"functionResponse":/
const STAMP = '{"$set":{"lastUpdated":'

/** Whether a line tells nothing, by its first bytes: half of a session's lines, and the larger half of its bytes. */
const isIdle = (start: string): boolean =>
  start.startsWith(STAMP) || start.startsWith('{"sessionId":') || ANSWER.test(start)

/** Lines, by their 0-based numbers, that the person took back: from the first up to, not including, the second. */
type Rewound = readonly (readonly [from: number, to: number])[]

const REWIND = '{"$rewindTo":"'
const RECORD = '{"id":"'

/**
 * One pass over a file for its `$rewindTo` records: each takes back the record it names and all after it. Where only a copy of the
 * history holds that record, what stands behind the copy is taken back.
 */
async function findRewound(path: string, options: Pick<ReadOptions, 'signal'>): Promise<Rewound> {
  const first = new Map<string, number>()
  const copies: { index: number; ids: string }[] = []
  const found: [number, number][] = []
  for await (const batch of readLineBatches(path, options))
    for (const { bytes, index } of batch) {
      const start = bytes.toString('latin1', 0, HEAD)
      if (start.startsWith(RECORD)) {
        const id = start.slice(RECORD.length, start.indexOf('"', RECORD.length))
        if (!first.has(id)) first.set(id, index)
      } else if (start.startsWith(COPY)) {
        copies.push({ index, ids: idsIn(bytes.toString('latin1')) })
      } else if (start.startsWith(REWIND)) {
        const id = start.slice(REWIND.length, start.indexOf('"', REWIND.length))
        const from = first.get(id) ?? copies.find(({ ids }) => ids.includes(` ${id} `))?.index
        if (from !== undefined) found.push([from, index])
      }
    }
  return found
}

const COPY = '{"$set":{"messages":['

/** Ids of the messages in a copy of the history; quotes inside texts are escaped, so nothing else looks like one. */
const idsIn = (line: string): string =>
  ` ${[...line.matchAll(/\{"id":"([\w-]+)","timestamp":"/g)].map(([, id]) => id).join(' ')} `
