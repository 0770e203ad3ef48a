import type { CommandSpec } from '../command.ts'

export const GLOBAL_HELP = `
Everywhere:
  --json         one JSON object on standard output, with error codes
  --cwd <dir>    work in another directory
  --no-color     no colours`

/** The same by name, for what was mistyped. */
export const GLOBAL_FLAGS = ['--json', '--cwd', '--no-color', '--help', '--version'] as const

/** The moments in the order of the work, as headings. */
const MOMENTS: Readonly<Record<CommandSpec['when'], string>> = {
  'hand over': 'Hand over',
  'pick up': 'Pick up',
  review: 'Review',
  'set up': 'Set up and maintain',
  plumbing: 'Plumbing, for programs and shells',
}

export const byMoment = (commands: readonly CommandSpec[]): [heading: string, CommandSpec[]][] =>
  Object.entries(MOMENTS).map(([when, heading]) => [heading, commands.filter((one) => one.when === when)])

/** The text of `handoff --help`; plumbing only with `isAll`. */
export function overview(
  commands: readonly CommandSpec[],
  topics: readonly { name: string; about: string }[],
  isAll: boolean,
): string {
  const shown = commands.filter(({ when }) => isAll || when !== 'plumbing')
  const hidden = commands.filter((one) => !shown.includes(one)).map(({ name }) => name)
  const width = Math.max(...[...shown, ...topics].map((c) => c.name.length)) + 2
  return `Hand work from one coding agent to the next through git.

Usage: handoff                     choose session, goal and next agent
       handoff "<goal>"            the same as handoff create "<goal>"
       handoff <command> [options]
       git handoff <command>       the same, where only git finds it

${byMoment(shown)
  .filter(([, all]) => all.length > 0)
  .map(([heading, all]) => [`${heading}:`, ...all.map((c) => entry(c.name, c.summary, width))].join('\n'))
  .join('\n\n')}
${hidden.length === 0 ? '' : `\nhandoff help --all lists the plumbing as well: ${hidden.join(', ')}.\n`}
Example:
  handoff create "port the retry queue to the new scheduler, keep its API"

handoff <command> --help tells more, handoff help <topic> explains:
${topics.map(({ name, about }) => entry(name, about, width)).join('\n')}
and each agent by its id, as handoff help claude-code.

${GLOBAL_HELP.trimStart()}
  -v, --version  print the version`
}

/** A name and what it is, on a line of the narrowest usual terminal. */
const entry = (name: string, about: string, width: number): string => `  ${name.padEnd(width)}${about}`
