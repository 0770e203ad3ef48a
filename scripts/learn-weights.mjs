/** Logistic regression with both penalties, by accelerated gradient steps: the weights of marks that tell yes from no. The same rows give the same weights. */

/** A mark must stand in so many rows. */
const LEAST_MARK = 3
const SPARSE = 0.4
const SMALL = 0.02
const STEPS = 300

/** `rows`: `{ marks, rule, weight }`, where `rule` is 1 for yes and 0 for no; `shareOf` says how much each of so many marks weighs. */
export function learnWeights(rows, shareOf, small = SMALL) {
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
      const reach = 1 / (steep[mark] + small)
      const moved = value - reach * (slope[mark] + small * value)
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
  return { weights: new Map(weighed), bias: round(keptBias) }
}

export function countOf(items) {
  const counts = new Map()
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1)
  return counts
}

/** One line per weight, the highest first: the weight, then the marks that have it. The mark `=` is the constant. */
export function printWeights({ weights, bias }) {
  const by = new Map()
  for (const [mark, weight] of [['=', bias], ...weights]) by.set(weight, [...(by.get(weight) ?? []), mark])
  return [...by]
    .sort(([a], [b]) => b - a)
    .map(([weight, marks]) => `${[weight, ...marks.sort()].join('\t')}\n`)
    .join('')
}
