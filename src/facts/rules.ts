import type { TextFact } from '../types/evidence.ts'
import { proseLines, sentencesOf, squash } from './prose.ts'

/** What a person says when they forbid, require or prefer something. One pattern finds 38 of 44 labelled constraints; seven found 35. */
const RULE =
  /^no (?!more|longer|such|errors|issues|problems)\w|\b(?:never|always|must(?:n['’]t)?|do not|don['’]?t|avoid|only|prefer|instead of|no longer|should (?:not|never|always|only)|shouldn['’]t|without \w+ing|stick (?:to|with)|make sure|keep|(?:add|but|use) no|(?:we|you) can(?:not|['’]?t))\b/i
/** What somebody saw or guesses, or says in passing: of 120 sentences that are no rules 28 are taken without it, 5 with it. */
const OBSERVED =
  /\bmust have\b|\b(?:it|there|that) must be\b|\bmust be \w+ing\b|\b(?:only|never|always) (?:\w+(?:ed|s)\b|saw|got|took|ran)|^I (?:don['’]?t|never|always|only)\b(?! want| like| use)|\bdon['’]?t have to\b|^(?:never ?mind|no problem|keep going)\b/i
/** Characters of either end of a prompt that are looked at, of one rule, and rules kept. */
const MAX_END = 4_000
const MAX_RULE = 400
const MAX_RULES = 40

/** The person's standing rules, word for word, oldest first. */
export function createRules() {
  const rules = new Map<string, TextFact>()
  return {
    hear(text: string, at: string | null) {
      for (const sentence of sentencesOf(proseLines(endsOf(text)))) {
        if (sentence.length > MAX_RULE || !RULE.test(sentence) || OBSERVED.test(sentence)) continue
        if (/[?？]$/.test(sentence) || !/\S\s+\S/.test(sentence)) continue
        const key = squash(sentence)
        rules.delete(key)
        rules.set(key, { text: sentence, source: 'user', at })
      }
    },
    standing: (): TextFact[] => [...rules.values()].slice(-MAX_RULES),
  }
}

/** Whole sentences of both ends: what was pasted stands in the middle, and half a rule may say the opposite. */
function endsOf(text: string): string {
  if (text.length <= 2 * MAX_END) return text
  const head = text.slice(0, MAX_END)
  const tail = text.slice(-MAX_END)
  const end = Math.max(head.lastIndexOf('\n'), head.lastIndexOf('. ') + 1)
  return `${head.slice(0, end)}\n${tail.slice(tail.search(/\n|\. /) + 1)}`
}
