import type { Candidate } from './file-facts.ts'
import { type Features, featuresOf, type RankContext } from './file-features.ts'
import { byCodeUnit, isTest, stemOf } from './path-text.ts'

/**
 * What one unit of a feature is worth. Fitted to 440 places in real sessions with a known continuation: pairs of a file that it
 * used and one that it did not. No sign changes when a repository is left out; docs/ranking.md has the spread.
 */
const WEIGHTS: Features = {
  editAge: -0.36,
  heat: 1.2,
  turns: 0.33,
  fitsGoal: 2.2,
  fitsReply: 0.95,
  stemInGoal: 0.65,
  inLastReply: 0.5,
  inSummary: 0.55,
  readMost: 1.9,
  created: 0.55,
  test: -0.75,
  wantedDoc: 1.15,
  // Open steps were few (18 places): the weight is what they say, and it moves nothing much.
  inPlan: 0.9,
  // Less than any repository left out would give it (1.1): its histories were rebuilt from earlier sessions.
  together: 1,
}

/** More than any sum of the others: what the goal names comes first. */
const NAMED = 10
/** More than most sums; 4.5, 6 and 10 give the same figures. Several share it: then the goal holds a pasted list or log. */
const UNTOUCHED = 6
/** Files that nobody touched and git says nothing of stand behind all others: a name alone is the weakest evidence. */
const UNKNOWN = -3
/** A file to be made stands behind those worked on lately; before them (1.6) it cost precision. */
const PLANNED = 0.6
/** What the session deleted is only worth its reason. */
const GONE = -1

/**
 * Of the files below this the continuation used one in eight. Lower cuts gain less precision (-0.7: .631, -0.5: .644), higher
 * ones lose recall in the first five (docs/ranking.md).
 */
const CERTAIN = -0.5
/** A list this long is read from its top: the tail does no harm. */
const SHORT = 5

/**
 * Best first: named in the goal; then by `WEIGHTS`; ties by the last touch, then by path in code-unit order. When fewer than
 * five files are certain the others are left out and counted in `faint`; what the goal names, git reports or a failing check
 * names is certain, and the best file always stays. A session that touched nothing keeps all. Notes in each candidate why it fits.
 */
export function rankFiles(
  files: readonly Candidate[],
  context: RankContext,
): { files: Candidate[]; faint: number } {
  const known = featuresOf(files, context)
  const untouched = files.filter((file) => file.goal && !isWorkedOn(file)).length
  const share = UNTOUCHED / Math.max(1, untouched)
  const scores = new Map<Candidate, number>()
  for (const [file, { features, words }] of known) {
    file.goalWords = features.fitsGoal >= 0.25 ? words : []
    scores.set(file, scoreOf(file, features) + (file.goal ? (isWorkedOn(file) ? NAMED : share) : 0))
  }
  noteTests(files)
  const score = (file: Candidate) => scores.get(file) ?? 0
  const last = ({ record }: Candidate) => record?.last ?? 0
  const ranked = [...files].sort(
    (a, b) => score(b) - score(a) || last(b) - last(a) || byCodeUnit(a.path, b.path),
  )
  if (context.clock === 0) return { files: ranked, faint: 0 }
  const certain = ranked.filter((file, rank) => rank === 0 || isProven(file) || score(file) >= CERTAIN)
  return certain.length >= SHORT
    ? { files: ranked, faint: 0 }
    : { files: certain, faint: ranked.length - certain.length }
}

const isWorkedOn = (file: Candidate) => file.record !== null || file.change !== null

const isPlanned = (file: Candidate) => file.wanted !== null && !file.here

const isProven = (file: Candidate) =>
  file.goal ||
  file.called ||
  file.tied ||
  file.change !== null ||
  file.commits > 0 ||
  file.failing ||
  isPlanned(file)

function scoreOf(file: Candidate, features: Features): number {
  let score = 0
  for (const key of Object.keys(WEIGHTS) as (keyof Features)[]) score += WEIGHTS[key] * features[key]
  if (isPlanned(file)) score += PLANNED
  else if (
    !isWorkedOn(file) &&
    file.commits === 0 &&
    !file.goal &&
    !file.called &&
    !file.tied &&
    !file.failing
  )
    score += UNKNOWN
  if (!file.here && (file.record?.deleted || !isWorkedOn(file))) score += isPlanned(file) ? 0 : GONE
  return score
}

/** Tests of the files that the goal names. */
function noteTests(files: readonly Candidate[]) {
  const named = new Map(
    files.filter((file) => file.goal && !isTest(file.path)).map((file) => [subjectOf(file.path), file.path]),
  )
  if (named.size === 0) return
  for (const file of files)
    if (isTest(file.path) && !file.goal) file.testOf = named.get(subjectOf(file.path)) ?? null
}

/**
 * The name of a file without what marks a test, and the first two letters of its ending: `foo` and `go` of `src/foo.go` and
 * `foo_test.go`, `foo` and `ts` of `foo.tsx` and `foo.test.ts`. Documents of the same name have no tests.
 */
function subjectOf(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase()
  const dot = name.lastIndexOf('.')
  return `${stemOf(path)}.${dot > 0 ? name.slice(dot + 1, dot + 3) : ''}`
}
