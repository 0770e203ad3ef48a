import { describe, expect, it } from 'vitest'
import { byNight, describeByNight } from '../../sampled.ts'
import { type CliOptions, cli } from '../cli.ts'
import type { TempRepo } from '../make-repo.ts'
import { GOAL, headOf, itemsOf, later, sectionOf, succeeded, usual } from '../usual.ts'

const createAs = async (repo: TempRepo, goal: string, options: CliOptions = {}, extra: string[] = []) =>
  succeeded(await cli(repo, ['create', goal, '--json', ...extra], options))
const trailers = (repo: TempRepo, rev = 'HEAD') =>
  repo.git(['log', '-1', '--format=%(trailers:only,unfold)', rev]).trim().split('\n')

describe('the commit of a brief', () => {
  it('has a conventional subject and the four trailers, and holds nothing but the brief after the first', async () => {
    const repo = usual()
    const first = await createAs(
      repo,
      'Port the retry queue to the new scheduler. Keep the public API as it is!',
    )
    expect(repo.git(['log', '-1', '--format=%s'])).toBe(
      'chore(handoff): port the retry queue to the new scheduler. Keep the…',
    )
    expect(trailers(repo)).toEqual([
      `Handoff-Id: ${first.id}`,
      'Handoff-Reason: manual',
      'Handoff-Agent: Claude Code',
    ])
    expect(repo.git(['show', '--name-only', '--format=']).split('\n')).toEqual([
      '.handoff/.gitattributes',
      '.handoff/README.md',
      first.path,
      '.handoff/latest.md',
    ])
    const second = await createAs(repo, GOAL, { now: later(5) }, ['--reason', 'context_limit'])
    expect(trailers(repo)).toEqual([
      `Handoff-Id: ${second.id}`,
      `Handoff-Parent: ${first.id}`,
      'Handoff-Reason: context_limit',
      'Handoff-Agent: Claude Code',
    ])
    expect(repo.git(['show', '--name-only', '--format='])).toBe(second.path)
    expect(repo.git(['log', '-1', '--format=%an <%ae>'])).toBe('Dev One <dev@example.com>')
  })
})

describeByNight('parent and mission along the chain', () => {
  byNight(
    'each brief names its parent with time and goal; no goal of before is told as its own',
    async () => {
      const repo = usual()
      const goals = ['port the retry queue to the scheduler', 'fix the off-by-one', 'document the limits']
      const briefs: Awaited<ReturnType<typeof createAs>>[] = []
      for (const [at, goal] of goals.entries()) briefs.push(await createAs(repo, goal, { now: later(at) }))
      const [a, b, c] = briefs
      expect([a.parents, b.parents, c.parents]).toEqual([[], [a.id], [b.id]])
      for (const { markdown } of [a, b, c]) expect(markdown).not.toContain('## Mission')
      expect(a.markdown).not.toContain('## Previous handoff')
      for (const later of [b, c]) expect(itemsOf(later.markdown, 'Previous handoff')).toHaveLength(1)
      // Nobody said that they are done.
      expect(itemsOf(c.markdown, 'Progress').filter((line) => line.includes('not said'))).toEqual([
        `- goal, not said to be done: ${goals[1]} [user] — from ${b.id}`,
        `- goal, not said to be done: ${goals[0]} [user] — from ${a.id}`,
      ])
      expect(sectionOf(c.markdown, 'Previous handoff')).toBe(
        `- [${b.id}](${b.path.replace('.handoff/briefs/', '')}), ${later(1).toISOString()}: ${goals[1]}`,
      )
      expect(c.markdown).not.toContain(`Next Goal (verbatim)\n\n\`\`\`text\n${goals[1]}`)
    },
  )

  byNight(
    'a configured mission is the first of the standing rules, in every brief of the chain',
    async () => {
      const repo = usual()
      const env = { HANDOFF_MISSION: 'move every queue to the scheduler' }
      const a = await createAs(repo, GOAL, { env })
      const b = await createAs(repo, 'fix the off-by-one', { now: later(9), env })
      for (const { markdown } of [a, b])
        expect(itemsOf(markdown, 'Constraints & Preferences')[0]).toBe(
          '- "move every queue to the scheduler"',
        )
      expect(b.markdown.split(env.HANDOFF_MISSION)).toHaveLength(2)
    },
  )

  byNight('a branch goes on from the brief it grew from; the other branch does not see it', async () => {
    const repo = usual()
    repo.git(['switch', '-q', '-c', 'feature'])
    const a = await createAs(repo, GOAL)
    repo.git(['switch', '-q', '-c', 'side'])
    const b = await createAs(repo, 'fix the off-by-one', { now: later(5) })
    expect(b.parents).toEqual([a.id])
    repo.git(['switch', '-q', 'feature'])
    const c = await createAs(repo, 'document the limits', { now: later(9) })
    expect(c.parents).toEqual([a.id])
    expect(headOf(repo)).toBe(c.commit)
  })
})
