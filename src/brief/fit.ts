import { clipLine, oneLine } from '../text/safe-text.ts'
import type { Brief, Notes } from '../types/brief.ts'
import type { Config } from '../types/config.ts'
import type { Turn } from '../types/evidence.ts'
import { MAX_PART } from './draft.ts'
import { writeFrontMatter } from './front-matter.ts'
import { countTokens, estimateTokens } from './measure.ts'
import { cutAtParagraph, quoteLines, unquote } from './quote.ts'
import { isOfModel, pageOf } from './relevance.ts'
import { cutLine, renderBody, renderSection } from './render.ts'
import type { SectionId } from './sections.ts'
import { leftOut, THE_GOAL, trailLines } from './trail.ts'
import { MEMORY_CUT } from './working-memory.ts'

export interface Story {
  turns: readonly Turn[]
  forgotten: number
}

/** A trail of fewer tokens leaves out what came of the requests. */
const LEAST_TRAIL = 500
/** With notes that are no page the agent told a part of the story itself. */
const LEAST_BESIDE_NOTES = 250
/** Characters of the notes' text that always stay. */
const LEAST_NOTES = 400
const LEAST_CLOSING = 1_000
/** A short session aims below the soft limit, a long one above it, by how much was said in it. */
const LEAST_AIM = 0.85
const MOST_AIM = 1.4
/** Tokens of talk at which a brief aims at the soft limit; half as many or twice as many move it by a sixth. */
const USUAL_TALK = 5_000
const USUAL_GOAL = 100

/**
 * Fills what the fixed sections leave of the aim with turns of the session, then cuts to the hard limit, least valuable
 * section first, item by item, and states every cut. `exact` counts with o200k instead of the estimate. Sets `meta.tokens`.
 */
export async function fitBrief(
  draft: Brief,
  story: Story,
  { budget }: Pick<Config, 'budget'>,
  { exact = false }: { exact?: boolean } = {},
): Promise<Brief> {
  // The front matter does not change while the body is cut; it is rendered once, with `tokens: 0` as it is measured.
  const head = writeFrontMatter({ ...draft.meta, tokens: 0 }, '')
  const whole = (brief: Brief): string => head + renderBody(brief)
  const size = (brief: Brief): number => estimateTokens(whole(brief))
  // A long goal stands twice and takes nothing from what the session tells.
  const goal = 2 * Math.max(0, estimateTokens(draft.meta.goal) - USUAL_GOAL)
  const hasNotes = draft.notes !== null
  const aim = hasNotes ? budget.soft * LEAST_AIM : aimOf(story, budget.soft)
  const least = hasNotes ? LEAST_BESIDE_NOTES : LEAST_TRAIL
  const room = Math.max(least, aim - size(draft) + goal)
  const told = [
    unquote(draft.closing),
    renderSection(draft, 'memory'),
    ...draft.files.map(({ reason }) => reason),
  ].join('\n')
  const trail =
    story.turns.length === 0
      ? draft.trail
      : pageOf(draft.notes) !== null
        ? // The page is the story.
          []
        : trailLines(untold(story.turns, draft), story.forgotten, told, room)
  let brief: Brief = { ...draft, trail }
  let over = size(brief) - budget.hard
  for (const [id, step] of STEPS) {
    const tokensOf = (one: Brief): number => estimateTokens(renderSection(one, id))
    for (let next = over > 0 ? step(brief) : null; next !== null; next = over > 0 ? step(brief) : null) {
      over += tokensOf(next) - tokensOf(brief)
      brief = next
    }
  }
  const text = whole(brief)
  const tokens = exact ? await countTokens(text) : estimateTokens(text)
  return { ...brief, meta: { ...brief.meta, tokens } }
}

/** The turns without the answers that Key Decisions tells, and without the goal, which stands at the end. */
function untold(turns: readonly Turn[], { decisions, meta }: Brief): Turn[] {
  const told = new Set(decisions.map(({ what }) => what))
  const goal = oneLine(meta.goal)
  return turns.flatMap((turn) => {
    const steps = turn.steps.filter(
      ({ kind, text }) => kind !== 'answer' || !told.has(clipLine(text, MAX_PART)),
    )
    if (oneLine(turn.request) !== goal) return [{ ...turn, steps }]
    return steps.length === 0 ? [] : [{ ...turn, request: THE_GOAL, steps }]
  })
}

function aimOf({ turns }: Story, soft: number): number {
  const talk = turns.reduce(
    (sum, { request, steps }) => sum + request.length + steps.reduce((all, { text }) => all + text.length, 0),
    0,
  )
  const factor = 1 + Math.log2(Math.max(1, talk / 4) / USUAL_TALK) / 6
  return Number(process.env.S ?? 1) * soft * Math.min(MOST_AIM, Math.max(LEAST_AIM, factor))
}

type ListKey = 'information' | 'commands' | 'files' | 'decisions' | 'questions' | 'nextSteps' | 'constraints'

