const KEY = String.raw`(?:\d{1,2}|[a-z]\d{0,2})`
const KIND = 'options?|items?|steps?|points?|phases?|findings?|issues?|tasks?|numbers?|fix(?:es)?|changes?'
/** "option 2", "findings 1, 3 and 4". */
const BY_KIND = new RegExp(
  String.raw`\b(?:${KIND})\s+(#?${KEY}(?:(?:\s*,\s*|\s+)(?:(?:and|or|&)\s+)?#?${KEY})*)\b`,
  'gi',
)
/** "#4", "H1". */
const BY_CODE = /(?<![\w/#])#(\d{1,2})\b|\b([A-Z]\d{1,2})\b/g
/** A goal that begins with its choice: "2", "yes, 1 and 3", "b please"; "1. Add …" is a list of its own. */
const CHOICE =
  /^\s*(?:(?:yes|ok|okay|please|do|go with|let'?s (?:do|go with))[,:]?\s+)*#?(?:\d{1,2}|[b-d])(?:(?:\s*,\s*|\s+(?:and|or|&)\s+)#?(?:\d{1,2}|[a-d]))*(?=\s*$|[\s,!](?!\s*\d))/i
/** "the 3 changes", "all four". */
const BY_COUNT =
  /\b(?:the|these|those|all)\s+(?:of\s+)?(?:the\s+|these\s+|those\s+)?(\d{1,2}|two|three|four|five|six)\b/i
const COUNTS = ['two', 'three', 'four', 'five', 'six']
/** The beginning of a list item or table row, or of a heading with a number. */
const ITEM = new RegExp(
  String.raw`^\s*(?:#{1,6}\s+|[-*+]\s+|\|\s*)?(?:\*\*|__|\x60)?\(?(?:(?:${KIND})\s+)?#?([a-z]{0,2}\d{1,2}|[a-z](?=[.):]))(?:\*\*|__|\x60)?\s*(?:[.):|—–-]|\*\*)`,
  'i',
)

/** The items of the last reply that a goal refers to by number, letter or code, or by how many they are; empty for none. */
export function referredItems(goal: string, reply: string): string {
  const keys = keysOf(goal)
  const count = BY_COUNT.exec(goal)?.[1]?.toLowerCase()
  if (keys.size === 0 && count === undefined) return ''
  const lists = listsOf(reply)
  const hits = lists.flat().filter(({ key }) => keys.has(key))
  const size = count === undefined ? 0 : COUNTS.includes(count) ? COUNTS.indexOf(count) + 2 : Number(count)
  const meant = hits.length > 0 ? hits : (lists.findLast((list) => list.length === size) ?? [])
  return meant.map(({ text }) => text).join('\n')
}

function keysOf(goal: string): Set<string> {
  const named = [...goal.matchAll(BY_KIND)].map(([, keys = '']) => keys)
  const codes = [...goal.matchAll(BY_CODE)].map(([, number, code]) => number ?? code ?? '')
  const choice = CHOICE.exec(goal)?.[0] ?? ''
  return new Set([...named, ...codes, choice].flatMap((text) => text.toLowerCase().match(SINGLE) ?? []))
}

const SINGLE = /\b(?:\d{1,2}|[a-z]\d{0,2})\b/g

interface Item {
  key: string
  text: string
}

/** Lists of a text, each from an item numbered 1 or a on; an item goes on until a blank line that no indented line follows. */
function listsOf(text: string): Item[][] {
  const lists: Item[][] = []
  let item: Item | null = null
  let isAfterBlank = false
  for (const line of text.split('\n')) {
    const key = ITEM.exec(line)?.[1]?.toLowerCase()
    if (key !== undefined) {
      item = { key, text: line }
      if (lists.length === 0 || /^\D*(?:1|a)$/.test(key)) lists.push([])
      lists.at(-1)?.push(item)
    } else if (item !== null && line.trim() !== '') {
      if (/^#{1,6}\s/.test(line) || (isAfterBlank && !/^\s/.test(line))) item = null
      else item.text += `\n${line}`
    }
    isAfterBlank = line.trim() === ''
  }
  return lists
}
