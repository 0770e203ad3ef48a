import type { Adapter } from '../../types/agent.ts'
import { fieldsOf, numberOf, textOf } from '../fields.ts'
import { lastRecord } from '../last-record.ts'

/** Part of the limit at which the client begins to compact in the background (1.0). */
const COMPACTS = 0.8

/**
 * The last request of the conversation against the most its prompt may hold; what a compaction left when none came after it
 * (1.0.102). Receipts of subagents have an `agentId`.
 */
export const copilotFullness: NonNullable<Adapter['fullness']> = ({ path }) =>
  lastRecord(path, '"type":"session.', (record) => {
    const data = fieldsOf(record.data)
    if (textOf(record.agentId) !== '') return null
    const used = fieldsOf(data.usage)
    const [tokens, window] =
      record.type === 'session.usage_record'
        ? [numberOf(used.inputTokens), numberOf(used.maxPromptTokens)]
        : record.type === 'session.compaction_complete' && data.success === true
          ? [numberOf(data.postCompactionTokens), numberOf(data.tokenLimit)]
          : [null, null]
    return tokens === null || window === null || window <= 0
      ? null
      : { tokens, window, compactsAt: Math.floor(window * COMPACTS) }
  })
