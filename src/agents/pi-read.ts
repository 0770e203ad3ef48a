import type { ReadOptions, SessionEvent, SessionRef } from '../types.ts'
import { textOf } from './fields.ts'
import { readLineBatches } from './lines.ts'
import { createPiTranslator } from './pi-events.ts'
import { parseRecord, readPiTree } from './pi-tree.ts'

/**
 * Two passes: the first finds the current conversation, the second reads only its lines, so memory stays flat. Forks
 * hold copies of the earlier records and a new session with a parent is a new conversation: `parentSession` is not
 * followed.
 */
export async function* readPiConversation(
  ref: SessionRef,
  options: ReadOptions,
): AsyncGenerator<SessionEvent[]> {
  const tree = await readPiTree(ref.path, options)
  const translate = createPiTranslator(textOf(tree.header.cwd) || null, tree.omitted)
  const second = options.signal ? { signal: options.signal, end: tree.end } : { end: tree.end }
  for await (const batch of readLineBatches(ref.path, second)) {
    const told: SessionEvent[] = []
    for (const line of batch) {
      if (!tree.active.has(line.index)) continue
      const record = parseRecord(line, options)
      if (!record) continue
      const events = translate(record)
      if (events) told.push(...events)
      else options.onSkip?.('unknown')
    }
    yield told
  }
}
