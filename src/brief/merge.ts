import { tellingWords } from '../text/words.ts'
import type { Notes } from '../types/brief.ts'
import type { Evidence } from '../types/evidence.ts'
import { renderMemory } from './working-memory.ts'

/** The share of a text's words that the page must hold to tell it, and the words from which that is no accident. */
const TOLD = 0.7
const LEAST_WORDS = 4
/** UTF-16 units from which notes are a page: they tell the story themselves. */
const PAGE = 1_500
/** Files listed beside a page. */
const MOST_FILES = 4

/** Notes long enough to tell the story, as text; else null. */
export function pageOf(notes: Notes | null): string | null {
  const text = notes === null ? '' : renderMemory(notes, null).join('\n')
  return text.length < PAGE ? null : text
}

/** The evidence without what the page tells; files that the page names come first. */
export function besidePage(evidence: Evidence, page: string): Evidence {
  const words = new Set(tellingWords(page))
  const isNew = (text: string): boolean => {
    const own = [...new Set(tellingWords(text))]
    return own.length < LEAST_WORDS || own.filter((word) => words.has(word)).length < own.length * TOLD
  }
  const isNamed = ({ path }: { path: string }): boolean =>
    page.includes(path.slice(path.lastIndexOf('/') + 1))
  const { files } = evidence
  return {
    ...evidence,
    files: [...files.filter(isNamed), ...files.filter((file) => !isNamed(file))].slice(0, MOST_FILES),
    // What to run and what is open are the page's.
    commands: [],
    information: evidence.information.filter(({ text }) => isNew(text)),
    constraints: evidence.constraints.filter(({ text }) => isNew(text)),
    decisions: /^#+ .*decision/im.test(page) ? [] : evidence.decisions.filter(({ what }) => isNew(what)),
    plan: [],
    questions: evidence.questions.filter(({ kind, text }) => kind !== 'risk' && isNew(text)),
  }
}
