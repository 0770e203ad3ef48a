import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command } from 'commander'
import type { CommandModule, CommandSpec } from '../src/command.ts'
import type { Key } from '../src/config/keys.ts'
import { durationWords } from '../src/config/merge.ts'
import type { Adapter } from '../src/types/agent.ts'
import type { Config } from '../src/types/config.ts'
import type { SessionEvent } from '../src/types/session.ts'

/** Text between the two marker lines of a generated part of a page. */
const part = (name: string): RegExp =>
  new RegExp(`(?<=<!-- generated: ${name}[^\\n]*-->\\n)[\\s\\S]*?(?=<!-- end of ${name} -->)`)

/** The page with its part of that name made anew. Throws when the page has no such part. */
export function withPart(page: string, name: string, text: string): string {
  if (!part(name).test(page)) throw new Error(`no part "${name}" in this page`)
  return page.replace(part(name), () => `\n${text}\n`)
}

export const code = (text: string): string => `\`${text.replaceAll('|', '\\|')}\``
export const codes = (texts: readonly string[]): string => [...new Set(texts)].map(code).join(', ')
export const row = (...cells: string[]): string =>
  `|${cells.map((cell) => (cell === '' ? ' ' : ` ${cell} `)).join('|')}|`

/** Where the words of an option begin and end, in columns. */
const WORDS_AT = 28
const WIDTH = 110
/** Columns of a paragraph of a page. */
const PROSE = 128

/** What each name does, as the help of a command says it: names on the left, words wrapped beside them. */
const list = (head: string, items: Named): string[] => [
  head,
  ...items.flatMap(([name, about]) => {
    const rows = wrapped(about, WIDTH - WORDS_AT)
    const left = `  ${name}  `
    const isWide = left.length > WORDS_AT
    return [
      ...(isWide ? [left.trimEnd()] : []),
      ...rows.map((words, i) => `${(i === 0 && !isWide ? left : '').padEnd(WORDS_AT)}${words}`),
    ]
  }),
]

function wrapped(text: string, width: number): string[] {
  const rows: string[] = []
  for (const word of text.split(' ')) {
    const last = rows.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= width)
      rows[rows.length - 1] = `${last} ${word}`
    else rows.push(word)
  }
  return rows
}

const fence = (rows: readonly string[]): string => ['```text', ...rows, '```'].join('\n')

type Sessions = readonly (readonly SessionEvent[])[]

/** What sessions of an agent tell, from their events: how a command ended as a code, or only whether it failed. */
export function toldIn(sessions: Sessions): string[] {
  const ends = sessions.flatMap((events) => {
    const runs = new Set(
      events.flatMap((one) => (one.kind === 'call' && one.action.type === 'run' ? one.id : [])),
    )
    return events.flatMap((one) => (one.kind === 'result' && runs.has(one.id) ? one : []))
  })
  const has = (is: (event: SessionEvent) => boolean) => sessions.some((events) => events.some(is))
  const files = has((one) => one.kind === 'call' && one.action.type === 'edit' && one.action.files.length > 0)
  const codes = ends.some(({ exitCode }) => exitCode !== null)
  return [
    ...(has(({ kind }) => kind === 'prompt') ? ['requests'] : []),
    ...(files ? ['files'] : []),
    ...(codes ? ['exit codes'] : ends.some(({ unsure }) => !unsure) ? ['failures'] : []),
    ...(has(({ kind }) => kind === 'reply') ? ['last message'] : []),
  ]
}

/** The events of the fixtures of an agent below `folder`; Kilo is read as OpenCode is. */
export function fixturesOf(folder: string, id: string): Sessions {
  const own = join(folder, id === 'kilo' ? 'opencode' : id)
  return readdirSync(own).map(
    (name) => JSON.parse(readFileSync(join(own, name, 'events.json'), 'utf8')).events,
  )
}

/** What handoff does for an agent: finds its sessions, reads them, sets it up, starts it. */
const ableWords = ({ isNamed, setup, launch }: Adapter): string[] => [
  ...(isNamed === true ? [] : ['found']),
  'read',
  ...(setup === undefined ? [] : ['set up']),
  ...(launch === undefined ? [] : ['started']),
]

/** What handoff does for each agent. `guides`: names of the pages; `fixtures`: their folder. */
export const agentTable = (agents: readonly Adapter[], guides: readonly string[], fixtures: string): string =>
  [
    row('agent', 'can be', 'sessions have', 'version', 'source'),
    row('---', '---', '---', '---', '---'),
    ...agents.map((adapter) =>
      row(
        guides.includes(`${adapter.id}.md`) ? `[${code(adapter.id)}](${adapter.id}.md)` : code(adapter.id),
        allOr(ableWords(adapter)),
        allOr(toldIn(fixturesOf(fixtures, adapter.id))),
        adapter.basis.of,
        adapter.basis.is,
      ),
    ),
  ].join('\n')

