import { sessionFormat } from '../errors.ts'
import type { ReadOptions, SessionEvent, SessionRef } from '../types.ts'
import { createTranslator } from './claude-code-events.ts'
import { findRewinds, type Rewinds } from './claude-code-rewinds.ts'
import { findSubagents } from './claude-code-subagents.ts'
import { readLineBatches } from './lines.ts'
import { mergeByTime } from './merge-by-time.ts'

/**
 * The conversation of one session, subagents merged in by time. Throws `sessionUnreadable`, and `sessionFormat` when no
 * line of the file is a record.
 */
export async function* readClaudeSession(
  ref: SessionRef,
  options: ReadOptions,
): AsyncGenerator<SessionEvent> {
  const rewinds = await findRewinds(ref.path, options.signal)
  const files = (await findSubagents(ref)).filter((file) => !rewinds.wasAbandoned(file.startedAt))
  const onFile = new Set(files.map((file) => file.id))
  const streams = files.map((file) => ({
    startedAt: file.startedAt,
    read: () => readFile(file.path, file.id, onFile, null, options),
  }))
  for await (const batch of mergeByTime(readFile(ref.path, null, onFile, rewinds, options), streams)) {
    for (const event of batch) yield event
  }
}

async function* readFile(
  path: string,
  sub: string | null,
  onFile: ReadonlySet<string>,
  rewinds: Rewinds | null,
  options: ReadOptions,
): AsyncGenerator<SessionEvent[]> {
  let lines = 0
  let bad = 0
  const translator = createTranslator(sub, onFile, (reason) => {
    if (reason !== 'unknown') bad++
    options.onSkip?.(reason)
  })
  for await (const batch of readLineBatches(path, options)) {
    for (const line of batch) {
      if (line.bytes.length > 0) lines++
      if (!rewinds?.isAbandoned(line.offset)) translator.take(line)
    }
    yield translator.drain()
  }
  if (sub === null && lines === bad) throw sessionFormat(path, 'no line of it is a valid record')
  translator.end()
  yield translator.drain()
}
