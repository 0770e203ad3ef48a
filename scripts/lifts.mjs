/**
 * Makes src/text/lift-words.txt, the weights by which `liftScore` tells a sentence that takes a rule of a person back from another one, and
 * says how well they do on pairs that they were not made from.
 *
 *   node scripts/lifts.mjs [--folds <n>] [--write] [--verbose]
 *
 * A set, `lifts-*.txt` in scripts/rules, has rules, each before sentences that take it back (`+`) or leave it (`-`); lift-classes.txt there has the
 * words of one sense. Each set is scored by weights made from the others, our own by so many parts of it.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { learnWeights, printWeights } from './learn-weights.mjs'
import { loadSource } from './load-source.mjs'

const SETS = fileURLToPath(new URL('rules', import.meta.url))
const TABLE = fileURLToPath(new URL('../src/text/lift-words.txt', import.meta.url))
/** A pair of another author counts for two of ours. */
const OTHERS = 2
const OWN = 'lifts-own.txt'
const SMALL = 0.1

const { values } = parseArgs({
  options: {
    folds: { type: 'string', default: '4' },
    write: { type: 'boolean', default: false },
    verbose: { type: 'boolean', default: false },
  },
})
const linesOf = (path) => readFileSync(path, 'utf8').split('\n').filter(Boolean)
const classes = linesOf(join(SETS, 'lift-classes.txt')).map((line) => `${line.split(' ').join('\t')}\n`)
const before = existsSync(TABLE) ? readFileSync(TABLE, 'utf8') : ''
const { liftRow, objectsOf, readWords, LEAST_LIFT, LONGEST_RUN, shareOf } = await loadModel()

const sets = readdirSync(SETS).filter((name) => /^lifts-.*\.txt$/.test(name))
const pairs = sets.flatMap(pairsOf)
const rows = pairs.map((pair) => ({
  ...pair,
  marks: marksOf(liftRow(objectsOf(pair.rule), readWords(pair.text))),
}))

const whole = learn(rows)
const table = `${classes.join('')}${printWeights(whole)}`
console.log(`${rows.length} pairs, ${whole.weights.size} marks, ${table.length} bytes`)
const folds = Number(values.folds)
const ownFolds = Array.from({ length: folds }, (_, nth) => (row) => foldOf(row) === nth)
const others = sets.filter((set) => set !== OWN).map((set) => (row) => row.set === set)
const scored = [...ownFolds, ...others].flatMap((isHeld) => {
  const model = learn(rows.filter((row) => !isHeld(row)))
  return rows.filter(isHeld).map((row) => ({ ...row, score: scoreOf(row, model) }))
})
for (const set of new Set(scored.map((row) => row.set))) {
  const some = scored.filter((row) => row.set === set)
  const over = (isLift) => some.filter((row) => row.isLift === isLift)
  const count = (isLift, least) =>
    `${over(isLift).filter(({ score }) => score > least).length} of ${over(isLift).length}`
  const at = [LEAST_LIFT - 0.5, LEAST_LIFT, LEAST_LIFT + 0.5]
  console.log(set)
  for (const least of at)
    console.log(`  over ${least}: taken back ${count(true, least)}, wrongly ${count(false, least)}`)
  if (!values.verbose) continue
  for (const { isLift, score, rule, text } of some)
    if (score > LEAST_LIFT !== isLift)
      console.log(`    ${isLift ? 'missed' : 'wrong'} ${score.toFixed(1)} ${rule} | ${text}`)
}
if (values.write) writeFileSync(TABLE, table)

/** The model reads words by the classes in its table. */
async function loadModel() {
  const folder = mkdtempSync(join(tmpdir(), 'handoff-lifts-'))
  writeFileSync(TABLE, classes.join(''))
  try {
    const { shareOf } = await loadSource(folder, 'src/text/rule-score.ts')
    return { ...(await loadSource(folder, 'src/text/rule-score.ts')), shareOf }
  } finally {
    writeFileSync(TABLE, before)
    rmSync(folder, { recursive: true })
  }
}

/** Every run of words once, and the marks. */
function marksOf(about) {
  if (about === null) return []
  const { row, marks } = about
  const runs = row.flatMap((_, at) =>
    Array.from({ length: LONGEST_RUN }, (_, more) => row.slice(at, at + more + 1).join(' ')),
  )
  return [...new Set([...row, ...runs]), ...marks]
}

function pairsOf(set) {
  let rule = ''
  return linesOf(join(SETS, set)).flatMap((line) => {
    if (/^[+-] /.test(line)) {
      const weight = set === OWN ? 1 : OTHERS
      return [{ rule, text: line.slice(2), set, isLift: line.startsWith('+'), weight }]
    }
    rule = line
    return []
  })
}

function foldOf({ set, rule }) {
  if (set !== OWN) return null
  return [...rule].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 9973, 7) % folds
}

function learn(some) {
  const told = some.filter(({ marks }) => marks.length > 0)
  return learnWeights(
    told.map((row) => ({ ...row, rule: Number(row.isLift) })),
    shareOf,
    SMALL,
  )
}

function scoreOf({ marks }, { weights, bias }) {
  if (marks.length === 0) return Number.NEGATIVE_INFINITY
  return bias + marks.reduce((sum, mark) => sum + (weights.get(mark) ?? 0), 0) * shareOf(marks.length)
}
