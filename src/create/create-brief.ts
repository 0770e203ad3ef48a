import { contractWith } from '../brief/template.ts'
import { type CurrentBrief, configOnward } from '../briefs/current.ts'
import { tellLeftOut } from '../briefs/left-out.ts'
import { adoptWaiting, checkPlace } from '../briefs/save-brief.ts'
import type { Invocation } from '../command.ts'
import { loadConfig } from '../config/load.ts'
import { nowhereToKeep } from '../errors/git.ts'
import { takeSnapshot } from '../git/snapshot.ts'
import { PHASES } from '../output/progress.ts'
import type { Scanner } from '../secrets/scanner.ts'
import { chooseSession, sessionLine, stdinSession } from '../session/choose-session.ts'
import { cutSession } from '../session/cut-session.ts'
import type { PickedSession } from '../session/pick-session.ts'
import { watchWork } from '../session/read-session.ts'
import { judgeGoal, settleGoal } from '../session/settle-goal.ts'
import { clipLine } from '../text/safe-text.ts'
import { isAgent, mayAsk, watchProgress, withProgress } from '../workspace/at-terminal.ts'
import { checkInput, openScanner } from '../workspace/input-secrets.ts'
import { refreshRunner } from '../workspace/keep-program.ts'
import type { Workspace } from '../workspace/workspace.ts'
import { type Built, compose, findSame, inputDigest } from './compose.ts'
import { type CreateRequest, isWriting, openForCreate } from './create-request.ts'
import { type Facts, factsOf, onPage } from './facts.ts'
import { gather, type Input, type Task } from './gather.ts'
import { refuseWrong } from './judge.ts'
import { type CreateOutcome, dryOutcome, keep, repeat } from './keep.ts'
import { notesOnward, pickNotes, wantNotes } from './page.ts'
import { sessionBehind, tellUseless } from './resumed.ts'

/** What was asked for, and where. */
type Asked = Pick<Task, 'request' | 'vague' | 'workspace' | 'resumes'>

/**
 * Joins session, git and notes into a brief, and writes and commits it as asked: everything is read, then decided, then written.
 * `resumes`: the brief that is made anew, with its goal, focus and notes. Throws what is wrong with any of them.
 */
export async function createBrief(
  invocation: Invocation,
  asked: CreateRequest,
  opened?: Workspace,
  resumes: CurrentBrief | null = null,
): Promise<CreateOutcome> {
  const workspace = opened ?? (await openForCreate(invocation, asked))
  if (workspace.repo === null) {
    if (!asked.print && !asked.dryRun) throw nowhereToKeep(workspace.root)
    invocation.out.warn('not a git repository: git facts are left out')
  }
  if (resumes === null) return make(invocation, { request: asked, vague: false, workspace, resumes })
  const { goal, focus = null, vague = false } = resumes.parsed.meta
  return make(invocation, { request: { ...asked, goal, focus }, vague, workspace, resumes })
}

/** The stages: what was asked for and of whom, what is read, what that tells, the brief, the commit. */
async function make(plain: Invocation, asked: Asked): Promise<CreateOutcome> {
  const { workspace, request, resumes } = asked
  const writes = isWriting(request)
  const progress = watchProgress(plain, workspace.loaded.config)
  const invocation = withProgress(plain, progress)
  const stdin = stdinSession(invocation)
  try {
    if (resumes === null) judgeGoal(invocation, request, workspace)
    const picked = await findSession(invocation, asked, stdin.save)
    const { goal, vague } =
      resumes === null
        ? await settleGoal(invocation, request, workspace, picked)
        : { goal: request.goal, vague: asked.vague }
    const opened = await openTask(invocation, { ...asked, vague, request: { ...request, goal } }, picked)
    progress.phase(PHASES.extract)
    const { input, facts: heard } = await read(invocation, opened.task)
    input.typedGoal = await typedGoal(invocation, input)
    const { facts, digest, same } = await decide(invocation, input, heard, opened)
    if (same !== null) {
      progress.done()
      return await repeat(plain, input, facts, same)
    }
    progress.phase(PHASES.assemble)
    const last = [input.newest?.id ?? '', input.current?.id ?? ''].sort().at(-1) || null
    let built = await compose(input, facts, plain.place.newId(last), plain.place.now())
    progress.done()
    // A repository's configuration opens no editor where nobody sits; the flag does.
    if (writes && resumes === null && (request.edit || (input.config.edit && mayAsk(plain))))
      built = await (await import('./edit-brief.ts')).editBrief(plain, input, built)
    tellParent(plain, input, built)
    await refuseWrong(plain, input, built)
    plain.place.signal?.throwIfAborted()
    return await (writes ? keep(plain, input, built, digest) : dryOutcome(plain, input, built))
  } finally {
    progress.stop()
    await stdin.remove()
  }
}

