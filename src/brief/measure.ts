import { estimateTokenCount } from 'tokenx'
import { tokenizerMissing } from '../errors/writing.ts'
import { splitFrontMatter } from './front-matter.ts'
import { IDS } from './id.ts'

/**
 * Tokens by rules of thumb, in 1 ms and with no tables to load. For most briefs these are a few percent too few, for short ones more:
 * those are ids and hashes for a good part. bench/decisions.md has the figures.
 */
export const estimateTokens = (text: string): number => estimateTokenCount(text.replace(IDS, ANY_ID))

/** An id ends at random, and some random digits count more than others: counted as one, the same input has the same room. */
const ANY_ID = '20260101T000000-000a0a0a'

/**
 * A word or gap of so many characters is counted in pieces, each a token too many at most: the tokenizer takes time by its square,
 * 3 s for 40,000.
 */
const RUN = /\S{1000}|\s{1000}/g

/** Tokens of o200k, exactly. Loads its tables when first asked, about 0.3 s; special-token text counts as text. Throws `tokenizerMissing`. */
export async function countTokens(text: string): Promise<number> {
  const loaded = import('gpt-tokenizer/encoding/o200k_base')
  const { countTokens: count } = await loaded.catch((cause) => Promise.reject(tokenizerMissing(cause)))
  let tokens = 0
  let from = 0
  for (const { index, 0: run } of text.matchAll(RUN)) {
    tokens += count(text.slice(from, index + run.length), { allowedSpecial: 'all' })
    from = index + run.length
  }
  return tokens + count(text.slice(from), { allowedSpecial: 'all' })
}

/** A brief's text as it is measured: its own figure taken out, so that the figure does not change what it counts. */
export const measured = (text: string): string => text.replace(TOKENS, '$1tokens: 0')

/** In the map `meta`; in files of before at the top. A goal of several lines is indented, too. */
const TOKENS = /^(meta:\n(?:(?: .*)?\n)*? {2})?tokens: \d+$/m
/** Front matter that differs between two runs on the same input. */
const MASKED = /^(id|createdAt|parents?|head):.*(?:\n {2}- .*)*$/gm
const PREVIOUS = /^## Previous handoff\n[\s\S]*?(?=^## )/m
/** Front matter of a brief that no model had a part in. */
const UNAIDED = /^ {2}extraction:\n {4}mode: none\n(?: {4}.*\n)*/m
/** The brief's own commit is ahead of the upstream, and not pushed; every other commit stands in Progress as well. */
const AHEAD =
  /^(- Branch .*?), (?:level with|\d+ ahead of|(?:\d+ ahead and )?(?=\d+ behind )|no upstream) ?(.*?): (?:not )?pushed.*$/m
/** Where the body names the commit it was made at; the same commit elsewhere, as the base say, is a fact. */
const AT = /^(The facts below were true|- Branch .*?|- Detached HEAD) at `[0-9a-f]+`/gm
const AGE = /\b\d+ (?:s|min|h|d)(?= (?:old|before this brief)\b)/g

/**
 * What is left of a brief when all that differs between two runs on the same input is taken out: id, creation time, parents with the link
 * to them, head, tokens and ages.
 */
export function masked(text: string): string {
  const { body } = splitFrontMatter(text)
  const matter = measured(text.slice(0, text.length - body.length))
    // A model that was asked in vain changed nothing.
    .replace(UNAIDED, '')
    .replace(MASKED, '$1')
  const facts = body.replace(PREVIOUS, '').replace(AGE, 'AGE').replace(AT, '$1').replace(AHEAD, '$1, $2')
  return matter + facts
}
