import { contentWords } from '../text/blocks.ts'
import type { FileEvidence, FileFact } from '../types/evidence.ts'
import type { GitState } from '../types/git.ts'
import { type FileRecord, mergeRecords } from './file-map.ts'
import { atHome, byCodeUnit, looksLikePath, nameOf, pathTokens, type Resolver } from './paths.ts'

export interface FileInput {
  records: ReadonlyMap<string, FileRecord>
  git: GitState | null
  resolver: Resolver
  home: string
  /** The goal with its focus, the requests of the turns before the last one, and the messages of the last one. */
  goal: string
  requests: readonly string[]
  lastTurn: readonly string[]
  /** Turns so far. */
  turn: number
  /** Keep paths that nothing confirms, marked (configuration key `validate.files` false). */
  keepUnverified: boolean
}

interface Candidate {
  path: string
  here: boolean
  record: FileRecord | null
  change: GitState['changes'][number] | null
  commits: number
  renamedFrom: string | null
  /** Named in the goal; in the last turns; in which message of the last turn, from 1 on. */
  goal: boolean
  named: boolean
  message: number
}

/** So many are listed however little was done with them. */
const ALWAYS = 5

/** The files that the work is about, best first, each with its evidence; `outside`: edited outside the repository. */
export function fileFacts(input: FileInput): { files: FileFact[]; outside: string[] } {
  const { git, resolver } = input
  const found = new Map<string, Candidate>()
  const at = (path: string, here: boolean): Candidate => {
    const held = found.get(path)
    if (held !== undefined) return held
    const fresh: Candidate = {
      ...{ path, here, record: null, change: null, commits: 0 },
      ...{ renamedFrom: null, goal: false, named: false, message: 0 },
    }
    found.set(path, fresh)
    return fresh
  }
  const outside = addTouched(input, at)
  for (const change of git?.changes ?? []) {
    const candidate = at(change.path, change.state !== 'deleted')
    candidate.change = change
    candidate.renamedFrom = change.from ?? candidate.renamedFrom
  }
  for (const commit of git?.commits ?? [])
    for (const path of commit.files) {
      const now = resolver.current(path)
      at(now, git?.files.has(now) ?? true).commits++
    }
  addNamed(input, found, at)
  const hasSession = input.records.size > 0
  const moved = new Set([...found.values()].map(({ renamedFrom }) => renamedFrom))
  const files = [...found.values()].filter(
    (file) =>
      (file.goal || !git?.setUp.has(file.path)) &&
      (file.here || !moved.has(file.path)) &&
      (!hasSession || input.keepUnverified || isWork(file) || (file.record !== null && file.record.last > 0)),
  )
  const ranked = rankFiles(files, input).filter(
    (file, rank) =>
      rank < ALWAYS || (isWork(file) && !(hasSession && isOnlyCommitted(file))) || input.keepUnverified,
  )
  return { files: ranked.map((file) => factOf(file, input)), outside }
}

const isWork = ({ record, change, commits, goal, renamedFrom }: Candidate): boolean =>
  (record?.edits ?? 0) > 0 || renamedFrom !== null || change !== null || commits > 0 || goal

/** A first commit holds every file, and says of none that the work is about it. */
const isOnlyCommitted = ({ record, change, goal, renamedFrom }: Candidate): boolean =>
  record === null && change === null && !goal && renamedFrom === null

function addTouched(
  { records, git, resolver, home }: FileInput,
  at: (path: string, here: boolean) => Candidate,
): string[] {
  const placed = [...records].map(([key, record]) => ({ key, record, place: resolver.touched(key) }))
  const outside: string[] = []
  for (const { key, record, place } of placed) {
    if ('drop' in place) {
      if (place.drop === 'outside the repository' && record.byTool && record.edits > 0)
        outside.push(atHome(key, home))
      continue
    }
    // Words of a command line are guesses; what a tool only tried to touch is no file.
    const isFile = record.byTool && (record.edits > 0 || record.reads > 0 || record.deleted)
    const isNamed = record.edits > 0 || place.path.includes('/') || looksLikePath(place.path)
    if (git !== null && !place.here && !(isFile && isNamed)) continue
    const candidate = at(place.path, place.here)
    candidate.record = candidate.record === null ? record : mergeRecords(candidate.record, record)
  }
  return outside
}

