import { isNewer, metaIssues, splitFrontMatter } from '../../brief/front-matter.ts'
import { isHandoffError } from '../../errors/handoff-error.ts'
import type { Problem, TextSubject } from '../rule.ts'

/** Front matter that can be read safely and fits schema version 1; a newer version says to upgrade. */
export const schema = {
  id: 'schema',
  level: 'always',
  over: 'unreadable',
  about: 'The front matter is YAML and fits the schema.',
  check({ text, facts }: TextSubject): Problem[] {
    let data: Record<string, unknown>
    try {
      data = splitFrontMatter(text, facts.path).data
    } catch (error) {
      if (!isHandoffError(error)) throw error
      return [{ line: 1, message: error.message.replace(`${facts.path}: `, '') }]
    }
    if (isNewer(data)) {
      const message = `schema version ${String(data.schemaVersion)} is newer than this handoff; upgrade it`
      return [{ line: 1, message }]
    }
    return metaIssues(data, text).map(({ line, message }) => ({ line, message }))
  },
} as const
