import { CST, Document, Lexer, parseDocument, Scalar, type ScalarTag, visit } from 'yaml'
import { parserSaid } from '../errors.ts'
import { hiddenIn } from '../text/visible.ts'

/** Cheap bounds before the real parser, which is quadratic in keys and recursive in depth. */
const MAX_LINES = 2000
const MAX_TOKENS = 4000
const MAX_KEYS = 300
const MAX_DEPTH = 12
/** Columns before a key or item. */
const MAX_INDENT = 32
/** More line breaks than this are written as one quoted line: block scalars of newlines only are slow to read back. */
const MAX_BLOCK_LINES = 200
/** A value with a longer line, or one in quotes that is longer, is folded: clients cut long lines. */
const MAX_VALUE = 1400
const FOLD = 1200
const REFUSED: ReadonlySet<string> = new Set(['alias', 'anchor', 'tag', 'explicit-key-ind', 'directive-line'])

/** gray-matter engine: YAML 1.2 core, one mapping, no aliases, anchors, tags or directives. Throws on anything else. */
export const yamlEngine = { parse: parseYaml, stringify: writeYaml }

function parseYaml(source: string): Record<string, unknown> {
  screen(source)
  const doc = parseDocument(source, {
    version: '1.2',
    schema: 'core',
    strict: true,
    uniqueKeys: true,
    merge: false,
    stringKeys: true,
    logLevel: 'error',
  })
  // Unknown tags are only warnings by default.
  const problem = doc.errors[0] ?? doc.warnings[0]
  if (problem !== undefined) throw new Error(parserSaid(problem))
  const data: unknown = doc.toJS({ maxAliasCount: 0 })
  if (data === null || typeof data !== 'object' || Array.isArray(data))
    throw new Error('front matter must be a mapping')
  return data as Record<string, unknown>
}

function writeYaml(data: object): string {
  const doc = new Document(data, {
    version: '1.2',
    schema: 'core',
    customTags: (tags) => [longText, ...tags],
    compat: 'yaml-1.1',
    stringKeys: true,
    aliasDuplicateObjects: false,
  })
  visit(doc, {
    Scalar(_, node) {
      if (typeof node.value === 'string' && needsQuotes(node.value)) node.type = Scalar.QUOTE_DOUBLE
    },
  })
  const text = doc.toString({
    lineWidth: 0,
    minContentWidth: 0,
    doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER,
  })
  return escapeHidden(text)
}

/** Line breaks at the end of a block scalar would belong to the closing line of the front matter. */
const needsQuotes = (text: string): boolean =>
  /\n\s*$/.test(text.slice(-100)) || text.split('\n').length > MAX_BLOCK_LINES || hiddenIn(text).length > 0

/** The library's own folding leaves some lines long, and writes line breaks as blank lines. */
const longText: ScalarTag = {
  tag: 'tag:yaml.org,2002:str',
  default: true,
  identify: (value) =>
    typeof value === 'string' &&
    value.length > MAX_VALUE &&
    (needsQuotes(value) || value.split('\n').some((line) => line.length > MAX_VALUE)),
  resolve: (text) => text,
  stringify: ({ value }, { indent }) => folded(escapeHidden(JSON.stringify(value)), `${indent}  `),
}

/** A text in double quotes over several lines: a backslash at the end of a line joins it to the next, which may begin with one before a blank. */
function folded(quoted: string, indent: string): string {
  const lines = ['']
  for (const part of quoted.match(/\\(?:u[\da-f]{4}|U[\da-f]{8}|.)|[^\\]/gu) ?? []) {
    const line = lines.at(-1) ?? ''
    if (line.length < FOLD || (line.length < FOLD + 100 && !line.endsWith(' ')))
      lines[lines.length - 1] = line + part
    else lines.push(part === ' ' ? '\\ ' : part)
  }
  return lines.join(`\\\n${indent}`)
}

/** Hidden characters stand only inside double quotes by now, where YAML has escapes for them: exact value, nothing unseen. */
function escapeHidden(text: string): string {
  let out = ''
  let from = 0
  for (const { at, code } of hiddenIn(text)) {
    out += text.slice(from, at)
    out += code > 0xffff ? `\\U${hex(code, 8)}` : `\\u${hex(code, 4)}`
    from = at + (code > 0xffff ? 2 : 1)
  }
  return out + text.slice(from)
}

const hex = (code: number, digits: number): string => code.toString(16).padStart(digits, '0')

/** Walks the tokens, in linear time and without recursion, and stops at the first thing no brief of ours holds. */
function screen(source: string): void {
  if (source.split('\n', MAX_LINES + 1).length > MAX_LINES) throw new Error('front matter has too many lines')
  let tokens = 0
  let keys = 0
  let flow = 0
  let inLine = 0
  let scalarNext = false
  let newLine = true
  for (const token of new Lexer().lex(source)) {
    if (++tokens > MAX_TOKENS) throw new Error('front matter has too many parts')
    if (scalarNext) {
      scalarNext = false
      continue
    }
    const type = CST.tokenType(token)
    const lineStart = newLine
    newLine = type === 'newline'
    if (type === 'scalar') scalarNext = true
    else if (type === 'newline') inLine = 0
    else if (type === 'space' && lineStart && token.length > MAX_INDENT)
      throw new Error('front matter is nested too deeply')
    else if (type === 'map-value-ind' || type === 'comma') keys++
    else if (type === 'seq-item-ind') inLine++
    else if (type === 'flow-map-start' || type === 'flow-seq-start') flow++
    else if (type === 'flow-map-end' || type === 'flow-seq-end') flow--
    else if (type !== null && REFUSED.has(type))
      throw new Error(`front matter holds a YAML ${type}, which is not allowed`)
    if (keys > MAX_KEYS) throw new Error('front matter has too many keys')
    if (flow > MAX_DEPTH || inLine > MAX_DEPTH) throw new Error('front matter is nested too deeply')
  }
}
