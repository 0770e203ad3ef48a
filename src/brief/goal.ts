import { clipLine, oneLine, typedWord } from '../text/safe-text.ts'
import type { FrontMatter } from '../types/brief.ts'

type GoalRule = 'empty' | 'too-long' | 'too-short' | 'vague'
export interface GoalRefusal {
  ok: false
  rule: GoalRule
  detail: string
  bytes: number
}
type GoalVerdict = { ok: true; vague: boolean } | GoalRefusal

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
  if (vague) return fail('vague', 'name a file, a feature or a failure')
  return { ok: true, vague: false }
}

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

/** English words that ask for work and name none, with their endings; words of other languages are taken for names. */
const ASKS =
  'continu|carr|pick|go|get|fix|proceed|resum|finish|complet|work|job|task|thing|bug|issu|problem|error|todo|start|begin|improv|' +
  'updat|chang|stop|do|keep|mak|step|session|thread|handoff|conversation|context|cod|project|help|clean|polish|handl'
const TIES =
  'a|an|the|this|that|these|those|its?|is|are|was|were|be|been|am|i|we|you|s?he|they|them|me|us|m[ey]|our|your|their|and|or|but|then|' +
  'so|with(?:out)?|from|for|to|of|on|in|at|by|as|up|out|off|over|now|just|only|also|please|pls|thanks?|where|what|which|who|how|when|' +
  'here|there|any|some|not?|yes|ok|okay|can|could|should|would|will|lets?|[sdtm]|ll|re|ve|all|every(?:thing)?|any(?:thing)?|something|' +
  'stuff|etc|wip|same|again|next|more|further|better|best|good|nicer?|great|perfect|awesome|well|very|really|much|rest|remaining|' +
  'last|left|previous|prior|earlier|before|after|since|until|while|still|yet|already|ago|getting|did|done|going|begun|fixup'
const GENERIC = new RegExp(`^(?:(?:${ASKS})(?:e?[sd]|e|y|ies|(?:ement|ing)s?)?|${TIES})$`)
/** Words typed along a row of keys, `asdf`. */
const KEYS = 'qwertyuiop asdfghjkl zxcvbnm'

/** Nothing is named, or one word said more than once. */
function isVague(goal: string): boolean {
  const text = goal.normalize('NFKC').toLowerCase()
  // The tables of Unicode take a millisecond to come up.
  const words = text.match(SINGLE.test(text) ? /[a-z\d]+/g : /[\p{L}\p{N}\p{M}]+/gu) ?? []
  const names = words.filter(
    (word) => !GENERIC.test(word) && !(word.length > 3 && KEYS.includes(word.slice(0, 4))),
  )
  return names.length === 0 || (names.length > 1 && new Set(names).size === 1)
}

/** commitlint's conventional limits, which many repositories enforce. */
const SUBJECT = 72
const LINE = 100

/** `chore(handoff): …`, at most 72 UTF-16 units, one line, first word in lower case, no full stop. */
export function commitSubject(goal: string, kind: FrontMatter['kind'] = 'handoff'): string {
  const start = kind === 'done' ? 'chore(handoff): close ' : 'chore(handoff): '
  const words = oneLine(goal).replace(/[.\s]+$/, '')
  const first = words.split(' ', 1)[0] ?? ''
  return start + clipLine(first.toLowerCase() + words.slice(first.length), SUBJECT - start.length)
}

/** The whole message: subject and trailers, an index that a squash may drop. Every value is one line of at most 100. */
export function commitMessage(meta: FrontMatter): string {
  const trailers: [string, string][] = [
    ['Handoff-Id', meta.id],
    ...meta.parents.map((id): [string, string] => ['Handoff-Parent', id]),
    ['Handoff-Reason', meta.reason],
    ['Handoff-Agent', meta.agent.label],
  ]
  const lines = trailers.map(([key, value]) => `${key}: ${clipLine(value, LINE - key.length - 2)}`)
  return `${commitSubject(meta.goal, meta.kind)}\n\n${lines.join('\n')}\n`
}

const MAX_PATHS = 3

/** The command that commits briefs which are on disk, and nothing else. */
export function commitCommand(paths: readonly string[]): string {
  // Of many the folder is named: a line of shell has an end.
  const words = paths.length > MAX_PATHS ? '.handoff/briefs' : paths.map(typedWord).join(' ')
  return `git add -- ${words} && git commit -m 'chore(handoff): keep what was handed over' -- ${words}`
}
