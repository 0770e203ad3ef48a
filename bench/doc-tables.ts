import { envName, type Key } from '../src/config/keys.ts'
import { durationWords } from '../src/config/merge.ts'
import type { Config } from '../src/types/config.ts'

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

/** The table of the front matter, from its JSON Schema: keys of mappings stand behind their mapping. */
export function frontMatterTable(schema: Schema): string {
  const head = [row('key', 'required', 'value', 'meaning'), row('---', '---', '---', '---')]
  return [...head, ...schemaRows(schema, schema)].join('\n')
}

function schemaRows(schema: Schema, whole: Schema, prefix = ''): string[] {
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
  const inside = anyOf.flatMap((one) => schemaRows(one, whole, prefix))
  const own = Object.entries(properties).flatMap(([name, inner]) => [
    row(
      code(prefix + name),
      required.includes(name) ? 'yes' : 'no',
      kindOf(inner, whole),
      String(inner.description ?? '').replaceAll('|', '\\|'),
    ),
    ...schemaRows(inner, whole, `${prefix}${name}.`),
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

/** The table of the configuration, from the keys that its JSON Schema is made of. */
export function configTable(keys: readonly Key[], defaults: Config): string {
  const cells = ['key', 'other names', 'environment', 'values', 'default', 'what it does']
  return [row(...cells), row(...cells.map(() => '---')), ...keys.map((key) => keyRow(key, defaults))].join(
    '\n',
  )
}

function keyRow(key: Key, defaults: Config): string {
  const value = key.path
    .split('.')
    .reduce<unknown>((at, part) => (at as Record<string, unknown>)[part], defaults)
  const { kind } = key
  const values = {
    count: () =>
      kind.is === 'count' ? `${kind.min} to ${kind.max}${kind.isNullable ? ', or null' : ''}` : '',
    age: () => 'age, or null',
    flag: () => 'true, false',
    text: () => 'text or null',
    duration: () =>
      kind.is === 'duration' && kind.most !== undefined
        ? `duration, ${durationWords(kind.least ?? 0)} to ${durationWords(kind.most)}`
        : 'duration',
    choice: () => (kind.is === 'choice' ? codes(kind.of) : ''),
    list: () => 'list',
    personas: () => 'mapping',
  }[kind.is]()
  return row(
    code(key.path),
    codes(key.aliases),
    // A mapping cannot be written into one variable.
    kind.is === 'personas' ? '' : codes([key.path, ...key.aliases].map(envName)),
    values,
    code(kind.is === 'duration' ? inWords(Number(value)) : JSON.stringify(value)),
    key.about,
  )
}

const inWords = (ms: number): string => (ms < 3_600_000 ? `${ms / 60_000}m` : `${ms / 3_600_000}h`)
