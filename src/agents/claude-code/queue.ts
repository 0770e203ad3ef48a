/**
 * Words typed while the agent works. Three generations of the client record them differently: taken off the queue and
 * written as a user row (`dequeue`), handed over in the middle of a turn with a `queued_command` attachment (`remove`,
 * since about 2.1.80), or handed over without any other trace (`remove`, before).
 */
export interface Queue {
  enqueue(text: string, at: string | null): void
  dequeue(): void
  /** The words that were handed over, when there are any; `named`: the words, where the record says which. */
  remove(named: string): string | null
  /** The person took everything back into the input line. */
  clear(): void
  /** A user row holds these words: they wait no longer. */
  heard(text: string): void
  /** True when `remove` already gave these words. */
  given(text: string): boolean
  /** Words the agent never got. */
  rest(): { text: string; at: string | null }[]
}

/** `isWords`: the person typed it; notices of the client stand on the queue as well, and leave it when a turn ends. */
export function createQueue(isWords: (text: string) => boolean): Queue {
  let waiting: { text: string; at: string | null }[] = []
  const handedOver: string[] = []
  return {
    enqueue: (text, at) => void waiting.push({ text, at }),
    dequeue: () => void waiting.shift(),
    remove(named) {
      const index = waiting.findIndex(({ text }) => (named === '' ? isWords(text) : text === named))
      const [next] = waiting.splice(Math.max(index, 0), 1)
      if (next) handedOver.push(next.text)
      return next?.text ?? null
    },
    clear() {
      waiting = []
    },
    heard(text) {
      const index = waiting.findIndex((one) => one.text === text)
      if (index !== -1) waiting.splice(index, 1)
    },
    given(text) {
      const index = handedOver.indexOf(text)
      if (index !== -1) handedOver.splice(index, 1)
      return index !== -1
    },
    rest: () => waiting,
  }
}
