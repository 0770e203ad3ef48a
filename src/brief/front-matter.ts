import matter from 'gray-matter'
import type { core } from 'zod/mini'
import { briefUnreadable, newerSchema } from '../errors/briefs.ts'
import { oneLine } from '../text/safe-text.ts'
import type { FrontMatter } from '../types/brief.ts'
import { metaKeys, metaSchema, SCHEMA_VERSION, TOP_KEYS } from './meta-schema.ts'
import { yamlEngine } from './yaml-engine.ts'

/** A line that git's conflict markers make, as far as nothing else is written so. */
export const CONFLICT_MARKER = /^(?:<{7}|>{7})(?: |$)/
/** Bytes of front matter that any parser gets to see. */
const MAX_MATTER = 16 * 1024
const OPEN = /^\ufeff?---[ \t]*\r?\n/
const CLOSE = /^---[ \t]*\r?$/m

interface MetaIssue {
  line: number
  /** Dotted path of the key; empty for the whole. */
  key: string
  message: string
}

/**
 * Reads the front matter and checks it against the schema. `where` is named in messages.
 * Throws `briefUnreadable`, and `newerSchema` for a version above 1.
 */
export function readFrontMatter(
  text: string,
  where = 'brief',
): { meta: FrontMatter; body: string; bodyLine: number } {
  const { data, body, bodyLine } = splitFrontMatter(text, where)
  if (isNewer(data)) throw newerSchema(where, data.schemaVersion)
  const issue = metaIssues(data, text)[0]
  if (issue !== undefined) throw briefUnreadable(where, `front matter, line ${issue.line}: ${issue.message}`)
  return { meta: flatten(data) as FrontMatter, body, bodyLine }
}

/** Splits and parses without judging the values; `bodyLine` is the 1-based line on which the body starts. Throws `briefUnreadable` when there is no safe mapping to read. */
export function splitFrontMatter(text: string, where = 'brief') {
  const open = OPEN.exec(text)
  if (open === null) throw briefUnreadable(where, 'no front matter: the first line must be exactly ---')
  const rest = text.slice(open[0].length)
  const close = CLOSE.exec(rest)
  if (close === null) throw briefUnreadable(where, 'the front matter is not closed by a line ---')
  const inner = rest.slice(0, close.index).replace(/\r\n/g, '\n')
  if (Buffer.byteLength(inner) > MAX_MATTER)
    throw briefUnreadable(where, `the front matter is larger than ${MAX_MATTER} bytes`)
  const end = open[0].length + close.index + close[0].length
  const body = text.slice(end).replace(/^\n/, '')
  const bodyLine = text.slice(0, text.length - body.length).split('\n').length
  return { data: parse(inner, where), body, bodyLine }
}

function parse(inner: string, where: string): Record<string, unknown> {
  let file: ReturnType<typeof readMatter>
  try {
    file = readMatter(`---\n${inner}---\n`)
  } catch (cause) {
    const isTorn = new RegExp(CONFLICT_MARKER, 'm').test(inner)
    const why = isTorn ? 'conflict markers in the front matter' : `front matter: ${reason(cause)}`
    throw briefUnreadable(where, why, cause)
  }
  // gray-matter closes at any line that begins with ---, also at ----.
  if (file.matter.trim() !== inner.trim())
    throw briefUnreadable(where, 'a line of the front matter begins with ---')
  if ([file.data, groupOf(file.data)].some((data) => Object.hasOwn(data, '__proto__')))
    throw briefUnreadable(where, 'front matter: key __proto__')
  return file.data
}

/** The lines of a brief's front matter and `body`: the object form of gray-matter, so that the body is never re-parsed. */
export function writeFrontMatter(meta: FrontMatter, body: string): string {
  const { label, ...details } = meta.agent
  const unknown = Object.keys(meta).filter((key) => !metaKeys.includes(key))
  const data: Record<string, unknown> = { ...meta, agent: label }
  const group: Record<string, unknown> = { ...meta, agent: details }
  const pick = (of: Record<string, unknown>, keys: readonly string[]): Record<string, unknown> =>
    Object.fromEntries(keys.filter((key) => of[key] !== undefined).map((key) => [key, of[key]]))
  const matter = { ...pick(data, TOP_KEYS), meta: pick(group, [...GROUPED_KEYS, ...unknown]) }
  return `${writeMatter(matter).trimEnd()}\n\n${body}`
}

/** The keys of the map `meta` in the order of rendering. */
export const GROUPED_KEYS: readonly string[] = [
  ...new Set(['kind', 'agent', ...metaKeys.filter((key) => !TOP_KEYS.includes(key))]),
]

/**
 * What a file says, in one level: its top, the map `meta`, and the agent from both. Files of before had all keys at the top,
 * the agent whole, and one `parent` or null.
 */
