import { idOfPath } from '../brief/id.ts'
import { type ScannedSection, scanBody } from '../brief/sections.ts'
import { type Row, rowCells, type Span, wrapRow } from '../text/rows.ts'
import { codeParts, fenceOf, unescapeLineAlone } from '../text/safe-text.ts'

export interface MarkdownLook {
  width: number
  /** Without colours the marks of markdown stay, so that headings and code can still be told apart. */
  color: boolean
  /** Ours, not a stranger's: emphasis, tables and links are read as well. */
  isOurs?: boolean
}

/**
 * Markdown of our own dialect as rows for a terminal: headings, lists and paragraphs wrapped with hanging indents, code spans,
 * tables, fences. Lines of a fence keep their length, since commands are copied from there; prose, as that of a goal, is wrapped.
 */
export const markdownRows = (body: string, look: MarkdownLook): Row[] =>
  sectionRows(scanBody(body.replaceAll('\r\n', '\n'), 1), look)

export function sectionRows(sections: readonly ScannedSection[], look: MarkdownLook): Row[] {
  return tidy(
    sections.flatMap((section) => [
      ...(section.level === 0 ? [] : headingRows(section.level, section.heading, look)),
      ...linesRows(section, look),
    ]),
  )
}

/** One empty row at most between two others, none at the ends. */
function tidy(rows: readonly Row[]): Row[] {
  const kept = rows.filter((row, i) => row.length > 0 || (rows[i - 1]?.length ?? 0) > 0)
  return kept.at(-1)?.length === 0 ? kept.slice(0, -1) : kept
}

function headingRows(level: number, text: string, { width, color }: MarkdownLook): Row[] {
  const name = color ? text : `${'#'.repeat(level)} ${text}`
  return [[], ...wrapRow([{ text: name, is: 'heading' }], width), []]
}

function linesRows(section: ScannedSection, look: MarkdownLook): Row[] {
  const blocks = new Map(section.blocks.map((block) => [block.line, block]))
  const out: Row[] = []
  const open: { flow: Flow | null; table: string[] } = { flow: null, table: [] }
  // Of the last block.
  let end = 0
  const flush = () => {
    if (open.flow !== null) out.push(...flowRows(open.flow, look))
    if (open.table.length > 0) out.push(...tableRows(open.table, look))
    open.flow = null
    open.table = []
  }
  for (const { line, text, fenced } of section.lines) {
    const block = blocks.get(line)
    if (block !== undefined) {
      flush()
      out.push(...fenceRows(block, section, text.length - text.trimStart().length, look))
      end = line + block.text.split('\n').length + 1
      continue
    }
    if (fenced && line <= end) continue
    // Code inside of a quote is no block of its own.
    if (fenced) {
      flush()
      out.push([{ text: text.slice(0, 1) }, { text: text.slice(1), is: 'code' }])
      continue
    }
    if (look.isOurs && text.startsWith('|')) {
      if (open.flow !== null) flush()
      open.table.push(text)
      continue
    }
    const begins = beginOf(text)
    if (text.trim() === '') {
      flush()
      out.push([])
    } else if (begins.heading !== null) {
      flush()
      out.push(...headingRows(begins.heading, begins.text, look))
    } else if (begins.mark !== '' || open.flow === null) {
      flush()
      open.flow = { mark: begins.mark, text: [begins.text] }
    } else open.flow.text.push(text.trim())
  }
  flush()
  return out
}

/** A paragraph, or an item with its mark. */
interface Flow {
  mark: string
  /** Its lines, one after another in one paragraph. */
  text: string[]
}