/** Files that the goal and the last turns name; a name that two files have, or none, says nothing. */
function addNamed(
  { git, resolver, goal, requests, lastTurn, keepUnverified }: FileInput,
  found: Map<string, Candidate>,
  at: (path: string, here: boolean) => Candidate,
) {
  const known = new Set([...found.values()].flatMap(({ record, path }) => (record === null ? [] : [path])))
  const place = (token: string, isGoal: boolean): Candidate | null => {
    const result = resolver.mentioned(token, known)
    if ('drop' in result) return null
    const isKept = result.here || found.has(result.path) || git === null || keepUnverified
    return isKept || (isGoal && TO_BE_MADE.test(result.path)) ? at(result.path, result.here) : null
  }
  const named = (text: string, isGoal = false): Candidate[] =>
    pathTokens(text).flatMap((token) => place(token, isGoal) ?? [])
  for (const candidate of named(goal, true)) candidate.goal = true
  for (const text of requests) for (const candidate of named(text)) candidate.named = true
  for (const [at, text] of lastTurn.entries())
    for (const candidate of named(text)) {
      candidate.named = true
      candidate.message = at + 1
    }
}

/** A file in a folder, which the goal wants made; not `github.com/owner/name.git`. */
const TO_BE_MADE = /^(?!\w[^/]*\.\w)[^/]+\/.*\.\w+$/

/** How far the first ranks of an order stand out: 7 to 15 do alike, 3 and 20 do worse. */
const RANK = 10
const HALF = 0.5
/** Characters at the end of a reply, where it says what is left to do. */
const REPLY_END = 800

/**
 * Best first, by reciprocal rank fusion: each order gives a file 1 / (10 + its rank in that order). Files of the work that the
 * goal names stand first; others that it names, which the reader knows from the goal itself, after five; what is gone, last.
 */
function rankFiles(files: readonly Candidate[], { lastTurn }: FileInput): Candidate[] {
  const shares = sharesOfNames(files, new Set(contentWords(lastTurn.at(-1)?.slice(-REPLY_END) ?? '')))
  const orders: ((file: Candidate) => number)[] = [
    ({ record }) => (record === null ? 0 : record.reads + record.edits + record.commands),
    ({ record, change, commits }) =>
      record?.edits ? record.lastEdit : change === null ? 0.25 * (commits / (commits + 1)) : 0.5,
    lastTouch,
    ({ message }) => message,
  ]
  const scores = new Map<Candidate, number>()
  const add = (file: Candidate, score: number) => scores.set(file, (scores.get(file) ?? 0) + score)
  for (const order of orders)
    for (const [rank, file] of inOrder(files, order).entries()) add(file, 1 / (RANK + rank))
  // Most words of a reply mean no file: they count half.
  for (const [rank, file] of inOrder(files, (one) => shares.get(one) ?? 0).entries())
    add(file, HALF / (RANK + rank))
  const ranked = inOrder(files, (file) => 1 + (scores.get(file) ?? 0))
  const isKnown = ({ record, change }: Candidate): boolean => record !== null || change !== null
  const [named, others] = [ranked.filter(({ goal }) => goal), ranked.filter(({ goal }) => !goal)]
  const listed = [
    ...named.filter(isKnown),
    ...others.filter((file) => isKnown(file) && !isGone(file)),
    ...others.filter((file) => !isKnown(file) && !isGone(file)),
    ...others.filter(isGone),
  ]
  const first = Math.min(ALWAYS, listed.filter((file) => isKnown(file) && !isGone(file)).length)
  return listed.toSpliced(first, 0, ...named.filter((file) => !isKnown(file)))
}

/** The share of the words of each file's name that are among `words`; the fewer names hold a word, the more it counts. */
function sharesOfNames(files: readonly Candidate[], words: ReadonlySet<string>): Map<Candidate, number> {
  const names = files.map(
    (file) => [file, contentWords(nameOf(file.path).replace(/(?<=.)\.[^.]*$/, ''))] as const,
  )
  const counts = new Map<string, number>()
  for (const [, stems] of names)
    for (const stem of new Set(stems)) counts.set(stem, (counts.get(stem) ?? 0) + 1)
  const weight = (stem: string): number => Math.log(1 + files.length / (counts.get(stem) ?? 1))
  const sum = (stems: readonly string[]): number => stems.reduce((all, stem) => all + weight(stem), 0)
  return new Map(
    names.map(([file, stems]) => [file, sum(stems.filter((stem) => words.has(stem))) / (sum(stems) || 1)]),
  )
}

