import { relative } from 'node:path'
import { handedDown } from '../brief/chain.ts'
import type { ParentSummary } from '../brief/draft.ts'
import { fillTemplate } from '../brief/template.ts'
import { type CurrentBrief, readCheckout, readCurrent } from '../briefs/current.ts'
import { warnPassedOver } from '../briefs/find-brief.ts'
import { offerOrigin } from '../briefs/left-out.ts'
import { verdictOnWords } from '../briefs/verdict.ts'
import type { Invocation } from '../command.ts'
import type { LoadedConfig } from '../config/load.ts'
import type { Repo } from '../git/open-repo.ts'
import type { RepoSnapshot } from '../git/snapshot.ts'
import { readOwnFiles } from '../init/own-files.ts'
import { goalStep, type Inherited } from '../life/hand-down.ts'
import { readWork } from '../life/trunk.ts'
import { hideHomes, type Scanner } from '../secrets/scanner.ts'
import type { PickedSession } from '../session/pick-session.ts'
import { type ReadSession, readSession, type Work, warnDamaged } from '../session/read-session.ts'
import { readPickUp } from '../store/journal.ts'
import type { Notes } from '../types/brief.ts'
import type { Config } from '../types/config.ts'
import type { TextFact } from '../types/evidence.ts'
import type { GitState } from '../types/git.ts'
import { privateNames } from '../workspace/input-secrets.ts'
import type { Workspace } from '../workspace/workspace.ts'
import { type CreateRequest, isWriting } from './create-request.ts'
import { type Resumed, readSince, resumedFrom } from './resumed.ts'

/** What `create` works on: what was asked for, where, and whose words are read. */
export interface Task {
  request: CreateRequest
  /** The goal is short or vague, and was taken all the same. */
  vague: boolean
  workspace: Workspace
  config: Config
  scanner: Scanner
  /** What was asked of git; null outside a repository. */
  reading: RepoSnapshot | null
  picked: PickedSession | null
  /** What else the session tells as it is read. */
  work: Work
  /** The brief that is made anew; null for a new one. */
  resumes: CurrentBrief | null
}

export interface PickedNotes {
  notes: Notes | null
  /** Age of notes shown although they are stale. */
  age: string | null
  /** They stand in a brief already, which is made anew: no brief uses them up. */
  isCarried?: boolean
  /** A brief told them, and they were checked for it. */
  isChecked?: boolean
}

/** Everything a brief is made of, read. But for `git` and the briefs themselves it holds no secret that was known when it was read. */
export interface Input extends Task, Parent {
  /** As git has it: for what is looked up and written. */
  git: GitState | null
  /** The same as it may be told. */
  told: GitState | null
  session: ReadSession
  /** Id and path of the session as they may be told. */
  behind: { id: string; path: string } | null
  notes: PickedNotes
  /** The goal as the person typed it, where the agent passed another one. */
  typedGoal: string | null
  /** The person's own preamble. */
  preamble: string | null
  /** The file of the repository that says the mission; null where the person says it, or nobody. */
  missionFile: string | null
  resumed: Resumed | null
  /** A copy without homes and user names. */
  hide: <T>(value: T) => T
}

interface Parent {
  /** The brief that the new one follows; the newest where it follows several. */
  current: CurrentBrief | null
  /** Ids of all open heads that it follows, newest first. */
  follows: readonly string[]
  /** The open brief of this checkout; another one than `current` where an older brief is made anew. */
  newest: CurrentBrief | null
  /** What an open and trusted parent hands down; null where there is none. */
  inherited: (Inherited & ParentSummary) | null
  /** All words are this person's own or trusted; false where an untrusted brief is resumed. */
  isOwn: boolean
  /** How many items of an open parent are left out because nobody trusts it. */
  leftOut: number
  /** It was made on the trunk that this branch grew from. */
  isOfTrunk: boolean
}

const NO_PARENT: Parent = {
  ...{ current: null, follows: [], newest: null, inherited: null },
  ...{ isOwn: true, leftOut: 0, isOfTrunk: false },
}

/** Reads session, git, the parent and the notes, each text cleaned once. Throws what each of them throws. */
export async function gather(invocation: Invocation, task: Task): Promise<Input> {
  const { place } = invocation
  const { workspace, scanner, reading, picked, resumes } = task
  const { repo } = workspace
  const from = picked?.ref.startedAt ?? resumes?.parsed.meta.createdAt
  const [git, session, open, since] = await Promise.all([
    repo === null || reading === null
      ? null
      : readOwnFiles(repo, workspace.roots).then((own) =>
          readWork(repo, {
            ...{ worktrees: workspace.roots, reading, own },
            ...(from === undefined ? {} : { since: from }),
          }),
        ),
    readSession(picked, place, scanner),
    repo === null ? NO_PARENT : readParent(invocation, task, repo),
    repo === null || resumes === null ? null : readSince(repo, resumes),
  ])
  // What is open on the trunk is followed by work that took it up, and by no other branch that was begun there.
  const isTakenUp = !open.isOfTrunk || session.hasReadBrief || (await isPickedUp(open, task, place.now()))
  const parent = isTakenUp ? open : { ...NO_PARENT, newest: open.newest }
  warnDamaged(invocation, session)
  const { home, userNames } = privateNames(invocation, git?.identity.name ?? '')
  const hide = <T>(value: T): T => hideHomes(value, home ?? '', userNames)
  const clean = async <T>(value: T): Promise<T> => (await scanner.redact(value)).value
  const { mission, personas } = task.config
  return {
    ...task,
    // Nobody typed these for this brief.
    config: { ...task.config, ...(await clean({ mission, personas })) },
    git,
    told: git && (await withoutSecrets(git, scanner)),
    session,
    behind: picked && (await clean({ id: picked.ref.id, path: picked.ref.path })),
    ...parent,
    inherited: hide(await clean(parent.inherited)),
    notes: { notes: null, age: null },
    typedGoal: null,
    preamble: await clean(preambleOf(workspace.loaded)),
    missionFile: missionFileOf(workspace),
    resumed: resumes && since && git && hide(await clean(resumedFrom(resumes, since, git))),
    hide,
  }
}

