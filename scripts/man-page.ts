import { byMoment, GLOBAL_HELP } from '../src/cli/overview.ts'
import type { CommandModule, CommandSpec } from '../src/command.ts'
import { takenBy } from './doc-tables.ts'

/** What `man git-handoff` and `git handoff --help` show, in the macros of man(7), from the table of commands. */
export function manPage(
  commands: readonly CommandSpec[],
  modules: ReadonlyMap<string, Pick<CommandModule, 'define'>>,
  topics: readonly { name: string; about: string }[],
): string {
  const items = (pairs: readonly (readonly [string, string])[]): string[] =>
    pairs.flatMap(([name, about]) => ['.TP', bold(name), plain(about)])
  const entry = ({ name, summary }: CommandSpec): string[] => {
    const { args, options } = takenBy(modules.get(name) as CommandModule)
    const taken = items([...args, ...options])
    return [
      ...items([[`handoff ${name}`, `${summary[0]?.toUpperCase()}${summary.slice(1)}.`]]),
      ...(taken.length === 0 ? [] : ['.RS', ...taken, '.RE']),
    ]
  }
  return `${[
    '.\\" Written by `node scripts/emit-schema.mjs` from the table of commands.',
    '.TH GIT\\-HANDOFF 1 "" git\\-handoff "User Commands"',
    '.SH NAME',
    'git\\-handoff \\- hand work from one coding agent to the next through git',
    '.SH SYNOPSIS',
    plain('handoff'),
    '.br',
    plain('handoff "<goal>"'),
    '.br',
    plain('handoff <command> [<options>]'),
    '.SH DESCRIPTION',
    plain(
      'handoff turns the session of a coding agent and the state of git into a short, checked brief, committed on the branch. The next agent continues from it.',
    ),
    '.PP',
    plain(
      'Call it as handoff or git handoff. Alone it says what is open here. With a goal it is handoff create.',
    ),
    '.SH COMMANDS',
    ...byMoment(commands).flatMap(([heading, all]) => [`.SS ${heading}`, ...all.flatMap(entry)]),
    '.SH OPTIONS OF EVERY COMMAND',
    ...items(
      [...GLOBAL_HELP.matchAll(/^ {2}(-.*?) {2,}(.*)$/gm)].map(([, name = '', about = '']) => [name, about]),
    ),
    ...items([['--help', 'arguments, options and an example']]),
    '.SH TOPICS',
    plain('handoff help <topic> prints a page on:'),
    ...items(topics.map(({ name, about }) => [name, about])),
    '.SH FILES',
    ...items([
      ['.handoff/latest.md', 'where the next agent starts'],
      ['.handoff/briefs/', 'every brief, one file each'],
      ['.handoff/config.yaml', 'the configuration'],
    ]),
    '.SH EXIT STATUS',
    ...items([
      ['0', 'done'],
      ['1', 'findings, or the work failed'],
      ['2', 'it could not run: wrong arguments, or something is missing'],
      ['130', 'cancelled'],
    ]),
    '.SH EXAMPLES',
    ...items([
      ['git handoff demo', 'watch a whole handoff in a temporary folder'],
      ['git handoff create "make sub() in calc.js pass its test"', 'hand over what was done here'],
    ]),
    '.SH SEE ALSO',
    '.BR git (1)',
  ].join('\n')}\n`
}

/** Characters that roff reads as something else, or that printers of it replace by others. */
const NAMES: Readonly<Record<string, string>> = {
  '\\': '\\(rs',
  '-': '\\-',
  '`': '\\(ga',
  "'": '\\(aq',
  '^': '\\(ha',
  '~': '\\(ti',
}

/** A line of text. None begins a request, and every character stays what it is. */
function plain(text: string): string {
  const safe = text
    .replace(/[\\\-`'^~]/g, (found) => NAMES[found] ?? found)
    .replace(
      /[^\x20-\x7e]/gu,
      (found) => `\\[u${found.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}]`,
    )
  return safe.startsWith('.') ? `\\&${safe}` : safe
}

const bold = (text: string): string => `\\fB${plain(text)}\\fR`
