import {
  acceptedPlan,
  cutAtWord,
  folded,
  outlineOf,
  proseLines,
  sentencesOf,
  squash,
} from '../text/blocks.ts'
import { ASKS, leastIn, ruleScore } from '../text/rule-score.ts'
import type { DecisionFact, QuestionFact, Reference, TextFact } from '../types/evidence.ts'

/** UTF-16 units of an answer to a question. */
export const SHORT_ANSWER = 160
/** `2`, `option B`, `1+2`, `go with 2 please`: an item of a list by its name. `2 tests` and `all 3` are counts, `[Image 1]` stands for a picture. */
const PICK = /(?<![\w.#-]|\ball (?:of |the |of the )?)([a-h]|\d{1,2})(?=[^\w\]]*(?:$|please\b|and\b|[+,&]))/gi
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
    const item = items.findLast(([, own = '']) => own.toUpperCase() === name.toUpperCase())?.[0]
    // A row of a table is told without its bars.
    return item === undefined ? [] : [item.replace(/^[\s|]+|[\s|]+$/g, '').replace(/\s*\|\s*/g, ' – ')]
  })
  return [...new Set(picked)]
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
  /** What the last prompt picked, until the agent speaks. */
  let picked = ''
  const decide = (what: string, at: string | null, alternatives: string[] = []): void => {
    decisions.delete(what)
    decisions.set(what, { what, why: null, alternatives, by: 'user', source: 'user', at })
    if (decisions.size > MAX_DECISIONS) decisions.delete(decisions.keys().next().value ?? '')
  }
  return {
    question(id: string, text: string, options: readonly string[], at: string | null) {
      asked.set(id, [...(asked.get(id) ?? []), { text: folded(text), options: options.map(folded), at }])
    },
    /** The answer with its question, as it is told. */
    answer(id: string, text: string, at: string | null): string {
      const [question, ...rest] = asked.get(id) ?? []
      if (rest.length > 0) asked.set(id, rest)
      else asked.delete(id)
      const chosen = folded(text)
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
      if (accepted) decide(acceptedPlan(outline), at)
    },
    /** An agent that speaks again has its answer, or went on without one. */
    reply() {
      asked.clear()
      picked = ''
    },
    /** A pick that the person stopped before the agent said a word was a slip. */
    interrupt: () => void decisions.delete(picked),
    /** `reply`: the message that the prompt may pick items of. */
    prompt(text: string, reply: string, at: string | null) {
      asked.clear()
      proposed = null
      const options = picksOf(text, reply).map((option) => cutAtWord(folded(option), MAX_PICK))
      picked = options.length > 0 ? `"${folded(text)}" → ${options.join(' + ')}` : ''
      if (picked !== '') decide(picked, at)
    },
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

/** Characters of one rule; rules kept, several times what a brief can tell. */
const MAX_RULE = 400
const MAX_RULES = 60
/** In a longer prompt more was pasted: each doubling takes so much of the score, less of the first and last sentences. */
const OWN_LENGTH = 600
const PASTED = 0.5
const ENDS = 3
const ALL_PASTED = 3
/** Commands to a client, questions, words of our own briefs, a single word. */
const isNoRule = (text: string): boolean =>
  text.startsWith('/') ||
  ASKS.test(text) ||
  text.includes('handoff itself') ||
  (!text.includes(' ') && text < '\u3040')
/** Says nothing without the sentence before it. */
const POINTS_BACK =
  /^(?:(?:and|but|so|please) )*(?:it|this|that|these|those|they) (?:is|are|was|has|have|must|may|should|can(?:not|['’]t)?|will|needs?|stays?|goes|does|do(?:n['’]t|esn['’]t)|belongs?|never|always|only)\b|^(?=(?:\S+ ){0,5}\S+$).*\b(?:it|them|they|that|this|these|those|both)\b|^(?:(?!if\b|when\b|we\b|you\b|I\b)[^\s,;:]+ ){1,5}(?:it|them|those|these)\b/i

/** The person's standing rules, word for word, oldest first. */
export function createRules() {
  const rules = new Map<string, TextFact & { certainty: number }>()
  return {
    hear(text: string, at: string | null) {
      const lines = proseLines(text)
      const length = lines.reduce((sum, line) => sum + line.length, 0)
      const [sentences, least] = [sentencesOf(lines).flatMap(clausesOf), leastIn(text)]
      const shapes = sentences.map(shapeOf)
      const pasted = Math.max(0, Math.log2(length / OWN_LENGTH)) * PASTED
      for (const [nth, sentence] of sentences.entries()) {
        if (sentence.length > MAX_RULE || isNoRule(sentence)) continue
        const isEnd = Math.min(nth, sentences.length - 1 - nth) < ENDS
        if (pasted > ALL_PASTED && !isEnd) continue
        const shape = shapes[nth] ?? ''
        const certainty = ruleScore(sentence) - (isEnd ? pasted / 2 : pasted)
        if (certainty <= least) continue
        const told = inPlace(sentences, nth)
        if (told !== sentence) rules.delete(shapes[nth - 1] ?? '')
        rules.delete(shape)
        rules.set(shape, { text: told, source: 'user', at, certainty: Math.round(certainty * 10) / 10 })
        if (rules.size > MAX_RULES) rules.delete(leastCertain(rules))
      }
    },
    standing: (): TextFact[] => [...rules.values()],
  }
}

/** Two sentences that differ in numbers alone are one. */
const shapeOf = (text: string): string => [...squash(text)].filter((one) => one < '0' || one > '9').join('')

/** The oldest of the least certain. */
const leastCertain = (rules: ReadonlyMap<string, { certainty: number }>): string =>
  [...rules].reduce((least, one) => (one[1].certainty < least[1].certainty ? one : least))[0]

/** The sentence, behind those before it where it speaks of what they name. */
function inPlace(sentences: readonly string[], nth: number, depth = 0): string {
  const sentence = sentences[nth] ?? ''
  if (nth === 0 || depth === MOST_BEFORE || !POINTS_BACK.test(sentence)) return sentence
  const both = `${inPlace(sentences, nth - 1, depth + 1)} ${sentence}`
  return both.length <= MAX_RULE ? both : sentence
}
const MOST_BEFORE = 2

/** Clauses of what was dictated without a mark; everything else is one sentence. */
const clausesOf = (sentence: string): string[] =>
  sentence.split(' ').length < 30 || /[,.;:!?。、，]\s|[。、，]/.test(sentence)
    ? [sentence]
    : sentence.split(/ (?=(?:and|but|also|so|please|oh|then|by the way) )/i)

/** An address, `PR #12`, and what `gh` was asked about. */
const NAMED =
  /(https?:\/\/(?!api\.)[\w.-]+\/[\w./-]*?\/(pull|issue|discussion|merge_request)s?\/(\d+))(?:#[\w-]+)?|\b(PR|MR|pull request|merge request|issue|discussion) ?[#!](\d{1,6})\b|\bgh (pr|issue) \w+ (\d{1,6})\b(?!>)/gi
const MARKS = ['#', '!', 'http', 'gh ']
const NAMES: Readonly<Record<string, string>> = { p: 'PR', m: 'MR', i: 'Issue', d: 'Discussion' }
const MAX_NAMED = 2
const MAX_LISTED = 8
/** A longer text is a page or a log, which names many that the work is not about. */
const MAX_TEXT = 20_000

/** Pull requests, issues and discussions that a session names, with their address where one was seen; a text that names more at once is a list. */
export function createReferences() {
  const found = new Map<string, Reference>()
  return {
    hear(text: string) {
      if (text.length > MAX_TEXT || !MARKS.some((mark) => text.includes(mark))) return
      const named = new Map<string, string | undefined>()
      for (const [, url, page, pageNumber, said, saidNumber, asked, askedNumber] of text.matchAll(NAMED)) {
        const kind = page ?? said ?? asked ?? ''
        const name = `${NAMES[kind.charAt(0).toLowerCase()]} #${pageNumber ?? saidNumber ?? askedNumber}`
        const held = named.get(name)
        named.delete(name)
        named.set(name, url ?? held)
      }
      if (named.size > MAX_LISTED) return
      for (const [name, url] of named) {
        const held = found.get(name)
        found.delete(name)
        found.set(name, { name, url: url ?? held?.url ?? null })
      }
    },
    latest: (): Reference[] => [...found.values()].reverse().slice(0, MAX_NAMED),
  }
}
