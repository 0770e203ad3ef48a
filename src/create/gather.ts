import { adapterById } from '../agents/table.ts'
import type { Carried } from '../brief/carry.ts'
import { handedDown } from '../brief/chain.ts'
import { type CurrentBrief, readBlobBrief, readCheckout, readCurrent } from '../briefs/current.ts'
import { readMetas } from '../briefs/read-metas.ts'
import { verdictOnWords } from '../briefs/verdict.ts'
import type { Invocation } from '../command.ts'
import type { Extractor } from '../extract/extractor.ts'
import type { Repo } from '../git/open-repo.ts'
import { readHistory } from '../git/read-history.ts'
import { readState } from '../git/read-state.ts'
import { separateRefsHere } from '../git/separate-branch.ts'
import { originUrl } from '../git/settings.ts'
import type { RepoSnapshot } from '../git/snapshot.ts'
import type { Scanner } from '../secrets/scanner.ts'
import { givenSession } from '../session/given-session.ts'
import { type PickedSession, pickSession } from '../session/pick-session.ts'
import { type ReadSession, readSession, warnDamaged, warnUnread } from '../session/read-session.ts'
import { age, secondsSince, size } from '../session/session-list.ts'
import { openHere } from '../session/session-place.ts'
import { callerMarks } from '../start/destination.ts'
import { successorEnv } from '../start/start-agent.ts'
import { readLedger, recordOffered, recordOrigin } from '../store/ledger.ts'
import { plural } from '../text/count.ts'
import type { FrontMatter } from '../types/brief.ts'
import type { Config } from '../types/config.ts'
import type { Evidence } from '../types/evidence.ts'
import type { GitState } from '../types/git.ts'
import type { Truth } from '../verify/truth.ts'
import { ask, mayAsk } from '../workspace/at-terminal.ts'
import { maskSecrets } from '../workspace/input-secrets.ts'
import type { Workspace } from '../workspace/workspace.ts'
import { type CreateRequest, isWriting } from './create-request.ts'
import { type PickedNotes, pickNotes } from './pick-notes.ts'

/** Everything a brief is made of, read. */
export interface Gathered {
  request: CreateRequest
  /** The goal is short or vague, and was taken all the same. */
  vague: boolean
  workspace: Workspace
  /** What was asked of git; null outside a repository. */
  reading: RepoSnapshot | null
  config: Config
  git: GitState | null
  picked: PickedSession | null
  session: ReadSession
  scanner: Scanner
  /** The open brief of this checkout; where there is none, the one that landed last: the parent of the new one. */
  current: CurrentBrief | null
  /** The parent is open and trusted, so that the new brief takes over what it hands down. */
  inherits: boolean
  /** All words are this person's own or trusted; false where an untrusted brief is resumed. */
  isOwn: boolean
  /** How many items of an open parent are left out because nobody trusts it. */
  leftOut: number
  notes: PickedNotes
  /** Names and quotes of the notes that nothing here holds; absent where they were not looked up. */
  unseen?: ReadonlySet<string>
  /** For a brief that is made anew from an earlier one, which is `current`. */
  resumed?: Resumed
  /** What a model added, where one was asked. */
  extracted?: Extracted
}

/** What a model said of the session, held against the facts. */
export interface Extracted {
  meta: FrontMatter['extraction']
  /** Why there is nothing of it; null when there is. */
  failed: string | null
  join(evidence: Evidence): Evidence
}

/** What a resumed brief has besides what every brief is made of. */
export interface Resumed {
  carried: Omit<Carried, 'isAll'>
  /** The session as it stood when the brief was made; null without one. */
  earlier: Extractor | null
  /** Paths that differ from then. */
  changed: ReadonlySet<string>
  /** What was uncommitted then and is not here: one sentence. */
  left: string | null
  truth: Truth
  /** One line. */
  drift: string | null
}

/** Reads session, git, notes and the current brief side by side. Throws what each of them throws. */
export async function gather(
  invocation: Invocation,
  about: Pick<Gathered, 'request' | 'vague' | 'workspace' | 'scanner' | 'config' | 'reading'>,
  picked: PickedSession | null,
): Promise<Gathered> {
  const { place } = invocation
  const { request, workspace, scanner, config, reading } = about
  const { repo } = workspace
  const since = picked?.ref.startedAt ?? undefined
  const [git, session, parent] = await Promise.all([
    repo === null || reading === null
      ? null
      : readState(repo, { worktrees: workspace.roots, reading, ...(since === undefined ? {} : { since }) }),
    readSession(picked, place, scanner),
    repo === null ? NO_PARENT : readParent(invocation, request, repo, reading),
  ])
  await warnUnread(invocation, repo)
  warnDamaged(invocation, session)
  const at = { repo, session: picked?.ref.id ?? null, branch: git?.branch ?? null, head: git?.head ?? null }
  const notes = await pickNotes(invocation, request, at, config, scanner)
  return { ...about, git, picked, session, notes, ...parent }
}

type Parent = Pick<Gathered, 'current' | 'inherits' | 'isOwn' | 'leftOut'>

const NO_PARENT: Parent = { current: null, inherits: false, isOwn: true, leftOut: 0 }

