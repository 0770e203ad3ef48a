import {
  getNodeValue,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
  stripComments,
} from 'jsonc-parser'
import { badSettings } from '../errors/usage.ts'
import type { SetupEdit } from '../types/agent.ts'
import { hookLineOf, withoutLines } from './runner.ts'
import { equalJson, indentAt, lineAt, type Outcome } from './text-file.ts'

type JsonEdit = Extract<SetupEdit, { type: 'json-value' | 'json-item' }>

/**
 * The text with the edit in it. Foreign: another value stands at the key, or something that is not a mapping or list on
 * the way. An element counts as there when it is the same, or calls the same hook: then it is as somebody wanted it.
 * Throws `badSettings` for text that is not JSON.
 */
export function putJson(text: string, edit: JsonEdit, eol: string): Outcome {
  const { at, value, path } = edit
  const root = readJson(text, path)
  // Nothing but white space or comments.
  if (root === undefined) {
    const head = text.trim() === '' ? '' : `${text.trimEnd()}${eol}`
    return putJson(`${head}{}${eol}`, edit, eol)
  }
  const put = (box: Node, key: string | null, what: unknown): Outcome => ({
    text: add(text, root, box, key, what, eol),
    state: 'changed',
  })
  const isItem = edit.type === 'json-item'
  let node: Node = root
  for (const [depth, key] of at.entries()) {
    if (node.type !== 'object') return foreign(at.slice(0, depth))
    const found = valueIn(node, key)
    if (found === undefined) {
      const leaf = isItem ? [value] : value
      const missing = at.slice(depth + 1).reduceRight<unknown>((inner, name) => ({ [name]: inner }), leaf)
      return put(node, key, missing)
    }
    node = found
  }
  const found = isItem ? findItem(node, value) : node
  const there = found && getNodeValue(found)
  if (found !== undefined && equalJson(withoutLines(there), withoutLines(value))) {
    if (equalJson(there, value)) return { text, state: 'same' }
    // Another version wrote it, and nobody has changed it since.
    const without = takeJson(text, { ...edit, value: there }, () => true)
    return without.state === 'changed' ? putJson(without.text, edit, eol) : without
  }
  if (isItem && found !== undefined) return { text, state: 'same' }
  return isItem && node.type === 'array' ? put(node, null, value) : foreign(at)
}

/**
 * The text without the edit, and without the mappings and lists that hold nothing else, unless `stood` says that they were
 * there before. Throws `badSettings` for text that is not JSON.
 */
export function takeJson(text: string, edit: JsonEdit, stood: (at: readonly string[]) => boolean): Outcome {
  const found = nodeAt(readJson(text, edit.path), edit.at)
  const ours = edit.type === 'json-item' ? findItem(found, edit.value) : found
  if (ours === undefined) return { text, state: 'same' }
  const isAsWritten = equalJson(getNodeValue(ours), edit.value)
  const line = edit.type === 'json-item' && !isAsWritten ? hookLineOf(edit.value) : null
  if (!isAsWritten && line === null) return { text, state: 'same' }
  // Somebody has changed ours, or put theirs beside it: only what calls our hook goes.
  const inner = line === null ? null : innermost(ours, line)
  if (inner !== null && inner.parent?.children?.length !== 1)
    return { text: cut(text, inner), state: 'changed' }
  let at: readonly string[] = edit.type === 'json-item' ? edit.at : edit.at.slice(0, -1)
  let child = edit.type === 'json-item' ? ours : (ours.parent as Node)
  for (; at.length > 0 && child.parent?.children?.length === 1 && !stood(at); at = at.slice(0, -1))
    child = child.parent.parent as Node
  return { text: cut(text, child), state: 'changed' }
}

/** The element of a list that is a value, else the one that calls the same hook. */
function findItem(list: Node | undefined, value: unknown): Node | undefined {
  if (list?.type !== 'array') return undefined
  const line = hookLineOf(value)
  return (
    list.children?.find((child) => equalJson(getNodeValue(child), value)) ??
    list.children?.find((child) => line !== null && hookLineOf(getNodeValue(child)) === line)
  )
}

