import { expect, it } from 'vitest'
import { byNight } from '../../sampled.ts'
import { type Step, writeClaudeSession } from '../claude-session.ts'
import { makeRepo, type TempRepo } from '../make-repo.ts'
import { AGENT, itemsOf, printed, SESSION } from '../usual.ts'

/** A repository with a bare origin that has `main`. */
function withOrigin(): TempRepo {
  const repo = makeRepo()
  repo.git(['init', '-q', '--bare', `${repo.base}/origin.git`])
  repo.git(['remote', 'add', 'origin', `${repo.base}/origin.git`])
  repo.git(['push', '-q', 'origin', 'main'])
  return repo
}

const asks: Step = { user: 'Cap the retry delay in src/queue.ts at 30 s.' }
const says: Step = { says: 'The delay has a cap now, and the tests pass.' }
const committed = (branch: string, sha: string, subject: string): Step => ({
  bash: `git commit -qam "${subject}"; git log -1`,
  output: `[${branch} ${sha}] ${subject}\n 1 file changed`,
})
const status = async (repo: TempRepo): Promise<string[]> =>
  itemsOf((await printed(repo, [], AGENT)).markdown, 'Status')

byNight('asks every remote-tracking branch what was pushed, without and beside an upstream', async () => {
  const repo = withOrigin()
  writeClaudeSession(repo, [asks, says], { id: SESSION })
  expect((await status(repo))[0]).toMatch(/no upstream: pushed to another branch of a remote$/)
  repo.git(['switch', '-q', '-c', 'feat', '--track', 'origin/main'])
  repo.commit('Cap it', { 'src/queue.ts': 'cap\n' })
  expect((await status(repo))[0]).toMatch(/1 ahead of `origin\/main`: not pushed$/)
  repo.git(['push', '-q', 'origin', 'feat'])
  expect((await status(repo))[0]).toMatch(/1 ahead of `origin\/main`: pushed to another branch of a remote$/)
  const said = await printed(repo, ['--notes', '-'], {
    ...AGENT,
    stdin: '## Where it stands\n- Everything is pushed; `src/queue.ts` has the cap.\n',
  })
  expect(said.markdown).not.toContain('(handoff:')
})

byNight('says of no commit of the session that it is not pushed where a remote has it', async () => {
  const repo = withOrigin()
  const sha = repo.commit('Cap it', { 'src/queue.ts': 'cap\n' }).slice(0, 8)
  repo.git(['push', '-q', '-u', 'origin', 'main'])
  repo.git(['switch', '-q', '-c', 'topic', 'HEAD~1'])
  const mine = repo.commit('Port it', { 'src/port.ts': 'port\n' }).slice(0, 8)
  repo.git(['switch', '-q', 'main'])
  const steps = [asks, committed('main', sha, 'Cap it'), committed('topic', mine, 'Port it'), says]
  writeClaudeSession(repo, steps, { id: SESSION })
  const lines = await status(repo)
  expect(lines.join('\n')).toMatch(new RegExp(`\`${mine}\` Port it on branch topic \\(not pushed\\)`))
  expect(lines.join('\n')).not.toMatch(new RegExp(`${sha}\`[^;]*\\(not pushed\\)`))
})

it('names first the branch and worktree where the work is, when another one is checked out', async () => {
  const repo = withOrigin()
  const cwd = `${repo.root}/.claude/worktrees/cap`
  repo.git(['worktree', 'add', '-q', '-b', 'feat/cap', cwd])
  repo.git(['commit', '-q', '--allow-empty', '-m', 'Cap it'], { cwd })
  const sha = repo.git(['rev-parse', '--short', 'HEAD'], { cwd })
  const file = writeClaudeSession(repo, [asks, committed('feat/cap', sha, 'Cap it'), says], {
    ...{ id: SESSION, cwd, branch: 'feat/cap' },
  })
  const { markdown } = await printed(repo, ['--session', file], AGENT)
  expect(itemsOf(markdown, 'Status')[0]).toBe(
    '- The work is on branch `feat/cap` in the worktree `.claude/worktrees/cap`, which is not checked out here',
  )
})

byNight('tells a command that still runs', async () => {
  const repo = withOrigin()
  const call = { type: 'tool_use', id: 'toolu_run', name: 'Bash', input: { command: 'npm run soak' } }
  const running: Step = {
    raw: {
      type: 'assistant',
      message: { id: 'msg_run', role: 'assistant', model: 'claude-sonnet-4-5', content: [call] },
    },
  }
  writeClaudeSession(repo, [asks, says, { user: 'Soak it.' }, running], { id: SESSION })
  expect(await status(repo)).toContain('- A turn was under way: `npm run soak` had not ended')
})
