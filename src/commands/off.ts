import type { Command } from 'commander'
import type { CommandModule } from '../command.ts'
import { OFF, writePrivate } from '../store/private.ts'
import { openWorkspace } from '../workspace/workspace.ts'

export function define(command: Command): void {
  command.addHelpText('after', HELP)
}

const HELP = `
For one session: HANDOFF=0.

Example:
  handoff off`

export const run: CommandModule['run'] = async (invocation) => {
  const { out } = invocation
  const { repo } = await openWorkspace(invocation)
  await writePrivate(repo.commonDir, OFF, '')
  const text = 'Hooks are off in this clone. `git handoff init` turns them on again.'
  out.prose(text, { ok: true, off: true, warnings: out.warnings })
  return 0
}
