/** A fenced block of commands, and the block that shows what they print, when one follows. */
export interface Step {
  commands: string
  output: string | null
  /** Where the output stands in the page, without its fences; null without one. */
  place: { from: number; to: number } | null
}

const FENCED = /^(`{3,})(\w*)\n([\s\S]*?)^\1$/gm

/** The `sh` blocks of a page in order. A block of another language with only blank lines between is the output of the one before. */
export function readTour(page: string): Step[] {
  const steps: Step[] = []
  let end = 0
  for (const found of page.matchAll(FENCED)) {
    const [whole, fence = '', language = '', body = ''] = found
    const last = steps.at(-1)
    if (language === 'sh') steps.push({ commands: body.trimEnd(), output: null, place: null })
    else if (last && last.place === null && page.slice(end, found.index).trim() === '') {
      const from = found.index + fence.length + language.length + 1
      last.output = body.trimEnd()
      last.place = { from, to: from + body.length }
    }
    end = found.index + whole.length
  }
  return steps
}

/** The page with what was really printed in each place that shows it. */
export function writeOutputs(page: string, steps: readonly Step[], outputs: readonly string[]): string {
  let written = page
  for (const [i, { place }] of [...steps.entries()].reverse())
    if (place) written = `${written.slice(0, place.from)}${outputs[i]?.trim()}\n${written.slice(place.to)}`
  return written
}

/** What differs from run to run and from machine to machine: ids, hashes, times, ages, the tokens that they make, which agents are there. */
const CHANGING: readonly [RegExp, string][] = [
  [/^warning: .* is set up but not installed: .*\n/gm, ''],
  [/\b\d{8}T\d{6}-[0-9a-f]{8}\b/g, '<id>'],
  [/\bstdin-\d{4}-[\dTZ-]+/g, '<session>'],
  [/\d{4}-\d\d-\d\d(?:T[\d:.]+Z| \d\d:\d\d UTC)?/g, '<time>'],
  [/\b\d+ (?:s|min|h) (?:ago|old)\b/g, '<age>'],
  [/\b(\d+ tokens|tokens: \d+)\b/g, '<tokens>'],
  [/\bsum=[0-9a-f]{14}\b/g, '<sum>'],
  [/\b(?:[0-9a-f]{40}|[0-9a-f]{12}|[0-9a-f]{7,8})\b/g, '<hash>'],
]

export const mask = (text: string): string =>
  CHANGING.reduce((at, [changing, name]) => at.replace(changing, name), text).trim()
