import { withoutLeadingBlocks } from '../content.ts'
import { timeOf } from '../fields.ts'

/** How the client writes the time of a prompt: `Wednesday, Sep 16, 2026, 3:37 PM (UTC-4)`. */
const TIME = /^\s*<timestamp>\s*\w+, (.+) \((UTC.*)\)\s*<\/timestamp>/

/** The time at the start of a prompt, ISO 8601; null when there is none. */
export function promptTime(text: string): string | null {
  const [, time, zone] = TIME.exec(text) ?? []
  return timeOf(time && `${time} ${zone}`)
}

const QUERY = /<user_query>([\s\S]*?)(?:<\/user_query>|$)/g

/** The person's own words: what is inside the tags of a query, or what stands behind all others in a record without such tags. */
export function promptWords(text: string): string {
  const said = [...text.matchAll(QUERY)].map(([, words = '']) => words.trim())
  return said.length > 0 ? said.join('\n') : withoutLeadingBlocks(text)
}

/** A reply without the mark that stands for what the model thought. */
export const replyWords = (text: string): string => text.replace(/(?<!\s)\s*\[REDACTED\]\s*$/, '')
