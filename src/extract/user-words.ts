import type { TextFact } from '../types.ts'
import { demandOf } from './demands.ts'
import { proseLines, sentencesOf, squash } from './prose.ts'
import { isRetracted, type Retraction, retractionsOf } from './supersede.ts'

/** The person's own sentences: demands that stand, choices, what was taken back. */
export interface UserWords {
  say(text: string, at: string | null): void
  /** A reason given with a refusal, or an answer: short ones are demands as they stand. */
  refuse(reason: string, at: string | null): void
  /** Demands that stand, in order of time. */
  readonly demands: readonly TextFact[]
  readonly choices: readonly TextFact[]
  readonly retractions: readonly Retraction[]
}

/** Sentences kept at most of each kind; far above what a brief can hold. */
const MAX = 600
/** A prompt longer than this is mostly pasted: inside it only what is forbidden or required counts, preferences at its ends. */
const PASTED_FROM = 4_000
const ENDS = 1_500
/** Longest sentence that is one demand, in words, and in characters for scripts without spaces. */
const MAX_WORDS = 70
const MAX_CHARACTERS = 600

/** Apart from each other: as one pattern they take four times as long to compile. */
const CHOICE = [
  /\blet['’]?s (?:go with|use|keep|stick (?:to|with)|take|pick|choose)/i,
  /\b(?:^|[,;]\s*)go (?:with|for) (?:option|the|approach|[A-D1-9]\b)/i,
  /\b(?:we(?:['’]ll| will) (?:go with|use|keep)|i(?:['’]ve| have)? (?:decided|choose|chose|picked)|i['’]?(?:d| would) go (?:with|for))/i,
  /\b(?:option|approach|variant|plan) (?:[A-D]|[1-9])\b/i,
  /wir nehmen|ich habe entschieden|on prend|vamos con|就用|选择方案|にしましょう|で行きましょう/i,
]

export function createUserWords(): UserWords {
  let demands: TextFact[] = []
  const choices: TextFact[] = []
  const retractions: Retraction[] = []
  const add = (list: TextFact[], text: string, at: string | null) => {
    const key = squash(text)
    if (key === '' || list.length >= MAX || list.some((fact) => squash(fact.text) === key)) return
    list.push({ text, source: 'user', at })
  }
  const takeBack = (sentence: string) => {
    for (const retraction of retractionsOf(sentence)) {
      demands = demands.filter((fact) => !isRetracted(fact.text, retraction))
      if (retractions.length < MAX) retractions.push(retraction)
    }
  }
  return {
    say(text, at) {
      const sentences = sentencesOf(proseLines(text))
      let position = 0
      const total = sentences.reduce((sum, sentence) => sum + sentence.length + 1, 0)
      for (const sentence of sentences) {
        const atEnds = total < PASTED_FROM || position < ENDS || position > total - ENDS
        position += sentence.length + 1
        takeBack(sentence)
        if (!isOneSentence(sentence)) continue
        const level = demandOf(sentence)
        if (level === 2 || (level === 1 && atEnds)) {
          if (!retractionsOf(sentence).some((retraction) => retraction.type === 'forget'))
            add(demands, sentence, at)
        } else if (atEnds && CHOICE.some((shape) => shape.test(sentence)) && !/[?？]$/.test(sentence))
          add(choices, sentence, at)
      }
    },
    refuse(reason, at) {
      for (const sentence of sentencesOf(proseLines(reason)).slice(0, 4)) {
        takeBack(sentence)
        if (
          isOneSentence(sentence) &&
          (demandOf(sentence) > 0 || (sentence.split(' ').length >= 3 && !/[?？]$/.test(sentence)))
        )
          add(demands, sentence, at)
      }
    },
    get demands() {
      return demands
    },
    choices,
    retractions,
  }
}

function isOneSentence(sentence: string): boolean {
  const words = sentence.split(' ').length
  const wide = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u.test(sentence)
  return (wide ? sentence.length >= 4 : words >= 2) && words <= MAX_WORDS && sentence.length <= MAX_CHARACTERS
}
