import type { Dropped, Turn } from '../types/evidence.ts'
import type { GitState } from '../types/git.ts'
import { type FileRecord, mergeRecords } from './file-log.ts'
import type { Fold } from './fold.ts'
import type { GoalWords } from './goal.ts'
import { looksLikePath, pathTokens, wantsCreation } from './mentions.ts'
import { atHome, knownPaths } from './path-text.ts'
import type { Resolver } from './resolve.ts'

export const newFile = (path: string, here: boolean) => ({
  path,
  here,
  record: null as FileRecord | null,
  change: null as GitState['changes'][number] | null,
  commits: 0,
  renamedFrom: null as string | null,
  goal: false,
  failing: false,
  /** Somebody wants it made; only when it is not here. */
  wanted: null as 'goal' | 'user' | 'plan' | null,
  planned: false,
  namedByUser: 0,
  namedByAgent: 0,
  /** Number of the message of the last turn that names it last; 0 for none. */
  message: 0,
  inSummary: false,
})
export type Candidate = ReturnType<typeof newFile>

export interface FileInput {
  fold: Fold
  git: GitState | null
  resolver: Resolver
  goal: GoalWords
  planTexts: string[]
  /** Words that look like paths, of the last failing checks that no edit came after. */
  failedIn: string[]
  lastReply: string
  /** Without the last reply. */
  turns: readonly Turn[]
  /** Keep paths that nothing confirms, marked (configuration key `validate.files` false). */
  keepUnverified: boolean
  drop(item: Dropped): void
}

/** Deleted in the session or in git, and not here again. */
export const isGone = ({ here, record, change }: Candidate): boolean =>
  !here && (record?.deleted === true || change?.state === 'deleted')

/** Adds what tools and commands touched; returns those edited outside the repository. */
export function addTouched(
  { fold, git, resolver, drop }: FileInput,
  at: (path: string, here: boolean) => Candidate,
) {
  const placed = [...fold.files.records].map(([key, record]) => ({
    key,
    record,
    place: resolver.touched(key),
  }))
  const seen = placed.flatMap(({ record, place }) => ('drop' in place || !isDone(record) ? [] : [place]))
  // A repository that has few of the files read and edited is not the one of the session: it does not say what is a file.
  const isOther = git !== null && seen.filter(({ here }) => here).length * 2 < seen.length
  const outside: string[] = []
  for (const { key, record, place } of placed) {
    if ('drop' in place) {
      // Words of a command line are only guesses; what a tool touched is a fact worth reporting.
      if (!record.byTool || place.drop === 'not a file') continue
      if (place.drop === 'outside the repository' && record.edits > 0) outside.push(atHome(key, fold.home))
      drop({ kind: 'file', text: atHome(key, fold.home), why: place.drop })
      continue
    }
    if (git !== null && !place.here) {
      const isNamed = place.path.includes('/') || looksLikePath(place.path)
      // An attachment such as "clipboard" is no file; one that was edited is.
      if (record.edits === 0 && !isNamed) continue
      if (record.byTool && !isDone(record)) {
        drop({ kind: 'file', text: place.path, why: 'only an attempt that did not succeed' })
        continue
      }
      const isRead = record.reads > 0 || place.path.includes('/')
      if (!record.byTool && !(isOther && isRead && isFileName(place.path))) continue
    }
    const candidate = at(place.path, place.here)
    candidate.record = candidate.record ? mergeRecords(candidate.record, record) : record
  }
  return outside
}

const isDone = ({ edits, reads, deleted, reverted }: FileRecord): boolean =>
  edits > 0 || reads > 0 || deleted || reverted > 0

/** `.user.login` is a word of a query; so are most names that begin with a dot. With a blank in it, it may be a command line. */
const isFileName = (path: string): boolean => looksLikePath(path) && !/\s|(?:^|\/)\.[^/]*$/.test(path)

/** Nobody makes `github.com/owner/name`, `main.ts/other.ts`, or a file at home for the repository. */
const NO_FILE = /\w\.\w[^/]*\/|^~/

/** What was wanted longer ago was made, or given up. */
const RECENT_TURNS = 5

export function addNames(
  input: FileInput,
  found: Map<string, Candidate>,
  at: (path: string, here: boolean) => Candidate,
) {
  const { fold, resolver, git } = input
  const known = knownPaths([...found.values()].flatMap(({ record, path }) => (record ? [path] : [])))
  const place = (token: string, wanted: Candidate['wanted'], by: 'user' | 'agent'): Candidate | null => {
    const result = resolver.mentioned(token, known)
    const why = 'drop' in result ? result.drop : 'named, but not in this repository'
    if (!('drop' in result)) {
      if (result.here || found.has(result.path)) return at(result.path, result.here)
      // A bare name is as often a word for something else, unless the goal has it.
      const isName = wanted === 'goal' || (isFileName(result.path) && result.path.includes('/'))
      if (wanted !== null && isName && !NO_FILE.test(result.path) && !isMadeElsewhere(result.path)) {
        const candidate = at(result.path, false)
        candidate.wanted ??= wanted
        return candidate
      }
      if (input.keepUnverified || (git === null && by === 'user')) return at(result.path, false)
    }
    if (by === 'user') input.drop({ kind: 'file', text: atHome(token, fold.home), why })
    return null
  }
  // What was made in another repository need not be made here.
  const used = knownPaths(
    [...fold.files.records].flatMap(([key, { edits, reads }]) => (edits + reads > 0 ? [key] : [])),
  )
  const isMadeElsewhere = (path: string): boolean => used.endingIn(path).length > 0
  for (const { token, isWanted } of input.goal.tokens) {
    const candidate = place(token, isWanted ? 'goal' : null, 'user')
    if (candidate) candidate.goal = true
  }
  for (const text of input.planTexts) {
    const wanted = wantsCreation(text) ? 'plan' : null
    for (const token of pathTokens(text)) {
      const candidate = place(token, wanted, 'agent')
      if (candidate) candidate.planned = true
    }
  }
  for (const [token, { user, agent, wanted, turn, message }] of fold.mentions.mentions) {
    const isRecent = fold.files.turns - turn < RECENT_TURNS
    const candidate = place(token, isRecent ? wanted : null, user > 0 ? 'user' : 'agent')
    if (candidate === null) continue
    candidate.namedByUser += user
    candidate.namedByAgent += agent
    if (turn === fold.files.turns) candidate.message = Math.max(candidate.message, message)
  }
  for (const token of pathTokens(fold.summary)) {
    const result = resolver.mentioned(token, known)
    const candidate = 'drop' in result ? undefined : found.get(result.path)
    if (candidate) candidate.inSummary = true
  }
  for (const token of input.failedIn) {
    const result = resolver.mentioned(token, known)
    if ('drop' in result) continue
    if (result.here || found.has(result.path)) at(result.path, result.here).failing = true
  }
}
