import type { QuestionFact, Step } from '../types/evidence.ts'
import { sentencesOf } from './prose.ts'
import { contentWords } from './words.ts'

/** UTF-16 units: a message that only agrees or picks, and how much of the end of a reply it may agree to. */
export const SHORT_ANSWER = 160
const CLOSING = 900
const AGREES =
  /^(?:(?:ok|okay|great|good|perfect|fine|nice|cool|thanks|right)\b\W*)*(?:y|yes|yep|yeah|yup|sure|agreed?|i agree|exactly|both|sounds good|makes sense|go (?:ahead|for|with)|do (?:it|that|so|both|all)|let['’]?s|please do|i['’]d (?:go|take))\b/i
/** `option 2`, and `2`, `B`, `1+2`, `go with 2`: an item of a list by its name; `2 tests` is a count, `A new parser` none either. */
const BEHIND_NOUN = /\b(?:option|approach|variant|plan|number|step)\s+([a-h]|\d{1,2})(?![\w%-]|\.\d)/gi
const ALONE = /(?:^|\b(?:with|for|take|and)\s+|[+,&]\s*)([A-H]|\d{1,2})(?![\w%-]|\.\d|\s+(?!please)[a-z])/g
const ITEM =
  /^\s*(?:[-*|]\s+)?(?:#{1,6}\s+)?(?:\*\*|__)?(?:(?:option|approach|variant|plan|step)\s+)?\(?([A-H]|\d{1,2})(?:[.):]|\*\*|\s+[—–|-]\s)/i
const BULLET = /^[-*•]\s+\S/

/** Characters of a question that says nothing without the sentence before it: `Want me to do that?` */
const BARE = 25
/** Lines at the end of a reply that are looked at for a question. */
const LAST_LINES = 6
/** Asks for leave to go on; the goal of the brief answers it. A choice between two things stays open. */
const OFFER =
  /^\W*(?:(?:do you )?want|(?:should|shall) i\b(?!.* or )|would you like|may i|ready (?:to|for)|sound good|ok(?:ay)? to)\b/i

/** The question that a reply ends with, a bare one behind the sentence before it; null where it ends otherwise. */
export function questionIn(reply: string): string | null {
  const { before, asked } = endOf(reply)
  if (asked === null) return null
  return asked.length < BARE && before !== null ? `${before} ${asked}` : asked
}

/** The question of a last message that only the person can answer: neither an offer nor a bare one. */
export function openQuestionIn({ text, at }: Pick<Step, 'text' | 'at'>): QuestionFact | null {
  const { asked } = endOf(text)
  if (asked === null || asked.length < BARE || OFFER.test(asked)) return null
  return { kind: 'question', text: asked, source: 'agent', at }
}

function endOf(reply: string): { before: string | null; asked: string | null } {
  const sentences = sentencesOf(reply.replace(/\*\*/g, '').trimEnd().split('\n').slice(-LAST_LINES))
  const asked = sentences.at(-1) ?? ''
  return { before: sentences.at(-2) ?? null, asked: /[?？]["')\]`]*$/.test(asked) ? asked : null }
}

/** The items of the reply that a short message picks, by their number or letter, else by all its words. */
export function picksOf(message: string, reply: string): string[] {
  const said = message.trim()
  if (said.length > SHORT_ANSWER || reply === '' || /[?？]$/.test(said)) return []
  const items = itemsOf(reply)
  const names = [...said.matchAll(BEHIND_NOUN), ...said.matchAll(ALONE)].map(([, name = '']) =>
    name.toUpperCase(),
  )
  const named = names.flatMap((name) => items.findLast((item) => item.name === name)?.text ?? [])
  if (named.length > 0) return [...new Set(named)]
  const words = AGREES.test(said) ? contentWords(said.replace(AGREES, '')) : []
  const holdsAll = (text: string): boolean => {
    const held = new Set(contentWords(text))
    return words.every((word) => held.has(word))
  }
  const found = words.length === 0 ? undefined : items.findLast(({ text }) => holdsAll(text))
  return found === undefined ? [] : [found.text]
}

/** What a short message agrees to in the reply before it: the items that it picks, and the end of the reply. Null where it agrees to nothing. */
export function assentedTo(message: string, reply: string): string | null {
  const picked = picksOf(message, reply)
  if (picked.length === 0 && (message.length > SHORT_ANSWER || !AGREES.test(message.trim()))) return null
  if (reply.trim() === '') return null
  const closing = closingOf(reply)
  return [...picked.filter((text) => !closing.includes(text)), closing].join('\n')
}

/** The items of all lists, each with the indented lines below it. */
function itemsOf(reply: string): { name: string | null; text: string }[] {
  const items: { name: string | null; text: string }[] = []
  let open = false
  for (const line of reply.split('\n')) {
    const name = ITEM.exec(line)?.[1]?.toUpperCase() ?? null
    const last = items.at(-1)
    if (name !== null || BULLET.test(line)) {
      items.push({ name, text: line.trim() })
      open = true
    } else if (open && last !== undefined && /^\s+\S/.test(line)) last.text += `\n${line.trim()}`
    else if (line.trim() !== '') open = false
  }
  return items
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
