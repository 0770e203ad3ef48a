import type { CommandSpec } from '../commands/table.ts'

/** What every command understands. */
export const GLOBAL_HELP = `
Everywhere:
  --json         one JSON object on standard output, with error codes
  --cwd <dir>    work in another directory
  --no-color     no colours`

/** The same by name, for what was mistyped. */
export const GLOBAL_FLAGS = ['--json', '--cwd', '--no-color', '--help', '--version'] as const

/** The text of `handoff --help`. */
export function overview(
  commands: readonly CommandSpec[],
  topics: readonly { name: string; about: string }[],
): string {
  const width = Math.max(...[...commands, ...topics].map((c) => c.name.length)) + 2
  return `Hand work from one coding agent to the next through git.

Usage: handoff "<goal>"            the same as handoff create "<goal>"
       handoff <command> [options]

Commands:
${commands.map((c) => `  ${c.name.padEnd(width)}${c.summary}`).join('\n')}

Example:
  handoff create "port the retry queue to the new scheduler, keep the public API"

handoff <command> --help tells more, handoff help <topic> explains:
${topics.map(({ name, about }) => `  ${name.padEnd(width)}${about}`).join('\n')}
and each agent by its id, as handoff help claude-code.

${GLOBAL_HELP.trimStart()}
  --version      print the version`
}
