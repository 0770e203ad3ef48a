import { marksIn } from '../brief/claims.ts'
import { checkGoal } from '../brief/goal.ts'
import { goalText } from '../brief/render.ts'
import { formerSections, type SectionId, sections } from '../brief/sections.ts'
import { exactLines } from '../text/safe-text.ts'
import type { Problem, Rule } from './rule.ts'

/** The required sections are there, every section once, in the order of the table, and no other. */
export const sectionRule: Rule = {
  id: 'sections',
  level: 'strict',
  over: 'brief',
  about: 'The required sections, each once, in order, and no other; a closing record has one line.',
  check({ parsed, isDone, facts }) {
    if (isDone)
      return parsed.closed === null
        ? [{ line: parsed.bodyLine, message: 'a closing record says `Closed: <outcome>`', isForcible: true }]
        : []
    if (isFormer(parsed.sections.map(({ heading }) => heading))) return []
    const problems: Problem[] = []
    const order = sections.map(({ id }) => id)
    const seen = new Set<SectionId>()
    let last = -1
    for (const { id, heading, level, line } of parsed.sections) {
      if (id === null) {
        problems.push({
          line,
          message: level > 0 ? `unknown section "${heading}"` : 'text before the first heading',
        })
        continue
      }
      if (seen.has(id)) problems.push({ line, message: `section "${heading}" stands twice` })
      else if (order.indexOf(id) < last)
        problems.push({ line, message: `section "${heading}" is out of order` })
      seen.add(id)
      last = Math.max(last, order.indexOf(id))
    }
    for (const { id, heading, required } of sections) {
      const isWanted = required && (id !== 'preamble' || facts.config.include.preamble)
      if (isWanted && !seen.has(id))
        problems.push({ line: parsed.bodyLine, message: `section "${heading}" is missing`, isForcible: true })
    }
    return problems
  },
}

/** A brief that was made before, with the sections of then in their order. */
function isFormer(headings: readonly string[]): boolean {
  const places = headings.map((heading) => formerSections.indexOf(heading))
  const isInOrder = places.every((place, at) => place !== -1 && place > (places[at - 1] ?? -1))
  return isInOrder && headings.includes('Working Memory') && headings.at(-1) === formerSections.at(-1)
}

/** The goal of the front matter, the goal at the end and the goal that was asked for are the same, byte for byte. */
export const goalVerbatim: Rule = {
  id: 'goal-verbatim',
  level: 'always',
  over: 'brief',
  about: 'The goal at the end is the goal of the front matter, byte for byte but for breaks in long lines.',
  check({ parsed, isDone, facts, lineOf }) {
    const { goal } = parsed.meta
    if (facts.goal !== undefined && facts.goal !== goal)
      return [{ line: lineOf('goal'), message: 'the goal is not the one that was asked for' }]
    if (isDone) return []
    const section = parsed.sections.find(({ id }) => id === 'goal')
    // A missing section is for `sections` to tell.
    if (section === undefined) return []
    if (parsed.goal === null) return [{ line: section.line, message: 'the goal does not stand in a fence' }]
    // Briefs made before kept their long lines.
    return [goalText(goal), exactLines(goal)].includes(parsed.goal.text)
      ? []
      : [{ line: parsed.goal.line, message: 'the goal differs from the goal of the front matter' }]
  },
}

/** The goal says what is to be done, unless its author said that it need not. */
export const goalQuality: Rule = {
  id: 'goal-quality',
  level: 'strict',
  over: 'brief',
  about: 'The goal is neither too short nor vague, unless `vague: true` is set.',
  check({ parsed: { meta }, isDone, facts, lineOf }) {
    if (isDone) return []
    const { minLength } = facts.config.goal
    const verdict = checkGoal(meta.goal, { minLength, allowVague: meta.vague === true })
    return verdict.ok
      ? []
      : [{ line: lineOf('goal'), message: `the goal is ${verdict.rule}: ${verdict.detail}` }]
  },
}

/** The whole within the hard limit; much more than a brief aims at is a warning. */
export const budget: Rule = {
  id: 'budget',
  level: 'strict',
  over: 'brief',
  about: 'The file keeps its hard token limit; far over what a brief aims at is a warning.',
  check({ isDone, facts: { tokens, config } }) {
    if (isDone) return []
    const { warn, hard } = config.budget
    if (tokens > hard)
      return [{ line: 1, message: `${tokens} tokens; the hard limit is ${hard}`, isForcible: true }]
    return tokens > warn
      ? [{ line: 1, message: `${tokens} tokens; a brief over ${warn} is hard to read`, isWarning: true }]
      : []
  },
}

/**
 * On one system or another this leads out of the repository, or begins at a home or drive. A hidden character is shown as `\u{…}` and
 * begins a name like any other.
 */
export const leadsAway = (path: string): boolean =>
  /^(?:[/~]|\\(?!u\{)|[A-Za-z]:)|(?:^|[/\\])\.\.(?:[/\\]|$)/.test(path)

/** Every listed file lies in the repository and is one that git knows, the session touched or somebody named. */
export const unnamedFiles: Rule = {
  id: 'unnamed-files',
  level: 'strict',
  over: 'brief',
  about: 'Every listed file lies in the repository and was named or touched by somebody.',
  check({ parsed, facts: { knownFiles, oddNames } }) {
    const section = parsed.sections.find(({ id }) => id === 'files')
    const lineOf = (path: string): number =>
      section?.items.find(({ text }) => text.includes(path))?.line ?? section?.line ?? 1
    return parsed.brief.files.flatMap(({ path, mark }) => {
      if (leadsAway(path) && oddNames?.has(path) !== true)
        return [{ line: lineOf(path), message: `${path} does not lie in this repository` }]
      // A marked file says itself that nothing confirms it, that it is gone, or still to be made.
      if (mark !== undefined || knownFiles === null || knownFiles.has(path)) return []
      return [{ line: lineOf(path), message: `${path} was never named or touched` }]
    })
  },
}

/** What the agent wrote and neither session nor repository shows; `create` marked it when it made the brief. */
export const unproven: Rule = {
  id: 'unproven',
  level: 'strict',
  over: 'brief',
  about: 'Session or repository confirms what the agent wrote; a warning counts the other claims.',
  check({ parsed }) {
    if (parsed.brief.notesChecked !== true) return []
    const lines = parsed.sections.find(({ id }) => id === 'memory')?.lines ?? []
    const first = lines.find(({ text }) => marksIn(text) > 0)
    if (first === undefined) return []
    const count = lines.reduce((sum, { text }) => sum + marksIn(text), 0)
    const what = count === 1 ? '1 claim of the agent is' : `${count} claims of the agent are`
    return [
      { line: first.line, message: `${what} not seen or contradicted; read the marks`, isWarning: true },
    ]
  },
}