/** The innermost element of a list inside `group` that calls the hook, or null when it is `group` itself that does. */
function innermost(group: Node, line: string): Node | null {
  const lists = (node: Node): Node[] =>
    node.type === 'array' ? [node] : (node.children ?? []).flatMap((child) => lists(child))
  const found = lists(group)
    .flatMap((list) => list.children ?? [])
    .find((one) => hookLineOf(getNodeValue(one)) === line)
  return found === undefined ? null : (innermost(found, line) ?? found)
}

/**
 * Puts a member (`key`) or an element (`key` null) right behind the last child of `box`, in lines of its own where the others are: indented as
 * they are, two spaces a step in an empty text. `modify` of the library sets all anew that stands in the same line.
 */
function add(text: string, root: Node, box: Node, key: string | null, value: unknown, eol: string): string {
  const hasLines = (from: number, to: number): boolean => /[\r\n]/.test(text.slice(from, to))
  const [first] = root.children ?? []
  const last = box.children?.at(-1)
  const end = last === undefined ? box.offset + 1 : last.offset + last.length
  const isFlat =
    first !== undefined &&
    !(last ? hasLines(box.offset, last.offset) : hasLines(root.offset, root.offset + root.length))
  const air = isFlat && !/":\s/.test(text) ? '' : ' '
  const name = key === null ? '' : `${JSON.stringify(key)}:${air}`
  if (isFlat)
    return `${text.slice(0, end)}${last ? `,${air}` : ''}${name}${JSON.stringify(value)}${text.slice(end)}`
  const unit = (first && indentAt(text, first.offset)) || '  '
  const indent = last ? indentAt(text, last.offset) : indentAt(text, box.offset) + unit
  const body = JSON.stringify(value, null, unit).replaceAll('\n', eol + indent)
  if (last) return `${text.slice(0, end)},${eol}${indent}${name}${body}${text.slice(end)}`
  // A comment in an empty box stays before what comes in.
  const close = box.offset + box.length - 1
  return `${text.slice(0, close).trimEnd()}${eol}${indent}${name}${body}${eol}${indentAt(text, box.offset)}${text.slice(close)}`
}

/** Takes a member or an element out, with its comma and the white space before it; comments stay. */
function cut(text: string, child: Node): string {
  const box = child.parent as Node
  const previous = box.children?.[box.children.indexOf(child) - 1]
  const end = child.offset + child.length
  const comma = /^\s*,/.exec(text.slice(end))?.[0].length
  const before = text.slice(0, child.offset).trimEnd()
  const after = text.slice(end + (comma ?? 0))
  if (comma === undefined && previous !== undefined) {
    const at = text.indexOf(',', previous.offset + previous.length)
    return before.slice(0, at) + before.slice(at + 1) + after
  }
  // Nothing but white space between the brackets: closed again.
  const isAlone = box.children?.length === 1 && before.length === box.offset + 1
  return before + (isAlone ? after.replace(/^\s*(?=[\]}])/, '') : after)
}

/** The value at a path of member names; the last of equal names counts, as for every parser. */
export const nodeAt = (root: Node | undefined, at: readonly string[]): Node | undefined =>
  at.reduce<Node | undefined>((node, key) => node && valueIn(node, key), root)

const valueIn = (box: Node, key: string): Node | undefined =>
  box.type === 'object'
    ? box.children?.findLast((member) => member.children?.[0]?.value === key)?.children?.[1]
    : undefined

const foreign = (at: readonly string[]): Outcome => ({
  state: 'foreign',
  reason: at.length === 0 ? 'it does not hold a mapping' : `it has its own \`${at.join('.')}\``,
})

/** Comments and trailing commas are allowed; undefined for a text without any value. Throws `badSettings`. */
export function readJson(text: string, path: string): Node | undefined {
  if (stripComments(text).trim() === '') return undefined
  const errors: ParseError[] = []
  try {
    const root = parseTree(text, errors, { allowTrailingComma: true })
    const [first] = errors
    if (first === undefined) return root
    const words = printParseErrorCode(first.error).replace(/\B[A-Z]/g, ' $&')
    throw badSettings(`${path}:${lineAt(text, first.offset)}`, `not valid JSON: ${words.toLowerCase()}`)
  } catch (error) {
    // The parser calls itself for every bracket.
    if (error instanceof RangeError) throw badSettings(path, 'is nested too deeply')
    throw error
  }
}