/** Both columns have four words that an agent with everything has. */
const allOr = (words: readonly string[]): string =>
  words.length === 4 && !words.includes('failures') ? 'all' : words.join('/')

type Named = readonly (readonly [name: string, about: string])[]

/** What a command takes, from what its `--help` says. */
export function takenBy(module: Pick<CommandModule, 'define'>): { args: Named; options: Named } {
  const command = new Command()
  module.define(command)
  const args = command.registeredArguments.map(
    (one) => [`${one.name()}${one.variadic ? '...' : ''}`, one.description] as const,
  )
  const options = command.options
    .filter(({ hidden }) => !hidden)
    .map(
      ({ flags, description, defaultValue }) =>
        [
          flags,
          `${description}${typeof defaultValue === 'string' ? ` (default: ${defaultValue})` : ''}`,
        ] as const,
    )
  return { args, options }
}

/** The list of that as a block; null when it takes nothing. */
function optionList(module: Pick<CommandModule, 'define'>): string | null {
  const { args, options } = takenBy(module)
  const lists = [
    ...(args.length > 0 ? list('Arguments:', args) : []),
    ...(options.length > 0 ? list('Options:', options) : []),
  ]
  return lists.length === 0 ? null : fence(lists)
}

/** What the help of a command says below its options: paragraphs, and the commands of its example. */
export function helpWords(module: Pick<CommandModule, 'define'>): { words: string[]; example: string } {
  const command = new Command()
  module.define(command)
  const parts: string[] = []
  command.configureOutput({ writeOut: (part) => void parts.push(part) }).outputHelp()
  const [, after = ''] = parts.join('').split(/^ +-h, --help .*\n(?: {10,}.*\n)*/m)
  const [words = '', example = ''] = after.split(/^Example.*:\n/m)
  const paragraphs = words
    .trim()
    .split(/\n{2,}/)
    .map((one) => one.replaceAll('\n', ' '))
  return { words: paragraphs.filter((one) => one !== ''), example: example.trimEnd().replace(/^ {2}/gm, '') }
}

/** The reference of all commands, from their help; a page of `docs/` that the help names becomes a link. */
export const commandReference = (
  commands: readonly Pick<CommandSpec, 'name' | 'summary'>[],
  modules: ReadonlyMap<string, Pick<CommandModule, 'define'>>,
): string =>
  commands
    .map(({ name, summary }) => {
      const module = modules.get(name) as CommandModule
      const { words, example } = helpWords(module)
      const takes = optionList(module)
      const language = example.startsWith('{') ? 'json' : 'sh'
      return [
        `## \`handoff ${name}\``,
        `${summary[0]?.toUpperCase()}${summary.slice(1)}.`,
        ...words.map((text) => wrapped(linked(text), PROSE).join('\n')),
        ...(example === '' ? [] : [`\`\`\`${language}\n${example}\n\`\`\``]),
        ...(takes === null ? [] : [takes]),
      ].join('\n\n')
    })
    .join('\n\n')

/** `docs/trust.md` as a link of a page beside it. */
const linked = (text: string): string => text.replace(/\bdocs\/((?:[\w-]+\/)*([\w-]+)\.md)/g, '[$2]($1)')

/** The rules that a brief has to keep. */
export const ruleList = (rules: readonly { id: string; level: string; about: string }[]): string =>
  rules.map(({ id, level, about }) => `- ${code(id)} (${level}): ${about}`).join('\n')

/** The keys of the configuration, from what its JSON Schema is made of. */
export const configList = (keys: readonly Key[], defaults: Config): string =>
  keys.map((key) => keyItem(key, defaults)).join('\n')

function keyItem(key: Key, defaults: Config): string {
  const value = key.path
    .split('.')
    .reduce<unknown>((at, part) => (at as Record<string, unknown>)[part], defaults)
  const { kind } = key
  const values = {
    count: () =>
      kind.is !== 'count' || (kind.min === 0 && kind.max === 100_000) ? '' : `${kind.min} to ${kind.max}`,
    age: () => 'age, or null',
    flag: () => '',
    text: () => 'text or null',
    duration: () =>
      kind.is === 'duration' && kind.most !== undefined
        ? `duration, ${durationWords(kind.least ?? 0)} to ${durationWords(kind.most)}`
        : 'duration',
    choice: () => (kind.is === 'choice' ? codes(kind.of) : ''),
    list: () => 'list',
    personas: () => 'mapping',
  }[kind.is]()
  const names = key.aliases.length === 0 ? '' : ` (${codes(key.aliases)})`
  const standard = code(kind.is === 'duration' ? inWords(Number(value)) : JSON.stringify(value))
  return `- ${code(key.path)}${names}: ${key.about}${values === '' ? '' : `; ${values}`} (${standard})`
}

const inWords = (ms: number): string => (ms < 3_600_000 ? `${ms / 60_000}m` : `${ms / 3_600_000}h`)
