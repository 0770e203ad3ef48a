import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { briefPath } from '../brief/id.ts'
import { briefToJson } from '../brief/json.ts'
import { renderBrief } from '../brief/render.ts'
import { dropDrafts } from '../briefs/drop-drafts.ts'
import { readFileBrief } from '../briefs/find-brief.ts'
import { refreshLatest } from '../briefs/latest-file.ts'
import type { CreateResult } from '../briefs/results.ts'
import { isElsewhere, saveBrief, whyParked } from '../briefs/save-brief.ts'
import type { Invocation, Outcome } from '../command.ts'
import { nowhereToKeep } from '../errors/git.ts'
import type { CommitOutcome } from '../git/commit-files.ts'
import { USUAL_NAMES } from '../git/find-base.ts'
import { withoutAbort } from '../git/open-repo.ts'
import { branchName } from '../git/refs.ts'
import { hideHomes } from '../secrets/hide-homes.ts'
import type { DigestLine } from '../session/session-digest.ts'
import { LATEST } from '../store/folder.ts'
import { readSessionPath, recordSessionPath } from '../store/ledger.ts'
import { closeNudges } from '../store/nudges.ts'
import { shortSha } from '../text/count.ts'
import type { Built } from './build-brief.ts'
import { ageSeconds, type Gathered } from './gather.ts'
import type { Again } from './repeat.ts'

/** What making a brief came to: for standard output the path, or the brief where none is written. */
export interface CreateOutcome extends Outcome {
  result: CreateResult
}

/** Writes the brief and commits it as configured. `savedPath`: where an earlier run left it. */
export async function write(
  invocation: Invocation,
  gathered: Gathered,
  first: Built,
  savedPath: string | null,
): Promise<CreateOutcome> {
  const { repo } = gathered.workspace
  if (repo === null) throw nowhereToKeep(gathered.workspace.root)
  const { out } = invocation
  let built = first
  for (;;) {
    const { meta } = built.brief
    const path = savedPath ?? briefPath(meta.id, meta.goal)
    const saved = await saveBrief(invocation, repo, {
      meta,
      path,
      text: built.text,
      of: { branch: gathered.git?.branch ?? null, head: gathered.git?.head ?? null },
      config: gathered.config,
      isOwn: gathered.isOwn,
      isSaved: savedPath !== null,
      reading: gathered.reading,
    })
    if (saved === null) {
      // Somebody took that id in the same millisecond: the same brief under another one.
      const brief = { ...built.brief, meta: { ...meta, id: invocation.place.newId(meta.id) } }
      built = { ...built, brief, text: renderBrief(brief) }
      continue
    }
    const { outcome, isFilterNew } = saved
    const isInFile = outcome === null || (outcome.state === 'parked' && !isElsewhere(outcome))
    const done = withoutAbort(repo)
    await refreshLatest(
      invocation,
      done,
      isInFile ? await readFileBrief(done, join(repo.root, path)) : undefined,
      { id: meta.id, path, text: built.text, outcome, isFilterNew, reading: gathered.reading },
    )
    if (outcome !== null) await dropDrafts(invocation, done, meta)
    await keepNamed(invocation, gathered, meta.id)
    // Who hands over has heard the nudge.
    const session = gathered.picked?.ref.id
    if (session !== undefined) await closeNudges(repo.commonDir, ({ sessionId }) => sessionId === session)
    // Before the result, so that `--json` carries them.
    if (outcome?.identity === 'handoff')
      out.warn('git has no user.name and user.email here; the commit is by `handoff`')
    const parked =
      outcome?.state === 'parked'
        ? `${whyParked(outcome, meta.branch)}, so the branch was not touched; the next handoff on it adopts the brief`
        : null
    if (parked !== null && isElsewhere(outcome)) out.warn(parked)
    const where =
      outcome === null
        ? 'not committed'
        : outcome.state === 'parked'
          ? `parked under ${outcome.ref}`
          : `commit ${shortSha(outcome.commit)}${onTrunk(outcome.ref)}`
    const pushed = outcome?.state === 'committed' ? ', not pushed' : ''
    const isAtTerminal = out.interactive && out.screen !== null
    return {
      result: createResult(invocation, gathered, built, { path, outcome, isRepeat: false }),
      // A program takes the path from standard output; a person reads it once.
      text: isAtTerminal ? null : `${path}\n`,
      said: [
        `Handed over: ${isAtTerminal ? path : meta.id} (${where}, ${meta.tokens} tokens${pushed})`,
        ...(parked !== null && !isElsewhere(outcome) ? [`${parked}.`] : []),
        isElsewhere(outcome)
          ? `Until then \`npx git-handoff show ${meta.id}\` prints it.`
          : outcome?.ref.startsWith('refs/heads/handoff/')
            ? `It is on ${outcome.ref.replace('refs/heads/', '')}; the next agent starts with \`npx git-handoff show\`.`
            : existsSync(join(repo.root, LATEST))
              ? 'Tell the next agent: Read .handoff/latest.md and continue.'
              : `\`npx git-handoff show ${path}\` prints it.`,
      ],
    }
  }
}

