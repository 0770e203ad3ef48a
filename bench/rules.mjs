/**
 * Makes src/text/rule-words.txt, the weights by which `ruleScore` tells a standing rule of a person from another sentence, and says how well
 * they do on sentences that they were not made from.
 *
 *   node bench/rules.mjs [--sets <folder>…] [--sessions <file>…] [--held <name>…] [--write]
 *
 * A folder of sets holds `rules-*.txt` and `none-*.txt`, one sentence a line; bench/rules is always one. A file of sessions has one sentence of a
 * recorded session a line, behind `1` (a rule), `0`, or nothing at all (left out), and a tab. `--held` leaves sets out of the making by their
 * name and scores them. Logistic regression with both penalties, by accelerated gradient steps; the same input gives the same table.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { loadSource } from './load-source.mjs'

const OWN = fileURLToPath(new URL('rules', import.meta.url))
const TABLE = fileURLToPath(new URL('../src/text/rule-words.txt', import.meta.url))
/** A word must stand in so many sentences, of the sets in other languages in fewer, since those are small. */
const LEAST_SEEN = 8
const LEAST_ELSEWHERE = 3
const LEAST_MARK = 3
const SPARSE = 0.4
const SMALL = 0.02
const STEPS = 300
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
if (values.write) writeFileSync(TABLE, printed())

function scoreOf(text) {
  const marks = marksOf(text, weights)
  return bias + marks.reduce((sum, mark) => sum + (weights.get(mark) ?? 0), 0) * shareOf(marks.length)
}

function learn(data) {
  const known = new Set(wordsSeen(data))
  const rows = data.map((one) => ({ ...one, marks: marksOf(one.text, known) }))
  const seen = countOf(rows.flatMap(({ marks }) => marks))
  const index = new Map([...seen].filter(([, count]) => count >= LEAST_MARK).map(([mark], at) => [mark, at]))
  const X = rows.map(({ marks }) => Uint32Array.from(marks.flatMap((mark) => index.get(mark) ?? [])))
  const share = rows.map(({ marks }) => shareOf(marks.length))
  const size = index.size
  const steep = new Float64Array(size)
  let steepBias = 0
  for (const [at, { weight }] of rows.entries()) {
    for (const mark of X[at]) steep[mark] += 0.25 * weight * X[at].length * share[at] ** 2
    steepBias += 10 * weight
  }
  let [kept, ahead] = [new Float64Array(size), new Float64Array(size)]
  let [keptBias, aheadBias, pace] = [0, 0, 1]
  for (let step = 0; step < STEPS; step++) {
    const slope = new Float64Array(size)
    let slopeBias = 0
    for (const [at, { rule, weight }] of rows.entries()) {
      let sum = 0
      for (const mark of X[at]) sum += ahead[mark]
      const error = (1 / (1 + Math.exp(-aheadBias - sum * share[at])) - rule) * weight
      slopeBias += error
      for (const mark of X[at]) slope[mark] += error * share[at]
    }
    const next = ahead.map((value, mark) => {
      const reach = 1 / (steep[mark] + SMALL)
      const moved = value - reach * (slope[mark] + SMALL * value)
      return Math.sign(moved) * Math.max(0, Math.abs(moved) - reach * SPARSE)
    })
    const nextBias = aheadBias - slopeBias / steepBias
    const nextPace = (1 + Math.sqrt(1 + 4 * pace * pace)) / 2
    const lead = (pace - 1) / nextPace
    ahead = next.map((value, mark) => value + lead * (value - kept[mark]))
    aheadBias = nextBias + lead * (nextBias - keptBias)
    ;[kept, keptBias, pace] = [next, nextBias, nextPace]
  }
  const round = (value) => Math.round(value * 20) / 20
  const weighed = [...index].map(([mark, at]) => [mark, round(kept[at])]).filter(([, value]) => value !== 0)
  // A word without weight still stands in pairs.
  const named = new Set(weighed.flatMap(([mark]) => mark.replace(/^\//, '').split(' ')))
  const silent = [...known].filter((word) => named.has(word)).map((word) => [word, 0])
  return { weights: new Map([...silent, ...weighed]), bias: round(keptBias) }
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

function countOf(items) {
  const counts = new Map()
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1)
  return counts
}

function printed() {
  const by = new Map()
  for (const [mark, weight] of [['=', bias], ...weights]) by.set(weight, [...(by.get(weight) ?? []), mark])
  return [...by]
    .sort(([a], [b]) => b - a)
    .map(([weight, marks]) => `${[weight, ...marks.sort()].join('\t')}\n`)
    .join('')
}
