import { withoutLeadingBlocks } from '../leading-blocks.ts'

/** How the client writes the time of a prompt: `Wednesday, Sep 16, 2026, 3:37 PM (UTC-4)`. */
const TIME =
  /^\s*<timestamp>\s*\w+, (\w{3})\w* (\d{1,2}), (\d{4}), (\d{1,2}):(\d{2})(?: ([AP])M)? \(UTC(?:([+-])(\d{1,2})(?::(\d{2}))?)?\)\s*<\/timestamp>/
const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')

/** The time at the start of a prompt, ISO 8601; null when there is none. It is parsed by hand, since some systems drop the offset. */
export function promptTime(text: string): string | null {
  const [, month = '', day, year, hour, minute, half, sign, offset = '0', rest = '0'] = TIME.exec(text) ?? []
  const index = MONTHS.indexOf(month)
  if (index === -1) return null
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (half === 'P' ? 12 : 0)
  const ahead = (sign === '-' ? -1 : 1) * (Number(offset) * 60 + Number(rest))
  return new Date(Date.UTC(Number(year), index, Number(day), hours, Number(minute) - ahead)).toISOString()
}

const QUERY = /<user_query>([\s\S]*?)(?:<\/user_query>|$)/g

/** The person's own words: what is inside the tags of a query, or what stands behind all others in a record without such tags. */
export function promptWords(text: string): string {
  const said = [...text.matchAll(QUERY)].map(([, words = '']) => words.trim())
  return said.length > 0 ? said.join('\n') : withoutLeadingBlocks(text)
}

/** A reply without the mark that stands for what the model thought. */
export const replyWords = (text: string): string => text.replace(/\s*\[REDACTED\]\s*$/, '')
