import type { EvalCase } from './case.ts'
import { plain, readClaims } from './claims.ts'
import { knowsPath, knowsText, type Witness } from './witness.ts'

/** What came of one run of `create`. */
export interface Outcome {
  /** The brief as it would be committed; null when `create` failed. */
  markdown: string | null
  /** Code of the error it failed with. */
  error: string | null
  tokens: number
  /** Milliseconds from call to answer. */
  ms: number
}

export interface Coverage {
  covered: number
  expected: number
  missing: string[]
}

/** How one case ended. `problems` tells each reason why it did not pass. */
export interface Score {
  id: string
  tags: string[]
  pass: boolean
  files: Coverage
  commands: Coverage
  demands: Coverage
  context: Coverage
  /** Claims of the brief that nothing in the session, the repository or the goal bears out. */
  hallucinations: string[]
  problems: string[]
  tokens: number
  ms: number
}

const NONE: Coverage = { covered: 0, expected: 0, missing: [] }

/** Holds a brief against its case. `secrets`: values that stood in the session and must not stand in the brief. Pure. */
export function scoreCase(
  one: EvalCase,
  outcome: Outcome,
  witness: Witness,
  secrets: readonly string[],
): Score {
  const base = {
    id: one.id,
    tags: one.tags,
    tokens: outcome.tokens,
    ms: outcome.ms,
  }
  if (outcome.markdown === null || one.expectedError !== null) {
    const wanted = one.expectedError ?? 'a brief'
    const got = outcome.error ?? 'a brief'
    const problems = wanted === got ? [] : [`expected ${wanted}, got ${got}`]
    return {
      ...base,
      pass: problems.length === 0,
      files: NONE,
      commands: NONE,
      demands: NONE,
      context: NONE,
      hallucinations: [],
      problems,
    }
  }
  const { markdown } = outcome
  const claims = readClaims(markdown)
  const files = cover(one.expectedFiles, (path) => claims.files.includes(path))
  const commands = cover(one.expectedCommands, (command) => claims.commands.includes(command))
  const demands = cover(one.expectedDemands, (demand) =>
    claims.quotes.some((quote) => plain(quote).includes(plain(demand))),
  )
  const context = cover(one.expectedContext, (wordings) =>
    wordings.some((wording) => claims.plain.includes(plain(wording))),
  )
  const hallucinations = [
    ...[...claims.files, ...claims.otherPaths]
      .filter((path) => !knowsPath(witness, path))
      .map((path) => `file: ${path}`),
    ...claims.commands.filter((command) => !knowsText(witness, command)).map((text) => `command: ${text}`),
    ...claims.quotes.filter((quote) => !knowsText(witness, quote)).map((text) => `quote: ${text}`),
    ...claims.requests.filter((request) => !knowsText(witness, request)).map((text) => `request: ${text}`),
    ...claims.steps.filter((step) => !knowsText(witness, step)).map((text) => `next step: ${text}`),
  ]
  const { criteria } = one
  const problems = [
    ...short('files', files, criteria.files),
    ...short('commands', commands, criteria.commands),
    ...short('demands', demands, criteria.demands),
    ...short('context', context, criteria.context),
    ...(hallucinations.length > criteria.hallucinations ? hallucinations.map((h) => `invented ${h}`) : []),
    ...one.forbidden
      .filter((text) => claims.plain.includes(plain(text)))
      .map((text) => `must not be said: ${text}`),
    // Never by value.
    ...(secrets.some((value) => markdown.includes(value))
      ? ['a secret of the session stands in the brief']
      : []),
    ...(claims.goal === one.goal ? [] : ['the goal does not stand last, word for word']),
    ...(outcome.tokens > criteria.tokens ? [`${outcome.tokens} tokens, at most ${criteria.tokens}`] : []),
  ]
  return { ...base, pass: problems.length === 0, files, commands, demands, context, hallucinations, problems }
}

function cover<T extends string | string[]>(expected: readonly T[], has: (one: T) => boolean): Coverage {
  const missing = expected
    .filter((one) => !has(one))
    .map((one) => (typeof one === 'string' ? one : (one[0] ?? '')))
  return { covered: expected.length - missing.length, expected: expected.length, missing }
}

/** A share of 1 when nothing is expected. */
export const share = ({ covered, expected }: Coverage): number => (expected === 0 ? 1 : covered / expected)

const short = (name: string, coverage: Coverage, least: number): string[] =>
  share(coverage) >= least
    ? []
    : [`${name}: ${coverage.covered} of ${coverage.expected}, missing ${coverage.missing.join(' · ')}`]
