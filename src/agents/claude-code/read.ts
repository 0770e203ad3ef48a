import { sessionFormat } from '../../errors/session.ts'
import type { ReadOptions, SessionEvent, SessionRef } from '../../types/session.ts'
import { readBlocks } from '../lines.ts'
import { mergeByTime } from '../merge-by-time.ts'
import { readUntilRewound } from '../rewound.ts'
import { createTranslator } from './events.ts'
import { findSubagents } from './files.ts'
import { createWatch, findRewinds, type Rewinds, type Watch } from './rewinds.ts'

/**
 * The conversation of one session, subagents merged in by time. Few sessions hold turns that the person took back, so a
 * caller who can begin anew gets one pass over the file until such a turn shows up. Throws `sessionUnreadable`, and
 * `sessionFormat` when no line of the file is a record.
 */
export const readClaudeSession = (ref: SessionRef, options: ReadOptions): AsyncGenerator<SessionEvent[]> =>
  readUntilRewound(
    options,
    () => findRewinds(ref.path, options.signal),
    (rewinds, onRaw, onRewind) =>
      readAll(ref, rewinds, { ...options, ...(onRaw && { onRaw }) }, options, onRewind),
  )

/** `rewinds`: what is left out; null: `onRewind` is called at a turn that may take others back, and the reading ends. */
async function* readAll(
  ref: SessionRef,
  rewinds: Rewinds | null,
  own: ReadOptions,
  options: ReadOptions,
  onRewind: () => void,
): AsyncGenerator<SessionEvent[]> {
  const files = (await findSubagents(ref)).filter((file) => !rewinds?.wasAbandoned(file.startedAt))
  const onFile = new Set(files.map((file) => file.id))
  const streams = files.map((file) => ({
    startedAt: file.startedAt,
    read: () => readFile(file.path, file.id, onFile, null, null, options),
  }))
  const watch = rewinds === null ? createWatch() : null
  for await (const batch of mergeByTime(readFile(ref.path, null, onFile, rewinds, watch, own), streams)) {
    if (watch?.isRewound) {
      onRewind()
      return
    }
    yield batch
  }
}

const NEWLINE = 10

async function* readFile(
  path: string,
  sub: string | null,
  onFile: ReadonlySet<string>,
  rewinds: Rewinds | null,
  watch: Watch | null,
  options: ReadOptions,
): AsyncGenerator<SessionEvent[]> {
  let lines = 0
  let bad = 0
  const translator = createTranslator(sub, onFile, (reason) => {
    if (reason !== 'unknown') bad++
    options.onSkip?.(reason)
  })
  for await (const { bytes, offset, torn } of readBlocks(path, options)) {
    for (let start = 0; start < bytes.length; ) {
      const found = bytes.indexOf(NEWLINE, start)
      const stop = found === -1 ? bytes.length : found
      if (stop > start) {
        lines++
        if (!rewinds?.isAbandoned(offset + start)) {
          const record = translator.take(bytes, start, stop, torn)
          if (record !== null && watch?.row(record, { bytes, offset }, start, stop)) {
            yield []
            return
          }
        }
      }
      start = stop + 1
    }
    watch?.end(bytes)
    yield translator.drain()
  }
  if (sub === null && lines === bad) throw sessionFormat(path, 'no line of it is a valid record')
  translator.end()
  yield translator.drain()
}
