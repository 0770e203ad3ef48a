import type { Command } from 'commander'
import { readCheckout } from '../briefs/current.ts'
import { warnPassedOver } from '../briefs/find-brief.ts'
import { refreshLatest } from '../briefs/latest-file.ts'
import { type CommandModule, printOutcome } from '../command.ts'
import { usage } from '../errors/usage.ts'
import type { Repo } from '../git/open-repo.ts'
import { tellMoment } from '../status/moment.ts'
import { countPast, readNewerFetched, readOpenBrief, readStatusOf, readTaken } from '../status/read-status.ts'
import { readHere } from '../status/status-here.ts'
import { drawLines, statusLines } from '../status/status-lines.ts'
import { closeNudges, openNudges } from '../store/live.ts'
import { isAgent, mayAsk } from '../workspace/at-terminal.ts'
import { openWorkspace } from '../workspace/workspace.ts'

export function define(command: Command): void {
  command.option('--dismiss <n>', 'close this nudge, by number').addHelpText('after', HELP)
}

const HELP = `
Says what changed since the brief, and who picked it up.

Example:
  handoff status --json`

export const run: CommandModule['run'] = async (invocation, _args, options) => {
  const { out } = invocation
  const workspace = await openWorkspace(invocation, { isAnswer: true })
  const { repo, loaded } = workspace
  const { env, now } = invocation.place
  await refreshLatest(invocation, repo)
  if (options.dismiss !== undefined) await dismiss(repo, options.dismiss)
  const newer = await readNewerFetched(repo)
  if (newer !== null) out.warn(`${newer.ref} has a newer brief, ${newer.id}; \`git handoff pull\` brings it`)
  warnPassedOver(out, await readCheckout(repo))
  const { checkout, ...seen } = await readStatusOf(invocation, repo)
  const [brief, taken, pastRetention, here] = await Promise.all([
    readOpenBrief(repo, checkout, now(), isAgent(env)),
    readTaken(repo, checkout, now(), isAgent(env)),
    countPast(invocation, repo, loaded.config, checkout),
    readHere(invocation, workspace),
  ])
  const status = { ok: true, brief, ...seen }
  const lines = statusLines(status, taken, pastRetention, here)
  const { screen } = out
  const drawn = screen === null ? null : drawLines(lines, screen)
  out.result(lines.join('\n'), { ...status, taken, ...here, pastRetention, warnings: out.warnings }, drawn)
  return 0
}

async function dismiss(repo: Repo, number: unknown): Promise<void> {
  const nudges = await openNudges(repo.commonDir)
  const nudge = nudges[Number(number) - 1]
  if (nudge === undefined)
    throw usage(
      `There is no nudge ${String(number)}.`,
      `\`git handoff status\` lists them; there are ${nudges.length}.`,
    )
  await closeNudges(
    repo.commonDir,
    ({ agent, sessionId, thresholdPct }) =>
      agent === nudge.agent && sessionId === nudge.sessionId && thresholdPct === nudge.thresholdPct,
  )
}

/** What `handoff` alone says, and asks at a terminal. */
export const moment: CommandModule = {
  define: () => undefined,
  async run(invocation) {
    const told = await tellMoment(invocation)
    if (!mayAsk(invocation) || invocation.out.screen === null)
      return printOutcome(invocation.out, told, 'prose')
    return (await import('./pick.ts')).pick(invocation, told)
  },
}
