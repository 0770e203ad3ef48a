import { briefPath } from '../brief/id.ts'
import { estimateTokens, measured } from '../brief/measure.ts'
import { goalLine } from '../brief/prompt.ts'
import { renderClosing } from '../brief/render.ts'
import { type CurrentBrief, configOnward, readCurrent } from '../briefs/current.ts'
import { briefHere } from '../briefs/find-brief.ts'
import { findSaved, noteInput } from '../briefs/find-saved.ts'
import { refreshLatest } from '../briefs/latest-file.ts'
import { pruneChain } from '../briefs/prune-briefs.ts'
import { adoptWaiting, checkPlace, saveBrief, whyParked } from '../briefs/save-brief.ts'
import { verdictOnWords } from '../briefs/verdict.ts'
import type { Invocation, Outcome } from '../command.ts'
import { usage } from '../errors/usage.ts'
import type { CommitOutcome } from '../git/commit-files.ts'
import { withoutAbort } from '../git/open-repo.ts'
import { branchOfWork } from '../git/operation.ts'
import { readStatus } from '../git/status.ts'
import { HANDOFF } from '../store/folder.ts'
import { endNotes } from '../store/notes.ts'
import { plural, shortSha } from '../text/count.ts'
import { clipLine, escapeText } from '../text/safe-text.ts'
import type { FrontMatter } from '../types/brief.ts'
import { checkInput, openScanner } from '../workspace/input-secrets.ts'
import { openWorkspace } from '../workspace/workspace.ts'
import { digestOf } from './compose.ts'

/**
 * Closes the chain of the current brief with a record of what came of it. Throws `usage` where it is closed already, `secretInInput`, and
 * what opening, finding and committing throw.
 */
export async function closeChain(
  invocation: Invocation,
  said: string,
  { redact, commit, prune: prunes }: { redact?: boolean; commit?: boolean; prune?: boolean },
): Promise<Outcome> {
  const { out, place } = invocation
  const flags = commit === false ? { 'commit.enabled': false } : {}
  const { repo, loaded } = await openWorkspace(invocation, { flags })
  const commits = loaded.config.commit.enabled
  if (prunes && !commits)
    throw usage(
      'What is not committed takes nothing out of the tree.',
      'Leave out --no-commit, or call `git handoff prune` later.',
    )
  await checkPlace(repo, loaded.config.commit)
  if (commits) await adoptWaiting(invocation, repo)
  const current = await briefHere(repo)
  if (current.parsed.meta.kind === 'done') {
    await refreshLatest(invocation, repo)
    throw usage(
      `The chain is closed already, by ${current.id}.`,
      `\`git handoff resume ${current.parsed.meta.parents[0]}\` opens it again; a new one starts with \`git handoff create "<goal>"\`.`,
    )
  }
  const scanner = await openScanner(place, repo.root, loaded.config)
  const outcome = await checkInput(scanner, 'outcome', said, redact === true)
  const { branch, head, changes } = await readStatus(repo)
  // One that comes back when the operation is over: the record stands on it then, beside the briefs it closes.
  const of = { branch: branchOfWork(repo.gitDir, branch), head }
  const { goal: before, vague, agent } = current.parsed.meta
  const { value: meta, counts } = await scanner.redact<FrontMatter>({
    ...{ schemaVersion: 1, id: place.newId(current.id), kind: 'done', goal: before },
    ...(vague === true ? { vague } : {}),
    ...{ reason: 'task_boundary', createdAt: place.now().toISOString(), branch: of.branch, head },
    dirty: changes.some(({ path }) => !path.startsWith(`${HANDOFF}/`)),
    agent: { id: agent.id, label: agent.label },
    ...{ parents: [current.id], extraction: { mode: 'none', attempts: 0 }, tokens: 0 },
  })
  for (const [rule, count] of Object.entries(counts)) out.warn(`${count} secret(s) replaced: ${rule}`)
  const digest = digestOf(current.id, outcome, meta.branch ?? '')
  const kept = await findSaved(repo, digest, null)
  const tokens = estimateTokens(measured(renderClosing(meta, outcome)))
  const counted = kept?.parsed.meta ?? { ...meta, tokens }
  const text = kept?.text ?? renderClosing(counted, outcome)
  const path = kept?.path ?? briefPath(counted.id, counted.goal, 'done')
  const unnoted = kept === null ? await noteInput(repo, counted.id, digest) : null
  const made = await saveBrief(invocation, repo, {
    ...{ meta: counted, path, text, of, isSaved: kept !== null },
    config: configOnward(loaded.config, current),
    // Its goal stands in the record, and closing a chain vouches for no word of it.
    isOwn: (await verdictOnWords(repo, current)).trusted,
  })
  if (unnoted !== null) out.warn(unnoted)
  // The record stands already.
  await endNotes(repo.commonDir, of.branch, counted.id).catch((error: Error) => out.warn(error.message))
  const after = withoutAbort(repo)
  const parked = made?.state === 'parked' ? made.ref : null
  const pruned =
    prunes && parked === null && made !== null ? await pruneChain(invocation, after, current.id, made) : []
  // Two people who handed over at once made two.
  const left = await readCurrent(after)
  await refreshLatest(invocation, after, left)
  const [where, ...next] = standing(made, counted.branch, current.id)
  return {
    result: {
      ...{ ok: true, id: counted.id, path, commit: parked === null ? (made?.commit ?? null) : null, parked },
      ...{ parents: [current.id], goal: counted.goal, outcome },
      ...(prunes ? { pruned: pruned.map(({ id, path }) => ({ id, path })) } : {}),
      ...{ markdown: text, warnings: out.warnings },
    },
    text: `${path}\n`,
    said: [
      `Closed: ${outcome}${where}`,
      ...endedLines(current),
      ...(left && made ? [`Still open here: ${left.id}  ${goalLine(left.parsed.meta.goal)}`] : []),
      ...next,
      ...(prunes ? [prunedLine(pruned.length, parked !== null)] : []),
    ],
  }
}

/** Where the record stands, behind the result, and what comes next. */
function standing(made: CommitOutcome | null, branch: string | null, closed: string): [string, ...string[]] {
  if (made === null) return [' (not committed)']
  return made.state === 'parked'
    ? [
        '',
        `${whyParked(made, branch)}: the record waits under ${made.ref} for the next handoff on that branch.`,
      ]
    : [
        ` (commit ${shortSha(made.commit)})`,
        `The next \`git handoff create\` begins a new chain; \`git handoff resume ${closed}\` opens this one again.`,
      ]
}

/** Characters of a rule that is named. */
const RULE = 120

/** Rules end with the line that they were given in: the person hears which. */
function endedLines({ parsed }: CurrentBrief): string[] {
  const [first, ...others] = parsed.brief.constraints.map(({ text }) => escapeText(clipLine(text, RULE)))
  if (first === undefined) return []
  const more = others.length === 0 ? '' : ` and ${plural(others.length, 'more constraint')}`
  return [`With it ends "${first}"${more}; what still holds, say again in the next session.`]
}

function prunedLine(count: number, isParked: boolean): string {
  if (isParked) return 'The other briefs of the chain stay until then: `git handoff prune`'
  return count > 0
    ? `Removed ${plural(count, 'brief')} of the chain from the tree; history keeps them.`
    : 'No other brief of the chain is in the tree.'
}
