import type { Command } from 'commander'
import { refreshLatest } from '../briefs/latest-file.ts'
import type { CommandModule } from '../command.ts'
import { parseDuration } from '../config/merge.ts'
import { noRequest, requestEnded } from '../errors/cycle.ts'
import { usage } from '../errors/usage.ts'
import { isEnded, listPending, type Pending } from '../store/pending.ts'
import { summaryOf } from '../switch/requests.ts'
import { removeDocument, waitForDocument } from '../switch/wait-document.ts'
import { openWorkspace } from '../workspace/workspace.ts'

export function define(command: Command): void {
  command
    .argument('[request]', 'id of the request, or a prefix; default: the last one of this worktree')
    .option('--timeout <duration>', 'time limit', '10m')
    .addHelpText('after', HELP)
}

const HELP = `
Ends when the agent has ended its turn and its document is whole, and takes it as notes for the next brief. On failure the agent goes
on as before, and the reason is said.

Example:
  handoff await --timeout 5m`

export const run: CommandModule['run'] = async (invocation, [wanted], options) => {
  const { out } = invocation
  const timeout = parseDuration(options.timeout ?? '10m')
  if (timeout === null) throw usage('--timeout takes a duration such as 5m.', 'handoff await --timeout 5m')
  const workspace = await openWorkspace(invocation)
  const { repo } = workspace
  await refreshLatest(invocation, repo)
  const pending = pick(await listPending(repo.commonDir), repo.root, wanted)
  if (pending === null) throw noRequest(wanted ?? null)
  if (isEnded(pending) && pending.state !== 'noted') throw requestEnded(pending.requestId, pending.state)
  if (pending.state === 'noted') await removeDocument(pending)
  const done =
    pending.state === 'noted' ? pending : await waitForDocument(invocation, workspace, pending, timeout)
  out.result(`${done.requestId}\n`, { ok: true, ...summaryOf(done), warnings: out.warnings })
  out.say('Noted. It goes into the next brief of that session: `handoff create "<goal>"`')
  return 0
}

function pick(all: readonly Pending[], root: string, wanted: string | undefined): Pending | null {
  if (wanted !== undefined) {
    const found = all.filter(({ requestId }) => requestId.startsWith(wanted))
    return found.length === 1 ? (found[0] ?? null) : null
  }
  const here = all.filter((one) => one.root === root)
  return here.filter((one) => !isEnded(one)).at(-1) ?? here.at(-1) ?? null
}
