import { describe, expect, it } from 'vitest'
import { sampled } from '../../sampled.ts'
import { writeClaudeSession } from '../claude-session.ts'
import { itemsOf, printed, SESSION, usual } from '../usual.ts'

describe('C3: what the person rules out', () => {
  it.each(
    sampled(
      [
        'Use no new dependency.',
        'No changes under vendor/.',
        "We can't use Redis here.",
        'We cannot change the schema.',
        'Fix it, but no new dependencies!',
        '- no changes under vendor/',
      ],
      2,
    ),
  )('C3: is a constraint, alone and behind another sentence: %s', async (rule) => {
    for (const user of [rule, `Fix the retry queue.\n${rule}`]) {
      const repo = usual()
      writeClaudeSession(repo, [{ user }, { edit: 'src/queue.ts' }, { says: 'Done.' }], { id: SESSION })
      const { markdown } = await printed(repo)
      const told = itemsOf(markdown, 'Constraints & Preferences').join('\n')
      expect(told).toContain(rule.replace(/^- /, ''))
    }
  })
})
