import type { FileEvidence, FileFact } from '../types/evidence.ts'
import type { GitState } from '../types/git.ts'
import { addNames, addTouched, type Candidate, type FileInput, isGone, newFile } from './file-candidates.ts'
import { rankFiles } from './file-order.ts'
import { type FileWords, fileWords } from './file-words.ts'
import type { Fold } from './fold.ts'
import { knownPaths } from './path-text.ts'

/**
 * Files with their evidence, best first. Order of operations: paths the session touched are made canonical and merged; then
 * git's changes and commits are added; then names in the goal, prompts, plan and replies are resolved against what is known.
 */
export function fileFacts(input: FileInput): { files: FileFact[]; outside: string[] } {
  const { fold, git, resolver } = input
  const found = new Map<string, Candidate>()
  const at = (path: string, here: boolean): Candidate => {
    const held = found.get(path) ?? newFile(path, here)
    found.set(path, held)
    return held
  }
  const outside = addTouched(input, at)
  for (const { from, to } of fold.files.renames) {
    const [old, now] = [resolver.relative(from), resolver.touched(to)]
    const candidate = 'drop' in now ? undefined : found.get(now.path)
    if (candidate && old !== null && old !== candidate.path && !git?.files.has(old))
      candidate.renamedFrom = old
  }
  for (const change of git?.changes ?? []) {
    const candidate = at(change.path, change.state !== 'deleted')
    candidate.change = change
    if (change.from !== undefined) candidate.renamedFrom = change.from
  }
  for (const commit of git?.commits ?? [])
    for (const path of commit.files) {
      const now = resolver.current(path)
      const isBroad = commit.files.length > BROAD && !found.get(now)?.record?.edits
      if (!isBroad) at(now, git?.files.has(now) ?? true).commits++
    }
  addNames(input, found, at)
  const keepsNames = fold.files.clock === 0 || input.keepUnverified
  const known = knownPaths(found.keys())
  const moved = new Set([...found.values()].map(({ renamedFrom }) => renamedFrom))
  const files = [...found.values()].filter(
    (file) =>
      (file.here || !('drop' in resolver.touched(file.path))) &&
      (keepsNames || isOfUse(file)) &&
      (file.here || !moved.has(file.path)) &&
      // A name in a command that is the end of another path means that file.
      (file.here || file.record?.byTool !== false || known.endingIn(file.path).length === 0),
  )
  // Behind the first ones, a file that was only looked at is one of many.
  const ranked = rankFiles(files, input.lastReply).filter(
    (file, at) => input.keepUnverified || at < ALWAYS || isWanted(file),
  )
  // Without a session they are all there is.
  const others = fold.files.clock === 0 ? [] : ranked.filter(isOnlyCommitted)
  const left = new Set(others.slice(MOST_COMMITTED))
  const said = fileWords(input.turns, known)
  return {
    files: ranked
      .filter((file) => !left.has(file))
      .map((candidate) => factOf(candidate, fold, git, said.get(candidate.path) ?? null)),
    outside,
  }
}

/** A commit of more files, such as the first one or a new format, says of none what the work is about. */
const BROAD = 50

/** Of files that nothing but commits tells of, so many are listed. */
const MOST_COMMITTED = 4

const isOnlyCommitted = (file: Candidate): boolean =>
  file.commits > 0 && file.record === null && !isOfWork(file)

/**
 * A name in words is no reason to open a file that nobody opened: the last of these words stand in the brief themselves. What
 * a subagent looked at on its way is none either.
 */
const isOfUse = (file: Candidate): boolean => (file.record?.touches ?? 0) > 0 || isWanted(file)

const isWanted = (file: Candidate): boolean => file.commits > 0 || isOfWork(file)

const isOfWork = ({ record, change, goal, failing, wanted, planned }: Candidate): boolean =>
  (record?.edits ?? 0) > 0 || change !== null || goal || failing || wanted !== null || planned

/** So many are listed however often they were looked at. */
const ALWAYS = 5

function factOf(candidate: Candidate, fold: Fold, git: GitState | null, said: FileWords | null): FileFact {
  const { evidence, ...reasons } = describeFile(candidate, fold.files.turns, said)
  const { record, here } = candidate
  const source = record
    ? 'transcript'
    : candidate.change || candidate.commits > 0
      ? 'git'
      : candidate.goal || candidate.namedByUser > 0
        ? 'user'
        : 'transcript'
  const mark =
    isGone(candidate) || (!here && candidate.commits > 0)
      ? 'gone'
      : candidate.wanted !== null && !here && !record
        ? 'planned'
        : !here && git !== null
          ? 'unverified'
          : undefined
  return {
    path: candidate.path,
    ...reasons,
    evidence,
    source,
    ...(mark ? { mark } : {}),
  }
}

