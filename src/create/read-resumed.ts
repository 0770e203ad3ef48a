import { type Carried, carryFrom, changesLeft } from '../brief/carry.ts'
import { notesState } from '../brief/notes.ts'
import type { CurrentBrief } from '../briefs/current.ts'
import type { Invocation } from '../command.ts'
import { asEarlier } from '../facts/commands.ts'
import { isProse } from '../facts/paths.ts'
import type { Repo } from '../git/open-repo.ts'
import { isPartial, readChanged } from '../git/read-named.ts'
import type { Scanner } from '../secrets/scanner.ts'
import { readNotesFiles } from '../store/notes.ts'
import { ageText } from '../text/count.ts'
import type { Notes } from '../types/brief.ts'
import type { GitState } from '../types/git.ts'
import { truthOf } from '../verify/read-truth.ts'
import { driftLine } from '../verify/truth.ts'
import { checkInput } from '../workspace/input-secrets.ts'
import type { PickedNotes } from './pick-notes.ts'

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
    head === null ? null : readChanged(repo, head, 'HEAD', isPartial(repo) ? 'exact' : undefined),
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

/**
 * The notes of the brief, or those that the same session recorded on that branch since, with the time they were really taken
 * at and their age: an explicit resume always uses them. Throws `secretInInput`.
 */
export async function notesOnward(
  { place }: Invocation,
  { commonDir }: Repo,
  { parsed }: CurrentBrief,
  scanner: Scanner,
): Promise<PickedNotes> {
  const { meta, brief } = parsed
  const now = place.now().getTime()
  const session = meta.agent.session ?? null
  const at = { now, session, branch: meta.branch, maxAge: Number.POSITIVE_INFINITY }
  const states = (await readNotesFiles(commonDir)).map(({ value }) => notesState(value, at))
  const recorded = states.find((state) => state.usable)?.notes ?? null
  const saved: Notes | null =
    brief.notes === null ? null : { ...brief.notes, capturedAt: brief.notes.capturedAt || meta.createdAt }
  // Of the same moment, what was committed counts: somebody may have edited it.
  const isLater = (notes: Notes): boolean =>
    saved === null || Date.parse(notes.capturedAt) > Date.parse(saved.capturedAt)
  const notes = recorded !== null && isLater(recorded) ? recorded : saved
  if (notes === null) return { notes: null, age: null }
  const ms = now - Date.parse(notes.capturedAt)
  const age = Number.isNaN(ms) ? null : ageText(Math.max(0, ms))
  if (notes !== saved) return { notes: await checkInput(scanner, 'notes', notes, false), age }
  return { notes: (await scanner.redact(notes)).value, age, isChecked: brief.notesChecked === true }
}
