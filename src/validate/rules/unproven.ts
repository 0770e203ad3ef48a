import { marksIn } from '../../brief/claims.ts'
import type { Rule } from '../rule.ts'

/** What the agent wrote and neither session nor repository shows; `create` marked it when it made the brief. */
export const unproven: Rule = {
  id: 'unproven',
  level: 'strict',
  over: 'brief',
  about: 'What the agent wrote stands in session or repository; a warning tells how many claims do not.',
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
