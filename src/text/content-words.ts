import { BLANK, WORDS } from './blocks.ts'

/** Splits prose or code into words: lower case, camelCase and snake_case taken apart. */
const wordsOf = (text: string): string[] =>
  text
    .replace(/(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, ' ')
    .toLowerCase()
    .match(WORDS) ?? []

/** Words that say nothing of what a text is about. */
const STOP = new Set(
  `a an the and or but if then else so to of in on at by for from with without into onto over under as is are was were be been being do
  does did done it its this that these those i me my we our us you your he she they them their what which who when where why how can
  could should would will shall may might must not no yes please also just only some any all each every more most much many make
  makes made let lets get gets got need needs want wants like use uses used using now new next still again same other one two first
  last there here than too very up down out off about after before between run fix add change update implement continue ok okay
  sure work works working file files code thing things issue problem der die das und oder nicht ein eine ist mit auf für le la les
  et un une des est pour que el los las y en de por con`.split(BLANK),
)

/** Content words of a text or path: no stop words, plural and usual endings taken off. */
export const contentWords = (text: string): string[] => wordsOf(text).flatMap((word) => stemOf(word) ?? [])

/** Of a word in lower case; null for one that says nothing. */
export const stemOf = (word: string): string | null =>
  STOP.has(word) || (word.length < 3 && !/[^\p{Script=Latin}\d_]/u.test(word)) ? null : stem(word)

const stem = (word: string) =>
  word.length > 5
    ? word.replace(/(?:ing|edly|ed|ies|es|s|er|ion|ions)$/, '')
    : word.length > 3
      ? word.endsWith('s')
        ? word.slice(0, -1)
        : word
      : word
