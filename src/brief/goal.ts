import { isVague } from './vague.ts'

type GoalRule = 'empty' | 'too-long' | 'too-short' | 'vague'
export type GoalVerdict =
  | { ok: true; vague: boolean }
  | { ok: false; rule: GoalRule; detail: string; bytes: number }

/** Bytes of UTF-8. */
const MAX_GOAL = 4096

/**
 * Judges a goal and never changes it. `minLength` counts graphemes and is halved when more than half of them are Han,
 * Kana or Hangul. `allowVague` lets short and vague goals pass, and says so in `vague`.
 */
export function checkGoal(
  goal: string,
  { minLength, allowVague }: { minLength: number; allowVague: boolean },
): GoalVerdict {
  const bytes = Buffer.byteLength(goal)
  const fail = (rule: GoalRule, detail: string): GoalVerdict => ({ ok: false, rule, detail, bytes })
  if (goal.trim() === '') return fail('empty', 'no words')
  if (bytes > MAX_GOAL) return fail('too-long', `${bytes} bytes, at most ${MAX_GOAL} are allowed`)
  const { length, dense } = measure(goal.trim())
  const least = dense ? Math.ceil(minLength / 2) : minLength
  const short = length < least
  const vague = isVague(goal)
  if (allowVague) return { ok: true, vague: short || vague }
  if (short) return fail('too-short', `${length} characters, at least ${least} are needed`)
  if (vague) return fail('vague', 'nothing is left when words such as "continue" or "fix" are taken out')
  return { ok: true, vague: false }
}

/** Graphemes, and whether more than half of them are Han, Kana or Hangul. */
function measure(text: string): { length: number; dense: boolean } {
  // Each of these is a grapheme by itself; the segmenter takes milliseconds to come up.
  if (SINGLE.test(text)) return { length: text.length, dense: false }
  const graphemes = [...new Intl.Segmenter('und', { granularity: 'grapheme' }).segment(text)]
  // Here, since to make the expression takes a third of a millisecond.
  const han = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u
  const dense = graphemes.filter(({ segment }) => han.test(segment)).length
  return { length: graphemes.length, dense: dense * 2 > graphemes.length }
}

const SINGLE = /^[\t\n\x20-\x7e]*$/
