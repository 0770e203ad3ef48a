import { contentWords } from './goal.ts'
import { sentencesOf, withoutFences } from './prose.ts'

/** UTF-16 units of a message that only agrees, of a sentence that picks, and of the end of a reply that it agrees to. */
const SHORT = 160
const CLOSING = 900

/** UTF-16 units of a message in which a number alone names an option. */
const PICK = 24

/** What only says that a message was heard, and how people agree behind it. */
const HEARD = /^\W*(?:(?:ok|okay|great|good|perfect|fine|nice|cool|thanks|right)\b\W*)*/i
const AGREES =
  /^(?:y|yes|yep|yeah|yup|sure|agreed?|i agree|exactly|both|sounds good|makes sense|go (?:ahead|for|with)|do (?:it|that|so|both|all)|let['’]?s|please do|i['’]d (?:go|take))\b/i
/** `option 2`, `B`, `1+2`: what names an item of a list; a small letter only behind its noun. `11 issues` is a count. */
const NOUN = '\\b(?:option|approach|variant|plan|number|step)'
/** `1. … 2. …` */
const LISTS = /^1[.):]\s.*\s2[.):]\s/s
/** `1, but …`, `B.` */
const LEADS = /^(?:[A-H]|\d{1,2})[,.):]/
const BEHIND_NOUN = new RegExp(`${NOUN}\\s+(?:[a-h]|\\d{1,2})\\b`, 'i')
const NAMED = new RegExp(
  `${NOUN}\\s+([a-h]|\\d{1,2})\\b|(?<![\\w.-])([A-H]|\\d{1,2})(?![\\w%-]|\\.\\d|\\s+[a-z]+s\\b)`,
  'gi',
)
const ITEM =
  /^\s*(?:[-*|]\s+)?(?:#{1,6}\s+)?(?:\*\*|__)?(?:(?:option|approach|variant|plan|step)\s+)?\(?([A-H]|\d{1,2})(?:[.):]|\*\*|\s+[—–|-]\s)/i
const BULLET = /^\s*[-*•]\s+\S/

/**
 * What a short message of the person agrees to in the reply before it: the options it names, else the item of a list that holds
 * all its words, else nothing but the end of the reply, which goes along in every case, since it holds what was offered.
 * Null for a message that agrees to nothing.
 */
export function assentedTo(message: string, reply: string): string | null {
  const assent = readAssent(message, reply)
  if (assent === null) return null
  const { picked, closing } = assent
  return [...picked.filter((text) => !closing.includes(text)), closing].join('\n')
}

/** What a short message picks by number, by letter or by all its words, the end of the reply, and the question that it ends with. */
export function readAssent(
  message: string,
  reply: string,
): { picked: string[]; closing: string; question: string | null } | null {
  const whole = message.replace(HEARD, '')
  const isShort = whole.length <= SHORT
  const said = isShort ? whole : (whole.split(/(?<=[.!?])\s|\n/)[0] ?? '')
  if (said.length > SHORT || reply.trim() === '') return null
  // A list of their own answers point by point and picks none.
  if (LISTS.test(whole)) return null
  const items = itemsOf(reply)
  // An item that is repeated with its words is that one, not another of its number.
  const words = /^\d{1,2}[.)]\s/.test(said) ? contentWords(said) : []
  const isMeant = ({ text }: Item): boolean => {
    const held = new Set(contentWords(text))
    return words.filter((word) => held.has(word)).length * 2 >= words.length
  }
  const question = questionIn(reply)
  const named = namesIn(said).flatMap(
    (name) =>
      items.findLast((item) => item.name === name && isMeant(item))?.text ??
      // Without a list, the question itself says what its options are.
      (question !== null && optionsIn(question.asked).has(name) ? question.asked : []),
  )
  const isPick =
    named.length > 0 &&
    (said.length <= PICK || LEADS.test(said) || (BEHIND_NOUN.test(said) && !/[?？]/.test(said)))
  if (!isPick && !(isShort && (said === '' || AGREES.test(said)))) return null
  return {
    picked: named.length > 0 ? named : holding(said, items, question?.asked ?? ''),
    closing: closingOf(reply),
    question: question?.whole ?? null,
  }
}

