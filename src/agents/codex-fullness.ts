import type { Adapter } from '../types.ts'
import { fieldsOf, numberOf } from './fields.ts'
import { lastRecord } from './last-record.ts'

/** The last `token_count` of a rollout tells the last request and the window (0.98 … 0.169). */
export const codexFullness: NonNullable<Adapter['fullness']> = ({ path }) =>
  lastRecord(path, '"token_count"', (record) => {
    const info = fieldsOf(fieldsOf(record.payload).info)
    const tokens = numberOf(fieldsOf(info.last_token_usage).total_tokens)
    const window = numberOf(info.model_context_window)
    return tokens === null || window === null || window <= 0 ? null : { tokens, window }
  })
