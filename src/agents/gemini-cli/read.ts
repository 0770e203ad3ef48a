import { isAscii } from 'node:buffer'
import { basename } from 'node:path'
import { sessionFormat } from '../../errors/session.ts'
import type { ReadOptions, SessionEvent, SessionRef } from '../../types/session.ts'
import { type Fields, fieldsOf } from '../fields.ts'
import { createGeminiTranslator, SNAPSHOT } from './events.ts'
import { geminiSubagents } from './files.ts'
import { COPY, findRewound, REWIND, type Rewound } from './rewinds.ts'
import { isBlank, type Line, readLineBatches } from '../lines.ts'
import { mergeByTime } from '../merge-by-time.ts'

/**
 * The conversation of one session, subagents merged in by time. The file is a log of changes: replayed to its end it has lost what
 * was compacted and the prompts whose requests failed, so the lines themselves are told, each message once. Only few sessions were
 * rewound: a caller who can begin anew gets one pass until that shows up. Throws `sessionUnreadable`, `sessionFormat`.
 */
export async function* readGeminiSession(
  ref: SessionRef,
  options: ReadOptions,
): AsyncGenerator<SessionEvent[]> {
  const { onRestart, onRaw, signal } = options
  const only = signal ? { signal } : {}
  if (onRestart === undefined) {
    yield* readAll(ref, await findRewound(ref.path, only), options, onRaw)
    return
  }
  let seen = 0
  let isRewound = false
  const count: OnRaw = (...block) => {
    seen += block[0].length
    onRaw?.(...block)
  }
  yield* readAll(ref, null, options, count, () => {
    isRewound = true
  })
  if (!isRewound) return
  const rewound = await findRewound(ref.path, only)
  onRestart()
  yield* readAll(ref, rewound, options, (...block) => {
    seen -= block[0].length
    if (seen < 0) onRaw?.(...block)
  })
}

type OnRaw = NonNullable<ReadOptions['onRaw']>

/**
 * `rewound`: null where it is not known yet; then `onRewind` is called at the first such record, and the reading ends. `onRaw`: takes
 * the blocks of the session itself.
 */
async function* readAll(
  ref: SessionRef,
  rewound: Rewound | null,
  options: ReadOptions,
  onRaw: OnRaw | undefined,
  onRewind?: () => void,
): AsyncGenerator<SessionEvent[]> {
  const sides = (await geminiSubagents(ref)).map(({ path, startedAt }) => ({
    startedAt,
    read: () => readFile(path, basename(path, '.jsonl'), ref.cwd, [], options),
  }))
  const main = readFile(ref.path, null, ref.cwd, rewound, { ...options, ...(onRaw && { onRaw }) }, onRewind)
  yield* mergeByTime(main, sides)
}

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
      const record = parse(line)
      if (record === null) {
        bad++
        options.onSkip?.(line.torn ? 'torn' : 'not-json')
        continue
      }
      const events = translator.take(record)
      if (events) told.push(...events)
      else options.onSkip?.('unknown')
    }
    yield told
  }
  if (sub === null && lines === bad) throw sessionFormat(path, 'no line of it is a valid record')
}

/** Bytes that hold the beginning of a message up to its content. */
const HEAD = 160
/** A tool's result, told by the call already: most of them begin like this. */
const ANSWER = /^\{"id":"[\w-]+","timestamp":"[^"]+","type":"user","content":\[\{"functionResponse":/
const STAMP = '{"$set":{"lastUpdated":'

/** Whether a line tells nothing, by its first bytes: half of a session's lines, and the larger half of its bytes. */
const isIdle = (start: string): boolean =>
  start.startsWith(STAMP) || start.startsWith('{"sessionId":') || ANSWER.test(start)

function parse({ bytes }: Line): Fields | null {
  // Most lines are ASCII, which decodes several times faster.
  const text = bytes.toString(isAscii(bytes) ? 'latin1' : 'utf8')
  try {
    const value: unknown = JSON.parse(text)
    return fieldsOf(value) === value ? fieldsOf(value) : {}
  } catch {
    return null
  }
}
