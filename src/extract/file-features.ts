import type { Candidate } from './file-facts.ts'
import { cooled } from './file-record.ts'
import { contentWords } from './goal.ts'
import { wordsOf } from './path-text.ts'

/** What is known besides the files: words of the goal, the last reply in full, and how long the session is. */
export interface RankContext {
  goal: ReadonlySet<string>
  lastReply: string
  /** Touches and calls of the session. */
  clock: number
  calls: number
}

/** What the order of files is made of; docs/ranking.md says which others were tried. */
export interface Features {
  /** Hundreds of calls since the last edit that stands; 3 when there is none. */
  editAge: number
  /** Recency and frequency of touches, as a share of the hottest file's. */
  heat: number
  /** Turns in which it was touched, at most 10. */
  turns: number
  /** Share of the path's words that are in the goal. */
  fitsGoal: number
  /** Share of the path's words that are in the end of the last reply. */
  fitsReply: number
  inLastReply: number
  /** When nothing was edited yet: reads, as a share of the most read file's. */
  readMost: number
  created: number
  test: number
  /** A document, when the goal speaks of documents. */
  wantedDoc: number
}

/** Edits longer ago than this say nothing more. */
const OLD = 3
/** Work that git knows but no session on file did counts as an edit of middle age: the corpus has none to measure it on. */
const UNCOMMITTED_AGE = 1
const COMMITTED_AGE = 2
/** The end of a reply is where it says what is left to do: the last 800 characters did better than 4,000. */
const REPLY_END = 800
/** Beyond these the counts of very long sessions would drown all else. */
const MAX_TURNS = 10
const MAX_READS = 20

const TEST = /(?:^|\/)(?:tests?|__tests__|spec|e2e)\/|[._-](?:test|spec)\.|(?:^|\/)test_|_test\./
const DOC = /\.(?:md|txt)$/
/** Stems of words that ask for documents. */
const DOC_WORDS = ['readme', 'doc', 'documentat', 'changelog', 'plan', 'spec']

/** Features of every file, each from 0 up; `words` are those of the path that the goal has, as the path writes them. */
export function featuresOf(
  files: readonly Candidate[],
  { goal, lastReply, calls }: RankContext,
): Map<Candidate, { features: Features; words: string[] }> {
  const reply = new Set(contentWords(lastReply.slice(-REPLY_END)))
  const asksForDocs = DOC_WORDS.some((word) => goal.has(word))
  const isEdited = files.some((file) => (file.record?.edits ?? 0) > 0)
  const heatOf = ({ record }: Candidate) => (record ? record.heat * cooled(calls - record.lastCall) : 0)
  const readsOf = ({ record }: Candidate) => Math.min(record?.reads ?? 0, MAX_READS)
  const hottest = Math.max(Number.MIN_VALUE, ...files.map(heatOf))
  const mostRead = Math.max(1, ...files.map(readsOf))
  return new Map(
    files.map((file) => {
      const words = new Set(contentWords(file.path))
      const share = (text: ReadonlySet<string>) =>
        words.size === 0 ? 0 : [...words].filter((word) => text.has(word)).length / words.size
      const features: Features = {
        editAge: editAge(file, calls),
        heat: heatOf(file) / hottest,
        turns: Math.min(file.record?.turns ?? 0, MAX_TURNS),
        fitsGoal: share(goal),
        fitsReply: share(reply),
        inLastReply: Number(file.inLastReply),
        readMost: isEdited ? 0 : readsOf(file) / mostRead,
        created: Number(file.record?.created ?? false),
        test: Number(isTest(file.path)),
        wantedDoc: Number(asksForDocs && DOC.test(file.path)),
      }
      return [file, { features, words: features.fitsGoal > 0 ? sharedWords(file.path, goal) : [] }]
    }),
  )
}

/** Whether a path has the shape of a test. */
export const isTest = (path: string): boolean => TEST.test(path)

function editAge({ record, change, commits, failing }: Candidate, calls: number): number {
  const age = record !== null && record.edits > 0 ? Math.min(OLD, (calls - record.editCall) / 100) : OLD
  return Math.min(age, change !== null || failing ? UNCOMMITTED_AGE : commits > 0 ? COMMITTED_AGE : OLD)
}

const sharedWords = (path: string, goal: ReadonlySet<string>): string[] => [
  ...new Set(wordsOf(path).filter((word) => contentWords(word).some((stem) => goal.has(stem)))),
]
