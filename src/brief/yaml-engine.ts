import { CST, Lexer, parseDocument, Scalar, type ScalarTag, stringify } from 'yaml'
import { stringifyString } from 'yaml/util'
import { parserSaid } from '../errors/usage.ts'
import { hiddenIn } from '../text/safe-text.ts'

/** Cheap bounds before the real parser, which is quadratic in keys and recursive in depth. */
const MAX_PARTS = 4000
const MAX_KEYS = 300
/** Of brackets, and of items that begin on one line. */
const MAX_DEPTH = 12
/** More line breaks than this are written as one quoted line: block scalars of newlines only are slow to read back. */
const MAX_BLOCK_LINES = 200
/** A value with a longer line, or one in quotes that is longer, is folded: clients cut long lines. */
const MAX_VALUE = 1400
const FOLD = 1200
const REFUSED = new Set<unknown>(['alias', 'anchor', 'tag', 'explicit-key-ind', 'directive-line'])

/** gray-matter engine: YAML 1.2 core, one mapping, no aliases, anchors, tags or directives. Throws on anything else. */
export const yamlEngine = { parse: parseYaml, stringify: writeYaml }

function parseYaml(source: string): Record<string, unknown> {
  screen(source)
  const doc = parseDocument(source, { stringKeys: true })
  const problem = doc.errors[0] ?? doc.warnings[0]
  if (problem !== undefined) throw new Error(parserSaid(problem))
  const data: unknown = doc.toJS()
  if (data === null || typeof data !== 'object' || Array.isArray(data))
    throw new Error('front matter must be a mapping')
  return data as Record<string, unknown>
}

function writeYaml(data: object): string {
  return stringify(data, {
    customTags: (tags) => [quotedText, ...tags],
    compat: 'yaml-1.1',
    stringKeys: true,
    aliasDuplicateObjects: false,
    lineWidth: 0,
    doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER,
  })
}

/** Texts that the library by itself would write so that something stays unseen, is lost, or stands on a line too long. */
const quotedText: ScalarTag = {
  tag: 'tag:yaml.org,2002:str',
  default: true,
  identify: (value) =>
    typeof value === 'string' &&
    (needsQuotes(value) || value.split('\n').some((line) => line.length > MAX_VALUE)),
  resolve: (text) => text,
  stringify: (item, context) => {
    const text = String(item.value)
    const quoted = escapeHidden(JSON.stringify(text))
    return quoted.length > MAX_VALUE
      ? folded(quoted, `${context.indent}  `)
      : escapeHidden(stringifyString({ type: Scalar.QUOTE_DOUBLE, value: text }, context))
  },
}

/** Line breaks at the end of a block scalar would belong to the closing line of the front matter. */
const needsQuotes = (text: string): boolean =>
  /\n\s*$/.test(text.slice(-100)) || text.split('\n').length > MAX_BLOCK_LINES || hiddenIn(text).length > 0

/**
 * A text in double quotes over several lines: a backslash at the end of a line joins it to the next, which may begin with one before a
 * blank. The library's own folding cuts emoji in two, and leaves lines of blanks long.
 */
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

/** Inside double quotes YAML has escapes for hidden characters: exact value, nothing unseen. */
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
  let [parts, keys, flow, items] = [0, 0, 0, 0]
  let isText = false
  for (const token of new Lexer().lex(source)) {
    const type: string | null = isText ? null : CST.tokenType(token)
    isText = type === 'scalar'
    if (type === 'newline') items = 0
    else if (type === 'seq-item-ind') items++
    else if (type === 'map-value-ind' || type === 'comma') keys++
    else if (type === 'flow-map-start' || type === 'flow-seq-start') flow++
    else if (type === 'flow-map-end' || type === 'flow-seq-end') flow--
    else if (REFUSED.has(type)) throw new Error(`front matter holds a YAML ${type}, which is not allowed`)
    if (++parts > MAX_PARTS) throw new Error('front matter has too many parts')
    if (keys > MAX_KEYS) throw new Error('front matter has too many keys')
    if (flow > MAX_DEPTH || items > MAX_DEPTH) throw new Error('front matter is nested too deeply')
  }
}
