import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { adapters } from '../agents/table.ts'
import { noPage } from '../errors/usage.ts'
import { markdownRows } from '../output/markdown-rows.ts'
import type { Output } from '../output/output.ts'
import { paint } from '../text/rows.ts'
import { packageFolder } from '../workspace/find-program.ts'

/** What stands under a heading of a page in `docs/`, or the paragraphs of it that begin with a label; without either the whole page. */
interface Part {
  page: string
  heading?: string
  label?: string
  /** Of the tables of a page the rows of this name alone. */
  row?: string
}

interface Topic {
  name: string
  about: string
  parts: readonly Part[]
}

const ofCreate = (label: string): Part => ({ page: 'create.md', heading: 'Input', label })
const sessions: Part = { page: 'commands.md', heading: '`handoff sessions`' }

const topic = (name: string, about: string, ...parts: Part[]): Topic => ({ name, about, parts })

/** The pages of `handoff help <topic>`. Their words stand in `docs/` alone, which comes with the package. */
export const pages: readonly Topic[] = [
  topic('goal', 'what makes a goal', ofCreate('The goal.')),
  topic('sessions', 'which session is handed over, and where they are', ofCreate('Which session.'), sessions),
  topic('agents', 'which agents are known, and how they are set up', { page: 'agents/README.md' }),
  topic('trust', 'which briefs agents may read', { page: 'trust.md' }),
  topic(
    'latest',
    'latest.md and the current brief',
    { page: 'spec/format.md', heading: 'latest.md' },
    { page: 'life.md', heading: 'The current brief' },
  ),
  topic('secrets', 'what is replaced, what is refused, how a false alarm passes', ofCreate('Secrets.')),
  topic('leaked', 'what to do about a secret in a commit', {
    page: '../SECURITY.md',
    heading: 'If a secret was committed',
  }),
  topic(
    'config',
    'files and keys of the configuration',
    { page: 'configuration.md', heading: 'Files' },
    { page: 'configuration.md', heading: 'Keys' },
  ),
  topic(
    'exits',
    'exit codes and errors',
    { page: 'scripts.md', heading: 'Exit codes' },
    { page: 'scripts.md', heading: 'Errors' },
  ),
]

/** The same, and each agent by its id: its page, or its rows among all. */
export const topics: readonly Topic[] = [
  ...pages,
  ...adapters
    .filter(({ id }) => id !== 'plain')
    .map(({ id, label }) =>
      topic(
        id,
        `how ${label} is read`,
        existsSync(join(packageFolder(), 'docs', 'agents', `${id}.md`))
          ? { page: `agents/${id}.md` }
          : { page: 'agents/README.md', row: id },
      ),
    ),
]

/** The words of a topic as markdown. Throws `noPage`, and what reading the pages throws. */
export const topicText = ({ parts }: Topic): string => parts.map((part) => partText(part)).join('\n\n')

function readPage(page: string): string {
  const folder = packageFolder()
  try {
    return readFileSync(join(folder, 'docs', page), 'utf8')
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') throw cause
    throw noPage(`docs/${page}`, folder, cause)
  }
}

/** Throws `noPage`, and an `Error` when there is no such part: a heading was renamed. */
function partText({ page, heading, label, row }: Part): string {
  // Marks around what is generated are for those who write it.
  const whole = readPage(page)
    .replace(/^<!-- .* -->\n/gm, '')
    .trimEnd()
  const lines = whole.split('\n')
  if (row !== undefined) return listOf(whole, row)
  if (heading === undefined) return whole
  const start = lines.indexOf(`## ${heading}`)
  if (start === -1) throw new Error(`docs/${page} has no heading ${heading}`)
  const after = lines.findIndex((line, i) => i > start && line.startsWith('## '))
  const section = lines.slice(start, after === -1 ? undefined : after)
  if (label === undefined) return section.join('\n').trimEnd()
  const first = section.findIndex((line) => line.startsWith(`**${label}`))
  if (first === -1) throw new Error(`docs/${page} says nothing of ${label}`)
  const next = section.findIndex((line, i) => i > first && (line.startsWith('**') || line.startsWith('JSON')))
  return section
    .slice(first, next === -1 ? undefined : next)
    .join('\n')
    .trimEnd()
}

/** The rows of a name in the tables of a page as one list, each cell behind the head of its column. */
function listOf(page: string, name: string): string {
  const cellsOf = (line = ''): string[] =>
    line
      .slice('| '.length, -' |'.length)
      .split(' | ')
      .map((cell) => cell.trim())
  const tables = page.split('\n\n').map((block) => block.trim().split('\n'))
  const cells = tables.flatMap(([head, ...rows]) => {
    const heads = cellsOf(head)
    const own = rows.filter((line) => line.startsWith(`| \`${name}\` |`))
    return own.flatMap((line) => cellsOf(line).map((cell, at) => [heads[at] ?? '', cell] as const))
  })
  const said = cells.filter(([head, cell]) => head !== 'agent' && cell !== '')
  return [`# ${name}`, '', ...said.map(([head, cell]) => `- ${head}: ${cell}`)].join('\n')
}

/** Prints the page on a topic, laid out on a terminal, as markdown elsewhere; false when there is none of that name. `isCommand`: a command is called so, too. */
export function printTopic(out: Output, name: string, isCommand: boolean): boolean {
  const found = topics.find((one) => one.name === name)
  if (found === undefined) return false
  const text = `${topicText(found)}${isCommand ? `\n\n\`handoff ${name} --help\` has the options of the command.` : ''}`
  const { screen } = out
  const drawn =
    screen === null
      ? null
      : paint(markdownRows(text, { width: screen.columns, color: screen.color, isOurs: true }), screen.color)
  out.result(text, { ok: true, topic: name, help: text }, drawn)
  return true
}
