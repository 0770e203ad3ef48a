import type { TextFact } from '../types/evidence.ts'
import { proseLines, sentencesOf, squash } from './prose.ts'

const MAX_RULES = 200
/** A rule about one thing holds for so many prompts; a general one until it is taken back. */
const FADES_AFTER = 12
const GENERAL = /\b(?:never|always|must|from now on|in general|every(?:thing)?|any|all|prefer)\b/i
const MAX_WORDS = 60
const MAX_CHARACTERS = 500
/** A longer prompt is mostly pasted: only its beginning and its end are the person's own. */
const PASTED_FROM = 2_000
const ENDS = 600

const LEAD = String.raw`^(?:(?:please|pls|plz|also|and|but|just|so|ok(?:ay)?|yes|no|then|again|remember|note|important|rule)[\s,:!.]+)*`
const RULES: readonly RegExp[] = [
  // An order that forbids, requires or prefers.
  new RegExp(
    String.raw`${LEAD}(?:never|always|do not|don['’]?t|avoid|only|ask (?:me|us) (?:before|first)|keep (?!going)|prefer|use (?:no|only)|stick (?:to|with) (?!it\b)|leave (?:\S+ ){1,3}(?:alone|untouched|unchanged|as (?:is|it|they))|make sure|ensure|be (?:careful|sure)|from now on (?!it\b)|must|without|let['’]?s not|(?:use|put|make|write|do)\b.*(?:, not|\binstead of|\bonly)) ?\b`,
    'i',
  ),
  /\b(?:you|we|this|that|they|it|\w+s|\w+\)?[`)]|the [\w-]+|schema|api|code|config) (?:must(?:n['’]?t)?|should (?:never|always|only|not)|shouldn['’]?t|may (?:not|only)|(?:has|have|needs?) to (?:stay|remain|keep))\b/i,
  /\b(?:we|you) (?:can['’]?t|cannot|can not|can only|(?:never|always) (?!\w+(?:ed|t)\b|had|saw)|only|prefer|don['’]?t want)\b/i,
  /\bI (?:always|never|prefer|only|don['’]?t) (?:want|like|use)\b|\bI(?:['’]d| would)? prefer\b|\bI want no\b/i,
  // A rule that a request carries with it; what an order of one moment carries is over with it.
  /^(?!(?:please |ok,? )?(?:commit|push|open|create|merge|file|post)\b).*(?:[,;–—-]|\b(?:and|but|then)) (?:please )?(?:never|always (?!\w+s\b)|do not|don['’]?t|keep|only|avoid|make sure|be careful)\b/i,
  // What is not to be there.
  new RegExp(
    String.raw`(?:${LEAD}|[,:;–—] ?|\bbut )no (?!(?:more|longer|such)\b|(?:errors|issues|problems|results|logs|warnings|tests|matches)\b)(?:(?:new|other|extra|external|additional) [\w-]+|changes?|[\w-]+s)\b`,
    'i',
  ),
  /\bwithout \w+ing\b|\bunless I\b/i,
]
/** A question, what somebody saw or was told, or a finding about a line of a file. */
const OBSERVED =
  /[?？]$|\.\w+:\d|^(?:why|what|how|when|where|who|is|are|does|do you|did|can|could|would)\b(?! not)|^(?:(?:it|he|she|the \w+) (?:says?|said|reports?|reported|told|must (?:be|have)\b)|error:)|\bit must (?:be|have)\b (?:the|been)/i

/** The person's standing rules: what they forbid, require or prefer, until they take it back. */
export function createStanding() {
  let rules: (TextFact & { prompt: number })[] = []
  let prompts = 0
  const released: ((rule: string) => boolean)[] = []
  const release = (lifts: (rule: string) => boolean): boolean => {
    released.push(lifts)
    if (released.length > MAX_RULES) released.shift()
    const before = rules.length
    rules = rules.filter(({ text }) => !lifts(text))
    return rules.length < before
  }
  return {
    hear(text: string, at: string | null) {
      prompts++
      const lines = proseLines(text)
      const all = lines.join('\n')
      const own =
        all.length <= PASTED_FROM
          ? lines
          : [...all.slice(0, ENDS).split('\n'), ...all.slice(-ENDS).split('\n')]
      const orders = ordersIn(text)
      if (orders.length > 0) release((rule) => isOrdered(rule, orders, text))
      for (const sentence of sentencesOf(own)) {
        const isReleased =
          takesBack(sentence) && !OBSERVED.test(sentence) && release((rule) => speaksOf(sentence, rule))
        if (!isRule(sentence) && !(isReleased && isCorrection(sentence))) continue
        const key = squash(sentence)
        rules = [
          ...rules.filter((rule) => squash(rule.text) !== key),
          { text: sentence, source: 'user', at, prompt: prompts },
        ]
        if (rules.length > MAX_RULES) rules.shift()
      }
    },
    rules: (): TextFact[] =>
      rules
        .filter(({ text, prompt }) => GENERAL.test(text) || prompts - prompt < FADES_AFTER)
        .map(({ prompt: _, ...fact }) => fact),
    /** Whether the person took a rule of an earlier brief back. */
    isTakenBack: (rule: string): boolean => released.some((lifts) => lifts(rule)),
  }
}
const isRule = (sentence: string): boolean =>
  sentence.length <= MAX_CHARACTERS &&
  sentence.split(' ').length <= MAX_WORDS &&
  /\S\s+\S/.test(sentence) &&
  !OBSERVED.test(sentence) &&
  RULES.some((rule) => rule.test(sentence))

/** Words that put something else in the place of a rule, and words that only lift one. */
const CORRECTS = /^(?:no,|actually|sorry,? i meant|i meant)|\binstead\b/i
const LIFTS =
  /\b(?:never ?mind|forget|ignore|disregard|scrap|no longer|not any ?more|(?:you|it) (?:may|can)(?: now)?|(?:is|are|it['’]?s) (?:now )?(?:ok|okay|fine|allowed)|feel free|go ahead)\b/i

const isCorrection = (sentence: string): boolean => CORRECTS.test(sentence)
const takesBack = (sentence: string): boolean => CORRECTS.test(sentence) || LIFTS.test(sentence)

const ordersIn = (text: string): string[] =>
  text.length > 200
    ? []
    : [...text.matchAll(/(?:^|[.!,;\n]\s*|\b(?:and|then|please|now|ok) )(\w+)/gi)].map(([, verb = '']) =>
        verb.toLowerCase(),
      )

/** "commit and push" lifts "don't commit yet", but not "never push to main". */
function isOrdered(rule: string, verbs: readonly string[], order: string): boolean {
  const [, forbidden = '', rest = ''] = /\b(?:do not|don['’]?t|never) (\w+)(.*)/i.exec(rule) ?? []
  if (!verbs.includes(forbidden.toLowerCase())) return false
  const said = subjectsOf(withoutOpposite(order))
  return (
    /\b(?:yet|until|for now|before)\b/i.test(rest) || [...subjectsOf(rest)].every((word) => said.has(word))
  )
}

/** "Use pnpm instead of yarn" agrees with "never use yarn". */
const withoutOpposite = (words: string): string => words.replace(/\b(?:instead of|rather than) \S+/i, '')

const EMPTY = new Set(
  `the a an to of in on at for with and or not no do don t dont it its this that these those you your my our we i is are be was
  were please never always must should may can use using just now yet again any all anything everything from by as if so then also
  instead rather actually never mind forget ignore longer only keep make sure go ahead feel free fine okay ok allowed sorry meant`.split(
    /\s+/,
  ),
)

const FORBIDS = /\b(?:never|not|don['’]?t|avoid|no)\b/i

const subjectsOf = (text: string): Set<string> =>
  new Set(
    (text.toLowerCase().match(/[\p{L}\p{N}_./-]+/gu) ?? [])
      .map((word) => word.replace(/^[./-]+|[./-]+$/g, ''))
      .filter((word) => word !== '' && !EMPTY.has(word))
      .map((word) => word.replace(/(?<=\w{3})s$/, '')),
  )

/**
 * Words that take back speak of a rule when they name most of what it is about, or name nothing else behind "about". What a
 * rule forbids stands in one clause; the others say why or what for.
 */
function speaksOf(words: string, rule: string): boolean {
  const forbidden = rule.split(/[,;] /).find((clause) => FORBIDS.test(clause))
  const [, topic] = /\babout (.+)$/i.exec(words) ?? []
  const said = subjectsOf(topic ?? (forbidden === undefined ? words : withoutOpposite(words)))
  const about = subjectsOf(forbidden ?? rule)
  const shared = [...about].filter((word) => said.has(word)).length
  return shared * 2 > about.size || (topic !== undefined && shared > 0 && shared === said.size)
}
