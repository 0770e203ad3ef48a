import { oneLine } from '../text/safe-text.ts'
import type { Brief } from '../types/brief.ts'
import type { Config } from '../types/config.ts'
import type { TextFact, Turn } from '../types/evidence.ts'
import { writeFrontMatter } from './front-matter.ts'
import { countTokens, estimateTokens } from './measure.ts'
import { unquote } from './quote.ts'
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
/** A short session aims below the soft limit, a long one above it, by how much was said in it. */
const LEAST_AIM = 0.85
const MOST_AIM = 1.4
/** Tokens of talk at which a brief aims at the soft limit; half as many or twice as many move it by a sixth. */
const USUAL_TALK = 5_000
const USUAL_GOAL = 100

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
        : trailLines(withoutGoal(story.turns, draft.meta.goal), story.forgotten, told, room)
  let brief: Brief = { ...draft, trail }
  let over = size(brief) - budget.hard
  for (const item of over > 0 ? rankedItems(brief) : []) {
    if (over <= 0) break
    const tokensOf = (one: Brief): number => estimateTokens(renderSection(one, item.id))
    const next = without(brief, item)
    over += tokensOf(next) - tokensOf(brief)
    brief = next
  }
  const text = whole(brief)
  const tokens = exact ? await countTokens(text) : estimateTokens(text)
  return { ...brief, meta: { ...brief.meta, tokens } }
}

/** The turns with a word in place of the goal, which stands at the end. */
function withoutGoal(turns: readonly Turn[], goal: string): Turn[] {
  return turns.flatMap((turn) => {
    if (oneLine(turn.request) !== oneLine(goal)) return [turn]
    return turn.steps.length === 0 ? [] : [{ ...turn, request: THE_GOAL }]
  })
}

function aimOf({ turns }: Story, soft: number): number {
  const talk = turns.reduce(
    (sum, { request, steps }) => sum + request.length + steps.reduce((all, { text }) => all + text.length, 0),
    0,
  )
  const factor = 1 + Math.log2(Math.max(1, talk / 4) / USUAL_TALK) / 6
  return soft * Math.min(MOST_AIM, Math.max(LEAST_AIM, factor))
}

/** What may be dropped of a section, as a list, and the brief with another list in its place. */
interface Part {
  get(brief: Brief): readonly unknown[]
  set(brief: Brief, items: readonly unknown[]): Partial<Brief>
  /** Where the item stands that goes first. */
  end: 'first' | 'last'
}

const list = (key: keyof Brief, end: Part['end'] = 'last'): Part => ({
  get: (brief) => brief[key] as unknown[],
  set: (_, items) => ({ [key]: items }),
  end,
})

/** Sections by what their items are worth, least first: what git, the files or the session tell again, then the page, the person's rules last. */
const WORTH: readonly (readonly [SectionId, Part])[] = [
  ['information', list('information')],
  // A turn goes with what came of it, the oldest first.
  [
    'trail',
    {
      get: ({ trail }) => turnsOf(trail),
      set: (_, turns) => ({ trail: (turns as string[][]).flat() }),
      end: 'first',
    },
  ],
  ['commands', list('commands')],
  [
    'progress',
    {
      get: ({ progress }) => progress.done,
      set: ({ progress }, done) => ({ progress: { ...progress, done: done as TextFact[] } }),
      end: 'first',
    },
  ],
  ['files', list('files')],
  ['decisions', list('decisions', 'first')],
  [
    'memory',
    {
      // The first line stays: a page that was written is never told to be missing.
      get: ({ notes }) => (notes?.page.split('\n') ?? []).slice(1),
      set: ({ notes }, lines) => ({
        notes: notes && { ...notes, page: [notes.page.split('\n')[0], ...lines].join('\n') },
      }),
      end: 'last',
    },
  ],
  ['steps', list('nextSteps')],
  ['questions', list('questions')],
  ['constraints', list('constraints', 'first')],
]

interface RankedItem {
  id: SectionId
  part: Part
  /** What a model added; null for the item at the end of its list that goes first. */
  added: unknown
  worth: number
}

/** All that may go, least worth first; what a model added goes before what is certain. */
function rankedItems(brief: Brief): RankedItem[] {
  const items = WORTH.flatMap(([id, part], level) => {
    const all = part.get(brief)
    return all.map((item, at): RankedItem => {
      const place = (part.end === 'first' ? at : all.length - at) / (all.length + 1)
      const isAdded = isOfModel(item as TextFact)
      return { id, part, added: isAdded ? item : null, worth: (isAdded ? 0 : WORTH.length) + level + place }
    })
  })
  return items.sort((a, b) => a.worth - b.worth)
}

function without(brief: Brief, { id, part, added }: RankedItem): Brief {
  const items = part.get(brief)
  const at = added === null ? (part.end === 'first' ? 0 : items.length - 1) : items.indexOf(added)
  return {
    ...brief,
    ...part.set(brief, items.toSpliced(at, 1)),
    cuts: { ...brief.cuts, [id]: cutOf(brief, id, items.length) },
  }
}

/** The cut line of a section that has one item less; what was left out before stays counted. */
function cutOf({ cuts, trail, progress }: Brief, id: SectionId, count: number): string {
  if (id === 'memory') return MEMORY_CUT
  const rest =
    id === 'trail'
      ? trail.reduce((sum, line) => sum + (leftOut(line) ?? 0), 0)
      : id === 'progress'
        ? progress.inProgress.length + progress.pending.length
        : 0
  const total = Number(/^\(\d+ of (\d+) listed/.exec(cuts[id] ?? '')?.[1] ?? count + rest)
  return cutLine(count - 1 + (id === 'progress' ? rest : 0), total)
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
