import { type CurrentBrief, configOnward } from '../briefs/current.ts'
import { tellLeftOut } from '../briefs/left-out.ts'
import { adoptWaiting, checkPlace } from '../briefs/save-brief.ts'
import type { Invocation } from '../command.ts'
import { loadConfig } from '../config/load.ts'
import { nowhereToKeep } from '../errors/git.ts'
import { takeSnapshot } from '../git/snapshot.ts'
import { PHASES } from '../output/progress.ts'
import type { Scanner } from '../secrets/scanner.ts'
import { chooseSession } from '../session/choose-session.ts'
import { lookUp } from '../session/look-up.ts'
import type { PickedSession } from '../session/pick-session.ts'
import { stdinSession } from '../session/stdin-session.ts'
import { writeNotesFile } from '../store/notes.ts'
import type { Config } from '../types/config.ts'
import { mayAsk, watchProgress, withProgress } from '../workspace/at-terminal.ts'
import { checkInput, openScanner } from '../workspace/input-secrets.ts'
import { refreshRunner } from '../workspace/keep-program.ts'
import type { Workspace } from '../workspace/workspace.ts'
import { type Built, compose } from './compose.ts'
import { type CreateRequest, type ExtractBy, isWriting, openForCreate } from './create-request.ts'
import type { Extraction } from './extract-model.ts'
import { type Facts, factsOf } from './facts.ts'
import { gather, gatherNotes, type Input, type Task } from './gather.ts'
import { refuseWrong } from './judge.ts'
import { type CreateOutcome, dryOutcome, keep, repeat } from './keep.ts'
import type { Narrative } from './narrative.ts'
import { wantNotes } from './pick-notes.ts'
import type { Preview } from './preview.ts'
import { sessionBehind, tellSource, tellUseless } from './resume-session.ts'
import { findSame, inputDigest } from './same-input.ts'
import { settleGoal, tellGoal } from './settle-goal.ts'

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
  if (resumes !== null) {
    const { goal, focus = null, vague = false } = resumes.parsed.meta
    return make(invocation, { request: { ...asked, goal, focus }, vague, workspace, resumes })
  }
  const { goal, vague } = await settleGoal(invocation, asked, workspace)
  try {
    return await make(invocation, { request: { ...asked, goal }, vague, workspace, resumes })
  } catch (error) {
    if (goal !== asked.goal) await tellGoal(invocation, goal, error)
    throw error
  }
}

/** The stages: what was asked for and of whom, what is read, what that tells, the brief, the commit. */
async function make(
  plain: Invocation,
  asked: Pick<Task, 'request' | 'vague' | 'workspace' | 'resumes'>,
): Promise<CreateOutcome> {
  const { workspace, request, resumes } = asked
  const writes = isWriting(request)
  const progress = watchProgress(plain, workspace.loaded.config)
  const invocation = withProgress(plain, progress)
  const stdin = stdinSession(invocation)
  try {
    const task = await openTask(invocation, asked, stdin.save)
    const extras = await openExtras(invocation, task)
    progress.phase(PHASES.extract)
    const { input, facts: heard } = await read(invocation, task, extras)
    const { facts, digest, same } = await decide(input, heard, extras.extraction)
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
    if (writes) return await keep(plain, input, facts, built, digest)
    const dry = dryOutcome(plain, input, facts, built)
    return (await extras.preview?.show(plain, input, built, dry)) ?? dry
  } finally {
    progress.stop()
    await stdin.remove()
  }
}

/** Who is read, and by which rules. Throws what is wrong with the place before anything else. */
async function openTask(
  invocation: Invocation,
  asked: Pick<Task, 'request' | 'vague' | 'workspace' | 'resumes'>,
  saveStdin: () => Promise<string>,
): Promise<Task> {
  const { place } = invocation
  const { request, workspace, resumes } = asked
  const { repo, loaded } = workspace
  const writes = isWriting(request) && repo !== null
  // Where nobody can be asked which session is meant, sessions are looked at while git answers.
  const checked =
    writes && resumes === null
      ? checkPlace(repo, loaded.config.commit.enabled, workspace.reading)
      : Promise.resolve()
  if (workspace.reading === null) await checked
  const picked =
    resumes === null
      ? await chooseSession(invocation, request, workspace, saveStdin, checked)
      : await sessionBehind(invocation, workspace, resumes)
  if (picked !== null) invocation.onReader?.(picked.adapter.id)
  const own = await configFor(place, request, workspace, picked)
  const config = resumes === null ? own : configOnward(own, resumes)
  const scanner = await openScanner(place, workspace.root, config)
  const given = await checkRequest(scanner, request, resumes !== null)
  // The answer tells the goal again.
  if (
    writes &&
    resumes === null &&
    request.wantsNotes &&
    request.session === undefined &&
    request.ask !== true
  )
    await wantNotes(invocation, given.goal, workspace)
  return { ...asked, request: given, picked, config, scanner, reading: workspace.reading }
}

