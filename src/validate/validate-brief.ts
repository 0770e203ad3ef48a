import { type ParsedBrief, parseBrief } from '../brief/parse.ts'
import { isHandoffError } from '../errors/handoff-error.ts'
import type { Finding } from '../types/checks.ts'
import { duplicateId, idAndPath, immutable, parentCycle, parentExists } from './chain-rules.ts'
import { budget, goalQuality, goalVerbatim, sectionRule, unnamedFiles, unproven } from './content-rules.ts'
import { fenceForgery, hiddenText, homePath } from './disguise-rules.ts'
import type { BriefSubject, Facts, Options, Problem, Rule, TextSubject } from './rule.ts'
import { conflictMarkers, encoding, schema, secrets, size } from './text-rules.ts'

export type { Facts, Options } from './rule.ts'

/**
 * Every rule on the text of one brief, in the order of the table, by line within a rule. A text that no parser should
 * see, or that is no brief, is judged by the rules over texts alone. Never throws for any text.
 */
export function validateBrief(text: string, facts: Facts, options: Options): Finding[] {
  const any: TextSubject = { text, lines: text.split('\n'), facts }
  const run = (rule: Rule, problems: Problem[]): Finding[] =>
    problems
      .sort((a, b) => a.line - b.line)
      .map((problem) => ({
        rule: rule.id,
        level: levelOf(rule, problem, options),
        path: facts.path,
        line: problem.line,
        message: problem.message,
        ...(options.mode === 'permissive' &&
        levelOf(rule, problem, { ...options, mode: 'strict' }) === 'error' &&
        levelOf(rule, problem, options) === 'warning'
          ? { refused: true as const }
          : {}),
      }))

  const tooLarge = size.check(any)
  // Offsets of secrets are known already; everything else would have to read the text.
  if (tooLarge.length > 0) return [...run(size, tooLarge), ...run(secrets, secrets.check(any))]
  const subject = briefOf(any)
  return rules.flatMap((rule) => {
    if (rule.over === 'brief') return subject === null ? [] : run(rule, rule.check(subject))
    return rule.over === 'text' || subject === null ? run(rule, rule.check(any)) : []
  })
}

function briefOf(any: TextSubject): BriefSubject | null {
  const parsed = parseOrNull(any)
  if (parsed === null) return null
  const head = any.lines.slice(0, parsed.bodyLine)
  return {
    ...any,
    parsed,
    isDone: parsed.meta.kind === 'done',
    lineOf: (key) => head.findIndex((line) => line.startsWith(`${key}:`)) + 1 || 1,
  }
}

function parseOrNull({ text, facts }: TextSubject): ParsedBrief | null {
  try {
    return parseBrief(text, facts.path)
  } catch (error) {
    if (!isHandoffError(error)) throw error
    return null // `schema` tells what is wrong with it.
  }
}

function levelOf(rule: Rule, problem: Problem, { mode, force }: Options): Finding['level'] {
  if (problem.isWarning) return 'warning'
  if (rule.level === 'always') return 'error'
  return mode === 'permissive' || (force && problem.isForcible) ? 'warning' : 'error'
}

/** Every rule, in the order of the findings. `size` and `schema` come first: what breaks them cannot be looked into. */
export const rules: readonly Rule[] = [
  size,
  schema,
  encoding,
  conflictMarkers,
  secrets,
  hiddenText,
  idAndPath,
  duplicateId,
  immutable,
  parentExists,
  parentCycle,
  sectionRule,
  goalVerbatim,
  goalQuality,
  fenceForgery,
  budget,
  homePath,
  unnamedFiles,
  unproven,
]
