import { pathTokens, wantsCreation } from './mentions.ts'
import { wordsOf } from './path-text.ts'
import { proseLines, sentencesOf } from './prose.ts'

export interface GoalWords {
  words: ReadonlySet<string>
  /** All its words, and those of the items that it refers to, as they were written, in lower case. */
  written: ReadonlySet<string>
  /** Words that may name files; `isWanted`: their sentence wants something to be made. */
  tokens: { token: string; isWanted: boolean }[]
  /** These words, and those of the items of the last reply that it refers to ("option 2", "#4"); words of these that may name files. */
  meant: ReadonlySet<string>
  referred: string[]
}

const STOP = new Set(
  `a an the and or but if then else so to of in on at by for from with without into onto over under as is are was were be been being do
  does did done it its this that these those i me my we our us you your he she they them their what which who when where why how can
  could should would will shall may might must not no yes please also just only some any all each every more most much many make
  makes made let lets get gets got need needs want wants like use uses used using now new next still again same other one two first
  last there here than too very up down out off about after before between run fix add change update implement continue ok okay
  sure work works working file files code thing things issue problem der die das und oder nicht ein eine ist mit auf für le la les
  et un une des est pour que el los las y en de por con`.split(/\s+/),
)

/** Reads a goal as data: words and paths. Words of addresses and of what was pasted are not the person's. */
export function readGoal(goal: string, focus: string | null, lastReply = ''): GoalWords {
  const text = focus ? `${goal}\n${focus}` : goal
  const tokens = sentencesOf(text.split(/\r?\n/)).flatMap((sentence) => {
    const isWanted = wantsCreation(sentence)
    return pathTokens(sentence).map((token) => ({ token, isWanted }))
  })
  const own = ownWords(text)
  const words = new Set(contentWords(own))
  const items = withoutAddresses(referredItems(own, lastReply))
  const meant = new Set([...words, ...contentWords(items)])
  return { words, written: new Set(wordsOf(`${own}\n${items}`)), tokens, meant, referred: pathTokens(items) }
}

/** What somebody wrote, without addresses and pasted lines. */
export const ownWords = (text: string): string => withoutAddresses(proseLines(text).join('\n'))

const withoutAddresses = (text: string): string => text.replace(ADDRESS, ' ')
/** No scheme is longer: from each word of a path of 8,000 folders the whole of it would be tried. */
const ADDRESS = /\b[a-z][\w+.-]{0,40}:\/\/\S+|\bwww\.\S+/gi

/** Content words of a text or path: no stop words, plural and usual endings taken off. */
export const contentWords = (text: string): string[] =>
  wordsOf(text)
    .filter((word) => !STOP.has(word) && (word.length > 2 || /[^\p{Script=Latin}\d_]/u.test(word)))
    .map(stem)

const stem = (word: string) =>
  word.length > 5
    ? word.replace(/(?:ing|edly|ed|ies|es|s|er|ion|ions)$/, '')
    : word.length > 3
      ? word.replace(/s$/, '')
      : word

/** How well words fit a goal: the share of the goal's words found, rare ones counting more; 0 to 1. */
export function createAffinity(
  goal: ReadonlySet<string>,
  documents: readonly string[],
): (text: string) => number {
  const counts = new Map<string, number>()
  for (const document of documents)
    for (const word of new Set(contentWords(document)))
      if (goal.has(word)) counts.set(word, (counts.get(word) ?? 0) + 1)
  const weight = (word: string) => Math.log(1 + documents.length / (1 + (counts.get(word) ?? 0)))
  let whole = 0
  for (const word of counts.keys()) whole += weight(word)
  return (text) => {
    if (whole === 0) return 0
    let sum = 0
    for (const word of new Set(contentWords(text))) if (counts.has(word)) sum += weight(word)
    return sum / whole
  }
}

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
function referredItems(goal: string, reply: string): string {
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
