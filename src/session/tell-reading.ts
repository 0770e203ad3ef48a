import type { Invocation } from '../command.ts'
import { bytesText } from '../text/count.ts'
import type { Adapter } from '../types/agent.ts'
import { age } from './session-list.ts'

/** Ms after which a person hears how far a session is read, and ms between two such words. */
const FIRST_WORD = 2_000
const NEXT_WORD = 10_000

/** The adapter; what takes long to read is told while it is read: how far that is, how long it may still take, and what ends it. */
export function tellReading({ out }: Pick<Invocation, 'out'>, adapter: Adapter): Adapter {
  let isTold = false
  async function* read(...[ref, options]: Parameters<Adapter['read']>): ReturnType<Adapter['read']> {
    // Two readings of one session side by side are one to the person.
    if (isTold) return yield* adapter.read(ref, options)
    isTold = true
    const begun = performance.now()
    let bytes = 0
    const tell = (): void => {
      const seconds = ((performance.now() - begun) / 1000) * (ref.bytes / bytes - 1)
      const rest = seconds > 0 && seconds < Number.POSITIVE_INFINITY ? `, about ${age(seconds)} to go` : ''
      out.say(`Read ${bytesText(bytes)} of ${bytesText(ref.bytes)}${rest}; Ctrl-C cancels.`)
      timer = setTimeout(tell, NEXT_WORD)
    }
    let timer = setTimeout(tell, FIRST_WORD)
    try {
      yield* adapter.read(ref, {
        ...options,
        onRaw(block, from) {
          options.onRaw?.(block, from)
          if (from.path === ref.path) bytes = from.offset + block.length
        },
      })
    } finally {
      clearTimeout(timer)
      isTold = false
    }
  }
  return { ...adapter, read }
}
