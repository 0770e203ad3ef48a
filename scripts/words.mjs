/** The length of the documents, for bench/house.mjs and test/unit/docs.test.ts. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { documents, withoutFences } from './plain-english.mjs'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
/** Most words of all documents together. */
export const MAX_WORDS = 16_000
/** Most words about one command beside its blocks. */
export const MAX_COMMAND_WORDS = 120

const wordsIn = (text) => text.split(/\s+/).length
const read = (path) => readFileSync(join(ROOT, path), 'utf8')

/** Words of all documents, blocks and tables included. */
export const allWords = () =>
  documents()
    .map((path) => wordsIn(read(path)))
    .reduce((sum, words) => sum + words, 0)

/** Words about each command in docs/commands.md, tables included, without blocks. */
export const commandWords = (page = read('docs/commands.md')) =>
  page
    .split(/^## /m)
    .filter((part) => part.startsWith('`handoff '))
    .map((part) => ({
      name: part.split('`')[1],
      words: wordsIn(withoutFences(part)),
    }))
