import type { TextFact } from '../types.ts'
import { createPicker, type Rule, wordsIn } from './cues.ts'
import { demandOf } from './demands.ts'
import { proseLines, sentencesOf, squash } from './prose.ts'
import { type Retraction, retractionsOf, retracts, subjectsOf } from './supersede.ts'

/** The person's own sentences: demands that stand, choices, what was taken back. */
export interface UserWords {
  /** `sentences` are those of the prose of a prompt. */
  say(sentences: readonly string[], at: string | null): void
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
export const CHOICES: readonly Rule[] = [
  {
    cue: ['let lets', 'go use* keep* stick take* pick* choose*'],
    shape: /\blet['’]?s (?:go with|use|keep|stick (?:to|with)|take|pick|choose)/i,
  },
  {
    cue: ['go', 'with for'],
    shape: /\b(?:^|[,;]\s*)go (?:with|for) (?:option|the|approach|[A-D1-9]\b)/i,
  },
  { cue: ['ll will', 'we', 'go use* keep*'], shape: /\bwe(?:['’]ll| will) (?:go with|use|keep)/i },
  {
    cue: ['decided* choose* chose* picked*', 'i'],
    shape: /\bi(?:['’]ve| have)? (?:decided|choose|chose|picked)/i,
  },
  { cue: ['go', 'i id', 'with* for*'], shape: /\bi['’]?(?:d| would) go (?:with|for)/i },
  {
    cue: ['option approach variant plan', 'a b c d 1 2 3 4 5 6 7 8 9'],
    shape: /\b(?:option|approach|variant|plan) (?:[A-D]|[1-9])\b/i,
  },
  { cue: ['nehmen*'], shape: /wir nehmen/i },
  { cue: ['habe', 'entschieden*'], shape: /ich habe entschieden/i },
  { cue: ['prend*'], shape: /on prend/i },
  { cue: ['con*'], shape: /vamos con/i },
  { cue: ['就用 选择方案 にしましょう で行きましょう'], shape: /就用|选择方案|にしましょう|で行きましょう/ },
]
const choicesIn = createPicker(CHOICES)

interface Demand extends TextFact {
  /** The same for texts that say the same. */
  key: string
  /** What it is about; null until something is taken back. */
  subjects: ReadonlySet<string> | null
}

export function createUserWords(): UserWords {
  let demands: Demand[] = []
  const choices: Demand[] = []
  const retractions: Retraction[] = []
  const add = (list: Demand[], text: string, at: string | null) => {
    // A sentence is squashed only when neither the list is full nor the very same one stands in it.
    if (list.length >= MAX || list.some((fact) => fact.text === text)) return
    const key = squash(text)
    if (key === '' || list.some((fact) => fact.key === key)) return
    list.push({ text, source: 'user', at, key, subjects: null })
  }
  /** Whether a correction took the place of a demand. */
  const takeBack = (taken: readonly Retraction[], stands: boolean): boolean => {
    let corrected = false
    for (const retraction of taken) {
      const before = demands.length
      const isGone = retracts(retraction)
      demands = demands.filter((fact) => {
        fact.subjects ??= subjectsOf(fact.text)
        return !isGone(fact.text, fact.subjects)
      })
      const isCorrection = retraction.type === 'correct'
      if (isCorrection && demands.length < before) corrected = true
      // A correction that is no demand by itself would leave nothing in the place of what an earlier brief said.
      if (retractions.length < MAX && (!isCorrection || corrected || stands)) retractions.push(retraction)
    }
    return corrected
  }
  return {
    say(sentences, at) {
      let position = 0
      const total = sentences.reduce((sum, sentence) => sum + sentence.length + 1, 0)
      for (const sentence of sentences) {
        const atEnds = total < PASTED_FROM || position < ENDS || position > total - ENDS
        position += sentence.length + 1
        const words = wordsIn(sentence)
        const taken = retractionsOf(sentence, words)
        const isDemand = isOneSentence(sentence) ? demandOf(sentence, words) : 0
        const level = takeBack(taken, isDemand > 0) ? 2 : isDemand
        if (!isOneSentence(sentence)) continue
        if (level === 2 || (level === 1 && atEnds)) {
          if (!taken.some((retraction) => retraction.type === 'forget')) add(demands, sentence, at)
        } else if (
          atEnds &&
          choicesIn(sentence, words).some(({ shape }) => shape.test(sentence)) &&
          !/[?？]$/.test(sentence)
        )
          add(choices, sentence, at)
      }
    },
    refuse(reason, at) {
      for (const sentence of sentencesOf(proseLines(reason)).slice(0, 4)) {
        takeBack(retractionsOf(sentence), true)
        if (OWN_PLAN.test(sentence)) continue
        if (
          isOneSentence(sentence) &&
          (demandOf(sentence) > 0 || (countWords(sentence) >= 3 && !/[?？]$/.test(sentence)))
        )
          add(demands, sentence, at)
      }
    },
    get demands() {
      return demands.map(withoutKey)
    },
    get choices() {
      return choices.map(withoutKey)
    },
    retractions,
  }
}

/** What the person will do themselves, or wants to talk about first. */
const OWN_PLAN =
  /^(?:(?:ok(?:ay)?|no|wait|stop|actually|please|hm+)[,.!]?\s+)*(?:(?:i['’]?ll|i will|let me|i['’]?m going to)\b|(?:hold on|hang on|wait|one moment|just a (?:sec\w*|moment))\b(?! (?:for|until|with)\b)|let['’]?s (?:talk|discuss|think|chat)\b)/i

const withoutKey = ({ text, source, at }: Demand): TextFact => ({ text, source, at })

/** Scripts that are written without spaces, and where all of their characters lie. */
// In a function, since the expression takes a third of a millisecond where it stands, used or not.
const isWide = (text: string): boolean =>
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u.test(text)
const MAY_BE_WIDE = /[\u1100-\u11ff\u2e80-\uffff]/

function isOneSentence(sentence: string): boolean {
  const words = countWords(sentence)
  const wide = MAY_BE_WIDE.test(sentence) && isWide(sentence)
  return (wide ? sentence.length >= 4 : words >= 2) && words <= MAX_WORDS && sentence.length <= MAX_CHARACTERS
}

function countWords(sentence: string): number {
  let words = 1
  for (let at = sentence.indexOf(' '); at !== -1; at = sentence.indexOf(' ', at + 1)) words++
  return words
}