/** The session that is read. Throws what is wrong with the place before anything else. */
async function findSession(invocation: Invocation, asked: Asked, saveStdin: () => Promise<string>) {
  const { request, workspace, resumes } = asked
  const { repo, loaded, reading } = workspace
  if (resumes !== null) return sessionBehind(invocation, workspace, resumes)
  // Where nobody can be asked which session is meant, sessions are looked at while git answers.
  const checked =
    isWriting(request) && repo !== null ? checkPlace(repo, loaded.config.commit, reading) : Promise.resolve()
  if (reading === null) await checked
  const picked = await chooseSession(invocation, request, workspace, saveStdin, checked)
  return picked === null || request.until === undefined
    ? picked
    : cutSession(invocation, picked, request.until)
}

type Opened = Awaited<ReturnType<typeof openTask>>

/** By which rules it is read, and whoever is asked about it. */
async function openTask(invocation: Invocation, asked: Asked, found: PickedSession | null) {
  const { place } = invocation
  const { request, workspace, resumes } = asked
  const { repo, loaded } = workspace
  if (found !== null) invocation.onReader?.(found.adapter.id)
  // Sessions of Pi bring their own configuration layer.
  const isPi = found?.ref.agent === 'pi'
  const ofPi = isPi && repo && (await loadConfig(place, { root: repo.root, isPi, flags: request.flags }))
  const settings = ofPi || loaded
  const { config: own } = settings
  const config = resumes === null ? own : configOnward(own, resumes)
  const scanner = await openScanner(place, workspace.root, config)
  const known = {
    ...{
      ...asked,
      workspace: { ...workspace, loaded: settings },
      config,
      scanner,
      reading: workspace.reading,
      picked: found,
    },
    request: await checkRequest(scanner, request, resumes !== null),
  }
  const isTold = request.ask === true || request.extract !== null
  const isOffered =
    request.wantsNotes &&
    request.ask !== false &&
    loaded.own.narrative !== 'never' &&
    isWriting(request) &&
    mayAsk(invocation)
  // Loaded only where it is asked for.
  const asker =
    isTold || isOffered
      ? await (await import('./ask-page.ts')).openPageAsker(invocation, known, isTold)
      : null
  const work = watchWork(workspace.roots, place.home)
  const picked = found && [work, asker].reduce((session, extra) => extra?.watch(session) ?? session, found)
  return { task: { ...known, picked, work }, asker, isTold: isTold && asker !== null }
}

/**
 * What a person hands in, before anything is read or written: a value that the session shows later is replaced in the finished text. What a
 * brief told before is replaced, not refused. Throws `secretInInput`.
 */
async function checkRequest(scanner: Scanner, request: CreateRequest, isResumed: boolean) {
  const { goal, focus, reason, persona, skills } = request
  const typed = { goal, focus, reason, persona, skills }
  return { ...request, ...(await checkInput(scanner, 'request', typed, request.redact || isResumed)) }
}

/**
 * What the brief is made of, and whether one of that is there already. A page is asked for only where it makes a new one. `isTold`: whoever
 * calls wants it, whatever is there.
 */
