import type { Adapter } from '../../types/agent.ts'
import type { Place } from '../../types/place.ts'
import { fieldsOf, numberOf, textOf } from '../fields.ts'
import { lastRecord } from '../last-record.ts'

/** Windows of Claude models: the usual one, and the larger one that some offer (platform.claude.com, context windows). */
const WINDOW = 200_000
const LARGE = 1_000_000

/**
 * Tokens of the last request of the conversation: its input, cached or not, and the reply. Records do not tell the window: it is
 * what the client was told (`CLAUDE_CODE_AUTO_COMPACT_WINDOW`), else that of the model; null for models of others.
 */
export const claudeFullness: NonNullable<Adapter['fullness']> = async ({ path }, { env }) => {
  const last = await lastRecord(path, '"usage":{', (record) => {
    const message = fieldsOf(record.message)
    const model = textOf(message.model)
    // What subagents and failed requests used is not what the conversation holds.
    if (record.type !== 'assistant' || record.isSidechain === true || model === '<synthetic>') return null
    const usage = fieldsOf(message.usage)
    const parts = [
      'input_tokens',
      'cache_creation_input_tokens',
      'cache_read_input_tokens',
      'output_tokens',
    ].map((name) => numberOf(usage[name]) ?? 0)
    return { model, tokens: parts.reduce((sum, part) => sum + part, 0) }
  })
  if (last === null || last.tokens === 0) return null
  const window = windowOf(last.model, last.tokens, env)
  return window === null ? null : { tokens: last.tokens, window, ...compaction(window, env) }
}

/** Tokens of the window that the client keeps for a reply, and those that it leaves before it compacts: 167,000 of 200,000 (2.1). */
const FOR_REPLY = 20_000
const LEFT = 13_000

/** A percentage set by the person counts only below that point. */
function compaction(window: number, env: Place['env']): { compactsAt?: number } {
  if (env.DISABLE_COMPACT || env.DISABLE_AUTO_COMPACT) return {}
  const percent = Number(env.CLAUDE_AUTOCOMPACT_PCT_OVERRIDE)
  const usable = window - FOR_REPLY
  const at = percent > 0 ? Math.min((usable * percent) / 100, usable - LEFT) : usable - LEFT
  return at > 0 ? { compactsAt: Math.floor(at) } : {}
}

function windowOf(model: string, tokens: number, env: Place['env']): number | null {
  const told = Number(env.CLAUDE_CODE_AUTO_COMPACT_WINDOW)
  if (Number.isInteger(told) && told > 0) return told
  if (!model.startsWith('claude-')) return null
  // The mark is taken off the name before it is recorded; a request larger than the usual window shows it too.
  return tokens > WINDOW || env.ANTHROPIC_MODEL?.includes('[1m]') === true ? LARGE : WINDOW
}
