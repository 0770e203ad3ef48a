import { idOfPath } from '../../brief/id.ts'
import type { Rule } from '../rule.ts'

/** The file lies where briefs lie, is named by its id, and nobody else has that id. */
export const idAndPath: Rule = {
  id: 'id-and-path',
  level: 'always',
  check({ meta, lines, facts }) {
    const line = lines.findIndex((text) => text.startsWith('id:')) + 1 || 1
    const { path } = facts
    if (!/^\.handoff\/briefs\/[^/]+$/.test(path))
      return [{ line: 1, message: 'a brief lies directly in .handoff/briefs/' }]
    const named = idOfPath(path)
    if (named === null)
      return [{ line: 1, message: 'the file name is `<id>-<words>.md`, words in [a-z0-9-]' }]
    if (named !== meta.id) return [{ line, message: `the file is named ${named}, its id is ${meta.id}` }]
    const other = facts.briefs.get(meta.id)
    return other !== undefined && other.path !== path
      ? [{ line, message: `duplicate id: ${other.path} has it as well` }]
      : []
  },
}
