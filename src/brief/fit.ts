import type { Brief, Config, Turn } from '../types.ts'
import { writeFrontMatter } from './front-matter.ts'
import { unquote } from './quote.ts'
import { cutLine, renderBody, renderSection } from './render.ts'
import type { SectionId } from './sections.ts'
import { countTokens, estimateTokens } from './tokens.ts'
import { trailLines } from './trail.ts'

/** What the trail is chosen from. */
export interface Story {
  turns: readonly Turn[]
  forgotten: number
}

/** A trail of fewer tokens leaves out what came of the requests. */
const LEAST_TRAIL = 500
/** With notes the agent told the story itself. */
const LEAST_BESIDE_NOTES = 250
/** A short session aims below the soft limit, a long one above it, by how much was said in it. */
const LEAST_AIM = 0.85
const MOST_AIM = 1.4
/** Tokens of talk at which a brief aims at the soft limit; half as many or twice as many move it by a sixth. */
const USUAL_TALK = 5_000

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
  const isTold = draft.notes !== null
  const room = Math.max(
    isTold ? LEAST_BESIDE_NOTES : LEAST_TRAIL,
    (isTold ? budget.soft * LEAST_AIM : aimOf(story, budget.soft)) - size(draft),
  )
  const told = [unquote(draft.closing), renderSection(draft, 'memory')].join('\n')
  const trail = story.turns.length === 0 ? draft.trail : trailLines(story.turns, story.forgotten, told, room)
  let brief: Brief = { ...draft, trail }
  for (const step of STEPS) {
    let smaller: Brief | null = brief
    while (smaller !== null && size(brief) > budget.hard) {
      smaller = step(brief)
      brief = smaller ?? brief
    }
  }
  const text = whole(brief)
  const tokens = exact ? await countTokens(text) : estimateTokens(text)
  return { ...brief, meta: { ...brief.meta, tokens } }
}

function aimOf({ turns }: Story, soft: number): number {
  const talk = turns.reduce(
    (sum, { request, steps }) => sum + request.length + steps.reduce((all, { text }) => all + text.length, 0),
    0,
  )
  const factor = 1 + Math.log2(Math.max(1, talk / 4) / USUAL_TALK) / 6
  return soft * Math.min(MOST_AIM, Math.max(LEAST_AIM, factor))
}

type ListKey = 'trail' | 'information' | 'commands' | 'files' | 'decisions' | 'questions' | 'nextSteps' | 'constraints'

/** The brief with one item less, its cut stated; null when nothing more may go. The person's words go last. */
const STEPS: readonly ((brief: Brief) => Brief | null)[] = [
  fewer('information', 'information'),
  fewer('trail', 'trail', 'first'),
  fewer('commands', 'commands'),
  fewerDone,
  fewer('files', 'files'),
  fewer('decisions', 'decisions', 'first'),
  shorterNotes,
  fewer('steps', 'nextSteps'),
  fewer('questions', 'questions'),
  fewer('constraints', 'constraints', 'first'),
]

function fewer(id: SectionId, key: ListKey, end: 'first' | 'last' = 'last') {
  return (brief: Brief): Brief | null => {
    const items: readonly unknown[] = brief[key]
    if (items.length === 0) return null
    const kept = end === 'first' ? items.slice(1) : items.slice(0, -1)
    return { ...brief, [key]: kept, cuts: restated(brief, id, items.length) }
  }
}

/** Old commits, for git still knows them. */
function fewerDone(brief: Brief): Brief | null {
  const { done, inProgress, pending } = brief.progress
  if (done.length === 0) return null
  const count = done.length + inProgress.length + pending.length
  return { ...brief, progress: { done: done.slice(1), inProgress, pending }, cuts: restated(brief, 'progress', count) }
}

function shorterNotes(brief: Brief): Brief | null {
  const { notes } = brief
  const end = notes?.other?.trimEnd().lastIndexOf('\n\n') ?? -1
  if (notes === null || notes.other === null || end === -1) return null
  const cuts = { ...brief.cuts, memory: '(shortened to fit; the rest was left out)' }
  return { ...brief, notes: { ...notes, other: notes.other.slice(0, end) }, cuts }
}

/** The section's cut line after one more item went; what was cut before stays counted. */
function restated(brief: Brief, id: SectionId, listed: number): Brief['cuts'] {
  const total = Number(/^\(\d+ of (\d+) listed/.exec(brief.cuts[id] ?? '')?.[1] ?? listed)
  return { ...brief.cuts, [id]: cutLine(listed - 1, total) }
}
