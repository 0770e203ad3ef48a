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
} from 'yaml'
import { tooMuch } from '../config/files.ts'
import { badSettings, parserSaid } from '../errors/usage.ts'
import type { SetupEdit } from '../types/agent.ts'
import { hookLineOf, withoutLines } from './runner.ts'
import { equalJson, indentAt, lineEnd, lineStart, type Outcome } from './text-file.ts'

export type YamlEdit = Extract<SetupEdit, { type: 'yaml-value' | 'yaml-item' }>

/**
 * The text with the edit in it, in lines of its own: everything else keeps its bytes, which a document that is written again does not.
 * Foreign: another value stands at the key, or the way there is written so that no line can be put in (braces, anchors). An element
 * counts as there when it calls the same hook. Throws `badSettings` for text that is not one document of YAML.
 */
export function putYaml(text: string, edit: YamlEdit, eol: string): Outcome {
  const { root, value } = readYaml(text, edit.path)
  const there = oursAt(value, edit)
  if (there !== undefined) {
    const isOld = !equalJson(there, edit.value) && equalJson(withoutLines(there), withoutLines(edit.value))
    if (!isOld) return { text, state: 'same' }
    // Another version wrote it, and nobody has changed it since.
    const without = takeYaml(text, edit, () => true)
    return without.state === 'changed' ? putYaml(without.text, edit, eol) : without
  }
  let box = root
  let owner: Pair | null = null
  let depth = 0
  for (; depth < edit.at.length && isMap(box); depth++) {
    const pair = pairOf(box, edit.at[depth])
    if (pair === undefined) break
    owner = pair
    box = pair.value as Node | null
  }
  const isItem = edit.type === 'yaml-item'
  const leaf = isItem ? [edit.value] : edit.value
  const missing = edit.at.slice(depth).reduceRight<unknown>((inner, key) => ({ [key]: inner }), leaf)
  const column = columnIn(text, box, owner, isItem && depth === edit.at.length)
  const end = isEmpty(box) ? keyOf(owner)?.range?.[1] : endOf(box)
  const next = insertLines(text, end === undefined ? text.length : lineEnd(text, end), missing, column, eol)
  const meant = replaced(value, edit.at, (old) =>
    isItem ? [...(Array.isArray(old) ? old : []), edit.value] : edit.value,
  )
  // Whatever is unusual in the rest: what was meant must be what is read, and nothing else.
  return isRead(next, meant)
    ? { text: next, state: 'changed' }
    : {
        state: 'foreign',
        reason:
          depth === 0
            ? 'it is written in a way that no line can be put into'
            : `it has its own \`${edit.at.slice(0, depth).join('.')}\`, or one that no line can be put into`,
      }
}

/**
 * The text without the edit, and without the mappings and lists that are empty then, unless `stood` says that they were there
 * before. Throws as `putYaml`.
 */
export function takeYaml(text: string, edit: YamlEdit, stood: (at: readonly string[]) => boolean): Outcome {
  const { root, value } = readYaml(text, edit.path)
  if (oursAt(value, edit) === undefined) return { text, state: 'same' }
  const there = valueAt(value, edit.at)
  const index =
    edit.type === 'yaml-item' && Array.isArray(there)
      ? there.findIndex((one) => isOurs(one, edit.value))
      : null
  const isAlone = (at: readonly string[]): boolean =>
    Object.keys(valueAt(value, at) ?? {}).length === 1 && !stood(at)
  // The outermost that holds nothing but ours goes.
  let at = edit.at
  const isWhole = index === null || isAlone(at)
  while (isWhole && at.length > 1 && isAlone(at.slice(0, -1))) at = at.slice(0, -1)
  const pair = at.reduce<Pair | undefined>((one, key, depth) => {
    const box = depth === 0 ? root : one?.value
    return isMap(box) ? pairOf(box, key) : undefined
  }, undefined)
  const item = index !== null && isSeq(pair?.value) ? (pair.value.items[index] as Node) : null
  const first = isWhole ? keyOf(pair) : item
  const last = isWhole ? ((pair?.value ?? first) as Node | null) : item
  if (!first?.range || last === null) return { text, state: 'same' }
  const [from, to] = [lineStart(text, first.range[0]), lineEnd(text, endOf(last))]
  const isLast = to === text.length && !text.endsWith('\n')
  const next = (isLast ? text.slice(0, from).replace(/\r?\n$/, '') : text.slice(0, from)) + text.slice(to)
  const meant = replaced(value, at, (old) =>
    isWhole ? undefined : (old as unknown[]).filter((_, position) => position !== index),
  )
  return isRead(next, meant) ? { text: next, state: 'changed' } : { text, state: 'same' }
}

/** True when the path leads to something in a text that is YAML. */
export function hasYaml(text: string, at: readonly string[]): boolean {
  const found = parseYaml(text)
  return 'root' in found && valueAt(found.value, at) !== undefined
}