/** Whoever hands over on the trunk may have meant a branch. */
const onTrunk = (ref: string): string => {
  const name = branchName(ref)
  return name !== null && USUAL_NAMES.includes(name) ? ` directly on ${name}` : ''
}

/** Where the session lies when it was named as a file, now or when the brief that is resumed was made: nothing else would find it again. */
async function keepNamed(
  { place }: Invocation,
  { request, workspace, picked, resumed, current }: Gathered,
  id: string,
): Promise<void> {
  if (workspace.repo === null || picked === null) return
  const { commonDir } = workspace.repo
  const { path } = picked.ref
  const named =
    resumed === undefined || current === null
      ? request.session !== undefined && request.session !== '-' && resolve(place.root, request.session)
      : await readSessionPath(commonDir, current.id)
  if (named === path) await recordSessionPath(commonDir, id, path)
}

/** The brief, or with `preview` the list of what was kept and dropped; nothing is written. */
export async function dryOutcome(
  invocation: Invocation,
  gathered: Gathered,
  built: Built,
  session: readonly DigestLine[] = [],
): Promise<CreateOutcome> {
  const { place, out } = invocation
  const { meta } = built.brief
  const path = briefPath(meta.id, meta.goal)
  const result = createResult(invocation, gathered, built, { path, outcome: null, isRepeat: false })
  if (!gathered.request.preview) return { result, text: built.text, said: [] }
  const { previewText, widthOf } = await import('./preview.ts')
  const { digestLines } = await import('../session/session-digest.ts')
  const { value } = await gathered.scanner.redact(session)
  const context = hideHomes(digestLines(value), place.home)
  const width = out.screen?.columns ?? widthOf(place.env)
  return { result: { ...result, context }, text: previewText(built.brief, context, width), said: [] }
}

/** Identical input makes no second commit: the brief that is there is the answer. */
export async function repeatOutcome(
  invocation: Invocation,
  gathered: Gathered,
  { brief, built }: Again,
): Promise<CreateOutcome> {
  const { repo } = gathered.workspace
  if (repo !== null) await refreshLatest(invocation, repo)
  const { path, text } = brief
  const same: Built = { ...built, text, brief: brief.parsed.brief }
  return {
    result: createResult(invocation, gathered, same, { path, outcome: null, isRepeat: true }),
    text: `${path}\n`,
    said: [`Nothing has changed since ${brief.id}; no second brief was made.`],
  }
}

/** The object of `create --json`. */
function createResult(
  invocation: Invocation,
  gathered: Gathered,
  built: Built,
  made: { path: string; outcome: CommitOutcome | null; isRepeat: boolean },
): CreateResult {
  const { meta } = built.brief
  const { request, picked, resumed } = gathered
  const { outcome } = made
  return {
    ok: true,
    id: meta.id,
    path: made.path,
    commit: outcome?.state === 'parked' ? null : (outcome?.commit ?? null),
    parked: outcome?.state === 'parked' ? outcome.ref : null,
    repeat: made.isRepeat,
    branch: meta.branch,
    parent: meta.parent,
    ...(resumed === undefined
      ? {}
      : {
          resumedFrom: meta.resumedFrom ?? null,
          transcript: picked === null ? 'carried' : 'rebuilt',
          drift: resumed.drift,
        }),
    tokens: meta.tokens,
    mode: request.mode,
    session:
      picked === null
        ? null
        : {
            agent: picked.adapter.id,
            id: built.session?.id,
            path: built.session?.path,
            ageSeconds: ageSeconds(invocation, picked),
            bytes: picked.ref.bytes,
          },
    warnings: invocation.out.warnings,
    errors: [],
    dropped: built.brief.dropped ?? [],
    claims: built.claims,
    brief: briefToJson(built.brief),
    markdown: built.text,
  }
}
