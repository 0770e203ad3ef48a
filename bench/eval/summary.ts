import { SORTS } from './case.ts'
import { type Coverage, type Score, share } from './score.ts'

/** Least share of passing cases. */
const LEAST_PASS_RATE = 0.85

/** The figures of a whole run, for dashboards. Shares between 0 and 1, `tokens` and `ms` medians. */
export interface Summary {
  cases: number
  passed: number
  passRate: number
  files: number
  commands: number
  demands: number
  context: number
  /** Cases with a claim that nothing bears out. */
  hallucinating: number
  tokens: number
  ms: number
  bySort: Record<string, { cases: number; passed: number }>
  /** Failed cases by their tags: the failure modes. */
  failedTags: Record<string, number>
}

/** Passes when there are cases and at least 85 % of them pass. */
export const isGood = ({ cases, passRate }: Summary): boolean => cases > 0 && passRate >= LEAST_PASS_RATE

export function summarise(scores: readonly Score[]): Summary {
  const failed = scores.filter((score) => !score.pass)
  const tags = failed.flatMap((score) => score.tags).sort()
  return {
    cases: scores.length,
    passed: scores.length - failed.length,
    passRate: scores.length === 0 ? 0 : round((scores.length - failed.length) / scores.length),
    files: mean(scores.map((score) => score.files)),
    commands: mean(scores.map((score) => score.commands)),
    demands: mean(scores.map((score) => score.demands)),
    context: mean(scores.map((score) => score.context)),
    hallucinating: scores.filter((score) => score.hallucinations.length > 0).length,
    tokens: median(scores.map((score) => score.tokens)),
    ms: median(scores.map((score) => score.ms)),
    bySort: Object.fromEntries(
      SORTS.map((sort) => {
        const of = scores.filter((score) => score.tags.includes(sort))
        return [sort, { cases: of.length, passed: of.filter((score) => score.pass).length }]
      }),
    ),
    failedTags: Object.fromEntries(
      [...new Set(tags)].map((tag) => [tag, tags.filter((one) => one === tag).length]),
    ),
  }
}

/** The same for a person: a line per case, reasons under those that failed, the totals last. */
export function renderScores(scores: readonly Score[], summary: Summary): string {
  const width = Math.max(4, ...scores.map(({ id }) => id.length))
  const head = `${'case'.padEnd(width)}  result  files  commands  demands  context  tokens  ms`
  const lines = scores.flatMap((score) => [
    [
      score.id.padEnd(width),
      (score.pass ? 'pass' : 'FAIL').padEnd(6),
      of(score.files).padStart(5),
      of(score.commands).padStart(8),
      of(score.demands).padStart(7),
      of(score.context).padStart(7),
      String(score.tokens).padStart(6),
      String(Math.round(score.ms)),
    ].join('  '),
    ...score.problems.map((problem) => `    ${problem}`),
  ])
  const sorts = Object.entries(summary.bySort)
    .filter(([, { cases }]) => cases > 0)
    .map(([sort, { cases, passed }]) => `${sort} ${passed}/${cases}`)
  return [
    head,
    ...lines,
    '',
    `${summary.passed} of ${summary.cases} pass, ${percent(summary.passRate)} (at least ${percent(LEAST_PASS_RATE)}): ${sorts.join(', ')}`,
    `coverage: files ${percent(summary.files)}, commands ${percent(summary.commands)}, demands ${percent(summary.demands)}, context ${percent(summary.context)}; cases with something invented: ${summary.hallucinating}`,
    `median: ${summary.tokens} tokens, ${Math.round(summary.ms)} ms`,
  ].join('\n')
}

const of = ({ covered, expected }: Coverage): string => (expected === 0 ? '-' : `${covered}/${expected}`)
const percent = (share: number): string => `${Math.round(share * 1000) / 10} %`
const round = (share: number): number => Math.round(share * 10_000) / 10_000

/** Over the cases that expect something of the kind. */
function mean(coverages: readonly Coverage[]): number {
  const some = coverages.filter(({ expected }) => expected > 0)
  return some.length === 0 ? 1 : round(some.reduce((sum, one) => sum + share(one), 0) / some.length)
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? 0
}
