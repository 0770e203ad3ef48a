import type { ReadOptions, SessionEvent } from '../types/session.ts'

type OnRaw = NonNullable<ReadOptions['onRaw']>

/**
 * Reads a session of a client in which a person can take turns back. Few sessions hold such turns, so a caller who can begin anew gets
 * one pass until one shows up. `find` looks for them; `read` gets what it found, or null and is to call `onRewind` and end at the
 * first one. `onRaw` takes the blocks of the session itself, each once.
 */
export async function* readUntilRewound<T>(
  { onRestart, onRaw }: ReadOptions,
  find: () => Promise<T>,
  read: (found: T | null, onRaw: OnRaw | undefined, onRewind: () => void) => AsyncIterable<SessionEvent[]>,
): AsyncGenerator<SessionEvent[]> {
  const ignore = () => {}
  if (onRestart === undefined) {
    yield* read(await find(), onRaw, ignore)
    return
  }
  let seen = 0
  let isRewound = false
  const count: OnRaw = (block, from) => {
    seen += block.length
    onRaw?.(block, from)
  }
  yield* read(null, count, () => {
    isRewound = true
  })
  if (!isRewound) return
  const found = await find()
  onRestart()
  const beyond: OnRaw = (block, from) => {
    seen -= block.length
    if (seen < 0) onRaw?.(block, from)
  }
  yield* read(found, beyond, ignore)
}
