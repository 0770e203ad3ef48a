import { lstatSync, readFileSync } from 'node:fs'
import { basename, extname, join, parse, relative } from 'node:path'
import { isHandoffError, isMissing, orNull, reasonOf } from '../errors/handoff-error.ts'
import { badConfig, parserSaid } from '../errors/usage.ts'

/** Places that hold data only, in order of preference. */
const DATA_PLACES = [
  '.handoff/config.yaml',
  '.handoff/config.yml',
  '.handoff/config.json',
  'package.json',
  '.handoffrc',
  '.handoffrc.json',
  '.handoffrc.yaml',
  '.handoffrc.yml',
  'handoff.config.json',
  'handoff.config.yaml',
  'handoff.config.yml',
] as const

export interface ConfigFile {
  path: string
  value: unknown
}

/** The repository's configuration file, or null. It is data: no code is loaded. Throws `badConfig` for a file that cannot be parsed. */
export async function findRepositoryConfig(root: string): Promise<ConfigFile | null> {
  const places = DATA_PLACES.filter((place) => mayRead(root, place) && saysSomething(join(root, place)))
  // In most repositories nothing is left, and the loader need not be loaded, which takes 20 ms.
  if (places.length === 0) return null
  const found = await (await openExplorer(places)).search(root).catch((cause: unknown) => {
    if (isHandoffError(cause)) throw cause
    throw badConfig(root, reasonOf(cause))
  })
  return found === null || found.isEmpty ? null : { path: found.filepath, value: found.config as unknown }
}

/** False for YAML of comments alone, as `init` writes it, and for a package.json without our key. */
function saysSomething(path: string): boolean {
  if (basename(path) === 'package.json') return readFileSync(path, 'utf8').includes('"handoff"')
  if (!['.yaml', '.yml'].includes(extname(path))) return true
  return !/^(?:[ \t]*(?:#[^\n]*)?\r?\n)*[ \t]*(?:#[^\n]*)?$/.test(readFileSync(path, 'utf8'))
}

/**
 * Reads one YAML or JSON file, or null when it does not exist. `root`: it is the repository's, at that place. Throws `badConfig` when it
 * cannot be parsed.
 */
export async function readConfigFile(path: string, root: string | null = null): Promise<unknown> {
  if (root !== null) mayRead(root, relative(root, path))
  const text = textOf(path)
  return text === null ? null : parseData(path, text)
}

/** The text of a file of the person's own, or null when there is none. Throws `badConfig`. */
export function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (isMissing(error)) return null
    throw badConfig(path, reasonOf(error))
  }
}

/** Largest configuration that is read, in bytes; a package.json may be larger than ours ever is. */
const MAX_CONFIG = 1 << 20
/** Largest text that is ours alone. */
const MAX_OWN = 256 * 1024

/**
 * Whether a file is there. A repository must not make us read through a link, from a pipe or without end: throws `badConfig` for one that
 * would.
 */
function mayRead(root: string, place: string): boolean {
  const stat = orNull(() => lstatSync(join(root, place)))
  if (stat === null) return false
  if (!stat.isFile()) throw badConfig(place, 'is not a plain file')
  if (stat.size > MAX_CONFIG) throw badConfig(place, `is larger than ${MAX_CONFIG / 1024} KB`)
  return true
}

async function parseData(path: string, text: string): Promise<unknown> {
  if (basename(path) === 'package.json') return { handoff: await parseOurs(path, text) }
  const { parseDocument, ...parser } = await import('yaml')
  const bound =
    Buffer.byteLength(text) > MAX_OWN ? `is larger than ${MAX_OWN / 1024} KB` : tooMuch(text, parser)
  if (bound !== null) throw badConfig(path, bound)
  // JSON is YAML 1.2, so one parser with one set of limits serves both.
  const doc = parseDocument(text, {
    version: '1.2',
    schema: 'core',
    uniqueKeys: true,
    merge: false,
    logLevel: 'error',
  })
  const problem = doc.errors[0] ?? doc.warnings[0]
  if (problem !== undefined) throw badConfig(path, parserSaid(problem))
  try {
    return doc.toJS({ maxAliasCount: 0 }) as unknown
  } catch (cause) {
    // An alias may stand for far more than it says, or a tag for what cannot be made of its text.
    throw badConfig(
      path,
      cause instanceof ReferenceError ? 'aliases are not allowed' : 'cannot be read as data',
    )
  }
}

/** Of a package.json all but our key is for others, who read it as JSON. */
async function parseOurs(path: string, text: string): Promise<unknown> {
  let ours: string | undefined
  try {
    ours = JSON.stringify((JSON.parse(text.replace(/^\ufeff/, '')) as { handoff?: unknown } | null)?.handoff)
  } catch {
    // The reason would quote the file, which may hold a key.
    throw badConfig(path, 'cannot be read as JSON')
  }
  return ours === undefined ? undefined : parseData(`${path}#handoff`, ours)
}

async function openExplorer(searchPlaces: string[]) {
  const { cosmiconfig } = await import('cosmiconfig')
  // The factory itself imports `.config/config.js` of the current directory; asked from the root, it finds none. Nobody is moved there:
  // other threads share the directory of the process, none but the first may change it, and it may be gone.
  const { cwd } = process
  process.cwd = () => parse(process.execPath).root
  try {
    return cosmiconfig('handoff', {
      ...{ searchPlaces, searchStrategy: 'none', packageProp: 'handoff' },
      loaders: { '.json': parseData, '.yaml': parseData, '.yml': parseData, noExt: parseData },
    })
  } finally {
    process.cwd = cwd
  }
}

type Parser = Pick<typeof import('yaml'), 'CST' | 'Lexer'>

/** Cheap bounds before the parser of YAML, which is quadratic in keys and mistakes, and recursive in depth: of brackets alone it dies. */
const MAX_PARTS = 20_000
const MAX_KEYS = 2000
const MAX_DEPTH = 32

/**
 * What keeps a text from the parser, in words; null: nothing. Walks the tokens in linear time and without recursion. No configuration
 * that somebody wrote comes near these bounds.
 */
export function tooMuch(text: string, { CST, Lexer }: Parser): string | null {
  let [parts, keys, flow, inLine] = [0, 0, 0, 0]
  let isScalar = false
  for (const token of new Lexer().lex(text)) {
    if (++parts > MAX_PARTS) return 'has too many parts'
    if (isScalar) {
      isScalar = false
      continue
    }
    const type = CST.tokenType(token)
    if (type === 'scalar') isScalar = true
    else if (type === 'newline') inLine = 0
    else if (type === 'map-value-ind') keys++
    if (flow === 0 && (type === 'seq-item-ind' || type === 'explicit-key-ind' || type === 'map-value-ind'))
      inLine++
    else if (type === 'flow-map-start' || type === 'flow-seq-start') flow++
    else if (type === 'flow-map-end' || type === 'flow-seq-end') flow--
    if (keys > MAX_KEYS) return 'has too many keys'
    if (flow > MAX_DEPTH || inLine > MAX_DEPTH) return 'is nested too deeply'
  }
  return null
}
