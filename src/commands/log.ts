import type { Command } from 'commander'
import { chainOf, isWanted, linkChain } from '../brief/chain.ts'
import { readCurrent } from '../briefs/current.ts'
import { openScanner } from '../workspace/input-secrets.ts'
import { refreshLatest } from '../briefs/latest-file.ts'
import { checkNames } from '../log/log-names.ts'
import { readLogOptions } from '../log/log-options.ts'
import { graphLines, logLines } from '../log/log-text.ts'
import { chainWarnings } from '../log/log-warnings.ts'
import { readWholeChain } from '../briefs/read-chain.ts'
import type { ChainResult } from '../briefs/results.ts'
import type { CommandModule } from '../command.ts'
import { openWorkspace } from '../workspace/workspace.ts'

export function define(command: Command): void {
  command
    .option('--all', 'all branches, remotes, worktrees and parked briefs')
    .option('--chain', 'only the line that leads to the current brief')
    .option('--branch <name>', 'only those about this branch')
    .option('--agent <name>', 'only those of this agent')
    .option('--persona <slug>', 'only those of this persona')
    .option('--since <when>', 'only those made since a date, or 7d ago')
    .option('--limit <n>', 'at most so many, newest first')
    .option('--graph', 'draw the chain')
    .option('--html <file>', 'write one page that shows all of it in a browser; - is standard output')
    .addHelpText(
      'after',
      '\nExample:\n  handoff log --all --graph\n  handoff log --all --since 7d --agent codex --json\n  handoff log --html chain.html',
    )
}

export const run: CommandModule['run'] = async (invocation, _args, options) => {
  const { out, place } = invocation
  const asked = readLogOptions(options, place.now())
  const { repo, loaded } = await openWorkspace(invocation)
  const [chain, current] = await Promise.all([readWholeChain(repo, { all: asked.all }), readCurrent(repo)])
  const { nodes } = chain
  const linked = linkChain(nodes)
  const line = asked.chain && current !== null ? chainOf(current.id, nodes) : linked.order
  const wanted = line.filter((node) => isWanted(node, asked.filter))
  const shown = wanted.sort((a, b) => (a.id < b.id ? 1 : -1)).slice(0, asked.limit)
  const notices = [
    ...checkNames(asked.filter, nodes, asked.all),
    ...chainWarnings(chain, linked, repo.shallow),
  ]
  for (const notice of notices) out.warn(notice)
  const marked = { current: current?.id ?? null, parked: new Set(chain.parked.map(({ id }) => id)) }
  await refreshLatest(invocation, repo)
  if (typeof options.html === 'string') {
    const { logHtml } = await import('../log/log-html.ts')
    const scanner = await openScanner(place, repo.root, loaded.config)
    const request = { file: options.html, options, notices, chain: nodes, shown, ...marked, scanner }
    return logHtml(invocation, repo, request)
  }
  const lines = out.json
    ? []
    : asked.graph
      ? graphLines(nodes, shown, marked, place.env, out.screen?.columns ?? null)
      : logLines(shown, marked)
  const none =
    nodes.length === 0
      ? 'No briefs yet. `handoff create "<goal>"` makes the first.'
      : `None of ${nodes.length} brief(s) fits.`
  out.prose(lines.length === 0 ? none : lines.join('\n'), {
    ok: true,
    current: marked.current,
    briefs: shown,
    total: nodes.length,
    heads: linked.heads,
    parked: [...marked.parked],
    missing: linked.missing,
    cycles: linked.cycles,
    unreadable: chain.unreadable,
    broken: chain.broken,
    warnings: out.warnings,
  } satisfies ChainResult)
  return 0
}
