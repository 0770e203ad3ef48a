import { notesContract } from './template.ts'

/** Words of a page that names nothing, below which it says nothing. */
const LEAST_WORDS = 6
/** A refusal is short; a page may begin with an excuse. */
const MOST_REFUSAL = 60
/** Lines of the contract found again. */
const MOST_COPIED = 4

/** Notes are a JSON object, or a page of markdown. */
export const isJson = (text: string): boolean => /^\s*\{/.test(text)

/** Why a page of an agent cannot be used, and what is missing; null for one that says something, and for JSON. */
export function pageProblem(page: string): string | null {
  const text = page.trim()
  if (isJson(text)) return null
  const words = wordsIn(text)
  if (words === 0) return 'the page is empty'
  if (/^(?:```\w*\s*)?<(?:\w+:)?(?:function_calls|tool_call|tool_use|invoke)\b/.test(text))
    return 'the page is a call of a tool'
  if (
    words < MOST_REFUSAL &&
    /^(?:i['’]m (?:sorry|unable)|sorry\b|i (?:can(?:no|['’])t|won['’]t|am unable))/i.test(text)
  )
    return 'the page refuses to answer; where the work stands is missing'
  const lines = new Set(text.split('\n').map((line) => line.trim()))
  const copied = GUIDES.filter((line) => lines.has(line)).length
  if (copied >= MOST_COPIED)
    return 'the page repeats the instructions; what stands under each heading is missing'
  // A heading says nothing by itself.
  const said = text.replace(/^#{1,6}[ \t].*$/gm, '')
  const isShort = said === text ? words < LEAST_WORDS : wordsIn(said.replace(FILLER, '')) === 0
  if (isShort && !/[`\d#]|\w[./_]\w/.test(said))
    return 'the page names nothing: where the work stands, what was decided and the next step are missing'
  return null
}

const wordsIn = (text: string): number =>
  text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{N}]+/gu)?.length ?? 0

/** Words that name no work. */
const FILLER =
  /\b(?:i|we|it|did|do|done|made|worked|was|were|have|has|on|of|the|an?|and|some|more|much|many|few|all|various|several|other|lots?|stuff|things?|work|changes?|everything|something)\b/gi

/** What stands below the headings of the contract. */
const GUIDES = notesContract.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
