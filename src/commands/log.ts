import type { Command } from 'commander'
import type { CommandModule } from '../command.ts'
import { readLogOptions } from '../log/log-options.ts'
import { graphLines, logLines } from '../log/log-text.ts'
import { isShown, readLog } from '../log/read-log.ts'
import { plural } from '../text/count.ts'
import { openScanner } from '../workspace/input-secrets.ts'

export function define(command: Command): void {
  command
    .option('--all', 'all branches, remotes, worktrees and parked briefs')
    .option('--chain', 'only the line that leads to the current brief')
    .option('--branch <name>', 'only those about this branch')
    .option('--agent <name>', 'only those of this agent')
    .option('--persona <slug>', 'only those of this persona')
    .option('--since <when>', 'only those made since a date, or 7d ago')
    .option('--limit <n>', 'at most this many, newest first')
    .option('--graph', 'draw the chain')
    .option('--html <file>', 'write a page for a browser; - is standard output')
    .addHelpText(
      'after',
      '\nExample:\n  handoff log --all --graph\n  handoff log --all --since 7d --agent codex --json\n  handoff log --html chain.html',
    )
}

export const run: CommandModule['run'] = async (invocation, _args, options) => {
  const { out, place } = invocation
  const asked = readLogOptions(options, place.now())
  const { result, nodes, notices, workspace } = await readLog(invocation, asked)
  const { briefs: shown, current } = result
  const marked = { current, parked: new Set(result.parked) }
  if (typeof options.html === 'string') {
    const { logHtml } = await import('../log/log-html.ts')
    const { repo, loaded } = workspace
    const scanner = await openScanner(place, repo.root, loaded.config)
    // The page holds whole briefs.
    const [chain, briefs] = [nodes.filter(isShown), shown.filter(isShown)]
    const left = shown.length - briefs.length
    const hidden = `${plural(left, 'brief')} left out: not trusted, so no agent is shown them`
    if (left > 0) out.warn(hidden)
    const all = left > 0 ? [...notices, hidden] : notices
    const request = { file: options.html, options, notices: all, chain, shown: briefs, ...marked, scanner }
    return logHtml(invocation, repo, request)
  }
  const lines = out.json
    ? []
    : asked.graph
      ? graphLines(nodes, shown, marked, place.env, out.screen?.columns ?? null)
      : logLines(shown, marked)
  const none =
    nodes.length === 0
      ? 'No briefs yet. `git handoff create "<goal>"` makes the first.'
      : `None of ${plural(nodes.length, 'brief')} matches.`
  out.prose(lines.length === 0 ? none : lines.join('\n'), result)
  return 0
}
