import type { Command } from 'commander'
import { chainOf, linkChain } from '../brief/chain.ts'
import { goalLine } from '../brief/prompt.ts'
import { usage } from '../errors.ts'
import { listParked } from '../git/parked.ts'
import { readCurrent } from './current.ts'
import { refreshLatest } from './latest-file.ts'
import { readChain } from './read-chain.ts'
import type { CommandModule } from './table.ts'
import { openWorkspace } from './workspace.ts'

export function define(command: Command): void {
  command
    .option('--all', 'all branches, remotes, worktrees and parked briefs')
    .option('--chain', 'only the line that leads to the current brief')
    .option('--limit <n>', 'at most so many, newest first')
    .option('--html <file>', 'write one page that shows all of it in a browser; - is standard output')
    .addHelpText('after', '\nExample:\n  handoff log --all --json\n  handoff log --html chain.html')
}

export const run: CommandModule['run'] = async (invocation, _args, options) => {
  const { out } = invocation
  const { repo } = await openWorkspace(invocation)
  const limit = options.limit === undefined ? Number.POSITIVE_INFINITY : Number(options.limit)
  if (!(limit >= 1)) throw usage('--limit takes a whole number.', 'handoff log --limit 10')
  const [nodes, current, parked] = await Promise.all([
    readChain(repo, { all: options.all === true }),
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
  if (typeof options.html === 'string') {
    const { logHtml } = await import('./log-html.ts')
    return logHtml(invocation, repo, {
      file: options.html,
      scope: scopeOf(options),
      chain: nodes,
      shown,
      current: current?.id ?? null,
      parked: waiting,
    })
  }
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

/** What was asked for, for the head of a page. */
const scopeOf = (options: Record<string, unknown>): string =>
  options.chain === true
    ? 'the line that leads to the current brief'
    : options.all === true
      ? 'all branches, remotes and worktrees'
      : 'the current branch'