async function decide(invocation: Invocation, input: Input, heard: Facts, { asker, isTold }: Opened) {
  const { request, resumes } = input
  const decided = async (facts: Facts) => {
    // Where nothing is written no brief is looked for, and the digest has no use.
    if (!isWriting(request)) return { facts, digest: '', same: null }
    const digest = inputDigest(input, facts)
    return { facts, digest, same: await findSame(input, digest) }
  }
  const contract = () => contractWith(heard.evidence.constraints)
  const hasPage = input.notes.notes !== null || resumes !== null
  if (hasPage && isTold) invocation.out.warn('there is a page already, so nobody is asked for one')
  if (hasPage || asker === null || !isTold) {
    const known = await decided(heard)
    if (hasPage || known.same !== null) return known
    if (asker === null) {
      await wantNotes(invocation, input, contract)
      return known
    }
  }
  const extraction = await asker.run(input, contract())
  // One that was asked in vain changed nothing.
  const known = await onPage(invocation.place, input, heard.own)
  return decided({ ...heard, ...known, extraction })
}

/** The input and what it tells. A session that is of no use counts as one that is not here, where a brief is made anew. */
async function read(invocation: Invocation, task: Task): Promise<{ input: Input; facts: Facts }> {
  const { request, workspace, resumes } = task
  const { repo } = workspace
  let { reading } = task
  if (isWriting(request) && repo !== null && resumes === null) {
    await refreshRunner(repo)
    // The branch is another one afterwards.
    if (task.config.commit.enabled && (await adoptWaiting(invocation, repo, reading))) reading = null
  }
  if (repo !== null) reading ??= takeSnapshot(repo)
  try {
    const input = await gather(invocation, { ...task, reading })
    input.notes = await (resumes === null
      ? pickNotes(invocation, input)
      : notesOnward(invocation, input, resumes))
    return { input, facts: await factsOf(invocation, input) }
  } catch (error) {
    if (resumes === null || task.picked === null) throw error
    tellUseless(invocation, resumes, error)
    return read(invocation, { ...task, reading, picked: null })
  }
}

/** The goal as the person typed it for an agent that hands over for another one, with a warning; else null. */
async function typedGoal(
  { out, place }: Invocation,
  { work, request, scanner }: Input,
): Promise<string | null> {
  const words = work.askedFor()
  if (words === null || request.session !== undefined || !(request.byAgent || isAgent(place.env))) return null
  const plain = (text: string): string => text.replace(/["'\s]+/g, ' ').trim()
  // Options may stand behind the goal.
  if (plain(words.replace(/\s--\w.*/s, '')) === plain(request.goal)) return null
  const { value } = await scanner.redact(words)
  out.warn(
    `the goal is not what was typed for the handoff, and the brief has both: "${clipLine(value, 200)}"`,
  )
  return value
}

/** What is not taken over of the brief before, or is no more trusted than it; where a brief is made anew, what it is made from. */
function tellParent(invocation: Invocation, input: Input, { brief }: Built): void {
  const { out } = invocation
  const { resumes, isOwn, picked, resumed, notes } = input
  if (resumes === null) {
    tellLeftOut(invocation, input)
    return
  }
  const { id, parsed } = resumes
  if (picked !== null) out.say(sessionLine(invocation, picked))
  else
    out.say(
      parsed.meta.agent.session === undefined
        ? `${id} has no session. Its items were copied and checked again.`
        : `The session behind ${id} is not on this machine: what the brief says was carried over and looked up again.`,
    )
  if (notes.notes !== null) out.say(`Notes: recorded ${notes.age ?? 'some time'} ago`)
  if (resumed?.drift) out.say(resumed.drift)
  if (resumed?.left) out.warn(resumed.left)
  if (resumed?.isEdited) out.warn(`${id} was edited after it was first committed`)
  if (!isOwn)
    out.warn(
      `${id} is not trusted, so neither is what takes over its words; read it, then: \`git handoff trust ${brief.meta.id}\``,
    )
}
