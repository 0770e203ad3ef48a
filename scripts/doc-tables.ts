import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command } from 'commander'
import type { CommandModule } from '../src/command.ts'
import type { Key } from '../src/config/keys.ts'
import { durationWords } from '../src/config/merge.ts'
import type { Adapter } from '../src/types/agent.ts'
import type { Config } from '../src/types/config.ts'
import type { SessionEvent } from '../src/types/session.ts'

type Schema = Readonly<Record<string, unknown>>

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

/** The page with one block of a section replaced: the one that begins with a line of `heads`. Throws when there is none. */
export function withBlock(page: string, heading: string, heads: readonly string[], text: string): string {
  const parts = page.split(/^(?=## )/m)
  const at = parts.findIndex((part) => part.startsWith(`## ${heading}\n`))
  const blocks = parts[at]?.split('\n\n') ?? []
  const place = blocks.findIndex((block) =>
    heads.includes(block.replace('```text\n', '').split('\n', 1)[0] ?? ''),
  )
  if (place === -1) throw new Error(`no ${heads.join(' or ')} below "${heading}"`)
  blocks[place] = `${text}${blocks[place]?.endsWith('\n') ? '\n' : ''}`
  return [...parts.slice(0, at), blocks.join('\n\n'), ...parts.slice(at + 1)].join('')
}

/** Where the words of an option begin and end, in columns. */
const WORDS_AT = 28
const WIDTH = 110

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

/** What handoff does for each agent, and what its processes have in their environment. `guides`: names of the pages; `fixtures`: their folder. */
export const agentTable = (agents: readonly Adapter[], guides: readonly string[], fixtures: string): string =>
  [
    row('agent', 'can be', 'sessions tell', 'version', 'source', 'known by'),
    row('---', '---', '---', '---', '---', '---'),
    ...agents.map((adapter) =>
      row(
        guides.includes(`${adapter.id}.md`) ? `[${code(adapter.id)}](${adapter.id}.md)` : code(adapter.id),
        ableWords(adapter).join('/'),
        toldIn(fixturesOf(fixtures, adapter.id)).join('/'),
        adapter.basis.of,
        adapter.basis.source === undefined
          ? adapter.basis.is
          : `${adapter.basis.is}: ${adapter.basis.source}`,
        codes(adapter.marks),
      ),
    ),
  ].join('\n')

type Named = readonly (readonly [name: string, about: string])[]

/** What a command takes, from what its `--help` says. */
export function takenBy(module: Pick<CommandModule, 'define'>): { args: Named; options: Named } {
  const command = new Command()
  module.define(command)
  const args = command.registeredArguments.map(
    (one) => [`${one.name()}${one.variadic ? '...' : ''}`, one.description] as const,
  )
  const options = command.options.map(
    ({ flags, description, defaultValue }) =>
      [
        flags,
        `${description}${typeof defaultValue === 'string' ? ` (default: ${defaultValue})` : ''}`,
      ] as const,
  )
  return { args, options }
}

/** The list of that; null when it takes nothing. */
export function optionList(module: Pick<CommandModule, 'define'>): string | null {
  const { args, options } = takenBy(module)
  const lists = [
    ...(args.length > 0 ? list('Arguments:', args) : []),
    ...(options.length > 0 ? list('Options:', options) : []),
  ]
  return lists.length === 0 ? null : fence(lists)
}

export const RULE_HEAD = row('rule', 'level', 'what it asks')

/** The table of the rules that a brief has to keep. */
export const ruleTable = (rules: readonly { id: string; level: string; about: string }[]): string =>
  [
    RULE_HEAD,
    row('---', '---', '---'),
    ...rules.map(({ id, level, about }) => row(code(id), level, about)),
  ].join('\n')

/** The keys of the front matter, from its JSON Schema: keys of mappings stand behind their mapping. */
export const frontMatterList = (schema: Schema): string => schemaItems(schema, schema).join('\n')

function schemaItems(schema: Schema, whole: Schema, prefix = ''): string[] {
  const {
    properties = {},
    required = [],
    anyOf = [],
  } = schema as {
    properties?: Record<string, Schema>
    required?: string[]
    /** A mapping or null. */
    anyOf?: Schema[]
  }
  const inside = anyOf.flatMap((one) => schemaItems(one, whole, prefix))
  const own = Object.entries(properties).flatMap(([name, inner]) => [
    `- ${code(prefix + name)} (${required.includes(name) ? 'required, ' : ''}${kindOf(inner, whole)}): ${String(inner.description ?? '')}`,
    ...schemaItems(inner, whole, `${prefix}${name}.`),
  ])
  return [...own, ...inside]
}

/** What a value is, in a word or two. The patterns of ids, times and hashes are known by the keys that are one. */
function kindOf(schema: Schema, whole: Schema): string {
  const { properties } = whole as { properties: Record<string, Schema> }
  const { type, anyOf, pattern, items, enum: choices } = schema as Record<string, never>
  if ('const' in schema) return code(JSON.stringify(schema.const))
  if (anyOf) return (anyOf as Schema[]).map((one) => kindOf(one, whole)).join(' or ')
  if (choices) return codes(choices)
  if (items) {
    const inner = kindOf(items, whole)
    return inner === 'text' ? 'list' : `list of ${inner}s`
  }
  if (pattern === properties.id?.pattern) return 'id'
  if (pattern === properties.createdAt?.pattern) return 'time'
  if (pattern && JSON.stringify(properties.head).includes(JSON.stringify(pattern))) return 'hash'
  const words: Record<string, string> = {
    string: 'text',
    boolean: 'true, false',
    integer: 'number',
    object: 'mapping',
  }
  return words[String(type)] ?? String(type)
}

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
  return `- ${code(key.path)}${names}: ${key.about}. ${values === '' ? 'Default' : `${values}; default`} ${standard}`
}

const inWords = (ms: number): string => (ms < 3_600_000 ? `${ms / 60_000}m` : `${ms / 3_600_000}h`)
