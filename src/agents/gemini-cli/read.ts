import { basename } from 'node:path'
import { sessionFormat } from '../../errors/session.ts'
import type { ReadOptions, SessionEvent, SessionRef } from '../../types/session.ts'
import { isBlank, parseLine, readLineBatches } from '../lines.ts'
import { mergeByTime } from '../merge-by-time.ts'
import { readUntilRewound } from '../rewound.ts'
import { createGeminiTranslator, SNAPSHOT } from './events.ts'
import { geminiSubagents } from './files.ts'

/**
 * The conversation of one session, subagents merged in by time. The file is a log of changes: replayed to its end it has lost what
 * was compacted and the prompts whose requests failed, so the lines themselves are told, each message once. Only few sessions were
 * rewound: a caller who can begin anew gets one pass until that shows up. Throws `sessionUnreadable`, `sessionFormat`.
 */
export const readGeminiSession = (ref: SessionRef, options: ReadOptions): AsyncGenerator<SessionEvent[]> =>
  readUntilRewound(
    options,
    () => findRewound(ref.path, options.signal ? { signal: options.signal } : {}),
    async function* (rewound, onRaw, onRewind) {
      const sides = (await geminiSubagents(ref)).map(({ path, startedAt }) => ({
        startedAt,
        read: () => readFile(path, basename(path, '.jsonl'), ref.cwd, [], options),
      }))
      const own = { ...options, ...(onRaw && { onRaw }) }
      yield* mergeByTime(readFile(ref.path, null, ref.cwd, rewound, own, onRewind), sides)
    },
  )

/** `rewound`: null where it is not known yet; then `onRewind` is called at the first such record, and the reading ends. */
async function* readFile(
  path: string,
  sub: string | null,
  cwd: string | null,
  rewound: Rewound | null,
  options: ReadOptions,
  onRewind?: () => void,
): AsyncGenerator<SessionEvent[]> {
  const translator = createGeminiTranslator(sub, cwd)
  let [lines, bad] = [0, 0]
  const onSkip: ReadOptions['onSkip'] = (reason) => {
    if (reason !== 'unknown') bad++
    options.onSkip?.(reason)
  }
  for await (const batch of readLineBatches(path, options)) {
    const told: SessionEvent[] = []
    for (const line of batch) {
      if (isBlank(line)) continue
      lines++
      const start = line.bytes.toString('latin1', 0, HEAD)
      if (start.startsWith(REWIND)) {
        if (rewound !== null) continue
        onRewind?.()
        return
      }
      if (!line.torn && isIdle(start)) continue
      if (rewound?.some(([from, to]) => line.index >= from && line.index < to)) continue
      if (start.startsWith(COPY) && !line.bytes.includes(SNAPSHOT)) {
        translator.endCopy()
        continue
      }
      const record = parseLine(line, { onSkip })
      if (record === null) continue
      const events = translator.take(record)
      if (events) told.push(...events)
      else onSkip('unknown')
    }
    yield told
  }
  if (sub === null && lines === bad) throw sessionFormat(path, 'no line of it is a valid record')
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
async function findRewound(path: string, options: { signal?: AbortSignal; end?: number }): Promise<Rewound> {
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