/** The brief with one item less, its cut stated; null when nothing more may go. The person's words go last. */
const STEPS: readonly [SectionId, (brief: Brief) => Brief | null][] = [
  ['commands', lessOfModel('commands', 'commands')],
  ['questions', lessOfModel('questions', 'questions')],
  ['information', lessOfModel('information', 'information')],
  ['decisions', lessOfModel('decisions', 'decisions')],
  ['files', plainer],
  ['files', lessOfModel('files', 'files')],
  ['information', fewer('information', 'information')],
  ['trail', fewerTurns],
  ['commands', fewer('commands', 'commands')],
  ['progress', fewerDone],
  ['files', fewer('files', 'files')],
  ['decisions', fewer('decisions', 'decisions', 'first')],
  ['closing', shorterClosing],
  ['memory', shorterNotes],
  ['steps', fewer('steps', 'nextSteps')],
  ['questions', fewer('questions', 'questions')],
  ['constraints', fewer('constraints', 'constraints', 'first')],
]

/** The last item that a model added goes. Where one was kept nothing certain was cut: with the last of them the cut line goes too. */
function lessOfModel(id: SectionId, key: 'commands' | 'questions' | 'information' | 'decisions' | 'files') {
  return (brief: Brief): Brief | null => {
    const items: Brief[typeof key][number][] = brief[key]
    const at = items.findLastIndex(isOfModel)
    if (at === -1) return null
    const left = items.toSpliced(at, 1)
    const { [id]: _, ...cuts } = brief.cuts
    return { ...brief, [key]: left, cuts: left.some(isOfModel) ? restated(brief, id, items.length) : cuts }
  }
}

function plainer(brief: Brief): Brief | null {
  const at = brief.files.findLastIndex(({ plain }) => plain !== undefined)
  const file = brief.files[at]
  if (file?.plain === undefined) return null
  const { plain, ...fact } = file
  return { ...brief, files: brief.files.with(at, { ...fact, ...plain }) }
}

function fewer(id: SectionId, key: ListKey, end: 'first' | 'last' = 'last') {
  return (brief: Brief): Brief | null => {
    const items: readonly unknown[] = brief[key]
    if (items.length === 0) return null
    const kept = end === 'first' ? items.slice(1) : items.slice(0, -1)
    return { ...brief, [key]: kept, cuts: restated(brief, id, items.length) }
  }
}

function fewerTurns(brief: Brief): Brief | null {
  const { trail } = brief
  if (trail.length === 0) return null
  const turns = trail.filter((line) => leftOut(line) === null)
  const next = turns.findIndex((line, at) => at > 0 && line.startsWith('- '))
  const count = turns.filter((line) => line.startsWith('- ')).length
  const before = trail.reduce((sum, line) => sum + (leftOut(line) ?? 0), 0)
  return {
    ...brief,
    trail: next === -1 ? [] : turns.slice(next),
    cuts: restated(brief, 'trail', count, count + before),
  }
}

/** Old commits, for git still knows them. */
function fewerDone(brief: Brief): Brief | null {
  const { done, inProgress, pending } = brief.progress
  if (done.length === 0) return null
  const count = done.length + inProgress.length + pending.length
  return {
    ...brief,
    progress: { done: done.slice(1), inProgress, pending },
    cuts: restated(brief, 'progress', count),
  }
}

/** A last message that asks stands whole, unless the brief would be too long with it: then its middle goes. */
function shorterClosing(brief: Brief): Brief | null {
  const isQuote = (line: string): boolean => line.startsWith('>')
  const text = unquote(brief.closing.filter(isQuote))
  if (text.length < LEAST_CLOSING) return null
  const shorter = quoteLines(text, text.length * 0.7)
  return { ...brief, closing: [...shorter, ...brief.closing.filter((line) => !isQuote(line))] }
}

function shorterNotes(brief: Brief): Brief | null {
  const notes = brief.notes === null ? null : (shorterText(brief.notes) ?? shorterList(brief.notes))
  return notes === null ? null : { ...brief, notes, cuts: { ...brief.cuts, memory: MEMORY_CUT } }
}

function shorterText(notes: Notes): Notes | null {
  const text = notes.other?.trim() ?? ''
  return text.length < LEAST_NOTES
    ? null
    : { ...notes, other: cutAtParagraph(text, text.length * 0.9).trimEnd() }
}

function shorterList(notes: Notes): Notes | null {
  const lists = (
    [
      'abandonedApproaches',
      'openQuestions',
      'decisions',
      'blockers',
      'nextSteps',
      'information',
      'files',
      'progress',
    ] as const
  ).map((key) => ({ key, items: notes[key] ?? [] }))
  const { key, items } = lists.reduce((longest, list) =>
    list.items.length > longest.items.length ? list : longest,
  )
  return items.length === 0 ? null : { ...notes, [key]: items.slice(0, -1) }
}

/** The section's cut line after one more item went; what was cut before stays counted. */
function restated(brief: Brief, id: SectionId, listed: number, all = listed): Brief['cuts'] {
  const total = Number(/^\(\d+ of (\d+) listed/.exec(brief.cuts[id] ?? '')?.[1] ?? all)
  return { ...brief.cuts, [id]: cutLine(listed - 1, total) }
}