/** `root` null: nothing but white space or comments. `value`: what it means, aliases followed. */
interface YamlText {
  root: Node | null
  value: unknown
}

function readYaml(text: string, path: string): YamlText {
  const found = parseYaml(text)
  if ('root' in found) return found
  throw badSettings(found.line === undefined ? path : `${path}:${found.line}`, found.problem)
}

/** `line` 1-based. */
function parseYaml(text: string): YamlText | { problem: string; line?: number } {
  const bound = tooMuch(text, { CST, Lexer })
  if (bound !== null) return { problem: bound }
  const doc: Document.Parsed = parseDocument(text, { logLevel: 'error', merge: true })
  const [error] = doc.errors
  if (error !== undefined)
    return {
      problem: `not valid YAML: ${parserSaid(error).replace(/ at line \d+, column \d+:?$/, '')}`,
      line: error.linePos?.[0].line ?? 1,
    }
  try {
    return { root: doc.contents, value: doc.toJS() as unknown }
  } catch (error) {
    // Aliases may stand for far more than the text says; the library counts, and gives up.
    if (error instanceof ReferenceError) return { problem: 'holds aliases that stand for too much' }
    throw error
  }
}

/** True when a text means a value; a key without a value means the same as an empty box. */
function isRead(text: string, value: unknown): boolean {
  const found = parseYaml(text)
  return 'root' in found && equalJson(found.value, value)
}

const valueAt = (value: unknown, at: readonly string[]): unknown =>
  at.reduce<unknown>(
    (box, key) =>
      typeof box === 'object' && box !== null && Object.hasOwn(box, key) ? Reflect.get(box, key) : undefined,
    value,
  )

/** The same value, or one that somebody has changed and that still calls our hook. */
function isOurs(value: unknown, edit: unknown): boolean {
  const line = hookLineOf(edit)
  return equalJson(value, edit) || (line !== null && hookLineOf(value) === line)
}

/** What stands there of ours; undefined where there is none. */
function oursAt(value: unknown, edit: YamlEdit): unknown {
  const there = valueAt(value, edit.at)
  if (edit.type === 'yaml-value') return isOurs(there, edit.value) ? there : undefined
  return Array.isArray(there) ? there.find((one) => isOurs(one, edit.value)) : undefined
}

/** A value in which the leaf at a path is another one; undefined takes it away. What is empty then is read as null. */
function replaced(
  value: unknown,
  [key, ...rest]: readonly string[],
  leaf: (old: unknown) => unknown,
): unknown {
  if (key === undefined) return nullIfEmpty(leaf(value))
  const { [key]: old, ...others } = (value ?? {}) as Record<string, unknown>
  const next = replaced(old, rest, leaf)
  return nullIfEmpty(next === undefined ? others : { ...others, [key]: next })
}

const nullIfEmpty = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0 ? null : value

/** Column at which lines that are put into `box` begin: that of what is there, else of its key, and a step more in a mapping. */
function columnIn(text: string, box: Node | null, owner: Pair | null, isList: boolean): number {
  const first = isMap(box) ? keyOf(box.items[0]) : isSeq(box) ? (box.items[0] as Node | undefined) : undefined
  const columnOf = (node: Node | null | undefined): number => indentAt(text, node?.range?.[0] ?? 0).length
  if (first !== undefined) return columnOf(first)
  return owner === null ? 0 : columnOf(keyOf(owner)) + (isList ? 0 : 2)
}

/** Puts a value in as whole lines of block style; a last line that is not ended stays so. */
function insertLines(text: string, at: number, value: unknown, column: number, eol: string): string {
  const lines = stringify(value, { lineWidth: 0, indent: 2 })
    .trimEnd()
    .replace(/^(?=.)/gm, ' '.repeat(column))
  const put = lines.replaceAll('\n', eol)
  const isOpen = at === text.length && text !== '' && !text.endsWith('\n')
  return text.slice(0, at) + (isOpen ? eol + put : put + eol) + text.slice(at)
}

/** Offset behind the last character of a node, comments left out. */
function endOf(node: Node | null): number {
  const isBlock = (isMap(node) || isSeq(node)) && node.flow !== true
  const last = isBlock ? node.items.at(-1) : undefined
  if (last === undefined) return node?.range?.[1] ?? 0
  if (isSeq(node)) return endOf(last as Node)
  const { key, value } = last as Pair
  return endOf((isEmpty(value as Node | null) ? key : value) as Node)
}

/** Nothing, or a scalar that is written as nothing. */
const isEmpty = (node: Node | null): boolean =>
  node === null || (!('items' in node) && node.range != null && node.range[0] === node.range[1])

const keyOf = (pair: Pair | null | undefined): Node | undefined => pair?.key as Node | undefined

const pairOf = (box: YAMLMap, key: string | undefined): Pair | undefined =>
  box.items.find((pair) => (pair.key as { value?: unknown } | null)?.value === key)