/** Those that have a value, the largest first; ties by the last touch, then by path. */
const inOrder = (files: readonly Candidate[], value: (file: Candidate) => number): Candidate[] =>
  files
    .map((file) => ({ file, worth: value(file) }))
    .filter(({ worth }) => worth > 0)
    .sort(
      (a, b) =>
        b.worth - a.worth || lastTouch(b.file) - lastTouch(a.file) || byCodeUnit(a.file.path, b.file.path),
    )
    .map(({ file }) => file)

const lastTouch = ({ record }: Candidate): number => record?.last ?? 0

/** Deleted in the session or in git, and not here again. */
const isGone = ({ here, record, change }: Candidate): boolean =>
  !here && (record?.deleted === true || change?.state === 'deleted')

function factOf(file: Candidate, { git, turn }: FileInput): FileFact {
  const { path, here, record, change, commits, goal, named, renamedFrom } = file
  const { edits: all = 0, reads = 0, commands = 0, created = false } = record ?? {}
  // Commits that undo each other leave nothing of the edits.
  const isWhole = all > 0 && commits > 0 && git?.effect?.some((one) => one.path === path) === false
  const isUndone = here && change === null && (record?.reverted || isWhole)
  const edits = isUndone ? 0 : all
  const evidence: FileEvidence[] = []
  const clauses: string[] = []
  const add = (kind: FileEvidence, isTrue: boolean, clause: string): void => {
    if (!isTrue) return
    evidence.push(kind)
    if (clause !== '') clauses.push(clause)
  }
  add('goal', goal, 'named in the goal')
  add('edited', edits > 0, record === null ? '' : editClause(record, turn))
  add('created', created && edits > 0, '')
  if (isUndone) clauses.push('edited, then reverted')
  add('deleted', isGone(file), change === null ? 'deleted' : '')
  add('renamed', renamedFrom !== null, `renamed from ${renamedFrom}`)
  add('uncommitted', change !== null, change === null ? '' : changeClause(change))
  add(
    'committed',
    commits > 0,
    edits > 0 ? '' : `in ${commits === 1 ? 'a commit' : `${commits} commits`} of this branch`,
  )
  add('read', reads > 0, edits > 0 ? '' : `read ${times(reads)}`)
  add(
    'command',
    commands > 0,
    clauses.length > 0 ? '' : `used in ${commands === 1 ? 'a command' : `${commands} commands`}`,
  )
  add('named', named || evidence.length === 0, clauses.length > 0 ? '' : 'named in the last turns')
  const isPlanned = goal && !here && git !== null && record === null && change === null && commits === 0
  add('planned', isPlanned, '')
  const mark = isPlanned
    ? 'planned'
    : isGone(file) || (!here && commits > 0)
      ? 'gone'
      : here || git === null
        ? undefined
        : 'unverified'
  return {
    path,
    reason: clauses.slice(0, 2).join('; '),
    evidence,
    source:
      record !== null ? 'transcript' : change !== null || commits > 0 ? 'git' : goal ? 'user' : 'transcript',
    ...(mark === undefined ? {} : { mark }),
  }
}

function editClause({ edits, created, lastEditTurn }: FileRecord, turn: number): string {
  const isLast = lastEditTurn === turn && turn > 1
  if (created && edits === 1) return `created in the session${isLast ? ' in the last turn' : ''}`
  const when = isLast ? 'in the last turn' : times(created ? edits - 1 : edits)
  return `${created ? 'created in the session, ' : ''}edited ${when}`
}

function changeClause({ state, staged, unstaged }: GitState['changes'][number]): string {
  if (state === 'untracked') return 'not tracked yet'
  if (state === 'conflicted') return 'in conflict'
  if (state === 'deleted') return 'deleted, uncommitted'
  return staged && !unstaged ? 'staged' : 'uncommitted'
}

const times = (number: number) => (number === 1 ? 'once' : `${number} times`)
