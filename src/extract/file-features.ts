import { COMMON_NAMES } from './called-files.ts'
import { closer, isClose, type Ties } from './co-change.ts'
import type { Candidate } from './file-facts.ts'
import { cooled } from './file-record.ts'
import { contentWords, type GoalWords } from './goal.ts'
import { byCodeUnit, isTest, stemOf, wordsOf } from './path-text.ts'

/** What is known besides the files: words of the goal, the last reply in full, and how long the session is. */
export interface RankContext {
  goal: Pick<GoalWords, 'words' | 'letters'>
  lastReply: string
  /** Touches and calls of the session. */
  clock: number
  calls: number
  /** Open plan steps that name no file. */
  steps: readonly string[]
  ties: Ties
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
  /** Its name, when it is one word and says something, stands in the goal, be it inside another word. */
  stemInGoal: number
  inLastReply: number
  /** Named in the last summary of a compaction. */
  inSummary: number
  /** When nothing was edited yet: reads, as a share of the most read file's. */
  readMost: number
  created: number
  test: number
  /** A document, when the goal speaks of documents. */
  wantedDoc: number
  /** Named in an open plan step, else the largest share of the path's words that are in one. */
  inPlan: number
  /** How often it changed, in earlier commits, with the hottest files and those the goal names; at most 1. */
  together: number
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
/** Files whose earlier commits are looked at; with 8 and 20 the likelihood of what was used is lower. */
const MAX_SEEDS = 5
/** Commits added to those of a file, lest one commit prove everything; 0 and 2 do no better. */
const DOUBT = 1
/** From here on a step is said to mean the file. */
const MEANT = 0.5

const DOC = /\.(?:md|txt)$/
/** Stems of words that ask for documents. */
const DOC_WORDS = ['readme', 'doc', 'documentat', 'changelog', 'plan', 'spec']

/**
 * Features of every file, each from 0 up; `words` are those of the path that the goal has, as the path writes them. Notes in each
 * candidate the plan step that means it and the file it is tied to.
 */
export function featuresOf(
  files: readonly Candidate[],
  { goal, lastReply, calls, steps, ties }: RankContext,
): Map<Candidate, { features: Features; words: string[] }> {
  const planned = steps.map((text) => ({ text, words: new Set(contentWords(text)) }))
  const reply = new Set(contentWords(lastReply.slice(-REPLY_END)))
  const asksForDocs = DOC_WORDS.some((word) => goal.words.has(word))
  const isEdited = files.some((file) => (file.record?.edits ?? 0) > 0)
  const heats = new Map(
    files.flatMap((file) =>
      file.record ? [[file, file.record.heat * cooled(calls - file.record.lastCall)]] : [],
    ),
  )
  const heatOf = (file: Candidate) => heats.get(file) ?? 0
  const readsOf = ({ record }: Candidate) => Math.min(record?.reads ?? 0, MAX_READS)
  const hottest = Math.max(Number.MIN_VALUE, ...heats.values())
  const mostRead = Math.max(1, ...files.map(readsOf))
  const seeds = seedsOf(files, (file) => heatOf(file) / hottest)
  return new Map(
    files.map((file) => {
      const words = new Set(contentWords(file.path))
      const share = (text: ReadonlySet<string>) =>
        words.size === 0 ? 0 : [...words].filter((word) => text.has(word)).length / words.size
      const features: Features = {
        editAge: editAge(file, calls),
        heat: heatOf(file) / hottest,
        turns: Math.min(file.record?.turns ?? 0, MAX_TURNS),
        fitsGoal: share(goal.words),
        fitsReply: share(reply),
        stemInGoal: Number(isStemIn(file.path, goal.letters)),
        inLastReply: Number(file.inLastReply),
        inSummary: Number(file.inSummary),
        readMost: isEdited ? 0 : readsOf(file) / mostRead,
        created: Number(file.record?.created ?? false),
        test: Number(isTest(file.path)),
        wantedDoc: Number(asksForDocs && DOC.test(file.path)),
        inPlan: inPlan(file, planned, share),
        together: together(file, seeds, ties),
      }
      return [file, { features, words: features.fitsGoal > 0 ? sharedWords(file.path, goal.words) : [] }]
    }),
  )
}

/** Shorter names stand in most goals by chance. */
const SHORT_STEM = 3

function isStemIn(path: string, letters: string): boolean {
  const stem = stemOf(path)
  return stem.length > SHORT_STEM && !COMMON_NAMES.has(stem) && letters.includes(stem)
}

function editAge({ record, change, commits, failing }: Candidate, calls: number): number {
  const age = record !== null && record.edits > 0 ? Math.min(OLD, (calls - record.editCall) / 100) : OLD
  return Math.min(age, change !== null || failing ? UNCOMMITTED_AGE : commits > 0 ? COMMITTED_AGE : OLD)
}

/** Notes in `file.meantBy` the step that means it. What is yet to be made has a place of its own. */
function inPlan(
  file: Candidate,
  steps: readonly { text: string; words: ReadonlySet<string> }[],
  share: (text: ReadonlySet<string>) => number,
): number {
  if (file.step !== null || !file.here) return Number(file.here)
  let most = 0
  for (const { text, words } of steps) {
    const part = share(words)
    if (part > most && part >= MEANT) file.meantBy = text
    most = Math.max(most, part)
  }
  return most
}

interface Seed {
  path: string
  weight: number
}

/** The hottest files, each worth its heat, and those that the goal names. */
function seedsOf(files: readonly Candidate[], heat: (file: Candidate) => number): Seed[] {
  const named = files.filter((file) => file.goal || file.called).slice(0, MAX_SEEDS)
  const hot = files
    .filter((file) => heat(file) > 0 && !named.includes(file))
    .sort((a, b) => heat(b) - heat(a) || byCodeUnit(a.path, b.path))
    .slice(0, MAX_SEEDS)
  return [
    ...named.map(({ path }) => ({ path, weight: 1 })),
    ...hot.map((file) => ({ path: file.path, weight: heat(file) })),
  ]
}

/** Notes in `file.tie` the seed it changed with most of the time. */
function together(file: Candidate, seeds: readonly Seed[], ties: Ties): number {
  let sum = 0
  for (const { path, weight } of seeds) {
    const { changes, partners } = ties.of(path)
    const count = path === file.path ? 0 : (partners.get(file.path) ?? 0)
    if (count === 0) continue
    sum += (weight * count) / (changes + DOUBT)
    const tie = { path, together: count, changes }
    if (isClose(tie) && (file.tie === null || closer(tie, file.tie) < 0)) file.tie = tie
  }
  return Math.min(1, sum)
}

const sharedWords = (path: string, goal: ReadonlySet<string>): string[] => [
  ...new Set(wordsOf(path).filter((word) => contentWords(word).some((stem) => goal.has(stem)))),
]
