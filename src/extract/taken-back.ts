/** Words that put something else in the place of a rule, and words that only lift one. */
const CORRECTS = /^(?:no,|actually|sorry,? i meant|i meant)|\binstead\b/i
const LIFTS =
  /\b(?:never ?mind|forget|ignore|disregard|scrap|no longer|not any ?more|(?:you|it) (?:may|can)(?: now)?|(?:is|are|it['’]?s) (?:now )?(?:ok|okay|fine|allowed)|feel free|go ahead)\b/i

export const isCorrection = (sentence: string): boolean => CORRECTS.test(sentence)
export const takesBack = (sentence: string): boolean => CORRECTS.test(sentence) || LIFTS.test(sentence)

/** The verbs that a short prompt orders. */
export const ordersIn = (text: string): string[] =>
  text.length > 200
    ? []
    : [...text.matchAll(/(?:^|[.!,;\n]\s*|\b(?:and|then|please|now|ok) )(\w+)/gi)].map(([, verb = '']) =>
        verb.toLowerCase(),
      )

/** "commit and push" lifts "don't commit yet", but not "never push to main". */
export function isOrdered(rule: string, verbs: readonly string[], order: string): boolean {
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
export function speaksOf(words: string, rule: string): boolean {
  const forbidden = rule.split(/[,;] /).find((clause) => FORBIDS.test(clause))
  const [, topic] = /\babout (.+)$/i.exec(words) ?? []
  const said = subjectsOf(topic ?? (forbidden === undefined ? words : withoutOpposite(words)))
  const about = subjectsOf(forbidden ?? rule)
  const shared = [...about].filter((word) => said.has(word)).length
  return shared * 2 > about.size || (topic !== undefined && shared > 0 && shared === said.size)
}
