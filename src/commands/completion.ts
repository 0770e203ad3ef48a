import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import type { CommandModule } from '../command.ts'
import { packageFolder } from '../workspace/find-program.ts'

export function define(command: Command): void {
  command
    .addArgument(command.createArgument('<shell>', SHELLS.join(', ')).choices(SHELLS))
    .addHelpText('after', HELP)
}

const SHELLS = ['bash', 'zsh', 'fish']

const HELP = `
The line belongs in ~/.bashrc, in ~/.zshrc below compinit, or in ~/.config/fish/config.fish.

Example:
  source <(handoff completion bash)
  source <(handoff completion zsh)
  handoff completion fish | source`

export const run: CommandModule['run'] = async ({ out }, [shell]) => {
  const script = readFileSync(join(packageFolder(), 'dist', `completion.${shell}`), 'utf8')
  if (out.json) out.object({ ok: true, shell, script, warnings: out.warnings })
  else out.raw(script)
  return 0
}
