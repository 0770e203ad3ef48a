import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { briefPath } from '../brief/id.ts'
import { goalLine } from '../brief/prompt.ts'
import { briefToJson } from '../brief/render.ts'
import type { CurrentBrief } from '../briefs/current.ts'
import { readFileBrief } from '../briefs/find-brief.ts'
import { dropDrafts, noteInput } from '../briefs/find-saved.ts'
import { refreshLatest } from '../briefs/latest-file.ts'
import type { CreateResult } from '../briefs/results.ts'
import { isApart, isElsewhere, saveBrief, whyParked } from '../briefs/save-brief.ts'
import type { Invocation, Outcome } from '../command.ts'
import { nowhereToKeep } from '../errors/git.ts'
import { reasonOf } from '../errors/handoff-error.ts'
import type { CommitOutcome } from '../git/commit-files.ts'
import { type Repo, withoutAbort } from '../git/open-repo.ts'
import { branchName, USUAL_NAMES } from '../git/refs.ts'
import { goalIn } from '../life/hand-down.ts'
import { ageSeconds } from '../session/choose-session.ts'
import { LATEST } from '../store/folder.ts'
import { recordCreated, recordSessionPath } from '../store/ledger.ts'
import { closeNudges } from '../store/live.ts'
import { useNotes } from '../store/notes.ts'
import { useRules } from '../store/rules.ts'
import { shortSha } from '../text/count.ts'
import { keepBeside } from '../work/offer-work.ts'
import type { Built } from './compose.ts'
import type { Facts } from './facts.ts'
import type { Input } from './gather.ts'

/** What making a brief came to: for standard output the path, or the brief where none is written. */
export interface CreateOutcome extends Outcome {
  result: CreateResult
}

/** A brief, and where it came to lie. */
interface Kept extends Built {
  path: string
  outcome: CommitOutcome | null
  isRepeat: boolean
  /** Its input could not be kept. */
  unnoted?: string | null
}

/** Writes the brief and commits it as configured. `digest`: of its input. Throws `nowhereToKeep` and what saving throws. */
export async function keep(invocation: Invocation, input: Input, built: Built, digest: string) {
  const { meta } = built.brief
  const kept = { ...built, path: briefPath(meta.id, meta.goal), outcome: null, isRepeat: false }
  // First, so that a brief whose writer is killed is found again.
  const { repo } = input.workspace
  const unnoted = repo && (await noteInput(repo, meta.id, digest))
  return save(invocation, input, { ...kept, unnoted }, false)
}

async function save(
  invocation: Invocation,
  input: Input,
  kept: Kept,
  isSaved: boolean,
): Promise<CreateOutcome> {
  const { request, resumes, workspace, git, config, isOwn, reading, picked } = input
  const { repo } = workspace
  const { out } = invocation
  const { path, text, brief } = kept
  const { meta } = brief
  if (repo === null) throw nowhereToKeep(workspace.root)
  const of = { branch: git?.branch ?? null, head: git?.head ?? null }
  const saving = { meta, path, text, of, config, isOwn, isSaved, reading }
  const outcome = await saveBrief(invocation, repo, saving)
  if (kept.unnoted != null) out.warn(kept.unnoted)
  const done = withoutAbort(repo)
  const file = join(repo.root, path)
  const made = outcome?.state === 'committed' && !isApart(config.commit) ? 'here' : 'elsewhere'
  // A rebase may take it away in that moment.
  const current = existsSync(file) ? await readFileBrief(done, file).catch(() => undefined) : undefined
  await refreshLatest(invocation, done, current, made)
  if (outcome !== null) {
    await dropDrafts(invocation, done, meta)
    await usePage(invocation, input, meta.id)
    await useRules(repo.commonDir, of.branch, meta.id)
  }
  // What was named as a file nothing else would find again.
  if (picked !== null && (resumes !== null || (request.session ?? '-') !== '-'))
    await recordSessionPath(repo.commonDir, meta.id, picked.ref.path)
  // Who hands over has heard the nudge.
  if (picked !== null) await closeNudges(repo.commonDir, ({ sessionId }) => sessionId === picked.ref.id)
  // Before the result, so that `--json` carries them.
  if (outcome?.identity === 'handoff')
    out.warn('git has no user.name and user.email here; the commit is by `handoff`')
  const parked =
    outcome?.state === 'parked'
      ? `${whyParked(outcome, meta.branch)}, so the branch was not touched; the next handoff on it adopts the brief`
      : null
  if (parked !== null && isElsewhere(outcome)) out.warn(parked)
  const goals = brief.progress.pending.filter(({ from = '' }) => meta.parents.includes(from)).flatMap(goalIn)
  const travels = await keepBeside(invocation, input, meta, outcome !== null)
  const isAtTerminal = out.interactive && out.screen !== null
  return {
    result: resultOf(invocation, input, { ...kept, outcome }),
    // A program takes the path from standard output; a person reads it once.
    text: isAtTerminal ? null : `${path}\n`,
    said: [
      `Handed over: ${isAtTerminal ? path : meta.id} (${placeOf(outcome)}, ${meta.tokens} tokens${outcome?.state === 'committed' ? ', not pushed' : ''})`,
      ...(parked !== null && !isElsewhere(outcome) ? [`${parked}.`] : []),
      ...travels,
      ...goals.map((goal) => `${GOES_ON}: ${goalLine(goal)}`),
      nextStep(repo, kept, outcome),
    ],
  }
}

