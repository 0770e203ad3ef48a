import { isNewer, metaIssues, splitFrontMatter } from '../brief/front-matter.ts'
import { parseBrief } from '../brief/parse.ts'
import { isHandoffError } from '../errors.ts'
import type { Finding } from '../types.ts'
import type { Facts, Options, Problem, Rule, Subject } from './rule.ts'
import { secrets } from './rules/secrets.ts'
import { rules } from './table.ts'

export type { Facts, Options } from './rule.ts'

/** Bytes of a brief that any parser gets to see. */
const MAX_BYTES = 64 * 1024

/**
 * Every rule on the text of one brief, in the order of the table, by line within a rule. A text that cannot be read as a
 * brief is judged by `size` or `schema` and, whatever it is, by `secrets`. Never throws for any text.
 */
export function validateBrief(text: string, facts: Facts, options: Options): Finding[] {
  const finding = (rule: Pick<Rule, 'id' | 'level'>, problem: Problem): Finding => ({
    rule: rule.id,
    level: problem.isWarning === true || !isError(rule.level, options) ? 'warning' : 'error',
    path: facts.path,
    line: problem.line,
    message: problem.message,
  })
  const bytes = Buffer.byteLength(text)
  if (bytes > MAX_BYTES)
    return [
      finding(
        { id: 'size', level: 'always' },
        { line: 1, message: `${bytes} bytes; a brief has at most ${MAX_BYTES}` },
      ),
      ...secretsOnly(facts, finding),
    ]
  const problems = schemaProblems(text, facts.path)
  if (problems.length > 0)
    return [
      ...problems.map((problem) => finding({ id: 'schema', level: 'always' }, problem)),
      ...secretsOnly(facts, finding),
    ]
  const parsed = parseBrief(text, facts.path)
  const subject: Subject = {
    text,
    lines: text.split('\n'),
    meta: parsed.meta,
    parsed,
    isDone: parsed.meta.kind === 'done',
    facts,
  }
  return rules.flatMap((rule) =>
    rule
      .check(subject)
      .sort((a, b) => a.line - b.line)
      .map((problem) => finding(rule, problem)),
  )
}

const isError = (level: Rule['level'], { mode, force }: Options): boolean =>
  level === 'always' || (mode === 'strict' && !(level === 'size' && force))

const secretsOnly = (facts: Facts, finding: (rule: Rule, problem: Problem) => Finding): Finding[] =>
  secrets.check({ facts } as Subject).map((problem) => finding(secrets, problem))

/** Why the front matter cannot be used: not there, not safe, newer, or against the schema. */
function schemaProblems(text: string, path: string): Problem[] {
  try {
    const { data } = splitFrontMatter(text, path)
    if (isNewer(data))
      return [
        {
          line: 1,
          message: `schema version ${String(data.schemaVersion)} is newer than this handoff; upgrade it`,
        },
      ]
    return metaIssues(data, text).map(({ line, message }) => ({ line, message }))
  } catch (error) {
    if (!isHandoffError(error)) throw error
    return [{ line: 1, message: error.message.replace(`${path}: `, '') }]
  }
}
