import type { Brief, Notes } from '../types.ts'
import { keepBest, lastOfModel, worstOf } from './relevance.ts'
import { cutLine } from './render.ts'
import { clipLine } from './safe-text.ts'
import type { SectionId } from './sections.ts'

/** The brief with one thing less, its cut stated; null when nothing more may go. */
export type Step = (brief: Brief) => Brief | null

const SHORTENED = '(shortened to fit; the rest was left out)'
/** Texts that are cut inside lose a quarter per step and keep at least this many UTF-16 units. */
const LEAST_TEXT = 80

/** How a section gives way, one item at a time, down to `floor` items. Sections that never give way return null. */
export function reductions(id: SectionId, floor = 0): Step {
  switch (id) {
    case 'status':
      // The last lines quote the session; branch, work tree and last check stand first.
      return (brief) =>
        brief.status.length <= Math.max(3, floor)
          ? null
          : { ...brief, status: brief.status.slice(0, -1), cuts: restated(brief, id, brief.status.length) }
    case 'mission':
      return (brief) => {
        const text = brief.mission === null ? null : shorter(brief.mission.text)
        if (brief.mission === null || text === null) return null
        return { ...brief, mission: { ...brief.mission, text }, cuts: { ...brief.cuts, [id]: SHORTENED } }
      }
    case 'progress':
      return reduceProgress(floor)
    case 'files': {
      const fewer = list(id, 'files', worstOf.tail, floor)
      return (brief) => plainer(brief) ?? fewer(brief)
    }
    case 'commands':
      return list(id, 'commands', worstOf.tail, floor)
    case 'information':
      return list(id, 'information', worstOf.tail, floor)
    case 'decisions':
      return list(id, 'decisions', worstOf.decision, floor)
    case 'questions':
      return list(id, 'questions', worstOf.question, floor)
    case 'constraints':
      return list(id, 'constraints', worstOf.head, floor)
    case 'steps':
      return list(id, 'nextSteps', worstOf.tail, floor)
    case 'memory':
      return (brief) => {
        const notes = brief.notes === null ? null : lessNotes(brief.notes)
        return notes === null ? null : { ...brief, notes, cuts: { ...brief.cuts, [id]: SHORTENED } }
      }
    default:
      return () => null
  }
}

/** One thing less of what a model added, whatever the section; null when nothing of it is left. */
export const lessOfModel: Step = (brief) => {
  for (const [id, key] of ADDED) if (lastOfModel(brief[key]) !== -1) return reductions(id)(brief)
  return plainer(brief)
}

const ADDED = [
  ['commands', 'commands'],
  ['questions', 'questions'],
  ['information', 'information'],
  ['decisions', 'decisions'],
  ['files', 'files'],
] as const satisfies readonly (readonly [SectionId, ListKey])[]

/** A file without what a model said of it; null while it added files, which go first, and when it said nothing. */
function plainer(brief: Brief): Brief | null {
  const at =
    lastOfModel(brief.files) === -1 ? brief.files.findLastIndex(({ plain }) => plain !== undefined) : -1
  if (at === -1) return null
  const files = brief.files.map((file, i): Brief['files'][number] => {
    if (i !== at || file.plain === undefined) return file
    const { plain, ...fact } = file
    return { ...fact, ...plain }
  })
  return { ...brief, files }
}

type ListKey = 'files' | 'commands' | 'information' | 'decisions' | 'questions' | 'constraints' | 'nextSteps'

function list<K extends ListKey>(
  id: SectionId,
  key: K,
  worst: (items: Brief[K]) => number,
  floor: number,
): Step {
  return (brief) => {
    const items = brief[key]
    if (items.length <= floor) return null
    const kept = keepBest<Brief[K][number]>(
      items,
      items.length - 1,
      worst as (items: readonly unknown[]) => number,
    )
    return { ...brief, [key]: kept, cuts: restated(brief, id, items.length) }
  }
}

/** Old commits first, for git still knows them; then the plan's end; what is in progress last. */
function reduceProgress(floor: number): Step {
  return (brief) => {
    const { done, inProgress, pending } = brief.progress
    const count = done.length + inProgress.length + pending.length
    if (count <= floor) return null
    const progress =
      done.length > 0
        ? { done: done.slice(1), inProgress, pending }
        : pending.length > 0
          ? { done, inProgress, pending: pending.slice(0, -1) }
          : { done, inProgress: inProgress.slice(0, -1), pending }
    return { ...brief, progress, cuts: restated(brief, 'progress', count) }
  }
}

/** The section's cut line after one more item went; what was cut before stays counted. */
function restated(brief: Brief, id: SectionId, listed: number): Brief['cuts'] {
  const total = Number(/^\(\d+ of (\d+) listed/.exec(brief.cuts[id] ?? '')?.[1] ?? listed)
  return { ...brief.cuts, [id]: cutLine(listed - 1, total) }
}

/** What nobody asked for goes first, then dead ends and questions from the end, then words of the two main slots. */
function lessNotes(notes: Notes): Notes | null {
  if (notes.other !== null) {
    const paragraph = notes.other.trimEnd().lastIndexOf('\n\n')
    return { ...notes, other: paragraph === -1 ? null : notes.other.slice(0, paragraph) }
  }
  if (notes.abandonedApproaches.length > 0)
    return { ...notes, abandonedApproaches: notes.abandonedApproaches.slice(0, -1) }
  if (notes.openQuestions.length > 0) return { ...notes, openQuestions: notes.openQuestions.slice(0, -1) }
  const activeHypothesis = shorter(notes.activeHypothesis ?? '')
  if (activeHypothesis !== null) return { ...notes, activeHypothesis }
  const currentLineOfAttack = shorter(notes.currentLineOfAttack ?? '')
  return currentLineOfAttack === null ? null : { ...notes, currentLineOfAttack }
}

const shorter = (text: string): string | null =>
  text.length <= LEAST_TEXT ? null : clipLine(text, Math.max(LEAST_TEXT, Math.floor(text.length * 0.75)))
