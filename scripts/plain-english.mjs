/**
 * `node scripts/plain-english.mjs [page…]`: sentences of the documents that are too long, and phrases that a reader has to
 * translate. test/unit/docs.test.ts fails on them.
 */

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseSync } from 'vite'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const MAX_WORDS = 25
/** Phrases of a private idiom, each with the plain words for it. */
const IDIOMS = [
  [/\bin vain\b/i, 'failed'],
  [/\bh(?:old|olds|eld) (?:\w+ )?against\b/i, 'compare, check, validate'],
  [/\banew\b/i, 'again, rebuild'],
  [/\b(?:is|are|was|were|be|been) told\b/i, 'sees, gets, shows, lists'],
  [/\b(?:is|are) said\b/i, 'prints, says'],
  [/\bstands? (?:in|on|at|there|here|below|above|behind|under|beside)\b/i, 'is in'],
  [/\bmend(?:s|ed|ing)?\b/i, 'fix'],
  [/\blook(?:s|ed)? through\b/i, 'search, scan'],
  [/\bby itself\b/i, 'automatically, on its own'],
  [/\bput before\b/i, 'show to'],
  [/\bof (?:a|the|each|every) brief that is not trusted\b/i, 'for an untrusted brief'],
  [/\bso many\b/i, 'a number of'],
  [/\bgoes? (?:along|on with)\b/i, 'continue'],
  [/\bwhat nothing\b/i, 'items without'],
  [/\bas well as\b/i, 'and'],
  [/\bwhatever\b/i, 'any, always'],
  [/\b(?:is|are) laid out\b/i, 'format'],
  [/\bcame to nothing\b/i, 'failed'],
  [/\bof (?:its|their) own accord\b/i, 'automatically'],
  [/\bnot (?:any|no) more\b/i, 'no longer'],
  [/\ball the same\b/i, 'anyway'],
  [/\bthere is none\b/i, 'it is missing'],
  [/\bby somebody else\b/i, 'not ours, another'],
  [/\bha(?:s|ve) told\b/i, 'reported, said'],
  [/\bleads? away\b/i, 'leaves, points elsewhere'],
  [/\b(?:hears?|heard) (?:no|a|the|of|that)\b/i, 'sees, gets'],
  [/\bwhat became of\b/i, 'what happened to'],
]

/** Text without its fenced blocks; one of four backticks may hold others. */
export const withoutFences = (page) => page.replace(/^(`{3,})[^\n]*\n[\s\S]*?^\1$/gm, '')

/** Text without front matter, fences, comments and generated parts, which have other sources. */
const proseOf = (page) =>
  withoutFences(page)
    .replace(/<!-- generated: [\s\S]*?<!-- end of [^\n]*-->/g, '')
    .replace(/<!--[\s\S]*?-->/g, '')
    .replace(/^<[^\n]*>$/gm, '')
    // A span of code is one word, a link its text.
    .replace(/`[^`]+`/g, 'code')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')

/** Paragraphs, items of lists and cells of tables, each on a line. */
const blocksOf = (page) => {
  const blocks = []
  let open = false
  for (const line of proseOf(page).split('\n')) {
    if (/^\s*$/.test(line) || line.startsWith('#')) {
      open = false
      continue
    }
    if (line.startsWith('|')) {
      blocks.push(...line.split('|'))
      open = false
      continue
    }
    const item = /^\s*(?:[-*]|\d+\.) +(.*)$/.exec(line)
    if (item || !open) blocks.push(item?.[1] ?? line)
    else blocks[blocks.length - 1] += ` ${line.trim()}`
    open = true
  }
  return blocks.map((block) => block.trim()).filter((block) => block !== '')
}

const sentencesOf = (block) =>
  block.split(/(?<=[.!?]["')*_]*)\s+(?=["'(*_]*(?:[\p{Lu}\p{N}]|(?:code|handoff|git|npx|npm)\b))/u)
const wordsIn = (sentence) => sentence.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length

/** Sentences of more than 25 words in a page of markdown. */
export const longSentences = (page) =>
  blocksOf(page)
    .flatMap(sentencesOf)
    .filter((sentence) => wordsIn(sentence) > MAX_WORDS)

/** Phrases in a page that have plain words, with those words. */
export const idiomsIn = (page) =>
  blocksOf(page).flatMap((block) =>
    IDIOMS.flatMap(([idiom, plain]) => {
      const found = idiom.exec(block)?.[0]
      return found === undefined ? [] : [`"${found}" (${plain}): ${block}`]
    }),
  )

/** Words that a source file in TypeScript prints: its strings, `X` for each value, without lists of words, SQL and patterns. */
export const messagesIn = (source) => {
  const found = []
  const walk = (node) => {
    if (node === null || typeof node !== 'object') return
    if (node.type === 'Literal' && typeof node.value === 'string') found.push(node.value)
    if (node.type === 'TemplateLiteral') found.push(node.quasis.map(({ value }) => value.cooked).join('X'))
    for (const child of Object.values(node)) walk(child)
  }
  const { program, errors } = parseSync('source.ts', source)
  if (errors.length > 0) throw new SyntaxError(errors[0].message)
  walk(program)
  return found.filter(
    (text) => /\p{L} \p{L}/u.test(text) && /\p{L}[.,:;?](?:\s|$)|^\p{Lu}/u.test(text) && !NO_WORDS.test(text),
  )
}
const NO_WORDS = /^\s*(?:select|with|pragma)\b|\\b|\(\?:/i

/** The pages for users and contributors, by path. */
export const documents = () =>
  [
    ...readdirSync(ROOT),
    ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' }).map((name) => `docs/${name}`),
  ]
    .filter((path) => path.endsWith('.md'))
    .sort()

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const named = process.argv.slice(2)
  for (const path of named.length > 0 ? named : documents()) {
    const page = readFileSync(join(ROOT, path), 'utf8')
    const faults = [
      ...longSentences(page).map((sentence) => `${wordsIn(sentence)} words: ${sentence}`),
      ...idiomsIn(page),
    ]
    console.log(`${path}: ${page.split(/\s+/).length} words, ${faults.length} to change`)
    if (named.length > 0) for (const fault of faults) console.log(`  ${fault}`)
  }
}
