import type { Command } from 'commander'
import bash from '../../templates/completion-bash.txt?raw'
import fish from '../../templates/completion-fish.txt?raw'
import zsh from '../../templates/completion-zsh.txt?raw'
import type { CommandModule } from '../command.ts'

/** Each asks the program at every key, so that none of them has a list of its own. */
const SCRIPTS = { bash, zsh, fish } as const

export function define(command: Command): void {
  command
    .addArgument(
      command.createArgument('<shell>', `${Object.keys(SCRIPTS).join(', ')}`).choices(Object.keys(SCRIPTS)),
    )
    .addHelpText('after', HELP)
}

const HELP = `
Prints a script that completes commands, options, their choices and ids of briefs:
  bash   source <(handoff completion bash)     in ~/.bashrc
  zsh    source <(handoff completion zsh)      in ~/.zshrc, below compinit
  fish   handoff completion fish | source      in ~/.config/fish/config.fish

Example:
  source <(handoff completion bash)`

export const run: CommandModule['run'] = async ({ out }, [shell]) => {
  const script = SCRIPTS[shell as keyof typeof SCRIPTS]
  if (out.json) out.object({ ok: true, shell, script, warnings: out.warnings })
  else out.raw(script)
  return 0
}