const MAX_CLAUSES = 2

/** Kinds of evidence, strongest first, and one clause or two that say why the file is listed; `turn` is the last one, `said` what the agent said of the file. */
function describeFile(
  file: Candidate,
  turn: number,
  said: FileWords | null,
): Pick<FileFact, 'evidence' | 'reason' | 'bareReason'> {
  const evidence: FileEvidence[] = []
  const clauses: string[] = []
  const add = (kind: FileEvidence | null, isTrue: boolean, clause: string | null) => {
    if (!isTrue) return
    if (kind !== null) evidence.push(kind)
    if (clause !== null) clauses.push(clause)
  }
  const { record, change } = file
  const { edits = 0, reads = 0, created = false } = record ?? {}
  const isPlanned = file.wanted !== null && !file.here && !record
  const undone = undoneClause(file)
  add('goal', file.goal, 'named in the goal')
  add(null, undone !== null, undone)
  add('edited', edits > 0, editClause(file, turn))
  add('created', created && edits > 0, null)
  add('deleted', isGone(file), change ? null : 'deleted')
  add('renamed', file.renamedFrom !== null, `renamed from ${file.renamedFrom}`)
  add(null, file.failing, 'the failing check names it')
  add('uncommitted', change !== null, changeClause(change))
  add('committed', file.commits > 0, edits > 0 ? null : `in ${count(file.commits, 'commit')} of this branch`)
  add('failing', file.failing, null)
  add(null, file.message > 0 && clauses.length === 0, 'named in the last turn')
  add(null, isPlanned && !file.goal, WANTED[file.wanted ?? 'goal'])
  add('planned', isPlanned || file.planned, isPlanned ? null : 'in an open plan step')
  add(null, file.inSummary && clauses.length === 0, 'named in the last summary')
  add('read', reads > 0, edits > 0 ? null : `read ${times(reads)}`)
  const { searches = 0, commands = 0, deleted = false } = record ?? {}
  add('searched', searches > 0, clauses.length > 0 ? null : 'searched')
  add('command', commands > 0, clauses.length > 0 ? null : `used in ${count(commands, 'command')}`)
  const { namedByUser, namedByAgent } = file
  add('named', namedByUser > 0 || namedByAgent > 0, null)
  add(null, clauses.length === 0 && namedByUser > 0, 'named by the user')
  add(null, clauses.length === 0 && namedByAgent > 0, 'named by the agent')
  add(null, clauses.length === 0, deleted ? 'deleted in the session, here again' : 'touched in the session')
  // A call that came to nothing still named the file.
  add('named', evidence.length === 0, null)
  // What was said before the last edit may be what the edit mended.
  const when =
    said !== null && edits > 0 && said.touches < (record?.lastEdit ?? 0) ? 'said before the last edit: ' : ''
  const bare = clauses.slice(0, MAX_CLAUSES).join('; ')
  if (said === null) return { evidence, reason: bare }
  return {
    evidence,
    reason: [...clauses.slice(0, 1), `${when}"${said.words}"`].join('; '),
    bareReason: bare,
  }
}

const WANTED = { goal: 'named in the goal', user: 'named by the user', plan: 'in the plan' } as const

function editClause({ record }: Candidate, turn: number): string {
  if (record === null) return ''
  const { edits, created, sub, lastEditTurn } = record
  const by = sub === null ? '' : ' by a subagent'
  const isLast = lastEditTurn === turn && turn > 1
  if (created && edits === 1) return `created in the session${by}${isLast ? ' in the last turn' : ''}`
  const when = isLast ? 'in the last turn' : times(created ? edits - 1 : edits)
  return `${created ? 'created in the session, ' : ''}edited ${when}${by}`
}

function changeClause(change: Candidate['change']): string {
  if (change === null) return ''
  if (change.state === 'untracked') return 'not tracked yet'
  if (change.state === 'conflicted') return 'in conflict'
  if (change.state === 'deleted') return 'deleted, uncommitted'
  return change.staged && !change.unstaged ? 'staged' : 'uncommitted'
}

/** Edits that came to nothing are said, lest they be taken for progress. */
function undoneClause({ record, change }: Candidate): string | null {
  if (!record || record.edits > 0 || change) return null
  if (record.stashed > 0) return 'edited, then stashed'
  if (record.reverted > 0) return 'edited, then reverted'
  if (record.refused > 0) return 'an edit was refused by the user'
  // A script may have made the edit that the tool could not.
  return record.failed > 0 && record.commands === 0 ? 'an edit was tried and failed' : null
}

const count = (number: number, what: string) => (number === 1 ? `a ${what}` : `${number} ${what}s`)

const times = (number: number) => (number === 1 ? 'once' : `${number} times`)
