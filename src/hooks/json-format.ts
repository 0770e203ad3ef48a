import {
  findNodeAtLocation,
  getNodeValue,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
  stripComments,
} from 'jsonc-parser'
import { badSettings } from '../errors/usage.ts'
import type { TreeFormat } from './edit-tree.ts'
import { indentAt, lineAt } from './text-file.ts'

/** JSON with comments and trailing commas. `modify` of the library takes comments out with a member, and sets anew all that stands in the same line. */
export const json: TreeFormat = {
  read(text, path) {
    const root = readNode(text, path)
    return root && getNodeValue(root)
  },
  insert(text, at, what, eol) {
    const root = readNode(text, '')
    // Nothing but white space or comments.
    if (root === undefined) {
      const head = text.trim() === '' ? '' : `${text.trimEnd()}${eol}`
      return json.insert(`${head}{}${eol}`, at, what, eol)
    }
    const box = findNodeAtLocation(root, [...at])
    return box?.children === undefined ? null : add(text, root, box, what, eol)
  },
  remove(text, at) {
    const root = readNode(text, '')
    const node = root && findNodeAtLocation(root, [...at])
    const child = typeof at.at(-1) === 'string' ? node?.parent : node
    return child?.parent === undefined ? null : cut(text, child, child.parent)
  },
}

/** Undefined for a text without any value. Throws `badSettings`. */
function readNode(text: string, path: string): Node | undefined {
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

/** Puts it right behind the last child of `box`, in lines of its own where the others are: indented as they are, two spaces a step in an empty text. */
function add(text: string, root: Node, box: Node, what: object, eol: string): string {
  const hasLines = (from: number, to: number): boolean => /[\r\n]/.test(text.slice(from, to))
  const [first] = root.children ?? []
  const last = box.children?.at(-1)
  const end = last === undefined ? box.offset + 1 : last.offset + last.length
  const isFlat =
    first !== undefined &&
    !(last ? hasLines(box.offset, last.offset) : hasLines(root.offset, root.offset + root.length))
  const air = isFlat && !/":\s/.test(text) ? '' : ' '
  const [[key, value] = []] = Object.entries(what)
  const name = Array.isArray(what) ? '' : `${JSON.stringify(key)}:${air}`
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

/** Takes a child out of its box, with its comma and the white space before it; comments stay. */
function cut(text: string, child: Node, { children = [], offset }: Node): string {
  const previous = children[children.indexOf(child) - 1]
  const end = child.offset + child.length
  const comma = /^\s*,/.exec(text.slice(end))?.[0].length
  const before = text.slice(0, child.offset).trimEnd()
  const after = text.slice(end + (comma ?? 0))
  if (comma === undefined && previous !== undefined) {
    const at = text.indexOf(',', previous.offset + previous.length)
    return before.slice(0, at) + before.slice(at + 1) + after
  }
  // Nothing but white space between the brackets: closed again.
  const isAlone = children.length === 1 && before.length === offset + 1
  return before + (isAlone ? after.replace(/^\s*(?=[\]}])/, '') : after)
}
