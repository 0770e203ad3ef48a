import type { Draft } from './draft.ts'
import { type Fields, fieldsOf, numberOf } from '../fields.ts'

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
