import { join } from 'node:path'
import type { Adapter } from '../../types/agent.ts'
import type { Place } from '../../types/place.ts'
import { type Fields, fieldsOf, listOf, numberOf, textOf } from '../fields.ts'
import { geminiWindow } from './window.ts'
import { lastRecord } from '../last-record.ts'
import { readSettings } from '../person-settings.ts'

/**
 * Tokens that the last request of the session held; null when the history was compacted since, for then nothing is known until the
 * next request, and when the model is none of Google's.
 */
export const geminiFullness: NonNullable<Adapter['fullness']> = async ({ path }, place) => {
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
  return window === null
    ? null
    : { tokens: last.tokens, window, compactsAt: Math.floor(window * threshold(place)) }
}

/** Part of the window at which the client compresses (`core/chatCompressionService.js`), unless the person's settings tell another. */
const COMPRESSES = 0.5

function threshold({ home, env }: Pick<Place, 'home' | 'env'>): number {
  const settings = readSettings(join(env.GEMINI_CLI_HOME || home, '.gemini', 'settings.json'))
  const set = numberOf(fieldsOf(fieldsOf(settings).model).compressionThreshold)
  return set !== null && set > 0 && set <= 1 ? set : COMPRESSES
}

const NOTHING = { tokens: 0, model: '' }

function requestOf({ type, tokens, model }: Fields): { tokens: number; model: string } | null {
  const input = numberOf(fieldsOf(tokens).input) ?? 0
  return type === 'gemini' && input > 0 ? { tokens: input, model: textOf(model) } : null
}
