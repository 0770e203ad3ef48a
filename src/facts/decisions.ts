import type { DecisionFact, QuestionFact, Step } from '../types/evidence.ts'
import { openQuestionIn } from './assent.ts'
import { cutAtWord, outlineOf, shorten } from './prose.ts'

const MAX_DECISIONS = 50
const MAX_PICK = 240
const MAX_LINE = 400
const MAX_QUESTION = 120
/** What an agent states in a line that names its kind. */
const STATED = /^[^\w\n]*(?:decision|decided):[^\w\n]*(\S.*)$/gim
const PLAN_FILE = /(?:^|[\\/])plans?[\\/][^\\/]+\.md$/i
/** Begins the question of a plan that nobody has agreed to yet; its title follows. */
export const PROPOSED = 'Plan proposed last, not approved in this session: '

interface Asked {
  text: string
  options: string[]
  at: string | null
}

/** What was decided, with the question that it answers, and what the agent asked and nobody answered. */
export function createDecisions() {
  const decisions: DecisionFact[] = []
  const asked = new Map<string, Asked[]>()
  let proposed: { outline: string; at: string | null } | null = null
  let planFile: string | null = null
  const decide = (
    what: string,
    by: 'user' | 'agent',
    at: string | null,
    alternatives: string[] = [],
  ): void => {
    const held = decisions.findIndex((other) => other.what === what)
    if (held !== -1) decisions.splice(held, 1)
    decisions.push({ what, why: null, alternatives, by, source: by, at })
    if (decisions.length > MAX_DECISIONS) decisions.shift()
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
      const what = `${shortQuestion(question.text)} → ${chosen}`
      decide(what, 'user', at, others)
      return what
    },
    /** The call that asked failed: nobody saw its questions. */
    failed(call: string) {
      for (const id of asked.keys()) if (id === call || id.startsWith(`${call}#`)) asked.delete(id)
    },
    proposal(text: string, accepted: boolean | null, at: string | null) {
      if (text.trim() === '') return
      const outline = outlineOf(text)
      const plan = planFile === null ? outline : `${outline}, in ${planFile}`
      proposed = accepted ? null : { outline: plan, at }
      if (accepted) decide(`Plan accepted: ${plan}`, 'user', at)
    },
    /** A file that the agent wrote; the newest one of a plans folder is where the plan stands. */
    wrote(path: string) {
      if (PLAN_FILE.test(path)) planFile = path
    },
    reply(text: string, at: string | null) {
      // An agent that speaks again has its answer, or went on without one.
      asked.clear()
      for (const [, what = ''] of text.matchAll(STATED))
        decide(cutAtWord(what.replace(/\*\*/g, ''), MAX_LINE), 'agent', at)
    },
    /** `picked`: the items of the last reply that the prompt names. */
    prompt(text: string, picked: readonly string[], at: string | null) {
      asked.clear()
      proposed = null
      const options = picked.map((option) => shorten(oneLine(option), MAX_PICK))
      if (options.length > 0)
        decide(`"${shorten(oneLine(text), MAX_PICK)}" → ${options.join(' + ')}`, 'user', at)
    },
    isProposed: (): boolean => proposed !== null,
    all: (): DecisionFact[] => decisions,
    /** What stands unanswered, also in the message that nothing came after; a goal that holds the title of the proposed plan answers it. */
    open(goal: string, lastWord: Step | null): QuestionFact[] {
      const open = [...asked.values()].flat().map(
        ({ text, options, at }): QuestionFact => ({
          kind: 'question',
          text: options.length > 0 ? `${text} (options: ${options.join(' / ')})` : text,
          source: 'agent',
          at,
        }),
      )
      const said = lastWord === null ? null : openQuestionIn(lastWord)
      if (said !== null) open.push(said)
      const title = proposed?.outline.split('; ')[0] ?? ''
      if (proposed === null || goal.includes(title)) return open
      return [
        ...open,
        { kind: 'question', text: `${PROPOSED}${proposed.outline}`, source: 'agent', at: proposed.at },
      ]
    },
  }
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim()

/** Of a long question what is asked, without the state of things that leads up to it. */
const shortQuestion = (text: string): string =>
  text.length <= MAX_QUESTION
    ? text
    : (text.split(/(?<=[.!?])\s+|(?<=[。？！])/).findLast((sentence) => /[?？]$/.test(sentence.trim())) ??
      text)
