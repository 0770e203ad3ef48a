import { acceptedPlan, cutAtWord, folded, outlineOf, sentencesOf } from '../text/blocks.ts'
import type { DecisionFact, QuestionFact } from '../types/evidence.ts'

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
    const item = items.findLast(([, own = '']) => own.toUpperCase() === name.toUpperCase())
    // A row of a table is told without its bars.
    return item === undefined
      ? []
      : [
          item[0]
            .trim()
            .replace(/^\|\s*|\s*\|$/g, '')
            .replace(/\s*\|\s*/g, ' – '),
        ]
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
  /** What was answered to a question by its first words, options and answer: asked again, `More questions?` steers the talk and decides nothing. */
  const steered = new Map<string, string>()
  let proposed: { outline: string; at: string | null } | null = null
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
      const shape = [...question.text.split(' ', 2), ...question.options, chosen].join('\n')
      const before = steered.get(shape) ?? what
      if (before === what || question.options.length === 0) decide(what, at, others)
      else decisions.delete(before)
      steered.set(shape, what)
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
    reply: (): void => asked.clear(),
    /** `reply`: the message that the prompt may pick items of. */
    prompt(text: string, reply: string, at: string | null) {
      asked.clear()
      proposed = null
      const options = picksOf(text, reply).map((option) => cutAtWord(folded(option), MAX_PICK))
      if (options.length > 0) decide(`"${folded(text)}" → ${options.join(' + ')}`, at)
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
