import { adoptWaiting, checkPlace } from '../briefs/save-brief.ts'
import type { Invocation } from '../command.ts'
import { loadConfig } from '../config/load.ts'
import { nowhereToKeep } from '../errors/git.ts'
import { announceRunning } from '../git/running.ts'
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
import { type Built, buildBrief } from './build-brief.ts'
import { type CreateRequest, isWriting, openForCreate } from './create-request.ts'
import { editBrief } from './edit-brief.ts'
import type { Extraction } from './extract-model.ts'
import { chooseSession, type Gathered, gather, tellLeftOut } from './gather.ts'
import { refuseWrong } from './judge.ts'
import type { Narrative, openNarrative } from './narrative.ts'
import { wantNotes } from './pick-notes.ts'
import { buildAgain, findSaved, isExtracted, rememberExtracted } from './repeat.ts'
import { settleGoal, tellGoal } from './settle-goal.ts'
import { type CreateOutcome, dryOutcome, repeatOutcome, write } from './write-brief.ts'

/**
 * Joins session, git and notes into a brief, and writes and commits it as asked: everything is read, then decided, then written. Throws
 * what is wrong with any of them.
 */
export async function createBrief(
  invocation: Invocation,
  asked: CreateRequest,
  opened?: Workspace,
): Promise<CreateOutcome> {
  const startedAt = Date.now()
  const workspace = opened ?? (await openForCreate(invocation, asked))
  if (workspace.repo === null) {
    if (!asked.print && !asked.dryRun) throw nowhereToKeep(workspace.root)
    invocation.out.warn('not a git repository: git facts are left out')
  }
  const settled = await settleGoal(invocation, asked, workspace)
  try {
    return await createWithGoal(
      invocation,
      { ...asked, goal: settled.goal },
      settled.vague,
      workspace,
      startedAt,
    )
  } catch (error) {
    if (settled.goal !== asked.goal) await tellGoal(invocation, settled.goal, error)
    throw error
  }
}

async function createWithGoal(
  invocation: Invocation,
  asked: CreateRequest,
  vague: boolean,
  workspace: Workspace,
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
    const given = await checkRequest(scanner, asked)
    // The answer tells the goal again.
    if (asked.wantsNotes && asked.session === undefined && asked.ask !== true && writes)
      await wantNotes(invocation, given.goal, workspace)
    if (repo !== null && writes) {
      await refreshRunner(repo.commonDir)
      // The branch is another one afterwards.
      if (config.commit.enabled && (await adoptWaiting(invocation, repo, reading))) reading = null
    }
    if (repo !== null) reading ??= takeSnapshot(repo)

    progress.phase(PHASES.extract)
    const watched = asked.preview ? (await import('../session/session-digest.ts')).watchSession(picked) : null
    let session = watched?.picked ?? picked
    for (const asking of [narrative, extraction])
      if (asking !== null && session !== null) session = asking.watch(session)
    const about = { request: given, vague, workspace, scanner, config, reading }
    const gathered = await gather(watching, about, session)
    // Again: the session may have shown that a word of the goal is a secret.
    gathered.request = await checkRequest(scanner, given)
    await narrative?.run(gathered)
    await checkNotes(invocation, gathered, picked)

    progress.phase(PHASES.assemble)
    const { current } = gathered
    const again = repo !== null && writes ? await buildAgain(invocation, gathered) : null
    if (again !== null && extraction !== null && (await isExtracted(gathered, again)))
      return await repeatOutcome(invocation, gathered, again)
    const id = place.newId(current?.id ?? null)
    let plain: Built | null = null
    if (extraction !== null) {
      // Nobody is asked about what makes no brief.
      plain = await buildBrief(invocation, gathered, current, id)
      const most = `${config.extract.timeout / 1000} s`
      progress.phase(PHASES.ask, most)
      out.say(`Asking ${extraction.label}, for at most ${most}`)
      gathered.extracted = await extraction.run(gathered)
      const { failed, meta } = gathered.extracted
      if (failed !== null) out.warn(`${meta.model} failed: ${failed}; continuing without it`)
      progress.phase(PHASES.assemble)
    }
    const hasAnswer = gathered.extracted?.failed === null
    const same = again?.isSame && !hasAnswer ? again : null
    if (same !== null && (same.brief.committed || same.brief.apart !== undefined || same.brief.parked)) {
      progress.done()
      return await repeatOutcome(invocation, gathered, same)
    }
    let built = same?.built ?? (await buildBrief(invocation, gathered, current, id))
    progress.done()

    if (repo !== null && writes) {
      const saved = same?.brief ?? (await findSaved(repo, built.text, reading))
      if (saved !== null) {
        tellLeftOut(invocation, gathered)
        built = { ...built, text: saved.text, brief: saved.parsed.brief }
        return await write(invocation, gathered, built, saved.path)
      }
      // A repository's configuration opens no editor where nobody sits; the flag does.
      if (asked.edit || (config.edit && mayAsk(invocation)))
        built = await editBrief(invocation, gathered, built)
    }
    tellLeftOut(invocation, gathered)
    await refuseWrong(invocation, gathered, built)
    if (place.env.HANDOFF_TRACE_DIR)
      await (await import('./write-trace.ts')).writeTrace(invocation, gathered, built, startedAt)
    if (!writes || repo === null) return await dryOutcome(invocation, gathered, built, watched?.lines())
    const outcome = await write(invocation, gathered, built, null)
    if (plain !== null && hasAnswer) await rememberExtracted(gathered, plain, built)
    return outcome
  } finally {
    progress.stop()
    finished?.()
    await stdin.remove()
  }
}

/** What a person hands in, each by its name; where a session or a file lies is no part of a brief. Throws `secretInInput`. */
async function checkRequest(scanner: Scanner, request: CreateRequest): Promise<CreateRequest> {
  const check = <Name extends 'goal' | 'focus' | 'reason' | 'persona' | 'skills'>(name: Name) =>
    checkInput(scanner, name, request[name], request.redact === true)
  return {
    ...request,
    goal: await check('goal'),
    focus: await check('focus'),
    reason: await check('reason'),
    persona: await check('persona'),
    skills: await check('skills'),
  }
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
  const { openExtraction } = await import('./extract-model.ts')
  return openExtraction(invocation, workspace, extract, picked, config)
}

/** Loaded only where somebody may be asked. */
async function openNarrativeFor(...args: Parameters<typeof openNarrative>): Promise<Narrative | null> {
  const [invocation, request] = args
  if (request.ask !== true && !(request.wantsNotes && mayAsk(invocation))) return null
  return (await import('./narrative.ts')).openNarrative(...args)
}

/**
 * Looks up what the notes claim, and keeps new ones: the next handoff of this session has them too. `picked` as it was chosen: those who
 * note down what is read have read it once.
 */
async function checkNotes(
  { place }: Invocation,
  gathered: Gathered,
  picked: PickedSession | null,
): Promise<void> {
  const { git, request, workspace } = gathered
  const { notes, isNew } = gathered.notes
  if (notes === null) return
  const { repo } = workspace
  gathered.unseen = await lookUp(notes, request.goal, { picked, place, git, repo })
  if (isNew && repo !== null && isWriting(request)) await writeNotesFile(repo.commonDir, notes)
}
