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
    .option('--chain', 'only the line of the current brief')
    .option('--branch <name>', 'only this branch')
    .option('--agent <name>', 'only this agent')
    .option('--by <name>', 'only this person')
    .option('--persona <slug>', 'only this persona')
    .option('--since <when>', 'only since a date or span')
    .option('--limit <n>', 'at most this many')
    .option('--graph', 'draw the chain')
    .option('--html <file>', 'write a page for a browser; `-`: standard output')
    .addHelpText('after', HELP)
}

const HELP = `
Newest first, each once, also after a merge, rebase, squash or cherry-pick. docs/life.md explains open, landed, closed.

--since takes a date (2026-11-01, UTC) or a span (7d, 12h, 30m). --html shows the newest 1,000 briefs and loads nothing.

Example:
  handoff log --all --graph
  handoff log --html chain.html`

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
