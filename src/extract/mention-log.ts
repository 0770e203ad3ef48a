import { pathTokens, wantsCreation } from './mentions.ts'

/** Who named a file in words, how often, when last. */
export interface Mention {
  user: number
  agent: number
  /** The person or an accepted plan wants it made. */
  wanted: 'user' | 'plan' | null
  /** The turn and the message that named it last; messages are counted through the session. */
  turn: number
  message: number
}

export interface MentionLog {
  /** `sentences` are those of the prose of what the person said or agreed to. */
  hear(by: 'user' | 'agent' | 'plan', text: string, turn: number, sentences?: readonly string[]): void
  readonly mentions: ReadonlyMap<string, Mention>
}

/** Words remembered at most; the ones named longest ago are forgotten first. */
const MAX = 5_000

/** Collects words of prose that may name files. Whether they exist is decided at the end, when git is known. */
export function createMentionLog(): MentionLog {
  const mentions = new Map<string, Mention>()
  let messages = 0
  const note = (token: string, by: 'user' | 'agent' | 'plan', wanted: boolean, turn: number) => {
    const held = mentions.get(token) ?? { user: 0, agent: 0, wanted: null, turn, message: 0 }
    if (by === 'user') held.user++
    else held.agent++
    if (wanted && by !== 'agent') held.wanted = held.wanted === 'user' ? 'user' : by
    held.turn = turn
    held.message = messages
    mentions.delete(token)
    mentions.set(token, held)
    if (mentions.size > MAX)
      for (const [oldest] of mentions) {
        mentions.delete(oldest)
        break
      }
  }
  return {
    hear(by, text, turn, sentences = []) {
      messages++
      if (by === 'agent') {
        for (const token of pathTokens(text)) note(token, by, false, turn)
        return
      }
      // Pasted code and logs name files too, but only the person's own sentences ask for new ones.
      const own = new Set<string>()
      for (const sentence of sentences) {
        const wanted = wantsCreation(sentence)
        for (const token of pathTokens(sentence)) {
          own.add(token)
          note(token, by, wanted, turn)
        }
      }
      for (const token of pathTokens(text)) if (!own.has(token)) note(token, by, false, turn)
    },
    mentions,
  }
}
