import { briefPath, idOfPath } from '../../brief/id.ts'
import type { Rule } from '../rule.ts'

/** The file lies where briefs lie and is named by its id. */
export const idAndPath: Rule = {
  id: 'id-and-path',
  level: 'always',
  over: 'brief',
  about: 'The file is `.handoff/briefs/<id>-<words>.md`, and the id in it is the same.',
  check({ parsed: { meta }, facts: { path }, lineOf }) {
    if (!/^\.handoff\/briefs\/[^/\\]+$/.test(path))
      return [{ line: 1, message: 'a brief lies directly in .handoff/briefs/' }]
    const named = idOfPath(path)
    if (named === null)
      return [{ line: 1, message: 'the file name is `<id>-<words>.md`, words in [a-z0-9-]' }]
    if (named !== meta.id)
      return [{ line: lineOf('id'), message: `the file is named ${named}, its id is ${meta.id}` }]
    return path === briefPath(meta.id, meta.goal)
      ? []
      : [
          {
            line: lineOf('goal'),
            message: 'the words in the file name are not those of the goal',
            isWarning: true,
          },
        ]
  },
}
