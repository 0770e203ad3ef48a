import { cutAtWord } from './prose.ts'

const MAX_PARTS = 10
const MAX_PART = 90
/** Headings that every plan may have. */
const PLAIN =
  /^(?:the )?(?:implementation |proposed |work |action )?(?:plan|context|overview|summary|goals?|background|steps|approach|problem|changes|tasks?|verification|testing|files? (?:to )?(?:modify|change|changed|modified))$/i

/** Whether a prompt is a plan or an issue that was pasted: several headings, or more lines than a person types. */
export const isOutlined = (text: string): boolean => (text.match(/^#{1,4}\s+\S/gm) ?? []).length > 1

/** A plan in a line: its title, then its headings, or its steps that are not done; those that every plan has are left out. */
export function outlineOf(text: string): string {
  const lines = withoutFences(text)
  const headings = lines.filter((line) => /^#{1,4}\s+\S/.test(line)).map(plain)
  const told = headings.filter((line) => !PLAIN.test(line))
  const first = lines.find((line) => line.trim() !== '' && !PLAIN.test(plain(line)))
  const title = told[0] ?? plain(first ?? text)
  const steps = lines.filter((line) => STEP.test(line)).map((line) => ({ line, isBox: line.includes('[ ]') }))
  const open = told.length > 2 ? steps.filter((step) => step.isBox) : steps
  const parts = [...told.slice(1), ...open.map(({ line }) => plain(line))]
    .filter((part) => part !== title)
    .map((part) => cutAtWord(part, MAX_PART))
  const shown = [...new Set(parts)]
  const more = shown.length > MAX_PARTS ? [`${shown.length - MAX_PARTS} more`] : []
  return [title, ...shown.slice(0, MAX_PARTS), ...more].join('; ')
}

/** A numbered step, or a box that is not ticked. */
const STEP = /^\s{0,1}\d{1,2}[.)]\s+(?!\[x\])\S|^\s*[-*]\s+\[ \]\s+\S/i

/** The lines of a text outside of fences. */
export function withoutFences(text: string): string[] {
  let isFenced = false
  return text.split(/\r?\n/).filter((line) => {
    if (!/^\s*(?:```|~~~)/.test(line)) return !isFenced
    isFenced = !isFenced
    return false
  })
}

const plain = (line: string): string =>
  line
    .replace(/^\s*(?:#{1,6}|[-*•]|\d{1,2}[.)])\s+(?:\[ \]\s+)?/, '')
    .replace(/\*\*/g, '')
    .replace(/^(?:Implementation )?Plan:\s+/i, '')
    .replace(/\s+/g, ' ')
    .replace(/:$/, '')
    .trim()
