import type { Command } from 'commander'
import { chainOf, linkChain } from '../brief/chain.ts'
import { goalLine } from '../brief/prompt.ts'
import { usage } from '../errors.ts'
import type { Repo } from '../git/open-repo.ts'
import { listParked } from '../git/parked.ts'
import { readHistory } from '../git/read-history.ts'
import { readSelection } from '../git/read-selection.ts'
import { readCurrent } from './current.ts'
import { refreshLatest } from './latest-file.ts'
import { readMetas } from './read-metas.ts'
import type { CommandModule } from './table.ts'
import { openWorkspace } from './workspace.ts'

export function define(command: Command): void {
  command
    .option('--all', 'all branches, remotes, worktrees and parked briefs')
    .option('--chain', 'only the line that leads to the current brief')
    .option('--limit <n>', 'at most so many, newest first')
    .addHelpText('after', '\nExample:\n  handoff log --all --json')
}

export const run: CommandModule['run'] = async (invocation, _args, options) => {
  const { out } = invocation
  const { repo } = await openWorkspace(invocation)
  const limit = options.limit === undefined ? Number.POSITIVE_INFINITY : Number(options.limit)
  if (!(limit >= 1)) throw usage('--limit takes a whole number.', 'handoff log --limit 10')
  const [nodes, current, parked] = await Promise.all([
    readNodes(repo, options.all === true),
    readCurrent(repo),
    listParked(repo),
  ])
  const linked = linkChain(nodes)
  const line = options.chain === true && current !== null ? chainOf(current.id, nodes) : linked.order
  const shown = [...line].sort((a, b) => (a.id < b.id ? 1 : -1)).slice(0, limit)
  for (const cycle of linked.cycles) out.warn(`these briefs are their own ancestors: ${cycle.join(' → ')}`)
  for (const { id, parent } of linked.missing)
    out.warn(`the parent ${parent} of ${id} is not in the history that is here`)
  const waiting = new Set(parked.map(({ id }) => id))
  await refreshLatest(invocation, repo)
  const lines = shown.map((node) => {
    const marks = [
      ...(node.id === current?.id ? ['current'] : []),
      ...(node.kind === 'done' ? ['closed'] : []),
      ...(waiting.has(node.id) ? ['parked'] : []),
      ...(node.inTree ? [] : ['only in history']),
    ]
    return `${node.id}  ${node.branch ?? '(detached)'}  ${node.agent}  ${goalLine(node.goal)}${marks.length === 0 ? '' : `  [${marks.join(', ')}]`}`
  })
  out.result(lines.length === 0 ? 'No briefs yet.' : lines.join('\n'), {
    ok: true,
    current: current?.id ?? null,
    briefs: shown,
    parked: [...waiting],
    missing: linked.missing,
    cycles: linked.cycles,
    warnings: out.warnings,
  })
  return 0
}

interface LogNode {
  id: string
  parent: string | null
  kind: 'handoff' | 'done'
  goal: string
  branch: string | null
  agent: string
  reason: string
  createdAt: string
  path: string
  commit: string
  ref: string
  /** It stands in the tree of HEAD. */
  inTree: boolean
}

/** Every brief once, by id; the file is the truth. */
async function readNodes(repo: Repo, all: boolean): Promise<LogNode[]> {
  const [entries, selection] = await Promise.all([readHistory(repo, { all }), readSelection(repo)])
  const inTree = new Set(selection.briefs.map(({ id }) => id))
  return (await readMetas(repo, entries)).map(({ entry, meta }) => ({
    id: entry.id,
    parent: meta.parent,
    kind: meta.kind ?? 'handoff',
    goal: meta.goal,
    branch: meta.branch,
    agent: meta.agent.label,
    reason: meta.reason,
    createdAt: meta.createdAt,
    path: entry.path,
    commit: entry.commit,
    ref: entry.ref,
    inTree: inTree.has(entry.id),
  }))
}
