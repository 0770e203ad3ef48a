import { oneLine, quoteLines, unquote } from '../text/safe-text.ts'
import type { Brief, FrontMatter, Notes } from '../types/brief.ts'
import type { Config } from '../types/config.ts'
import type { Turn } from '../types/evidence.ts'
import { writeFrontMatter } from './front-matter.ts'
import { countTokens, estimateTokens } from './measure.ts'
import { pageOf } from './relevance.ts'
import { cutLine, renderBody, renderSection } from './render.ts'
import type { SectionId } from './sections.ts'
import { goalOf, leftOut, THE_GOAL, trailLines } from './trail.ts'
import { MEMORY_CUT } from './working-memory.ts'

export interface Story {
  turns: readonly Turn[]
  forgotten: number
}

/** A trail of fewer tokens leaves out what came of the requests. */
const LEAST_TRAIL = 500
/** UTF-16 units of the last message that always stand. */
const LEAST_CLOSING = 1_200
/** A short session aims below the soft limit, a long one above it, by how much was said in it. */
const LEAST_AIM = 0.85
const MOST_AIM = 1.4
/** Tokens of talk at which a brief aims at the soft limit; half as many or twice as many move it by a sixth. */
const USUAL_TALK = 3_900
const USUAL_GOAL = 100
const GOAL_LINE = 30
/** Tokens of rules that the aim allows for; more or fewer of them change nothing of what the session tells. */
const USUAL_RULES = 20

/**
 * Fills what the fixed sections leave of the aim with turns of the session, then drops whole items until it is
 * within the hard limit, least worth first, and states every cut. `exact` counts with o200k instead of the estimate. Sets `meta.tokens`.
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
  // A long goal stands twice, and its line in short takes nothing from what the session tells either.
  const goal = 2 * Math.max(0, estimateTokens(draft.meta.goal) - USUAL_GOAL) + GOAL_LINE
  const rules = estimateTokens(renderSection(draft, 'constraints')) - USUAL_RULES
  const room = Math.max(LEAST_TRAIL, aimOf(story, budget.soft) - size(draft) + goal + rules)
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
        : trailLines(withoutGoal(story.turns, draft.meta), story.forgotten, told, room)
  const full: Brief = { ...draft, trail }
  const fullSize = size(full)
  let brief = full
  let over = fullSize - budget.hard
  for (const { id, items, less } of WORTH) {
    const tokensOf = (one: Brief): number => estimateTokens(renderSection(one, id))
    while (over > 0 && items(brief).length > 0) {
      const [from, count, before] = [brief, items(brief).length, tokensOf(brief)]
      const without = (dropped: number): Brief => ({
        ...from,
        ...less(from, dropped),
        cuts: cutsOf(from, id, count, dropped),
      })
      const overBy = (dropped: number): number => over + tokensOf(without(dropped)) - before
      // A last message gets shorter each time.
      const guess = Math.ceil((count * over) / before)
      const dropped = id === 'closing' ? 1 : leastOf(count, guess, (some) => overBy(some) <= 0)
      over = overBy(dropped)
      brief = without(dropped)
    }
  }
  const tokens = exact ? await countTokens(whole(brief)) : brief === full ? fullSize : size(brief)
  return { ...brief, meta: { ...brief.meta, tokens } }
}

/**
 * The least number from 1 to `most` that is enough, or `most`. A page may have thousands of lines, and each try renders them: tries go away
 * from a guess in steps that double, until halving is nearer.
 */
function leastOf(most: number, guess: number, isEnough: (count: number) => boolean): number {
  let [few, enough, step, at] = [0, most, 1, guess]
  while (enough - few > 1) {
    at = Math.min(enough - 1, Math.max(few + 1, at))
    if (isEnough(at)) enough = at
    else few = at
    const half = (few + enough) >> 1
    at = at === enough ? Math.max(half, at - step) : Math.min(half, at + step)
    step *= 2
  }
  return enough
}

/** The turns with a word in place of the goal, which stands at the end, and of the pointer to a brief that this one follows. */
function withoutGoal(
  turns: readonly Turn[],
  { goal, parents }: Pick<FrontMatter, 'goal' | 'parents'>,
): Turn[] {
  return turns.flatMap((turn) => {
    if (turn.isPointer) return [{ ...turn, request: goalOf(lastBefore(parents, turn.at)) }]
    if (oneLine(turn.request) !== oneLine(goal)) return [turn]
    return turn.steps.length === 0 ? [] : [{ ...turn, request: THE_GOAL }]
  })
}

