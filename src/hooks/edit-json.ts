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
  const root = readJson(text, edit.path)
  // Nothing but white space or comments.
  if (root === undefined) {
    const head = text.trim() === '' ? '' : `${text.trimEnd()}${eol}`
    return putJson(`${head}{}${eol}`, edit, eol)
  }
  const style = styleOf(text, root, eol)
  const isItem = edit.type === 'json-item'
  let box = root
  for (const [depth, key] of edit.at.entries()) {
    if (box.type !== 'object') return foreign(edit.at.slice(0, depth))
    const found = memberOf(box, key)
    if (found === undefined) {
      const leaf = isItem ? [edit.value] : edit.value
      const rest = edit.at.slice(depth + 1)
      const value = rest.reduceRight<unknown>((inner, name) => ({ [name]: inner }), leaf)
      return { text: addChild(text, box, key, value, style), state: 'changed' }
    }
    box = found.children?.[1] as Node
  }
  const found = isItem ? findItem(box, edit.value) : box
  const value = found && getNodeValue(found)
  if (found !== undefined && equalJson(withoutLines(value), withoutLines(edit.value))) {
    if (equalJson(value, edit.value)) return { text, state: 'same' }
    // Another version wrote it, and nobody has changed it since.
    const without = takeJson(text, { ...edit, value }, () => true)
    return without.state === 'changed' ? putJson(without.text, edit, eol) : without
  }
  if (isItem && found !== undefined) return { text, state: 'same' }
  if (!isItem || box.type !== 'array') return foreign(edit.at)
  return { text: addChild(text, box, null, edit.value, style), state: 'changed' }
}

/**
 * The text without the edit, and without the mappings and lists that are empty then, unless `stood` says that they were
 * there before. Throws `badSettings` for text that is not JSON.
 */