/** Only an open brief hands anything down; one that landed is linked to, and after a closing record a new chain begins. */
async function readParent(
  invocation: Invocation,
  request: CreateRequest,
  repo: Repo,
  reading: RepoSnapshot | null,
): Promise<Parent> {
  const { current, closing, landed } = await readCheckout(repo, reading)
  if (current === null) {
    const [last] = closing === null ? landed : []
    const link = last === undefined ? null : await readBlobBrief(repo, last, true)
    return { ...NO_PARENT, current: link }
  }
  const { constraints, questions } = handedDown(current.parsed)
  const count = constraints.length + questions.length
  const inherits =
    (await verdictOnWords(repo, current)).trusted ||
    (isWriting(request) && (await offerOrigin(invocation, repo, current, count)))
  return { current, inherits, isOwn: true, leftOut: inherits ? 0 : count }
}

/**
 * The session, said aloud: which one, how old, how large; and warned about when it is of somewhere else. What `checked`
 * is rejected with comes before everything else.
 */
export async function chooseSession(
  invocation: Invocation,
  request: CreateRequest,
  workspace: Workspace,
  saveStdin: () => Promise<string>,
  checked: Promise<void>,
): Promise<PickedSession | null> {
  const { out } = invocation
  const here = openHere(workspace)
  const acp = /^acp:(.+)$/s.exec(request.from ?? '')?.[1]
  const picking =
    request.events !== undefined
      ? Promise.resolve(givenSession(request.events, invocation.place))
      : acp === undefined
        ? pickSession(invocation, {
            roots: workspace.roots,
            here,
            from: request.from,
            session: request.session,
            saveStdin,
            briefs: () => briefsOf(workspace),
          })
        : (await import('../session/load-acp.ts')).loadAcp(
            invocation,
            acpSettings(invocation, workspace, acp),
            acp,
            request.session,
          )
  // Heard below, after the check.
  picking.catch(() => undefined)
  await checked
  const picked = await picking
  if (picked === null) {
    out.say('No session: git facts alone.')
    return null
  }
  const { ref, adapter, isOurs } = picked
  const seconds = ageSeconds(invocation, picked)
  const branch = ref.branch === (await here.branch()) ? undefined : ref.branch
  const told = await maskSecrets({ id: ref.id, branch, where: await here.elsewhere(ref) })
  const facts = [
    `Session: ${adapter.label} ${told.id}`,
    `last event ${age(seconds)} ago`,
    `${size(ref.bytes)}${ref.bytes > LONG_TO_READ ? ', which takes a while to read' : ''}`,
    ...(told.branch === undefined ? [] : [`recorded on branch ${told.branch}`]),
  ]
  out.say(facts.join(', '))
  // The agent that calls may have changed the branch: it is at work here.
  if (told.where !== null && (request.session !== undefined || !isOurs))
    out.warn(
      `the session is ${told.where}; its paths count where a tool call touched them or they exist here`,
    )
  return picked
}

/** Bytes of a session that is read for more than two seconds. */
const LONG_TO_READ = 100 * 1024 * 1024

/** The agent gets what its login needs, as when it is started. */
function acpSettings({ place }: Invocation, { loaded: { own } }: Workspace, name: string) {
  const pass = adapterById(name)?.launch?.passEnv ?? []
  return { own, env: successorEnv(place.env, [...pass, ...own.passEnv], callerMarks()) }
}

/** The current brief and those in the history of this line of work, wherever they are kept. */
async function briefsOf({ repo }: Workspace): Promise<FrontMatter[]> {
  if (repo === null) return []
  const history = separateRefsHere(repo).then(({ refs }) => readHistory(repo, { also: refs }))
  const [current, entries] = await Promise.all([readCurrent(repo), history])
  const metas = (await readMetas(repo, entries)).map(({ meta }) => meta)
  return current === null ? metas : [current.parsed.meta, ...metas]
}

export const ageSeconds = (invocation: Invocation, { ref }: PickedSession): number =>
  secondsSince(ref.updatedAt, invocation.place)

/** Says what the new brief did not take over from its parent, and how it may. */
export function tellLeftOut(
  { out }: Invocation,
  { current, leftOut }: { current: CurrentBrief | null; leftOut: number },
): void {
  if (current === null || leftOut === 0) return
  out.warn(
    `${itemsOf(current, leftOut)} left out, as it is not trusted; read it, then: \`npx git-handoff trust ${current.id}\``,
  )
}

/**
 * Asks a person at a terminal, once in a clone, whether to trust what origin carries, when a handoff would leave out `count`
 * items of a brief for want of that trust. True when they do. Throws `cancelled`, `writeFailed`.
 */
async function offerOrigin(
  invocation: Invocation,
  repo: Repo,
  current: CurrentBrief,
  count: number,
): Promise<boolean> {
  const { commonDir } = repo
  if (count === 0 || !mayAsk(invocation) || (await readLedger(commonDir)).isOffered) return false
  const url = await originUrl(repo)
  if (url === null || !(await verdictOnWords(repo, current, true)).trusted) return false
  const hint = `take over ${itemsOf(current, count)}; agents are shown such briefs`
  const answer = await ask(invocation, (questions) =>
    questions.one({
      message: `Trust briefs on branches of origin (${url})?`,
      choices: [
        { value: 'yes', label: 'Yes', hint },
        { value: 'no', label: 'No', hint: 'leave them out' },
      ],
      initial: 'no',
    }),
  )
  await (answer === 'yes' ? recordOrigin(commonDir, url) : recordOffered(commonDir))
  return answer === 'yes'
}

const itemsOf = ({ id }: CurrentBrief, count: number): string =>
  `${plural(count, 'constraint or question', 'constraints and questions')} of ${id}`