/**
 * What of git a brief may tell. The list of all files is only looked up in: of those with a secret in their name it knows the ones that
 * changed. The line of commits is told nowhere.
 */
export async function withoutSecrets(git: GitState, scanner: Scanner): Promise<GitState> {
  const { files, setUp, identity, unpushed, ...texts } = git
  const { value: told } = await scanner.redact(texts)
  if (told === texts) return git
  // A changed file whose name holds a secret is known under its mark.
  const changed = [...told.changes.map(({ path }) => path), ...told.commits.flatMap(({ files: of }) => of)]
  const masked = new Set(changed.filter((path) => !files.has(path)))
  const all: GitState['files'] = {
    has: (path) => files.has(path) || masked.has(path),
    [Symbol.iterator]: () => files[Symbol.iterator](),
  }
  return { ...git, ...told, files: all }
}

/** Only open briefs are followed and hand anything down: after landed or closed work a new line begins. */
async function readParent(
  invocation: Invocation,
  { request, reading, resumes }: Task,
  repo: Repo,
): Promise<Parent> {
  if (resumes !== null) {
    const [newest, { trusted }] = await Promise.all([readCurrent(repo), verdictOnWords(repo, resumes)])
    const inherited = handsDown([resumes])
    return { ...NO_PARENT, current: resumes, follows: [resumes.id], newest, inherited, isOwn: trusted }
  }
  const checkout = await readCheckout(repo, reading)
  warnPassedOver(invocation.out, checkout)
  const { current: newest, heads, isOfTrunk } = checkout
  const [first, ...beside] = heads
  if (first === undefined) return { ...NO_PARENT, isOfTrunk }
  let left = await untrusted(repo, heads)
  const [strange] = left
  if (strange !== undefined && isWriting(request))
    if (await offerOrigin(invocation, repo, strange, countItems(left))) left = await untrusted(repo, heads)
  const trusted = heads.filter((brief) => !left.includes(brief))
  return {
    ...{ current: { ...first, beside }, follows: heads.map(({ id }) => id), newest, isOwn: true, isOfTrunk },
    inherited: trusted.length === 0 ? null : handsDown(trusted),
    leftOut: countItems(left),
  }
}

/** Those whose words nobody here trusts. */
async function untrusted(repo: Repo, briefs: readonly CurrentBrief[]): Promise<CurrentBrief[]> {
  const verdicts = await Promise.all(briefs.map((brief) => verdictOnWords(repo, brief)))
  return briefs.filter((_, at) => verdicts[at]?.trusted !== true)
}

function countItems(briefs: readonly CurrentBrief[]): number {
  const { constraints, questions, pending } = handsDown(briefs)
  return constraints.length + questions.length + pending.length
}

/** The session was started with this brief, or our hooks saw it act on it. */
async function isPickedUp(
  { current }: Parent,
  { workspace: { repo }, picked }: Task,
  now: Date,
): Promise<boolean> {
  if (repo === null || current === null || picked === null) return false
  const found = await readPickUp(repo.commonDir, current.id, now.getTime())
  return found?.isActing === true && found.sessionId === picked.ref.id
}

/** What these briefs hand down together; goal, skills and persona are those of the first. */
export function handsDown(briefs: readonly CurrentBrief[]): Inherited & ParentSummary {
  const given = briefs.map(({ parsed, line }) => ({ ...handedDown(parsed), line, cuts: parsed.brief.cuts }))
  type Given = (typeof given)[number]
  const { id = '', createdAt = '', goal = '', skills = [], persona = null } = briefs[0]?.parsed.meta ?? {}
  const all = <T extends TextFact>(section: string, of: (one: Given) => readonly T[]): T[] => {
    // It came from a brief that both follow, and the other hands it down no more: it was taken back, answered or done there.
    const isEnded = ({ from, text }: T): boolean =>
      given.some(
        (one) =>
          from !== undefined &&
          one.line?.has(from) &&
          !(section in one.cuts) &&
          of(one).every((other) => other.text !== text),
      )
    // What a second head hands down names it; the first is the previous handoff, which the brief names anyway.
    return given.flatMap((one) =>
      of(one)
        .filter((fact) => !isEnded(fact))
        .map((fact) => (one.id === id ? fact : { ...fact, from: fact.from ?? one.id })),
    )
  }
  return {
    ...{ id, createdAt, goal, skills, persona },
    constraints: all('constraints', (one) => one.constraints),
    questions: all('questions', (one) => one.questions),
    decisions: given.flatMap((one) => one.decisions),
    // That of the first is the goal before, which the new one may repeat.
    pending: [
      ...briefs.slice(1).map(({ parsed }) => goalStep(parsed.meta)),
      ...all('progress', (one) => one.pending),
    ],
  }
}

/** The person's own preamble, or null. */
function preambleOf({ templateOf }: LoadedConfig): string | null {
  const own = templateOf('preamble')
  return own && fillTemplate('preamble', {}, own).trim()
}

function missionFileOf({ loaded, root }: Workspace): string | null {
  const origin = loaded.origins.get('mission')
  return origin?.whose === 'repository' ? relative(root, origin.where) : null
}
