/** Differences of two views, paired by task. */
import { makeDice } from '../dice.mjs'

const DRAWS = 10_000
const EXACT = 16

/** @returns mean difference, 95 % interval by bootstrap over tasks, and p of an exact sign-flip test (two-sided) */
export function paired(rows, metric, view, against) {
  const differences = []
  for (const task of new Set(rows.map((row) => row.task))) {
    const of = (name) =>
      meanOf(rows.filter((row) => row.task === task && row.view === name).map((row) => row[metric]))
    const [one, other] = [of(view), of(against)]
    if (one !== null && other !== null) differences.push(one - other)
  }
  if (differences.length === 0) return null
  return {
    n: differences.length,
    mean: meanOf(differences),
    interval: bootstrap(differences),
    p: signFlip(differences),
  }
}

export const meanOf = (values) =>
  values.length === 0 ? null : values.reduce((sum, one) => sum + one, 0) / values.length

function bootstrap(differences) {
  const dice = makeDice('bootstrap')
  const means = Array.from({ length: DRAWS }, () => meanOf(differences.map(() => dice.pick(differences))))
  means.sort((a, b) => a - b)
  return [means[Math.floor(DRAWS * 0.025)], means[Math.ceil(DRAWS * 0.975) - 1]]
}

/** Were the two views the same, the sign of each difference would be a toss: how many of all tosses lie as far from none? */
export function signFlip(differences) {
  const some = differences.filter((one) => one !== 0)
  if (some.length > EXACT) throw new Error(`${some.length} tasks are too many to try all signs.`)
  const seen = Math.abs(some.reduce((sum, one) => sum + one, 0))
  let far = 0
  for (let mask = 0; mask < 2 ** some.length; mask++) {
    const sum = some.reduce((total, one, n) => total + ((mask >> n) & 1 ? one : -one), 0)
    if (Math.abs(sum) >= seen - 1e-9) far += 1
  }
  return far / 2 ** some.length
}
