import { readBrief, scanBrief } from '../brief/parse.ts'
import { isHandoffError } from '../errors/handoff-error.ts'
import type { Finding } from '../types/checks.ts'
import {
  budget,
  duplicateId,
  goalQuality,
  goalVerbatim,
  idAndPath,
  immutable,
  parentCycle,
  parentExists,
  sectionRule,
  unnamedFiles,
  unproven,
} from './content-rules.ts'
import type { BriefSubject, Facts, Options, Problem, Rule, TextSubject } from './rule.ts'
import {
  conflictMarkers,
  encoding,
  fenceForgery,
  hiddenText,
  homePath,
  schema,
  secrets,
  size,
} from './text-rules.ts'

export type { Facts, Options } from './rule.ts'

type Subjects = { text: TextSubject; unreadable: TextSubject; brief: BriefSubject }
const rule =
  <Over extends keyof Subjects>(over: Over, level: Rule['level']) =>
  (id: string, check: (subject: Subjects[Over]) => Problem[], about: string): Rule =>
    ({ id, level, over, check, about }) as Rule
const text = rule('text', 'always')
const brief = rule('brief', 'always')
const strict = rule('brief', 'strict')

/** Every rule, in the order of the findings. What breaks `size` or `schema` cannot be looked into. */
export const rules: readonly Rule[] = [
  text('size', size, 'A brief has at most 64 KB.'),
  rule('unreadable', 'always')('schema', schema, 'The front matter is YAML and fits the schema.'),
  text('encoding', encoding, 'UTF-8 without a byte order mark, LF line ends, a line end at the end.'),
  text('conflict-markers', conflictMarkers, 'No markers of an unfinished merge outside of fenced blocks.'),
  text('secrets', secrets, 'The file contains no secret.'),
  brief(
    'hidden-text',
    hiddenText,
    'No control, bidi or zero-width character, no HTML comment, no text folded away or left unrendered.',
  ),
  brief(
    'id-and-path',
    idAndPath,
    'The file is `.handoff/briefs/<id>-<words>.md`, and the id in it is the same.',
  ),
  brief('duplicate-id', duplicateId, 'An id belongs to one file.'),
  strict('immutable', immutable, 'A committed brief does not change; a warning.'),
  strict(
    'parent-exists',
    parentExists,
    'Each parent is a known brief; else a warning, since history may be incomplete.',
  ),
  brief('parent-cycle', parentCycle, 'Each parent is older, so that no chain runs in a circle.'),
  strict(
    'sections',
    sectionRule,
    'The required sections, each once, in order, and no other; a closing record has one line.',
  ),
  brief(
    'goal-verbatim',
    goalVerbatim,
    'The goal at the end is the goal of the front matter, byte for byte but for breaks in long lines.',
  ),
  strict(
    'goal-quality',
    goalQuality,
    'The goal is neither too short nor vague, unless `vague: true` is set.',
  ),
  brief(
    'fence-forgery',
    fenceForgery,
    'Fences are closed, headings have one spelling, and nothing imitates our wrappers or markers.',
  ),
  strict(
    'budget',
    budget,
    'The file keeps its hard token limit; far over what a brief aims at is a warning.',
  ),
  strict('home-path', homePath, 'No home directory or user name in a path; in the goal only a warning.'),
  strict(
    'unnamed-files',
    unnamedFiles,
    'Every listed file lies in the repository and was named or touched by somebody.',
  ),
  strict(
    'unproven',
    unproven,
    'Session or repository confirms what the agent wrote; a warning counts the other claims.',
  ),
]

/**
 * Every rule on the text of one brief, in the order of the table, by line within a rule. A text that no parser should
 * see, or that is no brief, is judged by the rules over texts alone. Never throws for any text.
 */
export function validateBrief(text: string, facts: Facts, options: Options): Finding[] {
  const any: TextSubject = { text, lines: text.split('\n'), facts }
  const run = ({ id, level }: Rule, problems: Problem[]): Finding[] =>
    problems
      .toSorted(([a], [b]) => a - b)
      .map(([line, message, kind]) => {
        const inStrict =
          kind === 'warning' || (level === 'strict' && options.force && kind === 'forcible')
            ? 'warning'
            : 'error'
        const found = level === 'strict' && options.mode === 'permissive' ? 'warning' : inStrict
        const isRefused = found !== inStrict
        return {
          rule: id,
          level: found,
          path: facts.path,
          line,
          message,
          ...(isRefused ? { refused: true as const } : {}),
        }
      })
  // Of what is too large only the secrets are told, which are known already; everything else would have to read it.
  const isTooLarge = size(any).length > 0
  const subject = isTooLarge ? null : briefOf(any)
  return rules.flatMap((rule) => {
    if (isTooLarge && rule.check !== size && rule.check !== secrets) return []
    if (rule.over === 'brief') return subject === null ? [] : run(rule, rule.check(subject))
    return rule.over === 'text' || subject === null ? run(rule, rule.check(any)) : []
  })
}

function briefOf(any: TextSubject): BriefSubject | null {
  try {
    const parsed = scanBrief(any.text, any.facts.path)
    const head = any.lines.slice(0, parsed.bodyLine)
    return {
      ...any,
      parsed,
      brief: any.facts.made ?? readBrief(parsed),
      isDone: parsed.meta.kind === 'done',
      lineOf: (key) => head.findIndex((line) => line.startsWith(`${key}:`)) + 1 || 1,
    }
  } catch (error) {
    if (!isHandoffError(error)) throw error
    return null // `schema` tells what is wrong with it.
  }
}
