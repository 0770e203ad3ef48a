import { isAcceptedPlan, tellingWords } from '../text/blocks.ts'
import { takenBackBy } from '../text/taken-back.ts'
import type { Notes } from '../types/brief.ts'
import type { Evidence, FileEvidence, FileFact } from '../types/evidence.ts'
import { renderMemory } from './working-memory.ts'

/** The share of a text's words that the page must hold to tell it, and the words from which that is no accident. */
const TOLD = 0.7
/** The same of the last message. */
const TOLD_LAST = 0.8
const LEAST_WORDS = 4
/** UTF-16 units from which notes are a page: they tell the story themselves. */
const PAGE = 1_500
const MOST_FILES = 8
/** Where the goal and the page name fewer files, edited ones fill up to so many: others seldom are of use then. */
const LEAST_FILES = 3
/** What stands around a path in a sentence. */
const AROUND_PATH = /(?:[\s`"'()<>|,;:*]|\.(?=\s|$))+/

const LOOKED_AT: ReadonlySet<FileEvidence> = new Set(['read', 'searched', 'command', 'named'])

/** Notes long enough to tell the story, as text; else null. */
export function pageOf(notes: Notes | null): string | null {
  const text = notes === null ? '' : renderMemory(notes, null).join('\n')
  return text.length < PAGE ? null : text
}

/** The evidence without what the page tells; files that the goal names come first, then those that the page names without their path. */
export function besidePage(evidence: Evidence, page: string): Evidence {
  const words = new Set(tellingWords(page))
  const isNew = (text: string, most = TOLD): boolean => {
    if (page.includes(text)) return false
    const own = [...new Set(tellingWords(text))]
    return own.length < LEAST_WORDS || own.filter((word) => words.has(word)).length < own.length * most
  }
  // What it says of a file that was only looked at needs no second line.
  const rankOf = ({ path, evidence: kinds }: FileFact): number => {
    const [name = '', folder] = path.split('/').reverse()
    if (kinds.includes('goal')) return 3
    if (kinds.every((kind) => LOOKED_AT.has(kind)) || !page.includes(name)) return 0
    return page.includes(`${folder}/${name}`) ? 2 : 1
  }
  const paths = new Set(page.split(AROUND_PATH))
  const left = evidence.files.filter(({ path }) => !paths.has(path))
  const isTold = (file: FileFact): boolean =>
    file.mark === undefined && (rankOf(file) > 0 || file.evidence.includes('edited'))
  const ranked = left
    .filter((file) => rankOf(file) === 3 || isTold(file))
    .toSorted((a, b) => rankOf(b) - rankOf(a))
  const named = ranked.filter((file) => rankOf(file) > 0).length
  const fill = LEAST_FILES - (evidence.files.length - left.length)
  return {
    ...evidence,
    files: ranked.slice(0, Math.min(MOST_FILES, Math.max(fill, named))),
    // It says itself where the work stands; what it left out of the last message counts most of all that was said.
    closing: evidence.closing !== null && isNew(evidence.closing.text, TOLD_LAST) ? evidence.closing : null,
    // What to run and what is open are the page's.
    commands: [],
    information: evidence.information.filter(({ text }) => isNew(text)),
    // What took a rule back goes on as such. What became of an accepted plan, the page tells.
    decisions: evidence.decisions.filter(
      (one) => takenBackBy(one).length > 0 || (isNew(one.what) && !isAcceptedPlan(one.what)),
    ),
    plan: [],
    questions: /^#+ .*question/im.test(page)
      ? []
      : evidence.questions.filter(({ kind, text }) => kind !== 'risk' && isNew(text)),
    // Its names are the page's, too.
    references: [],
  }
}
