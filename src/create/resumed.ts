import { type Carried, carryFrom, changesLeft } from '../brief/carry.ts'
import type { CurrentBrief } from '../briefs/current.ts'
import { verdictOnWords } from '../briefs/verdict.ts'
import type { Invocation } from '../command.ts'
import { isHandoffError } from '../errors/handoff-error.ts'
import { asEarlier } from '../facts/commands.ts'
import { isProse } from '../facts/paths.ts'
import { readChanged } from '../git/compare-commits.ts'
import type { Repo } from '../git/open-repo.ts'
import type { PickedSession } from '../session/pick-session.ts'
import { findSessionBehind } from '../session/session-behind.ts'
import type { GitState } from '../types/git.ts'
import { truthOf } from '../verify/read-truth.ts'
import { driftLine } from '../verify/truth.ts'
import type { Workspace } from '../workspace/workspace.ts'

/** What a brief that is made anew has besides what every brief is made of. */
export interface Resumed {
  carried: Omit<Carried, 'isAll'>
  /** Paths that differ from then. */
  changed: ReadonlySet<string>
  /** What was uncommitted then and is not here: one sentence. */
  left: string | null
  /** What changed since, in one line. */
  drift: string | null
  /** The old brief was edited after it was first committed. */
  isEdited: boolean
}

/** What became of a brief since it was made. */
export async function readSince(repo: Repo, brief: CurrentBrief) {
  const { head } = brief.parsed.meta
  const [truth, differing] = await Promise.all([
    truthOf(repo, brief.parsed, brief),
    head === null ? null : readChanged(repo, head, 'HEAD'),
  ])
  return { truth, differing }
}

export function resumedFrom(
  { parsed }: CurrentBrief,
  { truth, differing }: Awaited<ReturnType<typeof readSince>>,
  git: GitState,
): Resumed {
  const { meta } = parsed
  const carried = carryFrom(parsed, truth)
  const isLeft =
    meta.dirty && git.changes.length === 0 && truth.commits.count === 0 && truth.lacking.count === 0
  const left = isLeft ? changesLeft(parsed) : null
  const changed = new Set([
    ...(differing?.changed ?? []),
    ...(differing?.added ?? []),
    ...(meta.dirty ? [] : git.changes.map(({ path }) => path)),
  ])
  const isCodeChanged = [...changed].some((path) => !isProse(path))
  const open = isCodeChanged ? carried.questions.map(asEarlier) : carried.questions
  return {
    carried: { ...carried, questions: left === null ? open : [...open, left] },
    changed,
    left: left?.text ?? null,
    drift: meta.head === null ? null : driftLine(truth.head === 'here' ? truth : null),
    isEdited: truth.edited === 'since-commit',
  }
}

/** The session behind a brief that is made anew, where it is on this machine. */
export async function sessionBehind(
  invocation: Invocation,
  { repo, roots }: Workspace,
  brief: CurrentBrief,
): Promise<PickedSession | null> {
  if (repo === null) return null
  const { trusted } = await verdictOnWords(repo, brief)
  try {
    return await findSessionBehind(invocation, repo, roots, brief, trusted)
  } catch (error) {
    tellUseless(invocation, brief, error)
    return null
  }
}

/** Errors of a session that is here and of no use. */
const USELESS = new Set(['E_SESSION_UNREADABLE', 'E_SESSION_FORMAT', 'E_OPENCODE', 'E_TOO_SHORT', 'E_TURN'])

/** Says why the session behind a brief cannot be used. Throws every error that is of something else. */
export function tellUseless({ out }: Invocation, { id }: CurrentBrief, error: unknown): void {
  if (!isHandoffError(error) || !USELESS.has(error.code)) throw error
  out.warn(`the session behind ${id} cannot be used: ${error.message}`)
}
