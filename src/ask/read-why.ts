import { type CurrentBrief, endOfBase, hasLeft } from '../briefs/current.ts'
import { findBrief } from '../briefs/find-brief.ts'
import { refreshLatest } from '../briefs/latest-file.ts'
import { verdictOn } from '../briefs/verdict.ts'
import type { Invocation } from '../command.ts'
import { untrustedBrief } from '../errors/cycle.ts'
import { isHandoffError } from '../errors/handoff-error.ts'
import { BRIEFS } from '../git/files.ts'
import type { Repo } from '../git/open-repo.ts'
import { isBehind } from '../git/operation.ts'
import { type HistoryEntry, readHistory } from '../git/read-history.ts'
import { originUrl } from '../git/settings.ts'
import type { Scanner } from '../secrets/scanner.ts'
import { plural, shortSha } from '../text/count.ts'
import { openScanner } from '../workspace/input-secrets.ts'
import { openWorkspace } from '../workspace/workspace.ts'
import { findSource } from './read-answer.ts'
import { type Author, readBlame, readTarget, type Target } from './read-blame.ts'
import { createTurnFinder, linesOfTurn } from './session-turn.ts'
import { type Quote, turnsOn } from './turns.ts'

interface Reason {
  commit: { sha: string; subject: string; at: string; lines: number }
  briefs: { id: string; path: string; goal: string | null; by: Tie; trusted: boolean }[]
  quotes: Quote[]
  none: string | null
}

/** Commits of a whole file that are told of. */
const MOST_COMMITS = 3

/** The object of `why --json`, and the same as `text`. Throws `usage`, `gitFailed`. */
export async function readWhy(invocation: Invocation, given: string) {
  const { out, place } = invocation
  const { repo, root, roots, loaded } = await openWorkspace(invocation, { isAnswer: true })
  await refreshLatest(invocation, repo)
  const scanner = await openScanner(place, root, loaded.config)
  const target = readTarget(repo, place.root, given)
  const tracked = (await repo.git(['ls-files', '-z'])).split('\0')
  const authors = await readBlame(repo, target, tracked)
  const history = authors.length === 0 ? [] : await readHistory(repo)
  const found: Reason[] = []
  for (const author of authors.slice(0, MOST_COMMITS))
    found.push(await reasonOf({ place, repo, roots, scanner }, target, author, history, tracked))
  const { value } = await scanner.redact({ reasons: found, target })
  const { reasons } = value
  const text =
    reasons.length === 0
      ? `${nameOf(value.target)} is not committed yet.`
      : reasons.map(textOf(value.target)).join('\n\n')
  return { result: { ok: true, ...value.target, reasons, text, warnings: out.warnings }, text }
}

/** Where sessions are looked for, and whoever learns their secrets. */
interface Around {
  place: Invocation['place']
  repo: Repo
  roots: string[]
  scanner: Pick<Scanner, 'onRaw'>
}

async function reasonOf(
  around: Around,
  { path }: Target,
  author: Author,
  history: readonly HistoryEntry[],
  tracked: readonly string[],
): Promise<Reason> {
  const { repo } = around
  const { sha, subject, at, lines, isEnd } = author
  const found = isEnd && repo.shallow ? [] : await readBriefsOf(repo, author, history)
  const briefs = await Promise.all(
    found.map(async (one) => ({ ...one, ...(await verdictOn(repo, one.brief)) })),
  )
  const [first] = briefs
  // The brief that tells of the commit comes behind the one that led to it.
  const naming = briefs.find(({ by }) => by !== 'followed' && by !== 'before') ?? first
  const isHandoff = briefs.length > 0 && briefs.every(({ by }) => by === 'handoff')
  const shown = isHandoff
    ? []
    : briefs.filter(({ trusted }) => trusted).map(({ brief, as }) => ({ ...brief, as }))
  const paths = [...new Set([path, author.path])]
  const inBriefs = turnsOn(shown, paths, tracked)
  const inSessions =
    inBriefs[0]?.about === 'commit' ? [] : await quotesOfSessions(around, shown, author, paths)
  const isExact = inSessions.some(({ about }) => about === 'commit')
  const quotes = isExact || inBriefs.length === 0 ? inSessions : inBriefs
  return {
    commit: { sha, subject, at, lines: lines.length },
    briefs: briefs.map(({ brief: { id, path: file, parsed }, by, trusted }) => ({
      ...{ id, path: file, by, trusted },
      // The goal of a brief is what comes after it.
      goal: trusted && (by === 'followed' || by === 'before') ? parsed.meta.goal : null,
    })),
    quotes,
    none:
      quotes.length > 0
        ? null
        : isEnd && repo.shallow
          ? 'This clone is shallow and ends there: run `git fetch --unshallow` first.'
          : briefs.length === 0
            ? 'No brief tells of this commit.'
            : isHandoff
              ? 'This commit only hands over.'
              : shown.length === 0 && first !== undefined
                ? untrusted(first.brief.id, first.because, (await originUrl(repo)) !== null)
                : `It names neither the commit nor the file. All of it: \`git handoff show ${naming?.brief.id}\`.`,
  }
}

