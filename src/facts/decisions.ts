import type { DecisionFact, QuestionFact, TextFact } from '../types/evidence.ts'
import { cutAtWord, oneLine, outlineOf, proseLines, sentencesOf, squash } from './prose.ts'

/** UTF-16 units: an answer to a question, and how much of the end of a reply an assent agrees to. */
const SHORT_ANSWER = 160
const CLOSING = 900
const AGREES =
  /^(?:(?:ok|okay|great|good|perfect|fine|nice|cool|thanks|right)\b\W*)*(?:y|yes|yep|yeah|yup|sure|agreed?|exactly|both|sounds good|go (?:ahead|for|with)|do (?:it|that|so|both|all)|let['’]?s|please do)\b/i
/** `2`, `option B`, `1+2`, `go with 2 please`: an item of a list by its name. `2 tests` is a count, `[Image 1]` stands for a picture. */
const PICK = /(?<![\w.#-])([a-h]|\d{1,2})(?=[^\w\]]*(?:$|please\b|and\b|[+,&]))/gi
const ITEM =
  /^\s*(?:[-*|]\s+|#{1,6}\s+)?(?:\*\*|__)?(?:(?:option|approach|variant|plan|step)\s+)?\(?([a-h]|\d{1,2})(?:[.):]|\*\*|\s+[—–|-]\s).*$/gim
/** Characters of a question that says nothing without the sentence before it: `Want me to do that?` */
const BARE = 25
/** Lines at the end of a reply that are looked at for a question. */
const LAST_LINES = 6

/** Whether a message may answer what the agent asked: a short one that is neither a question nor a command. */
export const mayAnswer = (message: string): boolean =>
  message.length <= SHORT_ANSWER && !/^\/|[?？]$/.test(message)

/** The question that a reply ends with, a bare one behind the sentence before it; null where it ends otherwise. */
export function questionIn(reply: string): string | null {
  const sentences = sentencesOf(reply.replace(/\*\*/g, '').trimEnd().split('\n').slice(-LAST_LINES))
  const asked = sentences.at(-1) ?? ''
  if (!/[?？]["')\]`]*$/.test(asked)) return null
  return asked.length < BARE ? sentences.slice(-2).join(' ') : asked
}

/** The items of the reply that a short message of one line picks by their number or letter. Several lines were pasted. */
export function picksOf(message: string, reply: string): string[] {
  const said = message.trim()
  if (!mayAnswer(said) || said.includes('\n') || reply === '') return []
  const items = [...reply.matchAll(ITEM)]
  const picked = [...said.matchAll(PICK)].flatMap(([, name = '']) => {
    const item = items.findLast(([, own = '']) => own.toUpperCase() === name.toUpperCase())
    return item === undefined ? [] : [item[0].trim()]
  })
  return [...new Set(picked)]
}

/** What a short message agrees to in the reply before it: the items that it picks, and the end of the reply. Null where it agrees to nothing. */
export function assentedTo(message: string, reply: string): string | null {
  const picked = picksOf(message, reply)
  if (reply.trim() === '') return null
  if (picked.length === 0 && (message.length > SHORT_ANSWER || !AGREES.test(message.trim()))) return null
  const end = reply.trim().slice(-CLOSING)
  // Whole paragraphs, at least one.
  const closing =
    reply.length <= CLOSING
      ? end
      : (reply
          .trim()
          .split(/\n\s*\n/)
          .at(-1) ?? '')
  return [...picked.filter((text) => !closing.includes(text)), closing].join('\n')
}

/** Begins a clause, as an order does: `the parser can only read UTF-8` orders nothing. */
const RULE =
  /(?:^|[,;:.(–—] ?| - |\b(?:and|but|so|please|you|we|to|should|can|would)\s+)(?:never|always|do not|don['’]?t|only|keep|(?:(?:use|add) )?no (?!more|longer|such|errors|issues|problems|need|reason)\w+)\b|\b(?:must(?:n['’]t)?|avoid|prefer|instead of|no longer|should(?: not| never|n['’]t)|without \w+ing|stick (?:to|with)|make sure|(?:we|you) can(?:not|['’]?t))\b|\bonly(?=[,.;]|$)/i
/** What somebody saw or guesses, or says in passing. Of 120 sentences that are no rules 15 are taken without it, 4 with it. */
const OBSERVED =
  /\bmust (?:have|be \w+ing)\b|\b(?:it|there|that) must be\b|\b(?:only|never) (?:\w+ed|got)\b|\bdon['’]?t have to\b|^(?:never ?mind|no problem|keep going)\b/i
/** Characters of either end of a prompt that are looked at, of one rule, and rules kept. */
const MAX_END = 1_000
const MAX_RULE = 400
const MAX_RULES = 40

/** The person's standing rules, word for word, oldest first. */
export function createRules() {
  const rules = new Map<string, TextFact>()
  return {
    hear(text: string, at: string | null) {
      for (const sentence of sentencesOf(proseLines(endsOf(text)))) {
        if (sentence.length > MAX_RULE || !RULE.test(sentence) || OBSERVED.test(sentence)) continue
        if (/[?？]$/.test(sentence) || !/\S\s+\S/.test(sentence)) continue
        const key = squash(sentence)
        rules.delete(key)
        rules.set(key, { text: sentence, source: 'user', at })
      }
    },
    standing: (): TextFact[] => [...rules.values()].slice(-MAX_RULES),
  }
}

/** Whole sentences of both ends: what was pasted stands in the middle, and half a rule may say the opposite. */
function endsOf(text: string): string {
  if (text.length <= 2 * MAX_END) return text
  const head = text.slice(0, MAX_END)
  const tail = text.slice(-MAX_END)
  const end = Math.max(head.lastIndexOf('\n'), head.lastIndexOf('. ') + 1)
  return `${head.slice(0, end)}\n${tail.slice(tail.search(/\n|\. /) + 1)}`
}

const MAX_DECISIONS = 50
const MAX_PICK = 240
/** Begins the question of a plan that nobody has agreed to yet; its title follows. */
export const PROPOSED = 'Plan proposed last, not approved in this session: '

interface Asked {
  text: string
  options: string[]
  at: string | null
}

/** What the person decided, with the question that it answers, and what the agent asked and nobody answered. */
export function createDecisions() {
  const decisions = new Map<string, DecisionFact>()
  const asked = new Map<string, Asked[]>()
  let proposed: { outline: string; at: string | null } | null = null
  const decide = (what: string, at: string | null, alternatives: string[] = []): void => {
    decisions.delete(what)
    decisions.set(what, { what, why: null, alternatives, by: 'user', source: 'user', at })
    if (decisions.size > MAX_DECISIONS) decisions.delete(decisions.keys().next().value ?? '')
  }
  return {
    question(id: string, text: string, options: readonly string[], at: string | null) {
      asked.set(id, [...(asked.get(id) ?? []), { text: oneLine(text), options: options.map(oneLine), at }])
    },
    /** The answer with its question, as it is told. */
    answer(id: string, text: string, at: string | null): string {
      const [question, ...rest] = asked.get(id) ?? []
      if (rest.length > 0) asked.set(id, rest)
      else asked.delete(id)
      const chosen = oneLine(text)
      if (question === undefined || chosen === '') return text
      const isIn = (option: string): boolean => chosen.toLowerCase().includes(option.toLowerCase())
      const others = question.options.some(isIn) ? question.options.filter((option) => !isIn(option)) : []
      const what = `${question.text} → ${chosen}`
      decide(what, at, others)
      return what
    },
    /** The call that asked failed: nobody saw its questions. */
    failed(call: string) {
      for (const id of asked.keys()) if (id === call || id.startsWith(`${call}#`)) asked.delete(id)
    },
    proposal(text: string, accepted: boolean | null, at: string | null) {
      if (text.trim() === '') return
      const outline = outlineOf(text)
      proposed = accepted ? null : { outline, at }
      if (accepted) decide(`Plan accepted: ${outline}`, at)
    },
    /** An agent that speaks again has its answer, or went on without one. */
    reply() {
      asked.clear()
    },
    /** `reply`: the message that the prompt may pick items of. */
    prompt(text: string, reply: string, at: string | null) {
      asked.clear()
      proposed = null
      const options = picksOf(text, reply).map((option) => cutAtWord(oneLine(option), MAX_PICK))
      if (options.length > 0) decide(`"${oneLine(text)}" → ${options.join(' + ')}`, at)
    },
    isProposed: (): boolean => proposed !== null,
    all: (): DecisionFact[] => [...decisions.values()],
    /** What nobody answered; a goal that holds the title of the proposed plan answers it. */
    open(goal: string): QuestionFact[] {
      const open = [...asked.values()].flat().map(
        ({ text, options, at }): QuestionFact => ({
          kind: 'question',
          text: options.length > 0 ? `${text} (options: ${options.join(' / ')})` : text,
          source: 'agent',
          at,
        }),
      )
      const title = proposed?.outline.split('; ')[0] ?? ''
      if (proposed === null || goal.includes(title)) return open
      const { outline, at } = proposed
      return [...open, { kind: 'question', text: `${PROPOSED}${outline}`, source: 'agent', at }]
    },
  }
}
