import type { Command } from 'commander'
import type { CommandModule } from '../command.ts'
import { jsonText } from '../output/output.ts'
import { stdinSession } from '../session/choose-session.ts'
import { readConversation } from '../session/conversation.ts'
import { pickSession } from '../session/pick-session.ts'
import { openHere } from '../session/session-place.ts'
import { openScanner } from '../workspace/input-secrets.ts'
import { openAnywhere } from '../workspace/workspace.ts'

export function define(command: Command): void {
  command
    .argument('<session>', 'an id, a unique prefix of one, a file, or `-` for standard input')
    .addOption(command.createOption('--format <name>', 'the format').choices(['atif']).default('atif'))
    .addHelpText('after', HELP)
}

const HELP = `
Paths and names stay. \`handoff create --session session.json\` reads it again.

Example:
  handoff export 5f0c7f6e > session.json`

export const run: CommandModule['run'] = async (invocation, [session], { format }) => {
  const { place, out } = invocation
  const workspace = await openAnywhere(invocation)
  const stdin = stdinSession(invocation)
  try {
    const picked = await pickSession(invocation, {
      roots: workspace.roots,
      here: openHere(workspace),
      from: undefined,
      session,
      saveStdin: stdin.save,
      briefs: async () => [],
    })
    if (picked === null) throw new Error('a session that is named is one')
    const scanner = await openScanner(place, workspace.root, workspace.loaded.config)
    const { document, redacted } = await readConversation(invocation, picked, scanner)
    const { warnings } = out
    const result = {
      ok: true,
      format,
      session: document.session_id,
      document,
      redacted,
      warnings,
    }
    if (out.json) out.object(result)
    else out.raw(`${jsonText(document, 2)}\n`)
    return 0
  } finally {
    await stdin.remove()
  }
}