export function takeJson(text: string, edit: JsonEdit, stood: (at: readonly string[]) => boolean): Outcome {
  const isItem = edit.type === 'json-item'
  const without = isItem
    ? takeItem(text, edit)
    : removeAt(text, edit.path, edit.at, (node) => equalJson(getNodeValue(node), edit.value))
  if (without === null) return { text, state: 'same' }
  let left = without
  for (let at = isItem ? edit.at : edit.at.slice(0, -1); at.length > 0 && !stood(at); at = at.slice(0, -1)) {
    const next = removeAt(left, edit.path, at, (node) => node.children?.length === 0)
    if (next === null) break
    left = next
  }
  return { text: left, state: 'changed' }
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

function takeItem(text: string, edit: JsonEdit): string | null {
  const list = nodeAt(readJson(text, edit.path), edit.at)
  const found = findItem(list, edit.value)
  if (list === undefined || found === undefined) return null
  const line = hookLineOf(edit.value)
  const inner = line === null || equalJson(getNodeValue(found), edit.value) ? null : innermost(found, line)
  // Somebody has changed ours, or put theirs beside it: only what calls our hook goes.
  return inner === null || inner.box.children?.length === 1
    ? removeChild(text, list, found)
    : removeChild(text, inner.box, inner.child)
}

/** The list inside `group` whose element calls the hook, or null when it is `group` itself that does. */
function innermost(group: Node, line: string): { box: Node; child: Node } | null {
  const lists = (node: Node): Node[] =>
    node.type === 'array' ? [node] : (node.children ?? []).flatMap((child) => lists(child))
  for (const box of lists(group)) {
    const child = box.children?.find((one) => hookLineOf(getNodeValue(one)) === line)
    if (child !== undefined) return innermost(child, line) ?? { box, child }
  }
  return null
}

/** The text without the member at `at` when `fits` says yes to its value; else null. */
function removeAt(
  text: string,
  path: string,
  at: readonly string[],
  fits: (node: Node) => boolean,
): string | null {
  const box = nodeAt(readJson(text, path), at.slice(0, -1))
  const member = box && memberOf(box, at.at(-1) ?? '')
  const value = member?.children?.[1]
  return box && member && value && fits(value) ? removeChild(text, box, member) : null
}

/** The value at a path of member names; the last of equal names counts, as for every parser. */
export function nodeAt(root: Node | undefined, at: readonly string[]): Node | undefined {
  return at.reduce<Node | undefined>((node, key) => node && memberOf(node, key)?.children?.[1], root)
}

const memberOf = (box: Node, key: string): Node | undefined =>
  box.type === 'object' ? box.children?.findLast((member) => member.children?.[0]?.value === key) : undefined

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

/** How new parts of a JSON text are written. */
interface JsonStyle {
  eol: string
  /** One step of indentation. */
  unit: string
  /** The whole text stands in one line: new parts do too. */
  isFlat: boolean
  /** A space follows colons and commas. */
  isAiry: boolean
}

/** What the text looks like; a new or empty one gets two spaces, as the agents themselves write. */
function styleOf(text: string, root: Node, eol: string): JsonStyle {
  const first = root.children?.[0]
  const isFlat = first !== undefined && !/[\r\n]/.test(text.slice(root.offset, root.offset + root.length))
  const step = first === undefined ? '' : indentAt(text, first.offset)
  return { eol, unit: isFlat || step === '' ? '  ' : step, isFlat, isAiry: !isFlat || /":\s/.test(text) }
}

/** Puts a member (`key`) or an element (`key` null) behind the last child of `box`; comments stay where they are. */
function addChild(text: string, box: Node, key: string | null, value: unknown, style: JsonStyle): string {
  const close = box.offset + box.length - 1
  const last = box.children?.at(-1)
  const end = last === undefined ? box.offset + 1 : last.offset + last.length
  const { commas, stop } = triviaOf(text, end, close)
  const base = indentAt(text, box.offset)
  const isWide = last === undefined ? !style.isFlat : /[\r\n]/.test(text.slice(box.offset, last.offset))
  const isFirst = last === undefined
  const indent = isFirst ? base + style.unit : indentAt(text, last.offset)
  const gap = isWide ? style.eol + indent : !isFirst && style.isAiry ? ' ' : ''
  const added = gap + render(key, value, style, isWide ? indent : null)
  const before = `${text.slice(0, end)}${isFirst || commas.length > 0 ? '' : ','}${text.slice(end, stop)}${added}`
  if (!isFirst) return `${before}${commas.length === 0 ? '' : ','}${text.slice(stop)}`
  return `${before}${isWide ? style.eol + base : ''}${text.slice(close)}`
}

/** Takes a member or an element out, with its comma and the white space before it. */
function removeChild(text: string, box: Node, child: Node): string {
  const children = box.children ?? []
  const at = children.indexOf(child)
  const previous = children[at - 1]
  const next = children[at + 1]
  const close = box.offset + box.length - 1
  const from = previous === undefined ? box.offset + 1 : previous.offset + previous.length
  const before = triviaOf(text, from, child.offset)
  const end = child.offset + child.length
  const [own] = triviaOf(text, end, next?.offset ?? close).commas
  const cut = splice(text, before.stop, own === undefined ? end : own + 1, '')
  if (own === undefined && previous !== undefined) {
    const comma = before.commas[0] as number
    return splice(cut, comma, comma + 1, '')
  }
  if (children.length > 1) return cut
  // Nothing but white space between the brackets: closed again.
  const rest = cut.slice(box.offset + 1)
  const bare = /^\s*(?=[\]}])/.exec(rest)?.[0]
  return bare === undefined ? cut : splice(cut, box.offset + 1, box.offset + 1 + bare.length, '')
}

/** Where commas stand between two nodes, and where the last comma or comment ends. */
function triviaOf(text: string, from: number, to: number): { commas: number[]; stop: number } {
  const commas: number[] = []
  let stop = from
  for (const match of text.slice(from, to).matchAll(/,|\/\/[^\r\n]*|\/\*[\s\S]*?\*\//g)) {
    if (match[0] === ',') commas.push(from + match.index)
    stop = from + match.index + match[0].length
  }
  return { commas, stop }
}

/** `indent` null: in one line. */
function render(key: string | null, value: unknown, style: JsonStyle, indent: string | null): string {
  const name = key === null ? '' : `${JSON.stringify(key)}:${indent !== null || style.isAiry ? ' ' : ''}`
  if (indent !== null)
    return name + JSON.stringify(value, null, style.unit).replaceAll('\n', style.eol + indent)
  // No line break can stand inside a string of JSON.
  return name + (style.isAiry ? JSON.stringify(value, null, 1).replace(/\n */g, ' ') : JSON.stringify(value))
}

const splice = (text: string, from: number, to: number, put: string): string =>
  text.slice(0, from) + put + text.slice(to)
