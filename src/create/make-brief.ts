import { briefPath } from '../brief/id.ts'
import { clearUp } from '../briefs/clear-up.ts'
import { adoptWaiting, checkPlace } from '../briefs/save-brief.ts'
import type { Invocation } from '../command.ts'
import { loadConfig } from '../config/load.ts'
import { nowhereToKeep } from '../errors/git.ts'
import { announceRunning } from '../git/queue.ts'
import { takeSnapshot } from '../git/snapshot.ts'
import { PHASES } from '../output/progress.ts'
import type { Scanner } from '../secrets/scanner.ts'
import { lookUp } from '../session/look-up.ts'
import type { PickedSession } from '../session/pick-session.ts'
import { stdinSession } from '../session/stdin-session.ts'
import { writeNotesFile } from '../store/notes.ts'
import type { Config } from '../types/config.ts'
import { mayAsk, watchProgress, withProgress } from '../workspace/at-terminal.ts'
import { checkInput, openScanner } from '../workspace/input-secrets.ts'
import { refreshRunner } from '../workspace/keep-program.ts'
import type { Workspace } from '../workspace/workspace.ts'
import { buildBrief } from './build-brief.ts'
import { type CreateRequest, isWriting } from './create-request.ts'
import { editBrief } from './edit-brief.ts'
import type { Extraction } from './extract-model.ts'
import { chooseSession, gather, tellLeftOut } from './gather.ts'
import type { Gathered } from './gathered.ts'
import { refuseWrong } from './judge.ts'
import type { Narrative, openNarrative } from './narrative.ts'
import { wantNotes } from './pick-notes.ts'
import { findExtracted, findRepeat, rememberExtracted } from './repeat.ts'
import { settleGoal, tellGoal } from './settle-goal.ts'
import { type CreateOutcome, dryOutcome, repeatOutcome, write } from './write-brief.ts'

/** The work of `create` in an opened workspace: reads, decides, writes, and says what happened. */
export async function makeBrief(
  invocation: Invocation,
  asked: CreateRequest,
  workspace: Workspace,
): Promise<CreateOutcome> {
  // `performance` would load a dozen modules of Node, which takes 2 ms.
  const startedAt = Date.now()
  if (workspace.repo === null) {
    if (!asked.print && !asked.dryRun) throw nowhereToKeep(workspace.root)
    invocation.out.warn('not a git repository: git facts are left out')
  }
  const settled = await settleGoal(invocation, asked, workspace)
  try {
    return await makeWithGoal(invocation, asked, workspace, settled, startedAt)
  } catch (error) {
    if (settled.goal !== asked.goal) await tellGoal(invocation, settled.goal, error)
    throw error
  }
}