function flatten(data: Record<string, unknown>): Record<string, unknown> {
  const { meta: _, parent, ...top } = data
  const { agent: details, ...group } = groupOf(data)
  const parents = top.parents ?? group.parents ?? (parent === undefined ? undefined : [parent ?? []].flat())
  return {
    ...group,
    ...top,
    ...(isMap(data.meta) || !('meta' in data) ? {} : { meta: data.meta }),
    agent: isMap(top.agent) ? top.agent : { ...(isMap(details) ? details : {}), label: top.agent },
    parents: Array.isArray(parents) ? [...new Set(parents)] : parents,
  }
}

const groupOf = ({ meta }: Record<string, unknown>): Record<string, unknown> => (isMap(meta) ? meta : {})

const isMap = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object' && !Array.isArray(value)

/** Everything in the data that breaks the schema, in the schema's order. Empty when it is valid. */
export function metaIssues(data: Record<string, unknown>, text: string): MetaIssue[] {
  const result = metaSchema.safeParse(flatten(data))
  const at = (path: readonly string[], what: string): MetaIssue => {
    const key = path.join('.')
    return { key, line: lineOf(text, path), message: `${key || 'front matter'}: ${what}` }
  }
  const twice = Object.keys(groupOf(data)).filter((key) => key !== 'agent' && Object.hasOwn(data, key))
  return [
    ...(result.error?.issues ?? []).map((issue) => at(issue.path.map(String), said(issue))),
    ...twice.map((key) => at(['meta', key], 'stands at the top as well')),
  ]
}

export const isNewer = (data: Record<string, unknown>): boolean =>
  typeof data.schemaVersion === 'number' && data.schemaVersion > SCHEMA_VERSION

/** zod/mini carries no texts of its own. */
function said(issue: core.$ZodIssue): string {
  if (issue.code === 'invalid_type') return `must be ${String(issue.expected)}`
  if (issue.code === 'invalid_value') return `must be ${JSON.stringify(issue.values).slice(1, -1)}`
  if (issue.code === 'invalid_format') return 'has the wrong shape'
  if (issue.code === 'too_small') return `is smaller or shorter than ${String(issue.minimum)}`
  if (issue.code === 'too_big') return `is larger or longer than ${String(issue.maximum)}`
  return oneLine(issue.message)
}

/** The line on which the keys of a path stand one after the other, whatever group they are in. */
function lineOf(text: string, path: readonly string[]): number {
  const lines = text.split('\n', 2000)
  let at = 0
  for (const key of path) {
    const found = lines.findIndex((line, i) => i >= at && line.trimStart().startsWith(`${key}:`))
    if (found === -1) break
    at = found
  }
  return at + 1
}

const reason = (cause: unknown): string =>
  oneLine(cause instanceof Error ? (cause.message.split('\n')[0] ?? '') : String(cause)).replace(/:$/, '')

function refuse(name: string): { parse: () => never; stringify: () => never } {
  const refused = (): never => {
    throw new Error(`front matter language "${name}" is not allowed`)
  }
  return { parse: refused, stringify: refused }
}
/**
 * gray-matter's own engines run code for `---js`, look names up on Object.prototype, and cache by text when no options
 * are given: one engine, no prototype, options always.
 */
const OPTIONS = {
  language: 'yaml',
  delimiters: '---',
  engines: Object.freeze(
    Object.assign(Object.create(null) as object, {
      yaml: yamlEngine,
      json: refuse('json'),
      javascript: refuse('javascript'),
    }),
  ),
}

/** The data of a block that `---` opens and closes, and the text between. Throws what the engine throws. */
const readMatter = (block: string): { data: Record<string, unknown>; matter: string } =>
  matter(block, OPTIONS)

/** The lines of front matter for `data`: the object form of gray-matter, so that no body is ever parsed. */
const writeMatter = (data: object): string =>
  matter.stringify({ content: '', data: {} } as never, data, OPTIONS as never)

/** UTF-16 units of one name; names of one kind, and their bytes. A session that says more must not fill the front matter (16 KB). */
const MAX_NAME = 200
const MAX_NAMES = 100
const MAX_NAMES_BYTES = 3000

/** One name under its key; nothing when it is none: blank, or too long to be one. */
export const given = (key: string, value: string | null): Record<string, string> =>
  value === null || !isName(oneLine(value)) ? {} : { [key]: oneLine(value) }

/** The names that are some under their key, the last of too many; nothing when none is left. */
export function named(key: string, names: readonly string[]): Record<string, string[]> {
  let room = MAX_NAMES_BYTES
  const kept = names
    .map(oneLine)
    .filter(isName)
    .slice(-MAX_NAMES)
    .reverse()
    .filter((name) => {
      room -= Buffer.byteLength(name)
      return room >= 0
    })
    .reverse()
  return kept.length === 0 ? {} : { [key]: kept }
}

const isName = (text: string): boolean => text !== '' && text.length <= MAX_NAME
