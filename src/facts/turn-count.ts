import { withoutBlocks } from '../text/blocks.ts'
import type { SessionEvent } from '../types/session.ts'
import { withoutOwnText } from './shell.ts'

/** What a client or a monitor put into the person's prompt: a block in a tag of its own making. */
const MACHINE_TAG = /^<([a-z]+[-_][\w-]*)(?:\s[^<>\n]*)?>/gm

/** The person's own words in a prompt, empty for what only hands a brief over; null for a notice of the machine, which begins no turn. */
export function requestIn(prompt: string): string | null {
  const said = withoutOwnText(prompt)
  const text = withoutBlocks(said, MACHINE_TAG).trim()
  return text === '' && said.trim() !== '' ? null : text
}

/** A shorter prompt may be meant twice. */
const SHORT_PROMPT = 15

/** A client records what was typed while the agent worked once more when the agent hears it. */
export const isRepeat = (request: string, last: readonly string[]): boolean =>
  request.length > SHORT_PROMPT && last.includes(request)

/** Turns among which a request is looked for once more. */
export const REPEATED_WITHIN = 3

/** Numbers the person's requests from 1 on, as `ask` names them and `create --until` takes them. */
export function createTurnCount() {
  let last: string[] = []
  let count = 0
  return {
    get turn(): number {
      return count
    },
    /** The words of a request that begins a turn; null for every other event. */
    begins(event: SessionEvent): string | null {
      const request = event.kind === 'prompt' && event.sub === null ? requestIn(event.text) : null
      if (request === null || isRepeat(request, last)) return null
      last = [...last, request].slice(-REPEATED_WITHIN)
      count++
      return request
    },
  }
}
