import { refreshLatest } from '../briefs/latest-file.ts'
import { verdictOn } from '../briefs/verdict.ts'
import type { Invocation } from '../command.ts'
import { untrustedBrief } from '../errors/cycle.ts'
import type { Repo } from '../git/open-repo.ts'
import { type HistoryEntry, readHistory } from '../git/read-history.ts'
import { originUrl } from '../git/settings.ts'
import { plural, shortSha } from '../text/count.ts'
import { openScanner } from '../workspace/input-secrets.ts'
import { openWorkspace } from '../workspace/workspace.ts'
import { type Author, readBlame, readTarget, type Target } from './read-blame.ts'
import { readBriefsOf, type Tie } from './read-briefs-of.ts'
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
  const { repo, root, loaded } = await openWorkspace(invocation, { isAnswer: true })
  await refreshLatest(invocation, repo)
  const target = readTarget(repo, place.root, given)
  const tracked = (await repo.git(['ls-files', '-z'])).split('\0')
  const authors = await readBlame(repo, target, tracked)
  const history = authors.length === 0 ? [] : await readHistory(repo)
  const found: Reason[] = []
  for (const author of authors.slice(0, MOST_COMMITS))
    found.push(await reasonOf(repo, target, author, history, tracked))
  const scanner = await openScanner(place, root, loaded.config)
  const { value: reasons } = await scanner.redact(found)
  const text =
    reasons.length === 0
      ? `${nameOf(target)} is not committed yet.`
      : reasons.map(textOf(target)).join('\n\n')
  return { result: { ok: true, ...target, reasons, text, warnings: out.warnings }, text }
}

async function reasonOf(
  repo: Repo,
  { path }: Target,
  author: Author,
  history: readonly HistoryEntry[],
  tracked: readonly string[],
): Promise<Reason> {
  const { sha, subject, at, lines, isEnd } = author
  const told = isEnd && repo.shallow ? [] : await readBriefsOf(repo, author, history)
  const briefs = await Promise.all(
    told.map(async (one) => ({ ...one, ...(await verdictOn(repo, one.brief)) })),
  )
  const [first] = briefs
  // The brief that tells of the commit comes behind the one that led to it.
  const teller = briefs.find(({ by }) => by !== 'followed' && by !== 'before') ?? first
  const isHandoff = briefs.length > 0 && briefs.every(({ by }) => by === 'handoff')
  const shown = isHandoff
    ? []
    : briefs.filter(({ trusted }) => trusted).map(({ brief, as }) => ({ ...brief, as }))
  const quotes = turnsOn(shown, [...new Set([path, author.path])], tracked)
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
                : `It names neither the commit nor the file. All of it: \`git handoff show ${teller?.brief.id}\`.`,
  }
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
