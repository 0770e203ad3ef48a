import { estimateTokenCount } from 'tokenx'

/**
 * Tokens by rules of thumb, in 1 ms and with no tables to load. For most briefs these are a few percent too few, for short ones more:
 * those are ids and hashes for a good part. bench/decisions.md has the figures.
 */
export const estimateTokens = (text: string): number => estimateTokenCount(text)

/**
 * A word or gap of so many characters is counted in pieces, each a token too many at most: the tokenizer takes time by its square,
 * 3 s for 40,000.
 */
const RUN = /\S{1000}|\s{1000}/g

/** Tokens of o200k, exactly. Loads its tables when first asked, about 0.3 s; special-token text counts as text. */
export async function countTokens(text: string): Promise<number> {
  const { countTokens: count } = await import('gpt-tokenizer/encoding/o200k_base')
  let tokens = 0
  let from = 0
  for (const { index, 0: run } of text.matchAll(RUN)) {
    tokens += count(text.slice(from, index + run.length), { allowedSpecial: 'all' })
    from = index + run.length
  }
  return tokens + count(text.slice(from), { allowedSpecial: 'all' })
}

/** A brief's text as it is measured: its own figure taken out, so that the figure does not change what it counts. */
export const measured = (text: string): string => text.replace(/^tokens: \d+$/m, 'tokens: 0')