const GOES_ON = 'Nobody said that the goal before is done, so it goes on as an open step'

/** How the next agent gets at the brief. */
function nextStep({ root }: Repo, { path, brief }: Kept, outcome: CommitOutcome | null): string {
  if (isElsewhere(outcome)) return `Until then \`git handoff show ${brief.meta.id}\` prints it.`
  if (outcome?.ref.startsWith('refs/heads/handoff/'))
    return `It is on ${outcome.ref.replace('refs/heads/', '')}; the next agent starts with \`git handoff show\`.`
  return existsSync(join(root, LATEST))
    ? 'Tell the next agent: Read .handoff/latest.md and continue.'
    : `\`git handoff show ${path}\` prints it.`
}

/** A commit uses the page up, for this brief; what then fails costs no brief. */
async function usePage({ out }: Invocation, { workspace, notes }: Input, id: string): Promise<void> {
  if (workspace.repo === null || notes.notes === null || notes.isCarried) return
  await useNotes(workspace.repo.commonDir, notes.notes, id).catch((error) =>
    out.warn(`the page may be offered once more: ${reasonOf(error)}`),
  )
}

/** Whoever hands over on the trunk may have meant a branch. */
function placeOf(outcome: CommitOutcome | null): string {
  if (outcome === null) return 'not committed'
  if (outcome.state === 'parked') return `parked under ${outcome.ref}`
  const name = branchName(outcome.ref)
  const trunk = name !== null && USUAL_NAMES.includes(name) ? ` directly on ${name}` : ''
  return `commit ${shortSha(outcome.commit)}${trunk}`
}

/** The brief, with `--preview` also what was cut to fit; nothing is written. */
export async function dryOutcome(invocation: Invocation, input: Input, built: Built): Promise<CreateOutcome> {
  const { meta } = built.brief
  const path = briefPath(meta.id, meta.goal)
  const result = resultOf(invocation, input, { ...built, path, outcome: null, isRepeat: false })
  if (!input.request.preview) return { result, text: built.text, said: [] }
  const cut = Object.entries(built.brief.cuts).map(([section, line]) => `- ${section}: ${line}`)
  const told = cut.length === 0 ? ['Nothing.'] : cut
  return { result, text: [built.text.trimEnd(), '', 'Cut to fit:', '', ...told].join('\n'), said: [] }
}

/** Identical input makes no second brief: the one that is there is the answer, committed first where an earlier run did not come to that. */
export async function repeat(
  invocation: Invocation,
  input: Input,
  facts: Facts,
  brief: CurrentBrief,
): Promise<CreateOutcome> {
  const { resumes, isOwn, workspace } = input
  const { id, path, oid, text, parsed } = brief
  const kept: Kept = { facts, text, brief: parsed.brief, path, outcome: null, isRepeat: true }
  if (!brief.committed && brief.apart === undefined && !brief.parked)
    return save(invocation, input, { ...kept, isRepeat: false }, true)
  if (workspace.repo !== null) {
    // What it was made from may have been trusted since.
    if (resumes !== null && isOwn) await recordCreated(workspace.repo.commonDir, path, oid)
    await usePage(invocation, input, id)
    await refreshLatest(invocation, workspace.repo)
  }
  return {
    result: resultOf(invocation, input, kept),
    text: `${path}\n`,
    said: [
      `Nothing has changed since ${id}; no second brief was made.`,
      ...(await keepBeside(
        invocation,
        input,
        parsed.brief.meta,
        brief.committed || brief.apart !== undefined,
      )),
    ],
  }
}

/** The object of `create --json`. */
function resultOf(invocation: Invocation, input: Input, kept: Kept): CreateResult {
  const { meta } = kept.brief
  const { request, picked, resumed, behind } = input
  const { outcome, path, facts } = kept
  const isParked = outcome?.state === 'parked'
  return {
    ok: true,
    id: meta.id,
    path,
    commit: isParked ? null : (outcome?.commit ?? null),
    parked: isParked ? outcome.ref : null,
    repeat: kept.isRepeat,
    branch: meta.branch,
    parents: meta.parents,
    ...(resumed && {
      resumedFrom: meta.resumedFrom ?? null,
      transcript: picked === null ? 'carried' : 'rebuilt',
      drift: resumed.drift,
    }),
    tokens: meta.tokens,
    mode: request.mode,
    session: picked && {
      agent: picked.adapter.id,
      id: behind?.id,
      path: behind?.path,
      ageSeconds: ageSeconds(invocation, picked),
      bytes: picked.ref.bytes,
    },
    warnings: invocation.out.warnings,
    errors: [],
    dropped: [],
    claims: facts.claims,
    brief: briefToJson(kept.brief),
    markdown: kept.text,
  }
}
