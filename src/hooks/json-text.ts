import type { Node } from 'jsonc-parser'
import { indentAt } from './text-file.ts'

/** How new parts of a JSON text are written. */
export interface JsonStyle {
  eol: string
  /** One step of indentation. */
  unit: string
  /** The whole text stands in one line: new parts do too. */
  isFlat: boolean
  /** A space follows colons and commas. */
  isAiry: boolean
}

/** What the text looks like; a new or empty one gets two spaces, as the agents themselves write. */
export function styleOf(text: string, root: Node, eol: string): JsonStyle {
  const first = root.children?.[0]
  const isFlat = first !== undefined && !/[\r\n]/.test(text.slice(root.offset, root.offset + root.length))
  const step = first === undefined ? '' : indentAt(text, first.offset)
  return { eol, unit: isFlat || step === '' ? '  ' : step, isFlat, isAiry: !isFlat || /":\s/.test(text) }
}

/** Puts a member (`key`) or an element (`key` null) behind the last child of `box`; comments stay where they are. */
export function addChild(
  text: string,
  box: Node,
  key: string | null,
  value: unknown,
  style: JsonStyle,
): string {
  const close = box.offset + box.length - 1
  const last = box.children?.at(-1)
  const base = indentAt(text, box.offset)
  if (last === undefined) {
    const inner = text.slice(box.offset + 1, close).trimEnd()
    if (style.isFlat) return splice(text, close, close, inner + render(key, value, style, null))
    const body = `${style.eol}${base}${style.unit}${render(key, value, style, base + style.unit)}${style.eol}${base}`
    return splice(text, box.offset + 1, close, inner + body)
  }
  const end = last.offset + last.length
  const { commas, stop } = triviaOf(text, end, close)
  const comma = commas.length === 0 ? ',' : ''
  const trailing = commas.length === 0 ? '' : ','
  const isWide = /[\r\n]/.test(text.slice(box.offset, last.offset))
  const begins = /[\r\n][ \t]*$/.test(text.slice(0, last.offset))
  const indent = isWide ? (begins ? indentAt(text, last.offset) : base + style.unit) : null
  const gap = indent === null ? (style.isAiry ? ' ' : '') : style.eol + indent
  const added = `${gap}${render(key, value, style, indent)}${trailing}`
  return splice(splice(text, stop, stop, added), end, end, comma)
}

/** Takes a member or an element out, with its comma and the white space before it. */
export function removeChild(text: string, box: Node, child: Node): string {
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
