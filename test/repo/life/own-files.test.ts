import { describe, expect, it } from 'vitest'
import { byNight, sampled } from '../../sampled.ts'
import { writeClaudeSession } from '../claude-session.ts'
import { cli } from '../cli.ts'
import { cloneOf, makeRepo, prepared, type TempRepo } from '../make-repo.ts'
import { itemsOf, sectionOf, succeeded } from '../usual.ts'

const AGENTS = 'claude-code,codex,gemini-cli,opencode,cursor,pi,copilot-cli,aider'
/** Every path that `init` writes for these, as a person names it. */
const OWN =
  /\.(?:claude|codex|gemini|agents|opencode|cursor|pi|github|mcp\.json|aider\.conf\.yml)\b|AGENTS\.md|opencode\.json/

/** A feature branch on which `init` ran and was committed, with work after it. */
const withSetUp = prepared(async () => {
  const repo = makeRepo({ branch: 'main', second: { 'src/keyed.js': 'x\n', 'src/window.js': 'y\n' } })
  repo.git(['switch', '-q', '-c', 'feature/evict'])
  const { files } = succeeded(await cli(repo, ['init', '--agent', AGENTS, '--json']))
  repo.git(['add', '-A'])
  repo.git(['commit', '-q', '-m', 'set up the agents'])
  repo.commit('evict', { 'src/keyed.js': 'x2\n', 'test/keyed.test.js': 't\n' })
  return { repo, files }
})

const GOAL = 'write the chapter about both kinds of limits'
const briefOf = async (repo: TempRepo, from = 'git'): Promise<string> =>
  succeeded(await cli(repo, ['create', GOAL, '--from', from, '--print', '--json'])).markdown

/** A clone on the same branch; where it came from, main is checked out as on a host. */
function colleague(repo: TempRepo): TempRepo {
  repo.git(['switch', '-q', 'main'])
  const clone = cloneOf(repo)
  clone.git(['switch', '-q', 'feature/evict'])
  return clone
}

function expectNothingOfOurs(markdown: string): void {
  for (const heading of ['Relevant Files', 'Work', 'Status'])
    expect(sectionOf(markdown, heading)).not.toMatch(OWN)
  expect(markdown.replace(/## Next Goal[\s\S]*/, '')).not.toMatch(OWN)
  expect(itemsOf(markdown, 'Relevant Files').join('\n')).toContain('src/keyed.js')
}

describe('files that handoff wrote are no evidence', () => {
  it('neither committed on the branch nor lying there uncommitted', async () => {
    const { repo } = await withSetUp()
    expect(repo.git(['show', '--name-only', '--format=', 'HEAD~1'])).toMatch(OWN)
    expectNothingOfOurs(await briefOf(repo))
    repo.git(['reset', '-q', '--soft', 'HEAD~2'])
    expectNothingOfOurs(await briefOf(repo))
    repo.git(['reset', '-q'])
    expectNothingOfOurs(await briefOf(repo))
  })

  it('nor of a session that looked at them', async () => {
    const { repo } = await withSetUp()
    writeClaudeSession(repo, [
      { user: 'Evict idle keys.' },
      { read: 'AGENTS.md' },
      { read: '.agents/skills/handoff/SKILL.md' },
      { edit: 'src/keyed.js' },
      { says: 'They are evicted.' },
    ])
    expectNothingOfOurs(await briefOf(repo, 'claude-code'))
  })

  byNight('nor in the clone of a colleague, which has no record of them', async () => {
    const { repo } = await withSetUp()
    const clone = colleague(repo)
    expectNothingOfOurs(await briefOf(clone))
  })

  it.each(sampled(['here', 'in a clone'], 1))(
    'but one that the person went on with is, %s',
    async (where) => {
      const { repo } = await withSetUp()
      const there = where === 'here' ? repo : colleague(repo)
      there.write('AGENTS.md', `${there.read('AGENTS.md')}\n## Tests\n\nRun npm test.\n`)
      for (const isCommitted of [false, true]) {
        if (isCommitted) there.git(['commit', '-q', '-a', '-m', 'say how tests run'])
        const listed = itemsOf(await briefOf(there), 'Relevant Files').join('\n')
        expect(listed).toContain('AGENTS.md')
        expect(listed.replaceAll('AGENTS.md', '')).not.toMatch(OWN)
      }
    },
  )

  it('and one that the goal names is listed', async () => {
    const { repo } = await withSetUp()
    const argv = ['create', 'shorten AGENTS.md', '--from', 'git', '--print', '--json']
    expect(itemsOf(succeeded(await cli(repo, argv)).markdown, 'Relevant Files').join()).toContain('AGENTS.md')
  })
})
