import { createPicker, wordsIn } from './cues.ts'
import type { DemandRule } from './demand-languages.ts'
import { DEMANDS, NOT_DEMANDS, NOT_PREFERENCES } from './demand-rules.ts'

const demandsIn = createPicker(DEMANDS)
const notDemandsIn = createPicker(NOT_DEMANDS)
const notPreferencesIn = createPicker(NOT_PREFERENCES)

/** Words in capitals are meant, in any language. */
const LOUD = new Set('NOT NEVER ONLY MUST ALWAYS NICHT NIE NUR JAMAIS NUNCA SOLO'.split(' '))

/**
 * How much of a demand a sentence is: 2 forbids or requires, 1 prefers, 0 neither. Questions count only when they politely
 * ask for something (`can you please not …`, `shouldn't we use X instead of Y?`). `words` are those of the sentence.
 */
export function demandOf(sentence: string, words: readonly string[] = wordsIn(sentence)): 0 | 1 | 2 {
  const level = levelOf(sentence, words)
  if (level === 0 || notDemandsIn(sentence, words).some(({ shape }) => shape.test(sentence))) return 0
  const question = /[?？]$/.test(sentence)
  if (
    question &&
    !/^(?:can|could|would|will) (?:you|we)\b|^(?:shouldn['’]?t|should) (?:we|it|you)\b|^please\b/i.test(
      sentence,
    ) &&
    !/[?？]$/.test(sentence.slice(0, -1))
  )
    return 0
  return level === 1 && notPreferencesIn(sentence, words).some(({ shape }) => shape.test(sentence))
    ? 0
    : level
}

function levelOf(sentence: string, words: readonly string[]): 0 | 1 | 2 {
  // A sentence all in capitals says nothing by one of them.
  if (isLoud(sentence) && (/[a-z]/.test(sentence) || /\p{Ll}/u.test(sentence))) return 2
  const rules = demandsIn(sentence, words)
  for (const level of [2, 1] as const)
    if (
      rules.some(
        (rule) =>
          rule.level === level &&
          rule.gate?.test(sentence) !== false &&
          (rule.opens ? opensClause(rule.shape, sentence) : fits(rule, sentence)),
      )
    )
      return level
  return 0
}

const isLoud = (sentence: string): boolean =>
  /[A-Z]{3}/.test(sentence) && (sentence.match(/\w+/g) ?? []).some((word) => LOUD.has(word))

function fits({ shape, except }: DemandRule, sentence: string): boolean {
  if (except === undefined) return shape.test(sentence)
  return fitsWhere(shape, sentence, ({ index, 0: { length }, 1: group = '' }) => {
    return !except(sentence.slice(index + length - group.length))
  })
}

const CONNECTING = new Set(
  'and but so please pls plz also then just ok okay again remember important note'.split(' '),
)

/** Whether a global pattern fits where a clause begins: at the start, behind a mark, behind a connecting word. */
function opensClause(shape: RegExp, sentence: string): boolean {
  return fitsWhere(shape, sentence, ({ index }) => {
    const before = sentence.slice(0, index)
    const text = before.trimEnd()
    if (before === '' || /[,;:(–—]$/.test(text)) return true
    return text !== before && CONNECTING.has((/\w*$/.exec(text)?.[0] ?? '').toLowerCase())
  })
}

/** Whether any fit of a global pattern counts; fits may overlap. */
function fitsWhere(shape: RegExp, sentence: string, counts: (fit: RegExpExecArray) => boolean): boolean {
  shape.lastIndex = 0
  for (let fit = shape.exec(sentence); fit !== null; fit = shape.exec(sentence)) {
    if (counts(fit)) return true
    shape.lastIndex = fit.index + 1
  }
  return false
}

/** Whether a sentence forbids something. */
export const isProhibition = (sentence: string): boolean =>
  /\b(?:do not|don['’]?t|can(?:not|['’]?t)|never|must not|mustn['’]?t|should(?: not|n['’]?t)|may not|(?:please|better) not|not allowed|avoid|without|leave|off[- ]limits|hands off|no|not|forbidden|nicht|kein\w*|niemals|nie|ne|pas|jamais|nunca)\b|不|勿|禁止|别|ない|禁/i.test(
    sentence,
  )
