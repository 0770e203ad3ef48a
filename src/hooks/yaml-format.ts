import { CST, isMap, isSeq, Lexer, type Node, type Pair, parseDocument, stringify } from 'yaml'
import { tooMuch } from '../config/files.ts'
import { badSettings, parserSaid } from '../errors/usage.ts'
import type { Path, TreeFormat } from './edit-tree.ts'
import { indentAt, lineEnd, lineStart } from './text-file.ts'

/** YAML, changed by whole lines: a document that is written again keeps neither quotes nor blank lines. */
export const yaml: TreeFormat = {
  read: (text, path) => readDocument(text, path).value,
  insert(text, at, what, eol) {
    const { key, value: box } = childAt(readDocument(text, '').root, at)
    const column = columnIn(text, box, key, Array.isArray(what))
    const end = isEmpty(box) ? key?.range?.[1] : endOf(box)
    return insertLines(text, end === undefined ? text.length : lineEnd(text, end), what, column, eol)
  },
  remove(text, at) {
    const { key, value } = childAt(readDocument(text, '').root, at)
    const first = key ?? value
    const last = value ?? key
    if (!first?.range || !last) return null
    const [from, to] = [lineStart(text, first.range[0]), lineEnd(text, endOf(last))]
    const isLast = to === text.length && !text.endsWith('\n')
    return (isLast ? text.slice(0, from).replace(/\r?\n$/, '') : text.slice(0, from)) + text.slice(to)
  },
}

/** `root` null: nothing but white space or comments. `value`: what it means, aliases followed. Throws `badSettings`. */
function readDocument(text: string, path: string): { root: Node | null; value: unknown } {
  const bound = tooMuch(text, { CST, Lexer })
  if (bound !== null) throw badSettings(path, bound)
  const doc = parseDocument(text, { logLevel: 'error', merge: true })
  const [error] = doc.errors
  if (error !== undefined)
    throw badSettings(
      `${path}:${error.linePos?.[0].line ?? 1}`,
      `not valid YAML: ${parserSaid(error).replace(/ at line \d+, column \d+:?$/, '')}`,
    )
  try {
    return { root: doc.contents, value: doc.toJS() as unknown }
  } catch (cause) {
    // Aliases may stand for far more than the text says; the library counts, and gives up.
    if (cause instanceof ReferenceError) throw badSettings(path, 'holds aliases that stand for too much')
    throw cause
  }
}

/** A node, and its key where it is a member. */
interface Child {
  key: Node | null
  value: Node | null
}

/** What stands at a path; nothing where an alias or a value is on the way. */
function childAt(root: Node | null, at: Path): Child {
  return at.reduce<Child>(
    ({ value: box }, step) => {
      if (typeof step === 'number') return { key: null, value: isSeq(box) ? (box.items[step] as Node) : null }
      const pair = isMap(box)
        ? box.items.find(({ key }) => (key as { value?: unknown } | null)?.value === step)
        : undefined
      return { key: (pair?.key as Node) ?? null, value: (pair?.value as Node) ?? null }
    },
    { key: null, value: root },
  )
}

/** Column at which lines that are put into `box` begin: that of what is there, else of its key, and a step more in a mapping. */
function columnIn(text: string, box: Node | null, key: Node | null, isList: boolean): number {
  const first = isMap(box) ? (box.items[0]?.key as Node) : isSeq(box) ? (box.items[0] as Node) : undefined
  const columnOf = (node: Node): number => indentAt(text, node.range?.[0] ?? 0).length
  if (first !== undefined) return columnOf(first)
  return key === null ? 0 : columnOf(key) + (isList ? 0 : 2)
}

/** Puts a value in as whole lines of block style; a last line that is not ended stays so. */
function insertLines(text: string, at: number, value: object, column: number, eol: string): string {
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
