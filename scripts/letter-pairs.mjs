/**
 * Prints the table of src/secrets/classify.ts: how often each two letters follow one another in the distinct words of the
 * identifiers and comments of @types/node and of the libraries of TypeScript, set against pure chance.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const modules = fileURLToPath(new URL('../node_modules', import.meta.url))
const files = ['@types/node', '@typescript'].flatMap((folder) =>
  readdirSync(`${modules}/${folder}`, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.d.ts'))
    .map((name) => `${modules}/${folder}/${name}`),
)
const words = new Set()
for (const file of files) {
  // Sample keys and images in comments are no words.
  const text = readFileSync(file, 'utf8').replace(/[A-Za-z0-9+/]{60,}/g, '')
  for (const word of text.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g) ?? []) words.add(word.toLowerCase())
}
const SIZE = 26
const counts = Array.from({ length: SIZE }, () => new Array(SIZE).fill(0))
let all = 0
const place = (word, at) => word.charCodeAt(at) - 97
for (const word of words)
  for (let at = 1; at < word.length; at++) {
    counts[place(word, at - 1)][place(word, at)]++
    all++
  }
// One more of each pair than was seen: what never was met is rare, not impossible.
const stepsOf = (count) => Math.round(Math.log2(((count + 1) / (all + SIZE * SIZE)) * SIZE * SIZE))
for (const row of counts)
  console.log(row.map((count) => Math.max(-4, Math.min(4, stepsOf(count))) + 4).join(''))
console.error(`${words.size} words, ${all} pairs`)