/** The brief that was there when a turn began; an id begins with its time. */
function lastBefore(ids: readonly string[], at: string | null): string | null {
  const time = at?.replace(/[-:]|\..*/g, '') ?? null
  return ids.find((id) => time === null || id.slice(0, time.length) <= time) ?? null
}

function aimOf({ turns }: Story, soft: number): number {
  const talk = turns.reduce(
    (sum, { request, steps }) => sum + request.length + steps.reduce((all, { text }) => all + text.length, 0),
    0,
  )
  const factor = 1 + Math.log2(Math.max(1, talk / 4) / USUAL_TALK) / 6
  return soft * Math.min(MOST_AIM, Math.max(LEAST_AIM, factor))
}

/** What may go of a section, and the brief without so many of the items that are worth least there. */
interface Droppable {
  id: SectionId
  items(brief: Brief): readonly unknown[]
  less(brief: Brief, count: number): Partial<Brief>
}

const droppable = (
  id: SectionId,
  key: 'information' | 'commands' | 'files' | 'decisions' | 'nextSteps' | 'questions' | 'constraints',
  least: 'first' | 'last' = 'last',
): Droppable => ({
  id,
  items: (brief) => brief[key],
  less: (brief, count) => ({
    [key]: least === 'first' ? brief[key].slice(count) : brief[key].slice(0, -count),
  }),
})

/** All that may go in one order, least worth first: what git, the files or the session tell again, then the page, the person's rules last. */
const WORTH: readonly Droppable[] = [
  droppable('information', 'information'),
  {
    // A turn goes with what came of it, the oldest first.
    id: 'trail',
    items: ({ trail }) => turnsOf(trail),
    less: ({ trail }, count) => ({ trail: turnsOf(trail).slice(count).flat() }),
  },
  droppable('commands', 'commands'),
  {
    id: 'progress',
    items: ({ progress }) => progress.done,
    less: ({ progress }, count) => ({ progress: { ...progress, done: progress.done.slice(count) } }),
  },
  droppable('files', 'files'),
  droppable('decisions', 'decisions', 'first'),
  {
    // A last message that asks stands whole, unless the brief would be too long with it: then its middle goes, which it says.
    id: 'closing',
    items: ({ closing }) => (unquote(closing).length > LEAST_CLOSING ? closing : []),
    less: ({ closing }) => {
      const after = closing.filter((line) => !line.startsWith('>'))
      const text = unquote(closing.filter((line) => line.startsWith('>')))
      return { closing: [...quoteLines(text, text.length * 0.7), ...after] }
    },
  },
  {
    // The first line stays: a page that was written is never told to be missing.
    id: 'memory',
    items: ({ notes }) => pageLines(notes).slice(1),
    less: ({ notes }, count) => ({
      notes: notes && { ...notes, page: pageLines(notes).slice(0, -count).join('\n') },
    }),
  },
  droppable('steps', 'nextSteps'),
  droppable('questions', 'questions'),
  droppable('constraints', 'constraints', 'first'),
]

const pageLines = (notes: Notes | null): string[] => notes?.page.split('\n') ?? []

/** The cut lines after a section of `count` items lost some; what was left out before stays counted. */
function cutsOf(
  { cuts, trail, progress }: Brief,
  id: SectionId,
  count: number,
  dropped: number,
): Brief['cuts'] {
  // A quote says itself what it lacks.
  if (id === 'closing') return cuts
  if (id === 'memory') return { ...cuts, memory: MEMORY_CUT }
  const left = id === 'trail' ? trail.reduce((sum, line) => sum + (leftOut(line) ?? 0), 0) : 0
  const listed = id === 'progress' ? count + progress.inProgress.length + progress.pending.length : count
  const total = Number(/^\(\d+ of (\d+) listed/.exec(cuts[id] ?? '')?.[1] ?? listed + left)
  return { ...cuts, [id]: cutLine(listed - dropped, total) }
}

/** The lines of each turn; the line that counts what was left out is none of them, since the cut counts it. */
function turnsOf(trail: readonly string[]): string[][] {
  const turns: string[][] = []
  for (const line of trail) {
    if (leftOut(line) !== null) continue
    if (line.startsWith('- ')) turns.push([line])
    else turns.at(-1)?.push(line)
  }
  return turns
}
