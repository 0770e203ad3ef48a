import type { Command } from 'commander'
import { findSessions } from '../agents/find.ts'
import { adapters } from '../agents/table.ts'
import { refreshLatest } from '../briefs/latest-file.ts'
import type { CommandModule, Invocation } from '../command.ts'
import { usage } from '../errors/usage.ts'
import { passedOver, passedOverLines } from '../session/passed-over.ts'
import { tellFinding } from '../session/pick-session.ts'
import { listLine, listSessions } from '../session/session-list.ts'
import { openHere } from '../session/session-place.ts'
import { openWorkspace } from '../workspace/workspace.ts'

export function define(command: Command): void {
  command
    .addOption(
      command
        .createOption('--from <agent>', `only this agent: ${adapters.map((a) => a.id).join(', ')}`)
        .choices(adapters.map(({ id }) => id)),
    )
    .option('--limit <n>', 'at most this many', '20')
    .option('-v, --verbose', 'also what was passed over, and why')
    .addHelpText('after', '\nExample:\n  handoff sessions --from codex')
}

export const run: CommandModule['run'] = async (invocation: Invocation, _args, options) => {
  const { place, out } = invocation
  const only = options.from === undefined ? undefined : adapters.find((a) => a.id === options.from)?.id
  const limit = Number(options.limit)
  if (!Number.isInteger(limit) || limit < 1)
    throw usage('--limit takes a whole number.', 'Example: `git handoff sessions --limit 5`.')
  const { repo, roots } = await openWorkspace(invocation, { isAnswer: true })
  await refreshLatest(invocation, repo)
  const found = await findSessions(place, roots, only, tellFinding(invocation))
  const here = openHere({ repo, roots })
  const shown = await listSessions(found.slice(0, limit), here, place)
  const lines = shown.map((one) => listLine(one, place))
  if (found.length > shown.length) lines.push(`… and ${found.length - shown.length} more (--limit)`)
  const passed = options.verbose === true ? await passedOver(place, found, only) : []
  if (options.verbose === true)
    lines.push(
      passed.length === 0 ? 'Passed over: nothing.' : 'Passed over:',
      ...passedOverLines(passed, place).map((line) => `  ${line}`),
    )
  out.prose(lines.length === 0 ? 'No sessions were found for this repository.' : lines.join('\n'), {
    ok: true,
    total: found.length,
    sessions: shown,
    ...(options.verbose === true ? { passedOver: passed } : {}),
    warnings: out.warnings,
  })
  if (found.length === 0) out.say('`git handoff create "<goal>" --from git` needs none.')
  return 0
}
