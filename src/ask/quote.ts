import { countsOf, type QueryWords, queryWords } from './words.ts'

/** UTF-16 units of a line that is shown. */
const LINE = 400

/** The line with most of the words, one before it and those behind, `most` in all; whole, so that a secret in them is still known for one. */
export function quoteOf(text: string, words: QueryWords, most: number): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const found = lines.map((line) => countsOf(line, words).size)
  const best = found.indexOf(Math.max(...found))
  const first = Math.max(0, Math.min(best - 1, lines.length - most))
  return lines
    .slice(first, first + most)
    .map((line) => line.trimEnd())
    .join('\n')
}

/** The lines of a quote, each cut to its room around the first word of the question that it holds; secrets are replaced before. */
export function clipQuote(quote: string, question: string): string {
  const { stems } = queryWords(question)
  return quote
    .split('\n')
    .map((line) => clip(line, stems))
    .join('\n')
}

function clip(line: string, stems: readonly string[]): string {
  if (line.length <= LINE) return line
  const lower = line.toLowerCase()
  const at = Math.min(
    ...stems.map((stem) => lower.indexOf(stem)).filter((place) => place >= 0),
    line.length - 1,
  )
  const start = Math.max(0, Math.min(at - LINE / 2, line.length - LINE))
  const cut = line.slice(start, start + LINE)
  return `${start > 0 ? '…' : ''}${cut}${start + LINE < line.length ? '…' : ''}`
}
