/**
 * Makes src/text/rule-words.txt, the weights by which `ruleScore` tells a standing rule of a person from another sentence, and says how well
 * they do on sentences that they were not made from.
 *
 *   node scripts/rules.mjs [--sets <folder>…] [--sessions <file>…] [--held <name>…] [--write]
 *
 * A folder of sets holds `rules-*.txt` and `none-*.txt`, one sentence a line; scripts/rules is always one. A file of sessions has one sentence of a
 * recorded session a line, behind `1` (a rule), `0`, or nothing at all (left out), and a tab. `--held` leaves sets out of the making by their
 * name and scores them. The same input gives the same table.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { countOf, learnWeights, printWeights } from './learn-weights.mjs'
import { loadSource } from './load-source.mjs'

const OWN = fileURLToPath(new URL('rules', import.meta.url))
const TABLE = fileURLToPath(new URL('../src/text/rule-words.txt', import.meta.url))
/** A word must stand in so many sentences, of the sets in other languages in fewer, since those are small. */
const LEAST_SEEN = 8
const LEAST_ELSEWHERE = 3
/** A sentence of another author counts for two of ours. */
const OTHERS = 2
/** Of sentences of sessions, most of which nobody has read twice. */
const DOUBT = 0.5

const { values } = parseArgs({
  options: {
    sets: { type: 'string', multiple: true, default: [] },
    sessions: { type: 'string', multiple: true, default: [] },
    held: { type: 'string', multiple: true, default: [] },
    write: { type: 'boolean', default: false },
    verbose: { type: 'boolean', default: false },
  },
})

const folder = mkdtempSync(join(tmpdir(), 'handoff-rules-'))
const { marksOf, wordsIn, shareOf, LEAST_RULE } = await loadSource(folder, 'src/text/rule-score.ts')
rmSync(folder, { recursive: true })

const linesOf = (path) => readFileSync(path, 'utf8').split('\n').filter(Boolean)
const sets = [OWN, ...values.sets].flatMap((place) =>
  readdirSync(place)
    .filter((name) => /^(?:rules|none)-.*\.txt$/.test(name))
    .map((name) => ({
      path: join(place, name),
      name: /-(.*)\.txt$/.exec(name)[1],
      isRule: name.startsWith('rules'),
    })),
)
const isHeld = ({ name }) => values.held.includes(name)
const sentences = [
  ...sets
    .filter((set) => !isHeld(set))
    .flatMap(({ path, name, isRule }) =>
      linesOf(path).map((text) => ({
        text,
        rule: Number(isRule),
        weight: path.startsWith(OWN) ? 1 : OTHERS,
        isElsewhere: name.startsWith('other'),
      })),
    ),
  ...values.sessions.flatMap((path) =>
    linesOf(path).flatMap((line) => {
      const [label, text] = line.split('\t')
      return label === ''
        ? []
        : [{ text, rule: Number(label), weight: label === '1' ? 1 : DOUBT, isElsewhere: false }]
    }),
  ),
]

const { weights, bias } = learn(sentences)
console.log(`${sentences.length} sentences, ${weights.size} marks`)
for (const set of sets) {
  const scores = linesOf(set.path).map((text) => ({ text, score: scoreOf(text) }))
  const found = scores.filter(({ score }) => score > LEAST_RULE)
  console.log(
    `${isHeld(set) ? 'held out' : 'made from'}  ${basename(set.path)}: ${found.length} of ${scores.length}`,
  )
  if (!values.verbose || !isHeld(set)) continue
  for (const { text, score } of scores)
    if (score > LEAST_RULE !== set.isRule) console.log(`    ${score.toFixed(1)} ${text}`)
}
if (values.write) writeFileSync(TABLE, printWeights({ weights, bias }))

function scoreOf(text) {
  const marks = marksOf(text, weights)
  return bias + marks.reduce((sum, mark) => sum + (weights.get(mark) ?? 0), 0) * shareOf(marks.length)
}

function learn(data) {
  const known = new Set(wordsSeen(data))
  const rows = data.map((one) => ({ ...one, marks: marksOf(one.text, known) }))
  const { weights, bias } = learnWeights(rows, shareOf)
  // A word without weight still stands in pairs.
  const named = new Set([...weights.keys()].flatMap((mark) => mark.replace(/^\//, '').split(' ')))
  const silent = [...known].filter((word) => named.has(word)).map((word) => [word, 0])
  return { weights: new Map([...silent, ...weights]), bias }
}

function wordsSeen(data) {
  const often = (some, least) =>
    [...countOf(some.flatMap(({ text }) => [...new Set(wordsIn(text))]))].flatMap(([word, count]) =>
      count >= least ? word : [],
    )
  return [
    ...often(data, LEAST_SEEN),
    ...often(
      data.filter(({ isElsewhere }) => isElsewhere),
      LEAST_ELSEWHERE,
    ),
  ]
}