/** What the sessions behind these briefs say, where the briefs do not name the commit: the turn that made it, else one that changed the file. */
async function quotesOfSessions(
  { place, repo, roots, scanner }: Around,
  briefs: readonly (CurrentBrief & Pick<BriefOfCommit, 'as'>)[],
  author: Author,
  paths: readonly string[],
): Promise<Quote[]> {
  const quotes = new Map<string, Quote>()
  for (const brief of briefs) {
    const { adapter, ref, label } = await findSource(place, repo, roots, brief)
    if (adapter === null || ref === null || quotes.has(ref.path)) continue
    const finder = createTurnFinder([author.sha, brief.as], author.at, paths)
    // One that cannot be read says nothing.
    const read = async (): Promise<void> => {
      for await (const batch of adapter.read(ref, { place, signal: place.signal, onRaw: scanner.onRaw }))
        for (const event of batch) finder.add(event)
    }
    await read().catch((error: unknown) => {
      if (!isHandoffError(error)) throw error
    })
    const turn = finder.end()
    if (turn?.about)
      quotes.set(ref.path, {
        ...{ brief: brief.id, lines: linesOfTurn(turn), about: turn.about },
        section: `Turn ${turn.turn} of ${label ?? 'the session'}`,
      })
  }
  const all = [...quotes.values()]
  const exact = all.filter(({ about }) => about === 'commit')
  return exact.length > 0 ? exact : all.slice(0, 1)
}

function untrusted(id: string, because: string, hasOrigin: boolean): string {
  const { message, hint } = untrustedBrief(id, because)
  return `${message} ${hint}${hasOrigin ? ', or for all of origin `git handoff trust --origin`' : ''}.`
}

const nameOf = ({ path, line }: Target): string => (line === null ? path : `${path}:${line}`)

const HOW: Readonly<Record<Tie, string>> = {
  named: 'tells of it',
  range: 'is the next one on its branch',
  squashed: 'came with it (squashed)',
  handoff: 'is what it committed',
  followed: 'led to it',
  before: 'was open then',
  uncommitted: 'listed the file as not committed',
}

const textOf =
  (target: Target) =>
  ({ commit: { sha, subject, at, lines }, briefs, quotes, none }: Reason): string => {
    const share = target.line === null ? ` wrote ${plural(lines, 'line')}` : ''
    const [best] = quotes
    return [
      `${nameOf(target)}: commit ${shortSha(sha)} of ${at.slice(0, 10)}${share}: ${subject}`,
      ...briefs.map(
        ({ id, goal, by }) => `Brief ${id} ${HOW[by]}${goal === null ? '.' : `. Its goal: ${goal}`}`,
      ),
      ...(best?.about === 'file' ? ['These name the file, perhaps for another change:'] : []),
      ...quotes.flatMap(({ brief, section, lines }) => [
        `${section}, ${brief}:`,
        ...lines.map((words) => `> ${words}`),
      ]),
      ...(none === null ? [] : [none]),
    ].join('\n')
  }

/** How a brief is known to tell of a commit. */
export type Tie =
  | 'named'
  /** The commit lies between its base, or the brief before it, and itself. */
  | 'range'
  /** The commit brought it with other files: a squash, or a commit of everything. */
  | 'squashed'
  | 'handoff'
  /** The commit names it as the one that it goes on with. */
  | 'followed'
  /** The brief that tells of the commit goes on from it. */
  | 'before'
  /** It is the last one before the commit, and listed the file as not committed. */
  | 'uncommitted'

export interface BriefOfCommit {
  brief: CurrentBrief
  by: Tie
  /** Id that it knows the commit by: another one where the commit was rebased since. */
  as: string
}

/** Briefs that one commit may have brought and that are read, the newest. */
const MOST_SQUASHED = 5
/** Briefs after a commit that are asked whether they tell of it. */
const MOST_AFTER = 3

/** The briefs that tell of a commit, and nothing that only might. `history`: the briefs of the current branch. Throws `gitFailed`. */
export async function readBriefsOf(
  repo: Repo,
  author: Author,
  history: readonly HistoryEntry[],
): Promise<BriefOfCommit[]> {
  const brought = history.filter(({ commit }) => commit === author.sha)
  if (brought.length > 0) {
    const by = (await bringsOnlyBriefs(repo, author.sha)) ? 'handoff' : 'squashed'
    return (await read(repo, brought.slice(0, MOST_SQUASHED))).map((brief) => ({ brief, by, as: author.sha }))
  }
  const args = ['rev-list', '--ancestry-path', '--topo-order', '--reverse', `${author.sha}..HEAD`, '--']
  const after = (await repo.git(args)).split('\n')
  const next = after.flatMap((sha) => history.filter(({ commit }) => commit === sha)).slice(0, MOST_AFTER)
  const before = await followed(repo, author, history)
  for (const [at, brief] of (await read(repo, next)).entries()) {
    const as = await nameIn(repo, brief, author, history)
    const by =
      as !== null ? 'named' : at === 0 && (await isInRange(repo, brief, author, history)) ? 'range' : null
    if (by === null) continue
    const { parents } = brief.parsed.meta
    const earlier = history.filter(({ id }) => before.length === 0 && parents.includes(id))
    const from = (await read(repo, earlier)).map(
      (one): BriefOfCommit => ({ brief: one, by: 'before', as: author.sha }),
    )
    return [...before, ...from, { brief, by, as: as ?? author.sha }]
  }
  return before.length > 0 ? before : leftBy(repo, author, history)
}

