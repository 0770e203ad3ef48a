import type { DecisionFact, QuestionFact } from '../types/evidence.ts'
import { cutAtWord, isContent, outlineOf } from './prose.ts'

const MAX_DECISIONS = 200
const MAX_QUESTION = 120
const PLAN_FILE = /(?:^|[\\/])(?:plans?)[\\/][^\\/]+\.md$/i

/** Begins the question of a plan that nobody has agreed to yet; its title follows. */
export const PROPOSED = 'Plan proposed last, not approved in this session: '

interface Open {
  text: string
  options: string[]
  at: string | null
}

export function createAsks() {
  const waiting = new Map<string, Open[]>()
  const decisions: DecisionFact[] = []
  let accepted: { outline: string; file: string | null; at: string | null } | null = null
  let planFile: string | null = null
  let proposed: (QuestionFact & { title: string }) | null = null
  return {
    question(id: string, text: string, options: string[], at: string | null) {
      waiting.set(id, [...(waiting.get(id) ?? []), { text: fold(text), options: options.map(fold), at }])
    },
    /** Gives the question with the answer; null when none was open. */
    answer(id: string, text: string, at: string | null): string | null {
      const [asked, ...rest] = waiting.get(id) ?? []
      if (rest.length > 0) waiting.set(id, rest)
      else waiting.delete(id)
      const chosen = fold(text)
      if (asked === undefined || chosen === '') return null
      const isIn = (option: string): boolean => chosen.toLowerCase().includes(option.toLowerCase())
      // Words of the person's own may take an option and add to it: which one they turned down is not known.
      const alternatives = asked.options.some(isIn) ? asked.options.filter((option) => !isIn(option)) : []
      const what = `${shortQuestion(asked.text)} → ${chosen}`
      keepLast(decisions, { what, why: null, alternatives, by: 'user', source: 'user', at }, MAX_DECISIONS)
      return what
    },
    /** The call that asked failed: nobody saw its questions. */
    failed(call: string) {
      for (const id of waiting.keys()) if (id === call || id.startsWith(`${call}#`)) waiting.delete(id)
    },
    proposal(text: string, isAccepted: boolean | null, at: string | null) {
      if (text.trim() === '') return
      const outline = outlineOf(text)
      proposed = null
      if (isAccepted) accepted = { outline, file: planFile, at }
      // A rejection without words may be an approval that goes on in a new session.
      else
        proposed = {
          title: outline.split('; ')[0] ?? '',
          kind: 'question',
          text: `${PROPOSED}${withFile(outline, planFile)}`,
          source: 'agent',
          at,
        }
    },
    /** A file the agent wrote; the newest one of a plans folder is where the plan stands. */
    wrote(path: string) {
      if (PLAN_FILE.test(path)) planFile = path
    },
    /** A question that the agent did not wait for is open no more. */
    wentOn() {
      waiting.clear()
    },
    /** A prompt answers whatever stood open: the person went on. */
    prompt() {
      waiting.clear()
      proposed = null
    },
    /** What was answered, and the plan that was accepted last; of one that a request tells only its title. */
    decisions(requests: readonly string[]): DecisionFact[] {
      if (accepted === null) return decisions
      const { outline, file, at } = accepted
      const isTold = requests.some((request) => request.includes(outline))
      if (isTold && file === null) return decisions
      const what = `Plan accepted: ${withFile(isTold ? (outline.split('; ')[0] ?? '') : outline, file)}`
      return [{ what, why: null, alternatives: [], by: 'user', source: 'user', at }, ...decisions]
    },
    isProposed: (): boolean => proposed !== null,
    /** What stands unanswered; a goal that holds the proposed plan answers it. */
    open(goal: string): QuestionFact[] {
      const open: QuestionFact[] = [...waiting.values()].flat().map(({ text, options, at }) => ({
        kind: 'question',
        text: options.length > 0 ? `${text} (options: ${options.join(' / ')})` : text,
        source: 'agent',
        at,
      }))
      if (proposed === null || goal.includes(proposed.title)) return open
      const { title: _, ...plan } = proposed
      return [...open, plan]
    },
  }
}
/** Questions the agent put through its question tool or as a plan, and what became of them. */

const withFile = (outline: string, file: string | null): string =>
  file === null ? outline : `${outline}, in ${file}`

/** What is asked; of a long question without the state of things that leads up to it. */
const shortQuestion = (text: string): string =>
  text.length <= MAX_QUESTION
    ? text
    : (text.split(/(?<=[.!?])\s+|(?<=[。？！])/).findLast((sentence) => /[?？]$/.test(sentence.trim())) ??
      text)

const fold = (text: string) => text.replace(/\s+/g, ' ').trim()

const MAX_STATED = 30
const MAX_LINE = 400
const MARK = String.raw`^\s*(?:[-*•]\s+|\d{1,2}[.)]\s+)?(?:\*\*)?`
const DECISION = new RegExp(String.raw`${MARK}(?:decision|decided)(?:\*\*)?:(?:\*\*)?\s+(\S.*)$`, 'i')
const CHOSE = new RegExp(
  String.raw`${MARK}((?:we|i)(?:['’]ve| have)? (?:chose|decided|picked|opted|went with|settled on|agreed)\b.*)$`,
  'i',
)
const QUESTION = new RegExp(String.raw`${MARK}open questions?(?:\*\*)?:(?:\*\*)?\s+(\S.*)$`, 'i')

export function createStated() {
  const decisions: DecisionFact[] = []
  const questions: QuestionFact[] = []
  return {
    hear(text: string, at: string | null) {
      if (!/decision|decided|chose|picked|opted|went with|settled|agreed|open question/i.test(text)) return
      for (const line of text.split('\n')) {
        const decided = DECISION.exec(line)?.[1] ?? CHOSE.exec(line)?.[1]
        if (decided !== undefined && isContent(decided))
          keepLast(decisions, { ...partsOf(decided), by: 'agent', source: 'agent', at }, MAX_STATED)
        const asked = QUESTION.exec(line)?.[1]
        if (asked !== undefined && isContent(asked))
          keepLast(questions, { kind: 'question', text: short(asked), source: 'agent', at }, MAX_STATED)
      }
    },
    decisions: (): DecisionFact[] => decisions,
    questions: (): QuestionFact[] => questions,
  }
}
/** What an agent states in lines that name their kind: `Decision: …`, `We chose …`, `Open question: …`. */

/** Adds an item as the last one, which it may have been before. */
function keepLast<T extends DecisionFact | QuestionFact>(list: T[], item: T, most: number): void {
  const key = (one: DecisionFact | QuestionFact) => ('what' in one ? one.what : one.text)
  const held = list.findIndex((other) => key(other) === key(item))
  if (held !== -1) list.splice(held, 1)
  list.push(item)
  if (list.length > most) list.shift()
}

const short = (text: string): string => cutAtWord(text.replace(/\*\*/g, '').trim(), MAX_LINE)

/** `X because Y` and `X instead of Z` as what, why and alternative. */
function partsOf(text: string): Pick<DecisionFact, 'what' | 'why' | 'alternatives'> {
  const line = short(text)
  const because = /^(.*?\S),? (?:because|since|so that) (.*)$/i.exec(line)
  const what = because?.[1] ?? line
  const instead = /^(.*?\S),? (?:instead of|rather than) (.*)$/i.exec(what)
  return {
    what: instead?.[1] ?? what,
    why: because?.[2] ?? null,
    alternatives: instead?.[2] === undefined ? [] : [instead[2]],
  }
}