/**
 * What a person hands in, each by its name, before anything is read or written: a value that the session shows later is replaced in the
 * finished text. What a brief told before is replaced, not refused. Throws `secretInInput`.
 */
async function checkRequest(
  scanner: Scanner,
  request: CreateRequest,
  isResumed: boolean,
): Promise<CreateRequest> {
  const { goal, focus, reason, persona, skills } = request
  const checked: Partial<CreateRequest> = {}
  for (const [name, value] of Object.entries({ goal, focus, reason, persona, skills }))
    Object.assign(checked, {
      [name]: await checkInput(scanner, name, value, request.redact === true || isResumed),
    })
  return { ...request, ...checked }
}

/** Sessions of Pi bring their own configuration layer. */
async function configFor(
  place: Invocation['place'],
  { flags }: CreateRequest,
  { repo, loaded }: Workspace,
  picked: PickedSession | null,
): Promise<Config> {
  if (picked?.ref.agent !== 'pi' || repo === null) return loaded.config
  return (await loadConfig(place, { root: repo.root, isPi: true, flags })).config
}

/** What the brief is made of, and whether one of that is there already. A model is asked only about what makes a new one. */
async function decide(input: Input, heard: Facts, extraction: Extraction | null) {
  const decided = async (facts: Facts, by: ExtractBy | null) => {
    // Where nothing is written no brief is looked for, and the digest has no use.
    if (!isWriting(input.request)) return { facts, digest: '', same: null }
    const digest = inputDigest(input, heard, by)
    return { facts, digest, same: await findSame(input, digest) }
  }
  const known = await decided(heard, input.request.extract)
  if (known.same !== null || extraction === null) return known
  const facts = await extraction.run(input, heard)
  // One that was asked in vain changed nothing.
  return decided(facts, facts.by)
}

/** What else hears the session as it is read; each is loaded only where it is asked for. */
interface Extras {
  narrative: Narrative | null
  extraction: Extraction | null
  preview: Preview | null
}

/** Throws what is wrong with a model that was asked for, before anything is read. */
async function openExtras(invocation: Invocation, task: Task): Promise<Extras> {
  const { request, workspace, picked, config } = task
  const { extract, ask, wantsNotes } = request
  return {
    extraction:
      extract === null || picked === null
        ? null
        : await (await import('./extract-model.ts')).openExtraction(
            invocation,
            workspace,
            extract,
            picked,
            config,
          ),
    narrative:
      ask === true || (wantsNotes && mayAsk(invocation))
        ? await (await import('./narrative.ts')).openNarrative(invocation, request, workspace, picked, config)
        : null,
    preview: request.preview ? (await import('./preview.ts')).openPreview() : null,
  }
}

/** The input and what it tells. A session that is of no use counts as one that is not here, where a brief is made anew. */
async function read(
  invocation: Invocation,
  task: Task,
  extras: Extras,
): Promise<{ input: Input; facts: Facts }> {
  try {
    const input = await readInput(invocation, task, extras)
    return { input, facts: await factsOf(input) }
  } catch (error) {
    if (task.resumes === null || task.picked === null) throw error
    tellUseless(invocation, task.resumes, error)
    return read(invocation, { ...task, picked: null }, extras)
  }
}

async function readInput(
  invocation: Invocation,
  task: Task,
  { narrative, extraction, preview }: Extras,
): Promise<Input> {
  const { request, workspace, picked, resumes } = task
  const { repo } = workspace
  const writes = isWriting(request) && repo !== null
  let { reading } = task
  if (writes && resumes === null) {
    await refreshRunner(repo.commonDir)
    // The branch is another one afterwards.
    if (task.config.commit.enabled && (await adoptWaiting(invocation, repo, reading))) reading = null
  }
  if (repo !== null) reading ??= takeSnapshot(repo)
  const heard = [narrative, extraction, preview].reduce(
    (session, extra) => (session === null ? null : (extra?.watch(session) ?? session)),
    picked,
  )
  const input = await gather(invocation, { ...task, reading, picked: heard })
  await gatherNotes(invocation, input)
  await narrative?.run(input)
  const { notes, isNew } = input.notes
  if (notes === null || resumes !== null) return input
  // Those who heard the session have heard it once.
  const { place } = invocation
  input.unseen = await lookUp(notes, input.request.goal, { picked, place, git: input.git, repo })
  // The next handoff of this session has them too.
  if (isNew && writes) await writeNotesFile(repo.commonDir, notes)
  return input
}

/** What is not taken over of the brief before, or is no more trusted than it; where a brief is made anew, what it is made from. */
function tellParent(invocation: Invocation, input: Input, { brief }: Built): void {
  const { resumes, isOwn } = input
  if (resumes === null) {
    tellLeftOut(invocation, input)
    return
  }
  tellSource(invocation, input, resumes)
  if (!isOwn)
    invocation.out.warn(
      `${resumes.id} is not trusted, so neither is what takes over its words; read it, then: \`npx git-handoff trust ${brief.meta.id}\``,
    )
}
