import { pathTokens, wantsCreation } from './mentions.ts'
import { wordsOf } from './path-text.ts'
import { proseLines, sentencesOf } from './prose.ts'

export interface GoalWords {
  words: ReadonlySet<string>
  /** Words that may name files; `isWanted`: their sentence wants something to be made. */
  tokens: { token: string; isWanted: boolean }[]
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
export function readGoal(goal: string, focus: string | null): GoalWords {
  const text = focus ? `${goal}\n${focus}` : goal
  const tokens = sentencesOf(text.split(/\r?\n/)).flatMap((sentence) => {
    const isWanted = wantsCreation(sentence)
    return pathTokens(sentence).map((token) => ({ token, isWanted }))
  })
  return { words: new Set(contentWords(ownWords(text))), tokens }
}

/** What somebody wrote, without addresses and pasted lines. */
export const ownWords = (text: string): string => proseLines(text).join('\n').replace(ADDRESS, ' ')

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
