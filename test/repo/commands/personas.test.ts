import { expect, it } from 'vitest'
import { USUAL, writeClaudeSession } from '../claude-session.ts'
import { cli } from '../cli.ts'
import { makeRepo } from '../make-repo.ts'

it('a persona brings the skills of its configuration, along the chain', async () => {
  const repo = makeRepo()
  repo.commit('configure', {
    '.handoff/config.yaml': 'personas:\n  reviewer: {agent: codex, skills: [review, audit]}\n',
  })
  writeClaudeSession(repo, USUAL)
  const first = await cli(repo, [
    'create',
    'review the retry queue for races',
    '--persona',
    'reviewer',
    '--json',
  ])
  expect(first.json.brief).toMatchObject({ persona: 'reviewer', skills: ['review', 'audit'] })
  const second = await cli(repo, ['create', 'write down what the review found', '--json'])
  expect(second.json.brief).toMatchObject({
    persona: 'reviewer',
    skills: ['review', 'audit'],
    parent: first.json.id,
  })
})
