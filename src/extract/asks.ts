import type { DecisionFact, QuestionFact } from '../types.ts'
import { hasLetter } from './prose.ts'

/** Questions the agent put through its question tool or as a plan, and what became of them. */
export interface Asks {
  question(id: string, text: string, options: string[], at: string | null): void
  /** True when the answer is the person's own text and not one of the options. */
  answer(id: string, text: string, at: string | null): boolean
  proposal(text: string, accepted: boolean | null, at: string | null): void
  /** A prompt answers whatever stood open: the person went on. */
  prompt(): void
  readonly decisions: readonly DecisionFact[]
  open(): QuestionFact[]
}

const MAX = 300

interface Open {
  text: string
  options: string[]
  at: string | null
}

export function createAsks(): Asks {
  /** The accepted plan last told with its steps, and the same without. */
  let accepted: { told: string; plain: string } | null = null
  const waiting = new Map<string, Open[]>()
  const decisions: DecisionFact[] = []
  let proposal: { title: string; at: string | null } | null = null
  const decide = (decision: DecisionFact) => {
    const held = decisions.findIndex((other) => other.what === decision.what)
    if (held !== -1) decisions.splice(held, 1)
    decisions.push(decision)
    if (decisions.length > MAX) decisions.shift()
  }
  return {
    question(id, text, options, at) {
      const held = waiting.get(id) ?? []
      held.push({ text: fold(text), options: options.map(fold), at })
      waiting.set(id, held)
    },
    answer(id, text, at) {
      const [asked, ...rest] = waiting.get(id) ?? []
      if (rest.length > 0) waiting.set(id, rest)
      else waiting.delete(id)
      const chosen = fold(text)
      if (asked === undefined || chosen === '') return chosen !== ''
      const alternatives = asked.options.filter((option) => option !== chosen && !chosen.includes(option))
      decide({ what: `${asked.text} → ${chosen}`, why: null, alternatives, by: 'user', source: 'user', at })
      return !asked.options.some((option) => chosen.includes(option))
    },
    proposal(text, isAccepted, at) {
      const title = titleOf(text)
      proposal = isAccepted === null && title !== '' ? { title, at } : null
      if (isAccepted === null || title === '') return
      const rejected = `Plan rejected: ${title}`
      // A plan that was accepted in the end was only put off before.
      const held = isAccepted ? decisions.findIndex((decision) => decision.what === rejected) : -1
      if (held !== -1) decisions.splice(held, 1)
      let what = rejected
      if (isAccepted) {
        // Steps of an earlier plan are done or dropped.
        for (const decision of decisions) if (decision.what === accepted?.told) decision.what = accepted.plain
        const plain = `Plan accepted: ${title}`
        const steps = stepsOf(text).filter((step) => step !== title)
        what = steps.length === 0 ? plain : `${plain}; ${steps.join('; ')}`
        accepted = { told: what, plain }
        const before = decisions.findIndex((decision) => decision.what === plain)
        if (before !== -1) decisions.splice(before, 1)
      }
      decide({ what, why: null, alternatives: [], by: 'user', source: 'user', at })
    },
    prompt() {
      waiting.clear()
      proposal = null
    },
    decisions,
    open() {
      const open: QuestionFact[] = [...waiting.values()].flat().map(({ text, options, at }) => ({
        kind: 'question',
        text: options.length > 0 ? `${text} (options: ${options.join(' / ')})` : text,
        source: 'agent',
        at,
      }))
      if (proposal)
        open.push({
          kind: 'question',
          text: `Plan proposed, not yet answered: ${proposal.title}`,
          source: 'agent',
          at: proposal.at,
        })
      return open
    },
  }
}

const fold = (text: string) => text.replace(/\s+/g, ' ').trim()

/** The first heading of a plan that says something, else its first line. */
function titleOf(text: string): string {
  const lines = text.split(/\r?\n/).filter(hasLetter)
  const headings = lines.filter((line) => /^#{1,6}\s/.test(line))
  const heading = headings.find((line) => !PLAIN.test(plain(line)))
  const line = heading ?? lines.find((candidate) => !PLAIN.test(plain(candidate)))
  return plain(line ?? lines[0] ?? '')
}

/** Steps told of a plan at most, and the longest of them in characters: together some 120 tokens. */
const MAX_STEPS = 6
const MAX_STEP = 100

/** The numbered steps of a plan that stand at the margin, as items or headings, each up to its first line's end. */
function stepsOf(text: string): string[] {
  const lines = text.split(/\r?\n/)
  const numbered = (shape: RegExp) => lines.filter((line) => shape.test(line))
  const items = numbered(/^\d{1,2}[.)]\s+\S/)
  const headings = numbered(/^#{2,4}\s+(?:step |phase )?\d{1,2}[.):]\s*\S/i)
  const steps = (headings.length > 1 ? headings : items)
    .map((line) => plain(line.replace(/^#{2,4}\s+/, '')).replace(/^(?:step |phase )?\d{1,2}[.):]\s*/i, ''))
    .filter((step) => step !== '' && step.length <= MAX_STEP)
  return steps.slice(0, MAX_STEPS)
}

/** Headings that every plan may have. */
const PLAIN =
  /^(?:the )?(?:implementation |proposed |work |action )?(?:plan|context|overview|summary|goal|goals|background|steps|approach|problem|changes|tasks?)$/i

const plain = (line: string): string =>
  fold(
    line
      .replace(/^\s*(?:#{1,6}|[-*•]|\d{1,2}[.)])\s+/, '')
      .replace(/^\*\*(.+)\*\*$/, '$1')
      .replace(/^(?:Implementation )?Plan:\s+/i, '')
      .replace(/:$/, ''),
  )