function beginOf(line: string): { mark: string; text: string; heading: number | null } {
  const [, marks, name] = /^(#{3,6})[ \t]+(\S.*)$/.exec(line) ?? []
  if (marks !== undefined) return { heading: marks.length, mark: '', text: name ?? '' }
  const [, mark, text] = /^(>? {0,6}(?:[-*+]|\d{1,3}\.) |> {0,6}|>$)(.*)$/.exec(line) ?? []
  return { heading: null, mark: mark ?? '', text: text ?? line.trim() }
}

function flowRows({ mark, text }: Flow, look: MarkdownLook): Row[] {
  const first: Row = mark === '' ? [] : [{ text: mark }]
  return wrapRow(inlineSpans(text.join(' '), look), look.width, first)
}

/** The link to the brief before this one, at the beginning of its item; what others wrote is escaped there. */
const OWN_LINK = /^\[([^[\]]+)\]\(([^()\s/]+)\)/

/** The id alone, where the file is that of the brief so called: commands take it, and the name of the file says no more. Any other link stays, with its target. */
const ownText = (link: string, id: string, file: string): string => (idOfPath(file) === id ? id : link)

/** A line with its code, its label at the end, and in our own texts what is emphasised. */
function inlineSpans(text: string, { color, isOurs = false }: MarkdownLook): Span[] {
  const plain = isOurs
    ? text.replace(/\[([^[\]]+)\]\([^()\s]+\)/g, '$1')
    : unescapeLineAlone(text.replace(OWN_LINK, ownText))
  const [, said = plain, label = ''] = isOurs
    ? []
    : (/^(.*?)( \[[^[\]]*\](?: — from \S+)?)$/.exec(plain) ?? [])
  const spans = codeParts(said).flatMap(({ text: part, code }): Span[] => {
    if (code !== null) return [{ text: color ? code : part, is: 'code' }]
    if (!isOurs) return [{ text: part }]
    return part
      .split(/\*\*([^*]+)\*\*/)
      .map((piece, j): Span => (j % 2 === 1 ? { text: piece, is: 'strong' } : { text: piece }))
  })
  return label === '' ? spans : [...spans, { text: label, is: 'faint' }]
}

function fenceRows(
  { text, info }: ScannedSection['blocks'][number],
  { id }: ScannedSection,
  indent: number,
  { width, color }: MarkdownLook,
): Row[] {
  const margin = ' '.repeat(indent + (color ? 2 : 0))
  const isProse = id === 'goal' || info === 'markdown'
  const is = id === 'goal' ? 'strong' : 'code'
  const lines = text.split('\n').flatMap((line): Row[] => {
    if (line === '') return [[]]
    const lead = line.slice(0, line.length - line.trimStart().length)
    const rest: Row = [{ text: line.slice(lead.length), is }]
    const first = { text: margin + lead }
    return isProse ? wrapRow(rest, width, [first]) : [[first, ...rest]]
  })
  if (color) return lines
  const mark = { text: `${margin}${fenceOf(text)}` }
  return [[{ text: mark.text + info }], ...lines, [mark]]
}

/** Each line of a table: what it is about, then the other cells, set in where they do not fit beside it. */
function tableRows(lines: readonly string[], look: MarkdownLook): Row[] {
  const cellsOf = (line: string) =>
    line
      .replace(/^\|\s?|\s?\|\s*$/g, '')
      .split(/\s?(?<!\\)\|\s?/)
      .map((cell) => cell.replaceAll('\\|', '|').trim())
  const rows = lines
    .slice(2)
    .map(cellsOf)
    .map(([first = '', ...others]) => ({
      first: inlineSpans(first, look),
      others: others
        .filter((cell) => cell !== '')
        .flatMap((cell, i): Span[] => [...(i > 0 ? [{ text: ' · ' }] : []), ...inlineSpans(cell, look)]),
    }))
  const widest = Math.max(...rows.map(({ first }) => rowCells(first)))
  const beside = widest <= look.width / 3
  return rows.flatMap(({ first, others }): Row[] => {
    if (!beside) return [...wrapRow(first, look.width), ...wrapRow(others, look.width, [{ text: '    ' }])]
    const gap = ' '.repeat(widest - rowCells(first) + 2)
    return wrapRow(others, look.width, [...first, { text: gap }])
  })
}
