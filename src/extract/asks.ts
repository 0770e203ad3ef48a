import type { DecisionFact, QuestionFact } from '../types.ts'
import { type AcceptedPlan, headingsOf } from './plan-outline.ts'

/** Questions the agent put through its question tool or as a plan, and what became of them. */
export interface Asks {
  question(id: string, text: string, options: string[], at: string | null): void
  /** Gives the question that was answered; null when none was open. */
  answer(id: string, text: string, at: string | null): string | null
  proposal(text: string, accepted: boolean | null, at: string | null): void
  /** A file the agent wrote or was given; the newest one of a plans folder is where the plan stands. */
  wrote(path: string): void
  /** A prompt answers whatever stood open: the person went on. */
  prompt(): void
  readonly decisions: readonly DecisionFact[]
  readonly plan: AcceptedPlan | null
  open(): QuestionFact[]
}

const MAX = 200
const PLAN_FILE = /(?:^|[\\/])(?:plans?)[\\/][^\\/]+\.md$/i

interface Open {
  text: string
  options: string[]
  at: string | null
}

export function createAsks(): Asks {
  const waiting = new Map<string, Open[]>()
  const decisions: DecisionFact[] = []
  let plan: AcceptedPlan | null = null
  let planFile: string | null = null
  let proposed: { outline: AcceptedPlan; at: string | null; isRejected: boolean } | null = null
  return {
    question(id, text, options, at) {
      waiting.set(id, [...(waiting.get(id) ?? []), { text: fold(text), options: options.map(fold), at }])
    },
    answer(id, text, at) {
      const [asked, ...rest] = waiting.get(id) ?? []
      if (rest.length > 0) waiting.set(id, rest)
      else waiting.delete(id)
      const chosen = fold(text)
      if (asked === undefined || chosen === '') return null
      const alternatives = asked.options.filter((option) => option !== chosen && !chosen.includes(option))
      const what = `${asked.text} → ${chosen}`
      const held = decisions.findIndex((decision) => decision.what === what)
      if (held !== -1) decisions.splice(held, 1)
      decisions.push({ what, why: null, alternatives, by: 'user', source: 'user', at })
      if (decisions.length > MAX) decisions.shift()
      return asked.text
    },
    proposal(text, isAccepted, at) {
      const outline = { ...headingsOf(text), path: planFile, at }
      if (isAccepted) {
        plan = outline
        proposed = null
      } else if (outline.title !== '') proposed = { outline, at, isRejected: isAccepted === false }
    },
    wrote(path) {
      if (PLAN_FILE.test(path)) planFile = path
    },
    prompt() {
      waiting.clear()
      if (proposed !== null && !proposed.isRejected) proposed = null
    },
    decisions,
    get plan() {
      return plan
    },
    open() {
      const open: QuestionFact[] = [...waiting.values()].flat().map(({ text, options, at }) => ({
        kind: 'question',
        text: options.length > 0 ? `${text} (options: ${options.join(' / ')})` : text,
        source: 'agent',
        at,
      }))
      if (proposed === null) return open
      const { outline, at, isRejected } = proposed
      const where = outline.path === null ? '' : `, in ${outline.path}`
      const text = `The plan "${outline.title}"${where} is ${isRejected ? 'not accepted: the person sent it back' : 'not answered yet'}`
      return [...open, { kind: 'question', text, source: 'agent', at }]
    },
  }
}

const fold = (text: string) => text.replace(/\s+/g, ' ').trim()
