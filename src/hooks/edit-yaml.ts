import {
  CST,
  type Document,
  isMap,
  isSeq,
  Lexer,
  type Node,
  type Pair,
  parseDocument,
  stringify,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml'
import { badSettings, parserSaid } from '../errors/usage.ts'
import type { SetupEdit } from '../types/agent.ts'
import type { Outcome, Parsers, YamlScreen } from './parsers.ts'
import { hookLineOf } from './runner.ts'
import { atColumn, equalJson, insertLines, lineEnd, lineStart } from './text-file.ts'

export type YamlEdit = Extract<SetupEdit, { type: 'yaml-value' | 'yaml-item' }>

interface YamlContext {
  parsers: Parsers
  eol: string
}

/**
 * The text with the edit in it, in lines of its own: everything else keeps its bytes. Foreign: another value stands at the key, or the way
 * there is written so that no line can be put in (braces, anchors). An element counts as there when it calls the same hook.
 * Throws `badSettings` for text that is not one document of YAML.
 */
export function putYaml(text: string, edit: YamlEdit, { parsers, eol }: YamlContext): Outcome {
  const { root, toValue } = readYaml(text, edit.path, parsers)
  let box = root
  let owner: Pair | null = null
  for (const [depth, key] of edit.at.entries()) {
    if (isEmpty(box)) return write(depth, 'map')
    if (!isMap(box)) return foreign(edit.at.slice(0, depth))
    const pair = pairOf(box, key)
    if (pair === undefined) return write(depth, 'map')
    owner = pair
    box = pair.value as Node | null
  }
  if (edit.type === 'yaml-value')
    return equalJson(toValue(box), edit.value) || isOurs(toValue(box), edit.value)
      ? { text, state: 'same' }
      : foreign(edit.at)
  if (isSeq(box) && box.items.some((item) => isOurs(toValue(item as Node), edit.value)))
    return { text, state: 'same' }
  return isSeq(box) || isEmpty(box) ? write(edit.at.length, 'list') : foreign(edit.at)

  /** Puts what is missing from `depth` on behind the last line of `box`. */
  function write(depth: number, kind: 'map' | 'list'): Outcome {
    const leaf = edit.type === 'yaml-item' ? [edit.value] : edit.value
    const value = edit.at.slice(depth).reduceRight<unknown>((inner, key) => ({ [key]: inner }), leaf)
    const column = columnFor(text, box, owner, kind)
    if (column === null) return foreign(edit.at.slice(0, depth))
    const end = box !== null && !isEmpty(box) ? endOf(box) : (owner?.key as Node | null)?.range?.[1]
    const at = end === undefined ? text.length : lineEnd(text, end)
    const next = insertLines(text, at, atColumn(render(value), column), eol)
    // Whatever is unusual in the rest: what was meant must be what is read, and nothing else.
    return equalJson(readValue(next, parsers), withLeaf(toValue(root) ?? {}, edit.at, edit))
      ? { text: next, state: 'changed' }
      : foreign(edit.at.slice(0, depth))
  }
}

/**
 * The text without the edit, and without the mappings and lists that are empty then, unless `stood` says that they were there
 * before. Throws as `putYaml`.
 */
export function takeYaml(
  text: string,
  edit: YamlEdit,
  { parsers, stood }: { parsers: Parsers; stood: (at: readonly string[]) => boolean },
): Outcome {
  const { root, toValue } = readYaml(text, edit.path, parsers)
  const found = edit.at.reduce<Node | null>(
    (node, key) => (isMap(node) ? ((pairOf(node, key)?.value as Node | null) ?? null) : null),
    root,
  )
  const list = edit.type === 'yaml-item' && isSeq(found) ? found : null
  const item = (list?.items as Node[] | undefined)?.find((one) => isOurs(toValue(one), edit.value))
  const isThere =
    edit.type === 'yaml-item' ? item !== undefined : found !== null && isOurs(toValue(found), edit.value)
  if (!isThere) return { text, state: 'same' }
  // The outermost that holds nothing but ours goes.
  let at = edit.at
  let isWhole = list === null || (list.items.length === 1 && !stood(at))
  if (isWhole)
    while (at.length > 1 && sizeAt(root, at.slice(0, -1)) === 1 && !stood(at.slice(0, -1)))
      at = at.slice(0, -1)
  const box = at
    .slice(0, -1)
    .reduce<Node | null>((node, key) => (isMap(node) ? (pairOf(node, key)?.value as Node) : null), root)
  const pair = isMap(box) ? pairOf(box, at.at(-1) ?? '') : undefined
  if (pair === undefined) isWhole = false
  const first = isWhole ? (pair?.key as Node) : item
  const last = isWhole ? ((pair?.value as Node | null) ?? first) : item
  const [start] = first?.range ?? []
  if (start === undefined || last === undefined) return { text, state: 'same' }
  const [from, to] = [lineStart(text, start), lineEnd(text, endOf(last as Node))]
  const cut =
    to === text.length && !text.endsWith('\n')
      ? text.slice(0, from).replace(/\r?\n$/, '')
      : text.slice(0, from)
  const next = cut + text.slice(to)
  const rest = without(toValue(root), isWhole ? at : [...at, list?.items.indexOf(item as never) ?? 0])
  return equalJson(readValue(next, parsers), rest)
    ? { text: next, state: 'changed' }
    : { text, state: 'same' }
}

/** True when the path leads to something in a text that is YAML. */
export function hasYaml(text: string, at: readonly string[], parsers: Parsers): boolean {
  let value = readValue(text, parsers)
  for (const key of at) {
    if (typeof value !== 'object' || value === null || !(key in value)) return false
    value = (value as Record<string, unknown>)[key]
  }
  return true
}

/** One document; `root` null: nothing but white space or comments. */
interface YamlText {
  root: Node | null
  /** What a node of it means, aliases followed. */
  toValue: (node: Node | null) => unknown
}

function readYaml(text: string, path: string, parsers: Parsers): YamlText {
  const found = parseYaml(text, parsers.screen)
  if (!('problem' in found)) return found
  const { line, problem } = found
  throw line === null
    ? badSettings(path, problem)
    : badSettings(`${path}:${line}`, `not valid YAML: ${problem}`)
}

/** `line` 1-based; null: the text as a whole is none that is read, and `problem` goes on "the file ". */
function parseYaml(text: string, screen: YamlScreen): YamlText | { problem: string; line: number | null } {
  const bound = screen(text, { CST, Lexer })
  if (bound !== null) return { problem: bound, line: null }
  const doc = parseDocument(text, { logLevel: 'error', merge: true })
  const [error] = doc.errors
  if (error !== undefined)
    return {
      problem: parserSaid(error).replace(/ at line \d+, column \d+:?$/, ''),
      line: error.linePos?.[0].line ?? 1,
    }
  if (!isBounded(doc)) return { problem: 'holds aliases that stand for too much', line: null }
  return { root: doc.contents, toValue: (node) => (node === null ? null : (node.toJS(doc) as unknown)) }
}

/** Aliases may stand for far more than the text says; the library counts, and gives up. */
function isBounded(doc: Document): boolean {
  try {
    doc.toJS()
    return true
  } catch (error) {
    if (error instanceof ReferenceError) return false
    throw error
  }
}

/** In block style, two spaces a step, nothing folded. */
const render = (value: unknown): string => stringify(value, { lineWidth: 0, indent: 2 })

/** The same value, or one that somebody has changed and that still calls our hook. */
function isOurs(value: unknown, edit: unknown): boolean {
  const line = hookLineOf(edit)
  return equalJson(value, edit) || (line !== null && hookLineOf(value) === line)
}

function readValue(text: string, { screen }: Parsers): unknown {
  const found = parseYaml(text, screen)
  return 'problem' in found ? undefined : found.toValue(found.root)
}

/** Column that lines put into `box` begin at; null where none can be. */
function columnFor(text: string, box: Node | null, owner: Pair | null, kind: 'map' | 'list'): number | null {
  const columnOf = (node: Node): number => (node.range?.[0] ?? 0) - lineStart(text, node.range?.[0] ?? 0)
  if (box === null || isEmpty(box)) {
    if (owner === null) return 0
    const key = owner.key as Node
    return columnOf(key) + (kind === 'list' ? 0 : 2)
  }
  if ((box as YAMLMap | YAMLSeq).flow === true) return null
  const first = (box as YAMLMap | YAMLSeq).items[0]
  if (isSeq(box)) {
    const start = (first as Node | undefined)?.range?.[0]
    if (start === undefined) return null
    const before = /^( *)-[ ]+$/.exec(text.slice(lineStart(text, start), start))
    return before?.[1]?.length ?? null
  }
  const key = (first as Pair).key as Node
  const column = columnOf(key)
  return /^ *$/.test(text.slice((key.range?.[0] ?? 0) - column, key.range?.[0])) ? column : null
}

/** Offset behind the last character of a node, comments left out. */
function endOf(node: Node): number {
  const isBlock = (isMap(node) || isSeq(node)) && node.flow !== true
  const last = isBlock ? (node as YAMLMap | YAMLSeq).items.at(-1) : undefined
  if (last === undefined) return node.range?.[1] ?? 0
  if (isSeq(node)) return endOf(last as Node)
  const { key, value } = last as Pair
  return isEmpty(value as Node | null) ? ((key as Node).range?.[1] ?? 0) : endOf(value as Node)
}

/** Nothing, or a scalar that is written as nothing. */
const isEmpty = (node: Node | null): boolean =>
  node === null ||
  (node.range !== undefined && node.range !== null && node.range[0] === node.range[1] && !('items' in node))

const pairOf = (box: YAMLMap, key: string): Pair | undefined =>
  box.items.find((pair) => (pair.key as { value?: unknown } | null)?.value === key)

function sizeAt(root: Node | null, at: readonly string[]): number {
  const node = at.reduce<Node | null>(
    (one, key) => (isMap(one) ? ((pairOf(one, key)?.value as Node) ?? null) : null),
    root,
  )
  return isMap(node) ? node.items.length : 0
}

function withLeaf(value: unknown, at: readonly string[], edit: YamlEdit): unknown {
  const [key, ...rest] = at
  if (key === undefined)
    return edit.type === 'yaml-value' ? edit.value : [...(Array.isArray(value) ? value : []), edit.value]
  const box = (value ?? {}) as Record<string, unknown>
  return { ...box, [key]: withLeaf(box[key], rest, edit) }
}

function without(value: unknown, [key, ...rest]: readonly (string | number)[]): unknown {
  if (key === undefined) return undefined
  if (Array.isArray(value)) {
    const kept = value.filter((_, at) => at !== key)
    return kept.length === 0 ? null : kept
  }
  const box = value as Record<string, unknown>
  if (rest.length > 0) return { ...box, [key]: without(box[key], rest) }
  const { [key]: _, ...others } = box
  // A key without a value is read as nothing.
  return Object.keys(others).length === 0 ? null : others
}

const foreign = (at: readonly string[]): Outcome => ({
  state: 'foreign',
  reason:
    at.length === 0
      ? 'it is written in a way that no line can be put into'
      : `it has its own \`${at.join('.')}\`, or one that no line can be put into`,
})
