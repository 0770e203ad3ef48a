import { carryFrom, changesLeft } from '../brief/carry.ts'
import { ageText, notesState } from '../brief/notes.ts'
import type { CurrentBrief } from '../briefs/current.ts'
import type { Invocation } from '../command.ts'
import { asEarlier, isText } from '../extract/check-facts.ts'
import { isPartial, readChanged } from '../git/read-named.ts'
import { readState } from '../git/read-state.ts'
import type { RepoSnapshot } from '../git/snapshot.ts'
import type { Scanner } from '../secrets/scanner.ts'
import type { PickedSession } from '../session/pick-session.ts'
import { readSession, warnDamaged, warnUnread } from '../session/read-session.ts'
import { readNotesFiles } from '../store/notes.ts'
import type { Notes } from '../types/brief.ts'
import { truthOf } from '../verify/read-truth.ts'
import { driftLine } from '../verify/truth.ts'
import { checkInput } from '../workspace/input-secrets.ts'
import type { RepoWorkspace } from '../workspace/workspace.ts'
import type { Gathered } from './gather.ts'
import type { PickedNotes } from './pick-notes.ts'

/** What is taken up again. */
export interface Resumption {
  brief: CurrentBrief
  trusted: boolean
  /** The session behind it; null when it is not on this machine. */
  picked: PickedSession | null
}

/** Reads what a brief is made anew from: git as it is now, the session behind it where it is here, and the brief itself. */
export async function gatherResumed(
  invocation: Invocation,
  about: Pick<Gathered, 'request' | 'scanner' | 'config'> & {
    workspace: RepoWorkspace
    reading: RepoSnapshot
  },
  { brief, trusted, picked }: Resumption,
): Promise<Gathered> {
  const { place } = invocation
  const { workspace, scanner, reading } = about
  const { repo } = workspace
  const { meta } = brief.parsed
  const since = picked?.ref.startedAt ?? meta.createdAt
  // A second look at a session that went on: what it says no more was taken back, what it never said came from elsewhere.
  const wentOn = picked !== null && Date.parse(picked.ref.updatedAt) > Date.parse(meta.createdAt)
  const deaf = { onRaw: () => undefined }
  const [git, session, earlier, truth, differing] = await Promise.all([
    readState(repo, { worktrees: workspace.roots, reading, since }),
    readSession(picked, place, scanner),
    wentOn ? readSession(picked, place, deaf, meta.createdAt) : null,
    truthOf(repo, brief.parsed, brief),
    meta.head === null ? null : readChanged(repo, meta.head, 'HEAD', isPartial(repo) ? 'exact' : undefined),
  ])
  await warnUnread(invocation, repo)
  warnDamaged(invocation, session)
  const carried = carryFrom(brief.parsed, truth)
  const isLeft =
    meta.dirty && git.changes.length === 0 && truth.commits.count === 0 && truth.lacking.count === 0
  const left = isLeft ? changesLeft(brief.parsed) : null
  const changed = new Set([
    ...(differing?.changed ?? []),
    ...(differing?.added ?? []),
    ...(meta.dirty ? [] : git.changes.map(({ path }) => path)),
  ])
  const isCodeChanged = [...changed].some((path) => !isText(path))
  const open = isCodeChanged ? carried.questions.map(asEarlier) : carried.questions
  return {
    ...about,
    vague: meta.vague === true,
    git,
    picked,
    session,
    current: brief,
    notes: await notesOf(place.now().getTime(), repo.commonDir, brief, scanner),
    inherits: true,
    isOwn: trusted,
    leftOut: 0,
    resumed: {
      carried: { ...carried, questions: left === null ? open : [...open, left] },
      left: left?.text ?? null,
      earlier: picked === null ? null : (earlier ?? session).extractor,
      changed,
      truth,
      drift: meta.head === null ? null : driftLine(truth.head === 'here' ? truth : null),
    },
  }
}

/**
 * The notes of the brief, or those that the same session recorded on that branch since, with the time they were really taken
 * at and their age: an explicit resume always uses them. Throws `secretInInput`.
 */
async function notesOf(
  now: number,
  commonDir: string,
  { parsed }: CurrentBrief,
  scanner: Scanner,
): Promise<PickedNotes> {
  const { meta, brief } = parsed
  const at = {
    now,
    session: meta.agent.session ?? null,
    branch: meta.branch,
    maxAge: Number.POSITIVE_INFINITY,
  }
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
