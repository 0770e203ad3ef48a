import type { Node } from 'jsonc-parser'
import type { SetupEdit } from '../types/agent.ts'
import { equalJson } from './equal-json.ts'
import { addChild, removeChild, styleOf } from './json-text.ts'
import type { Outcome, Parsers } from './outcome.ts'
import { readJson } from './read-json.ts'
import { hookLineOf } from './runner.ts'

export type JsonEdit = Extract<SetupEdit, { type: 'json-value' | 'json-item' }>

interface JsonContext {
  parsers: Parsers
  eol: string
}

/**
 * The text with the edit in it. Foreign: another value stands at the key, or something that is not a mapping or list on
 * the way. An element counts as there when it is the same, or calls the same hook: then it is as somebody wanted it.
 * Throws `badSettings` for text that is not JSON.
 */
export function putJson(text: string, edit: JsonEdit, { parsers, eol }: JsonContext): Outcome {
  const root = readJson(text, edit.path, parsers)
  // Nothing but white space or comments.
  if (root === undefined) {
    const head = text.trim() === '' ? '' : `${text.trimEnd()}${eol}`
    return putJson(`${head}{}${eol}`, edit, { parsers, eol })
  }
  const style = styleOf(text, root, eol)
  let box = root
  for (const [depth, key] of edit.at.entries()) {
    if (box.type !== 'object') return foreign(edit.at.slice(0, depth))
    const found = memberOf(box, key)
    if (found === undefined) {
      const rest = edit.at.slice(depth + 1)
      const leaf = edit.type === 'json-item' ? [edit.value] : edit.value
      const value = rest.reduceRight<unknown>((inner, name) => ({ [name]: inner }), leaf)
      return { text: addChild(text, box, key, value, style), state: 'changed' }
    }
    box = found.children?.[1] as Node
  }
  const { nodeValue } = parsers
  if (edit.type === 'json-value')
    return equalJson(nodeValue(box), edit.value) ? { text, state: 'same' } : foreign(edit.at)
  if (box.type !== 'array') return foreign(edit.at)
  const line = hookLineOf(edit.value)
  const isThere = (box.children ?? []).some((child) => {
    const value: unknown = nodeValue(child)
    return equalJson(value, edit.value) || (line !== null && hookLineOf(value) === line)
  })
  if (isThere) return { text, state: 'same' }
  return { text: addChild(text, box, null, edit.value, style), state: 'changed' }
}

/**
 * The text without the edit, and without the mappings and lists that are empty then, unless `stood` says that they were
 * there before. Throws `badSettings` for text that is not JSON.
 */
export function takeJson(
  text: string,
  edit: JsonEdit,
  { parsers, stood }: { parsers: Parsers; stood: (at: readonly string[]) => boolean },
): Outcome {
  const without = edit.type === 'json-value' ? takeValue(text, edit, parsers) : takeItem(text, edit, parsers)
  if (without === null) return { text, state: 'same' }
  let left = without
  const depth = edit.type === 'json-value' ? edit.at.length - 1 : edit.at.length
  for (let at = edit.at.slice(0, depth); at.length > 0 && !stood(at); at = at.slice(0, -1)) {
    const next = removeAt(left, edit.path, at, parsers, (node) => (node.children ?? []).length === 0)
    if (next === null) break
    left = next
  }
  return { text: left, state: 'changed' }
}

function takeValue(text: string, edit: JsonEdit, parsers: Parsers): string | null {
  return removeAt(text, edit.path, edit.at, parsers, (node) => equalJson(parsers.nodeValue(node), edit.value))
}

function takeItem(text: string, edit: JsonEdit, parsers: Parsers): string | null {
  const list = nodeAt(readJson(text, edit.path, parsers), edit.at)
  if (list?.type !== 'array') return null
  const children = list.children ?? []
  const same = children.find((child) => equalJson(parsers.nodeValue(child), edit.value))
  if (same !== undefined) return removeChild(text, list, same)
  const line = hookLineOf(edit.value)
  if (line === null) return null
  // Somebody has changed ours, or put theirs beside it: only what calls our hook goes.
  const group = children.find((child) => hookLineOf(parsers.nodeValue(child)) === line)
  if (group === undefined) return null
  const inner = innermost(group, line, parsers)
  if (inner === null || (inner.box.children ?? []).length === 1) return removeChild(text, list, group)
  return removeChild(text, inner.box, inner.child)
}

/** The list inside `group` whose element calls the hook, or null when it is `group` itself that does. */
function innermost(group: Node, line: string, parsers: Parsers): { box: Node; child: Node } | null {
  const lists = (node: Node): Node[] =>
    node.type === 'array' ? [node] : (node.children ?? []).flatMap((child) => lists(child))
  for (const box of lists(group)) {
    const child = (box.children ?? []).find((one) => hookLineOf(parsers.nodeValue(one)) === line)
    if (child !== undefined) return innermost(child, line, parsers) ?? { box, child }
  }
  return null
}

/** The text without the member at `at` when `fits` says yes to its value; else null. */
function removeAt(
  text: string,
  path: string,
  at: readonly string[],
  parsers: Parsers,
  fits: (node: Node) => boolean,
): string | null {
  const box = nodeAt(readJson(text, path, parsers), at.slice(0, -1))
  const member = box?.type === 'object' ? memberOf(box, at.at(-1) ?? '') : undefined
  const value = member?.children?.[1]
  if (box === undefined || member === undefined || value === undefined || !fits(value)) return null
  return removeChild(text, box, member)
}

/** The value at a path of member names; the last of equal names counts, as for every parser. */
export function nodeAt(root: Node | undefined, at: readonly string[]): Node | undefined {
  return at.reduce<Node | undefined>(
    (node, key) => (node?.type === 'object' ? memberOf(node, key)?.children?.[1] : undefined),
    root,
  )
}

const memberOf = (box: Node, key: string): Node | undefined =>
  box.children?.findLast((member) => member.children?.[0]?.value === key)

const foreign = (at: readonly string[]): Outcome => ({
  state: 'foreign',
  reason: at.length === 0 ? 'it does not hold a mapping' : `it has its own \`${at.join('.')}\``,
})