async function bringsOnlyBriefs(repo: Repo, sha: string): Promise<boolean> {
  const list = ['diff-tree', '--no-commit-id', '--name-only', '-r', '-z', '--root', sha]
  const files = (await repo.git(list)).split('\0').filter((path) => path !== '')
  return files.length > 0 && files.every((path) => path.startsWith('.handoff/'))
}

/** The last brief before the commit, where the file lay uncommitted when it was made, and nobody committed it before. */
async function leftBy(
  repo: Repo,
  { sha, path }: Author,
  history: readonly HistoryEntry[],
): Promise<BriefOfCommit[]> {
  const last = (await repo.git(['log', '-1', '--format=%H', sha, '--', BRIEFS])).trim()
  const entries = history.filter(({ commit }) => commit === last)
  const [brief] = await read(repo, entries.slice(0, 1))
  if (brief === undefined || !hasLeft(brief, path)) return []
  const count = await repo.git(['rev-list', '--count', `${last}..${sha}`, '--', path])
  return count.trim() === '1' ? [{ brief, by: 'uncommitted', as: sha }] : []
}

/** The brief that a trailer of the commit names, as our hook writes it where a team wants that. */
async function followed(
  repo: Repo,
  { sha }: Author,
  history: readonly HistoryEntry[],
): Promise<BriefOfCommit[]> {
  const args = ['log', '-1', '--format=%(trailers:key=Handoff-For,valueonly)', sha, '--']
  const id = (await repo.git(args)).trim()
  const found = await read(repo, history.filter((entry) => entry.id === id).slice(0, 1))
  return found.map((brief) => ({ brief, by: 'followed', as: sha }))
}

async function read(repo: Repo, entries: readonly HistoryEntry[]): Promise<CurrentBrief[]> {
  const briefs = entries.map(({ id }) => findBrief(repo, id, repo.root).catch(() => null))
  const found = (await Promise.all(briefs)).filter((brief) => brief !== null)
  return found.filter(({ parsed }) => parsed.meta.kind !== 'done')
}

/** The id of the commit in a brief that names it, by id or where it was rebased since by its subject; null in others. */
async function nameIn(
  repo: Repo,
  { id, parsed: { brief, meta } }: CurrentBrief,
  { sha, subject, at }: Author,
  history: readonly HistoryEntry[],
): Promise<string | null> {
  const done = brief.progress.done.map(({ text }) => text)
  const made = brief.status.filter((line) => line.startsWith('The session made '))
  const ids = [...done, ...made].flatMap((text) => text.match(/\b[0-9a-f]{7,40}\b/g) ?? [])
  if (ids.some((one) => sha.startsWith(one))) return sha
  const twins = done.flatMap((text) => {
    const [, one = '', said] = /^`([0-9a-f]+)` (.*)$/s.exec(text) ?? []
    return said === subject ? [one] : []
  })
  const bringer = history.find((entry) => entry.id === id)?.commit
  const [twin] = twins
  if (twin === undefined || bringer === undefined || at > meta.createdAt) return null
  // Where a commit that the brief means is still there, this is another one; of a squash the ids are gone anyway.
  const base = endOfBase(meta)
  const [isOwn, isOld, ...areThere] = await Promise.all([
    bringsOnlyBriefs(repo, bringer),
    base === undefined ? false : isBehind(repo, sha, base),
    ...twins.map((one) => isBehind(repo, one)),
  ])
  if (!isOwn || isOld || areThere.includes(true)) return null
  return twins.length === 1 ? twin : sha
}

/** It came after the base of the brief, or where there is none after the brief before it, and before the brief itself. */
async function isInRange(
  repo: Repo,
  { parsed: { meta } }: CurrentBrief,
  { sha }: Author,
  history: readonly HistoryEntry[],
): Promise<boolean> {
  const base = endOfBase(meta)
  const before = history.filter(({ id }) => meta.parents.includes(id)).map(({ commit }) => commit)
  const bases = base === undefined ? before : [base]
  if (bases.length === 0 || meta.head === null) return false
  const [inHead, ...inBases] = await Promise.all([meta.head, ...bases].map((end) => isBehind(repo, sha, end)))
  // A base that was rewritten since is not there any more: then nobody can tell.
  return inHead === true && inBases.every((isIn) => isIn === false)
}
