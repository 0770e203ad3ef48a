import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Adapter } from '../../types/agent.ts'
import type { Place } from '../../types/place.ts'
import type { Draft } from '../draft.ts'
import { type Fields, fieldsOf, numberOf } from '../fields.ts'
import { lastRecord } from '../session-files.ts'

/**
 * Tokens as increments: Codex writes running totals, often the same one several times, so each event carries what the
 * total grew by and the events add up to the last total. `inputTokens` include cached ones, as Codex counts them. The
 * first total counts with its last request alone, since that of a fork includes a history told elsewhere; so does a
 * total that fell, since a client that resumes may count anew.
 */
export function createUsage() {
  let input = Number.POSITIVE_INFINITY
  let output = Number.POSITIVE_INFINITY
  return {
    /** `token_count` (all versions); without `info` it only tells rate limits. */
    add(event: Fields): Draft[] {
      const info = fieldsOf(event.info)
      const total = fieldsOf(info.total_token_usage)
      const last = fieldsOf(info.last_token_usage)
      const nextInput = numberOf(total.input_tokens)
      const nextOutput = numberOf(total.output_tokens)
      if (nextInput === null || nextOutput === null) return []
      if (nextInput === input && nextOutput === output) return []
      const anew = nextInput < input || nextOutput < output
      const inputTokens = anew ? (numberOf(last.input_tokens) ?? nextInput) : nextInput - input
      const outputTokens = anew ? (numberOf(last.output_tokens) ?? nextOutput) : nextOutput - output
      input = nextInput
      output = nextOutput
      return [
        {
          kind: 'usage',
          inputTokens,
          outputTokens,
          contextTokens: numberOf(last.input_tokens) ?? nextInput,
          contextWindow: numberOf(info.model_context_window),
        },
      ]
    },
  }
}

/** The last `token_count` of a rollout tells the last request and the window (0.98 … 0.169). */
export const codexFullness: NonNullable<Adapter['fullness']> = async ({ path }, place) =>
  lastRecord(path, '"token_count"', (record) => {
    const info = fieldsOf(fieldsOf(record.payload).info)
    const tokens = numberOf(fieldsOf(info.last_token_usage).total_tokens)
    const window = numberOf(info.model_context_window)
    return tokens === null || window === null || window <= 0
      ? null
      : { tokens, window, compactsAt: compactsAt(window, place) }
  })

/** The window that rollouts tell is 95 % of the model's, and Codex compacts at 90 % of the latter, or earlier where the person says so. */
function compactsAt(window: number, { home, env }: Pick<Place, 'home' | 'env'>): number {
  const usual = Math.floor((window * 90) / 95)
  const set = /^model_auto_compact_token_limit *= *([\d_]+)/m.exec(
    textOf(join(env.CODEX_HOME || join(home, '.codex'), 'config.toml')),
  )?.[1]
  const limit = Number(set?.replaceAll('_', ''))
  return limit > 0 ? Math.min(limit, usual) : usual
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return '' // Codex starts with its defaults too.
  }
}
