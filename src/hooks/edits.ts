import {
  getNodeValue,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
  stripComments,
} from 'jsonc-parser'
import { parse as parseToml } from 'smol-toml'
import { orNull } from '../errors/handoff-error.ts'
import { badSettings } from '../errors/usage.ts'
import type { SetupEdit } from '../types/agent.ts'
import { hasYaml, putYaml, takeYaml, type YamlEdit } from './edit-yaml.ts'
import { hookLineOf, withoutLines } from './runner.ts'
import {
  type Bytes,
  equalJson,
  indentAt,
  lineAt,
  type Outcome,
  readText,
  sameLines,
  writeText,
} from './text-file.ts'

/** `reason` null: the edit is in `bytes`. */
interface Put {
  bytes: Bytes
  reason: string | null
}

/** The file with the edit in it. Throws `badSettings` when it cannot be read as what it should be. */
export function putEdit(bytes: Bytes, edit: TextEdit): Put {
  const file = readText(bytes)
  if (edit.type === 'file') {
    if (bytes === null) return { bytes: Buffer.from(edit.content), reason: null }
    const isSame = file !== null && sameLines(file.text, edit.content)
    return { bytes, reason: isSame ? null : 'there is another file of that name' }
  }
  if (file === null) throw badSettings(edit.path, 'not UTF-8')
  const { text, eol } = file
  const outcome =
    edit.type === 'block'
      ? putBlock(text, edit, eol)
      : isYaml(edit)
        ? putYaml(text, edit, eol)
        : putJson(text, edit, eol)
  if (outcome.state === 'foreign') return { bytes, reason: outcome.reason }
  return { bytes: outcome.state === 'same' ? bytes : writeText(file, outcome.text), reason: null }
}

/**
 * The file without the edit: as little as possible goes. `before`: what stood there first, when that is known; a file
 * that would be left empty goes, unless one stood there. Throws as `putEdit`.
 */
export function takeEdit(bytes: Bytes, edit: TextEdit, before: Bytes | undefined): Bytes {
  const file = bytes === null ? null : readText(bytes)
  if (file === null) return bytes
  const { text } = file
  if (edit.type === 'file') return sameLines(text, edit.content) ? null : bytes
  const first = before === undefined || before === null ? undefined : (readText(before)?.text ?? '')
  const stood = (at: readonly string[]): boolean =>
    first !== undefined &&
    (isYaml(edit) ? hasYaml(first, at) : nodeAt(readJson(first, edit.path), at) !== undefined)
  const outcome =
    edit.type === 'block'
      ? takeBlock(text)
      : isYaml(edit)
        ? takeYaml(text, edit, stood)
        : takeJson(text, edit, stood)
  if (outcome.state !== 'changed') return bytes
  const isJson = edit.type === 'json-value' || edit.type === 'json-item'
  const isEmpty = (isJson ? /^\s*\{\s*\}\s*$/ : /^\s*(?:#!\/bin\/sh\s*)?$/).test(outcome.text)
  return isEmpty && first === undefined ? null : writeText(file, outcome.text)
}

/** An edit of what stands in a file; the other kind is about the file itself. */
export type TextEdit = Exclude<SetupEdit, { type: 'hook' }>

const isYaml = (edit: TextEdit): edit is YamlEdit => edit.type === 'yaml-value' || edit.type === 'yaml-item'

type BlockEdit = Extract<SetupEdit, { type: 'block' }>

/** Marker lines by the way the format starts a comment. */
const MARKERS = {
  '#': ['# >>> handoff: `git handoff init` writes this, do not edit >>>', '# <<< handoff <<<'],
  '<!--': [
    '<!-- >>> handoff: `git handoff init` writes this, do not edit >>> -->',
    '<!-- <<< handoff <<< -->',
  ],
} as const

const SHEBANG = '#!/bin/sh'

/** A block of ours, of this or another version: its marker lines and what they hold. */
const BLOCK =
  /^(?:<!-- |# )>>> handoff\b[^\r\n]*\r?\n(?:(?!(?:<!-- |# )>>> handoff\b)[^\n]*\n)*?(?:<!-- |# )<<< handoff <<<(?: -->)?[ \t]*(?=\r?\n|$(?![\s\S]))/m

/**
 * The text with the block at its end, or in place of the block that is there. Foreign: TOML that has the same table
 * already. Throws `badSettings` for a `.toml` file that is no TOML.
 */
function putBlock(text: string, edit: BlockEdit, eol: string): Outcome {
  const [begin, end] = MARKERS[edit.comment]
  const block = [begin, ...edit.text.trimEnd().split('\n'), end].join(eol)
  const found = BLOCK.exec(text)
  if (found !== null && sameLines(found[0], block)) return { text, state: 'same' }
  const closed = found === null && edit.isScript === true ? whyNotScript(text) : null
  if (closed !== null) return { state: 'foreign', reason: closed }
  const next =
    found === null
      ? append(text === '' && edit.isScript === true ? `${SHEBANG}${eol}` : text, block, eol)
      : text.slice(0, found.index) + block + text.slice(found.index + found[0].length)
  if (edit.path.endsWith('.toml')) {
    checkToml(text, edit.path)
    if (!isToml(next)) return { state: 'foreign', reason: `it has its own ${tableOf(edit.text)}` }
  }
  return { text: next, state: 'changed' }
}

/** The text without the block and without the blank line before it. */
function takeBlock(text: string): Outcome {
  const found = BLOCK.exec(text)
  if (found === null) return { text, state: 'same' }
  const after = text.slice(found.index + found[0].length)
  const before = text.slice(0, found.index)
  // A file that did not end its last line ends with the block in the same way.
  const gap = after === '' ? /(?:\r?\n){1,2}$/ : /\r?\n$/
  const isFirst = before.trim() === ''
  const kept = isFirst || !/\n\r?\n$/.test(before) ? before : before.replace(gap, '')
  return { text: kept + (after === '' ? '' : after.replace(/^\r?\n/, '')), state: 'changed' }
}

/** Why lines of sh at the end of a script would not be run as such, or null. */
function whyNotScript(text: string): string | null {
  if (/^#!/.test(text) && !/^#!.*\b(?:a|ba|da|k|mk|z)?sh\b/.test(text)) return 'it is no script of sh'
  const last = text.split(/\r?\n/).findLast((line) => line.trim() !== '' && !/^\s*#/.test(line))
  return last !== undefined && /^(?:exec|exit)\b/.test(last)
    ? `nothing is run behind its last line, \`${last.trim()}\``
    : null
}

/** Behind one blank line, but right below the first line of a new script; a last line that is not ended stays so. */
function append(text: string, block: string, eol: string): string {
  if (text === '' || text === `${SHEBANG}${eol}`) return `${text}${block}${eol}`
  return text.endsWith('\n') ? `${text}${eol}${block}${eol}` : `${text}${eol}${eol}${block}`
}

function checkToml(text: string, path: string): void {
  try {
    parseToml(text)
  } catch (error) {
    const { line, message } = error as { line?: number; message: string }
    const [what] = message.split('\n')
    throw badSettings(line === undefined ? path : `${path}:${line}`, what ?? 'not valid TOML')
  }
}

const isToml = (text: string): boolean => orNull(() => parseToml(text)) !== null

const tableOf = (text: string): string => /^\[[^\]\n]+\]/m.exec(text)?.[0] ?? 'settings of that name'

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
