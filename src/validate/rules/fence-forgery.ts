import { sections } from '../../brief/sections.ts'
import { withoutCode } from '../line.ts'
import type { Problem, Rule } from '../rule.ts'

/** Nothing in a brief pretends to be its structure: an open fence, a heading in another spelling, the end of a wrapper. */
export const fenceForgery: Rule = {
  id: 'fence-forgery',
  level: 'always',
  over: 'brief',
  about: 'Fences are closed, headings stand in one spelling, no wrapper or marker of ours is imitated.',
  check({ lines, parsed, isDone }) {
    const problems: Problem[] = []
    for (const [index, text] of lines.entries()) {
      // Also inside a fence: the filter knows no fences.
      if (text.startsWith('<') && /^<!--\s*handoff:(?:begin|end)/i.test(text))
        problems.push({ line: index + 1, message: 'imitates the marker of latest.md' })
    }
    for (const section of parsed.sections) {
      for (const { line, closed } of section.blocks) {
        if (!closed) problems.push({ line, message: 'a fence is not closed' })
      }
      let before = ''
      for (const { line, text, fenced } of section.lines) {
        if (!fenced && text.includes('<') && /(?<!\\)<[\s/]*handoff-context/i.test(withoutCode(text)))
          problems.push({ line, message: 'imitates the wrapper in which a brief is handed over' })
        // Notes keep headings of their own, below those of a brief.
        const isOwnHeading = section.id === 'memory' && /^#{3,6}[ \t]/.test(text)
        if (!fenced && !isOwnHeading && isHeadingElsewhere(text, before))
          problems.push({ line, message: 'reads as a heading elsewhere, but is none of the sections' })
        // Items keep their fences indented; goal and notes are quoted whole.
        if (fenced && section.id !== 'goal' && section.id !== 'memory' && isSection(text))
          problems.push({ line, message: 'a fence swallows a section' })
        if (!fenced && section.id === 'goal' && text.trim() !== '')
          problems.push({ line, message: 'stands beside the goal; its section holds the goal alone' })
        before = fenced ? '' : text
      }
      if (section.id === 'goal' && section.blocks.length > 1)
        problems.push({ line: section.line, message: 'the goal section holds more than one fence' })
    }
    const last = parsed.sections.at(-1)
    if (!isDone && last !== undefined && last.id !== 'goal' && parsed.goal !== null)
      problems.push({ line: last.line, message: 'a section stands behind the goal, which comes last' })
    return problems
  },
}

const isSection = (text: string): boolean =>
  sections.some(({ level, heading }) => text.trimEnd() === `${'#'.repeat(level)} ${heading}`)

/** What CommonMark takes as a heading and our own scanner, which knows `#` and `##` at the margin, does not. */
function isHeadingElsewhere(text: string, before: string): boolean {
  if (!' #=-'.includes(text.charAt(0))) return false
  if (/^ {0,3}#{3,6}(?:[ \t]|$)|^ {1,3}#{1,2}(?:[ \t]|$)|^#{1,2}$/.test(text)) return true
  // An underline under a paragraph; under a blank line it is a rule.
  return /^ {0,3}(?:=+|-+)[ \t]*$/.test(text) && /^ {0,3}[^\s>#-]/.test(before)
}
