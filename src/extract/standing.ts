import type { TextFact } from '../types.ts'
import { proseLines, sentencesOf, squash } from './prose.ts'

/** The person's standing rules: what they forbid, require or prefer, until they take it back. */
export interface Standing {
  /** The person's own words; `isShortRule`: words given with a refusal, which stand as they are. */
  hear(text: string, at: string | null, isReason?: boolean): void
  /** In order of time. */
  rules(): TextFact[]
  /** Whether the person took a rule of an earlier brief back. */
  isTakenBack(rule: string): boolean
}

const MAX_RULES = 200
const MAX_WORDS = 60
const MAX_CHARACTERS = 500
/** A longer prompt is mostly pasted: only its beginning and its end are the person's own. */
const PASTED_FROM = 2_000
const ENDS = 600

const LEAD = String.raw`^(?:(?:please|also|and|but|just|so|ok(?:ay)?|yes|no|then|again|remember|note|important|rule)[\s,:!.]+)*`
const RULES: readonly RegExp[] = [
  // An order that forbids, requires or prefers.
  new RegExp(
    String.raw`${LEAD}(?:never|always|do not|don['’]?t|avoid|only|keep|prefer|no|use (?:no|only)|stick (?:to|with)|leave (?:\S+ ){1,6}(?:alone|untouched|unchanged|as (?:is|it|they))|make sure|ensure|be (?:careful|sure)|from now on|must|without)\b`,
    'i',
  ),
  /\b(?:you|we|it|this|that|they|code|tests?|commits?|files?|everything|nothing) (?:must|should (?:never|always|only|not)|shouldn['’]?t|may (?:not|only)|(?:has|have|needs?) to (?:stay|remain|keep))\b/i,
  /\b(?:we|you) (?:can['’]?t|cannot|can not|can only|never|always|only|prefer|don['’]?t want)\b/i,
  /\bI (?:always|never|prefer|only|don['’]?t) (?:want|like|use|need)\b|\bI (?:prefer|want no)\b/i,
  // A rule that a request carries with it.
  /(?:[,;–—-]|\b(?:and|but|then)) (?:please )?(?:never|always|do not|don['’]?t|keep|only|avoid|make sure|be careful)\b/i,
  /\bno (?:new|more|other|extra|changes?|dependenc\w+)\b|\bwithout \w+ing\b|\bunless I\b/i,
]
const OBSERVED = /[?？]$|^(?:why|what|how|when|where|who|is|are|does|do you|did|can|could|would)\b(?! not)/i
/** The words about something else stay; these decide which of many rules stand longest. */
const TAKES_BACK =
  /\b(?:never ?mind|forget|ignore|disregard|scrap|no longer|not any ?more|actually|instead|(?:you|it) (?:may|can)(?: now)?|(?:is|are|it['’]?s) (?:now )?(?:ok|okay|fine|allowed)|feel free|go ahead)\b/i

export function createStanding(): Standing {
  let rules: TextFact[] = []
  const takenBack: Set<string>[] = []
  const done = new Set<string>()
  return {
    hear(text, at, isReason = false) {
      const lines = proseLines(text)
      const all = lines.join('\n')
      const own =
        all.length <= PASTED_FROM ? lines : [...all.slice(0, ENDS).split('\n'), ...all.slice(-ENDS).split('\n')]
      for (const verb of ordersOf(text)) {
        done.add(verb)
        rules = rules.filter((rule) => forbids(rule.text) !== verb)
      }
      for (const sentence of sentencesOf(own)) {
        if (TAKES_BACK.test(sentence)) {
          const about = subjectsOf(sentence)
          takenBack.push(about)
          if (takenBack.length > MAX_RULES) takenBack.shift()
          rules = rules.filter((rule) => !covers(about, subjectsOf(rule.text)))
        }
        if (!isRule(sentence) && !(isReason && sentence.split(' ').length > 2)) continue
        const key = squash(sentence)
        rules = [...rules.filter((rule) => squash(rule.text) !== key), { text: sentence, source: 'user', at }]
        if (rules.length > MAX_RULES) rules.shift()
      }
    },
    rules: () => [...rules],
    isTakenBack: (rule) =>
      done.has(forbids(rule) ?? '') || takenBack.some((about) => covers(about, subjectsOf(rule))),
  }
}

const isRule = (sentence: string): boolean =>
  sentence.length <= MAX_CHARACTERS &&
  sentence.split(' ').length <= MAX_WORDS &&
  /\S\s+\S/.test(sentence) &&
  !OBSERVED.test(sentence) &&
  RULES.some((rule) => rule.test(sentence))

/** The verb that a rule forbids: `commit` in "don't commit yet". */
const forbids = (rule: string): string | null =>
  /\b(?:do not|don['’]?t|never) (\w+)/i.exec(rule)?.[1]?.toLowerCase() ?? null

/** The verbs that a short prompt orders: whoever says "commit and push" lifts "don't commit yet". */
const ordersOf = (text: string): string[] =>
  text.length > 200
    ? []
    : [...text.matchAll(/(?:^|[.!,;\n]\s*|\b(?:and|then|please|now|ok) )(\w+)/gi)].map(([, verb = '']) =>
        verb.toLowerCase(),
      )

const EMPTY = new Set(
  `the a an to of in on at for with and or not no do don t dont it its this that these those you your my our we i is are be was
  were please never always must should may can use using just now again any all anything everything from by as if so then about
  instead rather actually never mind forget ignore longer only keep make sure also go ahead feel free fine okay ok allowed`.split(
    /\s+/,
  ),
)

const subjectsOf = (text: string): Set<string> =>
  new Set(
    (text.toLowerCase().match(/[\p{L}\p{N}_./-]+/gu) ?? [])
      .map((word) => word.replace(/^[./-]+|[./-]+$/g, '').replace(/(?<=\w{4})s$/, ''))
      .filter((word) => word !== '' && !EMPTY.has(word)),
  )

/** The words speak of most of what the rule is about. */
function covers(about: ReadonlySet<string>, rule: ReadonlySet<string>): boolean {
  const shared = [...rule].filter((word) => about.has(word)).length
  return shared > 0 && shared * 2 >= rule.size
}
