import type { Command } from 'commander'
import { compareBriefs, isUnchanged } from '../brief/compare.ts'
import { changeLines } from '../brief/compare-lines.ts'
import { noBrief, noParent } from '../errors.ts'
import type { Repo } from '../git/open-repo.ts'
import { type CurrentBrief, readCurrent } from './current.ts'
import { findBrief } from './find-brief.ts'
import type { CommandModule } from './table.ts'
import { openWorkspace } from './workspace.ts'

export function define(command: Command): void {
  command
    .argument('[a]', 'the older brief: latest, an id, a unique prefix of one, or a file')
    .argument('[b]', 'the newer one; without it the first is held against its parent')
    .addHelpText('after', '\nExample:\n  handoff diff --json')
}

export const run: CommandModule['run'] = async (invocation, args) => {
  const { out, place } = invocation
  const { repo } = await openWorkspace(invocation)
  const [older, newer] = await pairOf(repo, args, place.root)
  const change = compareBriefs(older.parsed, newer.parsed)
  const lines = changeLines(change)
  const head = `${older.id} → ${newer.id}`
  out.result(
    isUnchanged(change) ? `${head}: no difference.` : [head, ...lines.map((line) => `- ${line}`)].join('\n'),
    { ok: true, same: isUnchanged(change), ...change, lines, warnings: out.warnings, errors: [] },
  )
  return 0
}

async function pairOf(
  repo: Repo,
  [a, b]: readonly string[],
  cwd: string,
): Promise<[CurrentBrief, CurrentBrief]> {
  if (a !== undefined && b !== undefined)
    return Promise.all([findBrief(repo, a, cwd), findBrief(repo, b, cwd)])
  const newer = a === undefined ? await readCurrent(repo) : await findBrief(repo, a, cwd)
  if (newer === null) throw noBrief()
  const { parent } = newer.parsed.meta
  if (parent === null) throw noParent(newer.id)
  return [await findBrief(repo, parent, cwd), newer]
}