async function makeWithGoal(
  invocation: Invocation,
  asked: CreateRequest,
  workspace: Workspace,
  { goal, vague }: { goal: string; vague: boolean },
  startedAt: number,
): Promise<CreateOutcome> {
  const { place, out } = invocation
  const { repo } = workspace
  const writes = isWriting(asked)
  const checked =
    repo !== null && writes
      ? checkPlace(repo, workspace.loaded.config.commit.enabled, workspace.reading)
      : Promise.resolve()
  // Where nobody can be asked which session is meant, sessions are looked at while git answers.
  if (workspace.reading === null) await checked

  const progress = watchProgress(invocation, workspace.loaded.config)
  const finished = repo !== null && writes ? announceRunning(repo, place.now()) : null
  const watching = withProgress(invocation, progress)
  const stdin = stdinSession(watching)
  let { reading } = workspace
  try {
    const picked = await chooseSession(watching, asked, workspace, stdin.save, checked)
    if (picked !== null) invocation.onReader?.(picked.adapter.id)
    const config = await configFor(invocation, asked, workspace, picked?.ref.agent === 'pi')
    const extraction = await openExtractionFor(invocation, asked, workspace, picked, config)
    const narrative = await openNarrativeFor(watching, asked, workspace, picked, config)
    const scanner = await openScanner(place, workspace.root, config)
    const given = await checkRequest(scanner, { ...asked, goal })
    // The answer tells the goal again.
    if (asked.wantsNotes && asked.session === undefined && asked.ask !== true && writes)
      await wantNotes(invocation, given.goal, workspace)
    if (repo !== null && writes) {
      await clearUp(invocation, repo)
      await refreshRunner(repo.commonDir)
      // The branch is another one afterwards.
      if (config.commit.enabled && (await adoptWaiting(invocation, repo, reading))) reading = null
    }
    if (repo !== null) reading ??= takeSnapshot(repo)
    progress.phase(PHASES.extract)
    const watched = asked.preview ? (await import('../session/session-digest.ts')).watchSession(picked) : null
    const heard = watched?.picked ?? picked
    const noted = narrative === null || heard === null ? heard : narrative.watch(heard)
    const session = extraction === null || noted === null ? noted : extraction.watch(noted)
    const gathered = await gather(watching, given, workspace, scanner, config, session, reading)
    // Again: the session may have shown that a word of the goal is a secret.
    const request = await checkRequest(scanner, given)
    await narrative?.run(request.goal, gathered)
    await checkNotes(invocation, request, gathered, picked)
    progress.phase(PHASES.assemble)
    const parent = gathered.current
    const id = place.newId(parent?.id ?? null)
    // Also when a model is asked: it is what is left when that fails.
    const plain = await buildBrief(invocation, request, gathered, parent, id, vague)
    let built = plain
    if (extraction !== null) {
      const known = writes ? await findExtracted(invocation, request, gathered, plain, vague) : null
      if (known !== null) return await repeatOutcome(invocation, request, gathered, plain, known)
      const most = `${config.extract.timeout / 1000} s`
      progress.phase(PHASES.ask, most)
      out.say(`Asking ${extraction.label}, for at most ${most}`)
      gathered.extracted = await extraction.run(request, gathered)
      const { failed, meta } = gathered.extracted
      if (failed !== null)
        out.warn(`${meta.model} was asked in vain: ${failed}; the brief is made without it`)
      progress.phase(PHASES.assemble)
      built = await buildBrief(invocation, request, gathered, parent, id, vague)
    }
    progress.done()

    if (repo !== null && writes) {
      const repeat = await findRepeat(invocation, request, gathered, built, vague)
      if (repeat !== null && (repeat.committed || repeat.apart !== undefined || repeat.parked))
        return await repeatOutcome(invocation, request, gathered, built, repeat)
      if (repeat !== null) {
        tellLeftOut(invocation, gathered)
        return await write(
          invocation,
          request,
          gathered,
          { ...built, text: repeat.text, brief: repeat.parsed.brief },
          repeat.path,
        )
      }
    }
    // A repository's configuration opens no editor where nobody sits; the flag does.
    const edits = asked.flags.edit === true || (config.edit && mayAsk(invocation))
    if (edits && writes && repo !== null) built = await editBrief(invocation, request, gathered, built)
    tellLeftOut(invocation, gathered)
    const path = briefPath(built.brief.meta.id, built.brief.meta.goal)
    await refuseWrong(invocation, request, gathered, built, path)
    if (place.env.HANDOFF_TRACE_DIR !== undefined && place.env.HANDOFF_TRACE_DIR !== '')
      await (await import('./write-trace.ts')).writeTrace(invocation, request, gathered, built, startedAt)
    if (!writes || repo === null)
      return await dryOutcome(invocation, request, gathered, built, path, watched?.lines() ?? [])
    const outcome = await write(invocation, request, gathered, built, null)
    if (gathered.extracted?.failed === null) await rememberExtracted(request, gathered, plain, built)
    return outcome
  } finally {
    progress.stop()
    finished?.()
    reading?.objects.close()
    await stdin.remove()
  }
}

/** What a person hands in, each by its name; where a session or a file lies is no part of a brief. Throws `secretInInput`. */
async function checkRequest(scanner: Scanner, request: CreateRequest): Promise<CreateRequest> {
  const checked = { ...request }
  const check = <T>(where: string, value: T): Promise<T> => checkInput(scanner, where, value, request.redact)
  checked.goal = await check('goal', request.goal)
  checked.focus = await check('focus', request.focus)
  checked.reason = await check('reason', request.reason)
  checked.persona = await check('persona', request.persona)
  checked.skills = await check('skills', request.skills)
  return checked
}

/** Sessions of Pi bring their own configuration layer. */
export async function configFor(
  { place }: Invocation,
  request: CreateRequest,
  workspace: Workspace,
  isPi: boolean,
): Promise<Config> {
  if (!isPi || workspace.repo === null) return workspace.loaded.config
  return (await loadConfig(place, { root: workspace.repo.root, isPi, flags: request.flags })).config
}

/** Who is to be asked what matters in the session; null: nobody. Throws what is wrong with that before anything is read. */
async function openExtractionFor(
  invocation: Invocation,
  { extract }: CreateRequest,
  workspace: Workspace,
  picked: PickedSession | null,
  config: Config,
): Promise<Extraction | null> {
  if (extract === null || picked === null) return null
  const [{ openExtraction }, { callerMarks }] = await Promise.all([
    import('./extract-model.ts'),
    import('../start/destination.ts'),
  ])
  return openExtraction(invocation, workspace, extract, picked, config, callerMarks())
}

/** Loaded only where somebody may be asked. */
async function openNarrativeFor(...args: Parameters<typeof openNarrative>): Promise<Narrative | null> {
  const [invocation, request] = args
  if (request.ask !== true && !(request.wantsNotes && mayAsk(invocation))) return null
  return (await import('./narrative.ts')).openNarrative(...args)
}

/** Looks up what the notes claim, and keeps new ones: the next handoff of this session has them too. */
async function checkNotes(
  { place }: Invocation,
  request: CreateRequest,
  gathered: Gathered,
  /** As it was chosen: those who note down what is read have read it once. */
  picked: PickedSession | null,
): Promise<void> {
  const { git, workspace } = gathered
  const { notes, isNew = false } = gathered.notes
  if (notes === null) return
  const { repo } = workspace
  gathered.unseen = await lookUp(notes, request.goal, { picked, place, git, repo })
  if (isNew && repo !== null && isWriting(request)) await writeNotesFile(repo.commonDir, notes)
}
