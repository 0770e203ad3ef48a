import { proseLines, sentencesOf, squash } from '../text/blocks.ts'
import { ASKS, leastIn, ruleScore } from '../text/rule-score.ts'
import type { TextFact } from '../types/evidence.ts'

/** Characters of one rule; rules kept, several times what a brief can tell; sentences that are remembered. */
const MAX_RULE = 400
const MAX_RULES = 60
const MAX_HEARD = 20_000
/** In a longer prompt more was pasted: each doubling takes so much of the score, less of the first and last sentences. */
const OWN_LENGTH = 600
const PASTED = 0.5
const ENDS = 3
const ALL_PASTED = 3
/** For the one sentence that differs in a prompt that is used again. */
const DIFFERS = 1
/** Commands to a client, questions, words of our own briefs, a single word. */
const isNoRule = (text: string): boolean =>
  text.startsWith('/') ||
  ASKS.test(text) ||
  text.includes('handoff itself') ||
  (!text.includes(' ') && text < '\u3040')
/** Says nothing without the sentence before it. */
const POINTS_BACK =
  /^(?:(?:and|but|so|please) )*(?:it|this|that|these|those|they) (?:is|are|was|has|have|must|may|should|can(?:not|['’]t)?|will|needs?|stays?|goes|does|do(?:n['’]t|esn['’]t)|belongs?|never|always|only)\b|^(?=(?:\S+ ){0,5}\S+$).*\b(?:it|them|they|that|this|these|those|both)\b/i

/** The person's standing rules, word for word, oldest first. */
export function createRules() {
  const rules = new Map<string, TextFact & { certainty: number }>()
  const heard = new Set<string>()
  return {
    hear(text: string, at: string | null) {
      const lines = proseLines(text)
      const length = lines.reduce((sum, line) => sum + line.length, 0)
      const [sentences, least] = [sentencesOf(lines).flatMap(clausesOf), leastIn(text)]
      const shapes = sentences.map(shapeOf)
      const known = shapes.filter((shape) => heard.has(shape)).length
      const isRepeated = sentences.length > 2 && known * 2 >= sentences.length
      const pasted = Math.max(0, Math.log2(length / OWN_LENGTH)) * PASTED
      for (const [nth, sentence] of sentences.entries()) {
        if (sentence.length > MAX_RULE || isNoRule(sentence)) continue
        const isEnd = Math.min(nth, sentences.length - 1 - nth) < ENDS
        if (pasted > ALL_PASTED && !isEnd) continue
        const shape = shapes[nth] ?? ''
        const bonus = isRepeated && !heard.has(shape) ? DIFFERS : 0
        const certainty = ruleScore(sentence) + bonus - (isEnd ? pasted / 2 : pasted)
        if (certainty <= least) continue
        const told = inPlace(sentence, sentences[nth - 1])
        if (told !== sentence) rules.delete(shapes[nth - 1] ?? '')
        rules.delete(shape)
        rules.set(shape, { text: told, source: 'user', at, certainty: Math.round(certainty * 10) / 10 })
        if (rules.size > MAX_RULES) rules.delete(leastCertain(rules))
      }
      if (heard.size < MAX_HEARD) for (const shape of shapes) heard.add(shape)
    },
    standing: (): TextFact[] => [...rules.values()],
  }
}

/** Two sentences that differ in numbers alone are one. */
const shapeOf = (text: string): string => [...squash(text)].filter((one) => one < '0' || one > '9').join('')

/** The oldest of the least certain. */
const leastCertain = (rules: ReadonlyMap<string, { certainty: number }>): string =>
  [...rules].reduce((least, one) => (one[1].certainty < least[1].certainty ? one : least))[0]

/** The sentence, behind the one before it where it speaks of what that names. */
function inPlace(sentence: string, before = ''): string {
  const both = `${before} ${sentence}`
  return before !== '' && both.length <= MAX_RULE && POINTS_BACK.test(sentence) ? both : sentence
}

/** Clauses of what was dictated without a mark; everything else is one sentence. */
function clausesOf(sentence: string): string[] {
  if (sentence.split(' ').length < 30 || /[,.;:!?。、，]\s|[。、，]/.test(sentence)) return [sentence]
  return sentence.split(/ (?=(?:and|but|also|so|please|oh|then|by the way) )/i)
}
