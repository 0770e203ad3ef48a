import type { Adapter } from '../types.ts'
import { type Fields, fieldsOf, listOf, numberOf, textOf } from './fields.ts'
import { geminiWindow } from './gemini-cli-window.ts'
import { lastRecord } from './last-record.ts'

/**
 * Tokens that the last request of the session held; null when the history was compacted since, for then nothing is known until the
 * next request, and when the model is none of Google's.
 */
export const geminiFullness: NonNullable<Adapter['fullness']> = async ({ path }) => {
  const last = await lastRecord(path, '"type":"gemini"', (record) => {
    const messages = fieldsOf(record.$set).messages
    if (!Array.isArray(messages)) return requestOf(record)
    // A copy of the history: that of a compaction holds no request, that of a resumed session all of them.
    return (
      listOf(messages)
        .map(fieldsOf)
        .map(requestOf)
        .findLast((one) => one !== null) ?? NOTHING
    )
  })
  if (last === null || last.tokens === 0) return null
  const window = geminiWindow(last.model)
  return window === null ? null : { tokens: last.tokens, window }
}

const NOTHING = { tokens: 0, model: '' }

function requestOf({ type, tokens, model }: Fields): { tokens: number; model: string } | null {
  const input = numberOf(fieldsOf(tokens).input) ?? 0
  return type === 'gemini' && input > 0 ? { tokens: input, model: textOf(model) } : null
}