/** `No, at 100.` */
const REFUSES = /^(?:no|nope|nah|neither|none|not yet|do not|don['’]t)\b/i

/** The question at the end of the reply to which a short message says no; null for another message. */
export function refusedIn(message: string, reply: string): string | null {
  const whole = message.replace(HEARD, '')
  if (whole.length > SHORT || !REFUSES.test(whole)) return null
  const closing = closingOf(reply)
  return /[?？]\W*$/.test(closing) ? (questionIn(closing)?.whole ?? null) : null
}

/** A question that says nothing of what it asks about: `Want me to do that?` */
const BARE =
  /(?:^|\s)(?:i|to|it|this|that|these|those|them|so|me to proceed|right)(?: (?:now|too|first|instead))?[?？]\W*$/i

/** The last question of a text; `whole`: behind the sentence that a bare one asks about. */
function questionIn(reply: string): { asked: string; whole: string } | null {
  const sentences = sentencesOf(withoutFences(reply.replace(/\*\*/g, '')))
  const at = sentences.findLastIndex((sentence) => /[?？]["')\]]*$/.test(sentence))
  const [before, asked] = [sentences[at - 1], sentences[at]]
  if (asked === undefined) return null
  return { asked, whole: BARE.test(asked) && before !== undefined ? `${before} ${asked}` : asked }
}

interface Item {
  name: string | null
  text: string
}

const namesIn = (message: string): string[] =>
  [...message.matchAll(NAMED)].flatMap(([, behindNoun, alone]) =>
    behindNoun !== undefined
      ? [behindNoun.toUpperCase()]
      : alone !== undefined && alone === alone.toUpperCase()
        ? [alone]
        : [],
  )

/** The names that stand behind their noun: `option 1 (edit it), or option 3`. */
const optionsIn = (question: string): Set<string> =>
  new Set([...question.matchAll(NAMED)].flatMap(([, behindNoun]) => behindNoun?.toUpperCase() ?? []))

/** The items of all lists, each with the lines up to the next item or the paragraph behind an empty line. */
function itemsOf(reply: string): Item[] {
  const items: Item[] = []
  let open = false
  let gap = false
  for (const line of reply.split('\n')) {
    const name = ITEM.exec(line)?.[1]?.toUpperCase() ?? null
    const last = items.at(-1)
    if (name !== null || (BULLET.test(line) && !/^\s/.test(line))) {
      items.push({ name, text: line.trim() })
      open = true
    } else if (line.trim() === '') gap = true
    else if (open && last !== undefined && (!gap || /^\s/.test(line))) last.text += `\n${line.trim()}`
    else open = false
    if (line.trim() !== '') gap = false
  }
  return items
}

/** The last item that holds every word of a message beside its assent; where the question holds them, too, it is the question that was answered. */
function holding(message: string, items: readonly Item[], question: string): string[] {
  const words = contentWords(message.replace(AGREES, ''))
  const holds = (text: string): boolean => {
    const held = new Set(contentWords(text))
    return words.every((word) => held.has(word))
  }
  const found = items.findLast(({ text }) => holds(text))
  return words.length === 0 || found === undefined || holds(question) ? [] : [found.text]
}

/** Whole paragraphs from the end of a text, at least one. */
function closingOf(reply: string): string {
  const paragraphs = reply.trim().split(/\n\s*\n/)
  let closing = paragraphs.pop() ?? ''
  for (const paragraph of paragraphs.reverse()) {
    if (closing.length + paragraph.length > CLOSING) break
    closing = `${paragraph}\n${closing}`
  }
  return closing
}
