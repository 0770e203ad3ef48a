import type { Command } from 'commander'
import { conflictMarkers } from '../brief/parse.ts'
import { type CurrentBrief, readCheckout } from '../briefs/current.ts'
import { briefHere, findBrief, warnPassedOver } from '../briefs/find-brief.ts'
import { refreshLatest } from '../briefs/latest-file.ts'
import { refuseUntrusted } from '../briefs/verdict.ts'
import { type CommandModule, type Invocation, type Outcome, printOutcome } from '../command.ts'
import { noParent, parentMissing } from '../errors/briefs.ts'
import { isHandoffError } from '../errors/handoff-error.ts'
import type { Repo } from '../git/open-repo.ts'
import { changeLine, changesBetween } from '../report/compare.ts'
import { isEditedInWorktree } from '../verify/read-truth.ts'
import { openWorkspace } from '../workspace/workspace.ts'

export function define(command: Command): void {
  command
    .argument('[a]', 'id, prefix or file of the older brief')
    .argument('[b]', 'the newer one; default: a and its parent')
    .addHelpText('after', HELP)
}

const HELP = `
Without arguments: the current brief and its parent. A dropped constraint comes first. What the newer brief merely does not list is left
out.

Example:
  handoff diff`

export const run: CommandModule['run'] = async (invocation, ids) =>
  printOutcome(invocation.out, await diffBriefs(invocation, ids), 'prose')

/** What two briefs say differently. Throws what finding them throws, `noParent`, `parentMissing`. */
async function diffBriefs(invocation: Invocation, ids: readonly string[]): Promise<Outcome> {
  const { out, place } = invocation
  const { repo } = await openWorkspace(invocation, { isAnswer: true })
  const current = ids[0] === undefined ? await briefHere(repo) : undefined
  await refreshLatest(invocation, repo, current)
  if (current !== undefined) warnPassedOver(out, await readCheckout(repo))
  const [older, newer] = await pairOf(repo, ids, current, place.root)
  await refuseUntrusted(place, repo, [older, newer])
  await warnOf(invocation, repo, older, newer)
  const changes = changesBetween(older.parsed, newer.parsed)
  const lines = changes.map(changeLine)
  const same = lines.length === 0
  const others = ids.length === 2 ? [] : newer.parsed.meta.parents.slice(1)
  const head = [`${older.id} → ${newer.id}`, ...others.map((id) => `It follows ${id} as well.`)]
  return {
    result: {
      ...{ ok: true, older: older.id, newer: newer.id, same, changes, lines },
      ...{ warnings: out.warnings, errors: [] },
    },
    text: [...head, ...(same ? ['No difference.'] : lines.map((line) => `- ${line}`))].join('\n'),
    said: [],
  }
}

async function pairOf(
  repo: Repo,
  [a, b]: readonly string[],
  current: CurrentBrief | undefined,
  cwd: string,
): Promise<[CurrentBrief, CurrentBrief]> {
  if (a !== undefined && b !== undefined)
    return Promise.all([findBrief(repo, a, cwd), findBrief(repo, b, cwd)])
  const newer = current ?? (await findBrief(repo, a ?? 'latest', cwd))
  const [parent] = newer.parsed.meta.parents
  if (parent === undefined) throw noParent(newer.id)
  try {
    return [await findBrief(repo, parent, cwd), newer]
  } catch (error) {
    if (isHandoffError(error) && error.code === 'E_UNKNOWN_ID')
      throw parentMissing(newer.id, parent, repo.shallow)
    throw error
  }
}

async function warnOf({ out }: Invocation, repo: Repo, ...briefs: CurrentBrief[]): Promise<void> {
  for (const { id, path, text, parsed, committed } of briefs) {
    const marks = conflictMarkers(parsed)
    if (marks.length > 0) out.warn(`conflict markers in ${path}, line ${marks.join(', ')}: both sides count`)
    if (committed && (await isEditedInWorktree(repo, path, text)))
      out.warn(`the file of ${id} was edited in the work tree; what is committed is compared`)
  }
}
