import { expect, it } from 'vitest'
import { cli } from '../cli.ts'
import { later, made, usual } from '../usual.ts'

it('off silences the hooks of agents and git in this clone, says so, and init turns them on again', async () => {
  const repo = usual()
  await cli(repo, ['init', '--yes', '--agent', 'claude-code', '--git-hooks', 'plain'])
  await made(repo)
  const payload = JSON.stringify({
    session_id: 'a',
    cwd: repo.root,
    hook_event_name: 'SessionStart',
    source: 'startup',
  })
  const hear = async () => {
    const start = ['hook', 'session-start', '--agent', 'claude-code']
    const checkout = ['hook', 'post-checkout', '--', '0'.repeat(40), repo.git(['rev-parse', 'HEAD']), '1']
    const [agent, git] = [
      await cli(repo, start, { stdin: payload, now: later(10) }),
      await cli(repo, checkout, { now: later(10) }),
    ]
    return `${agent.stdout}${git.stderr}`
  }
  expect(await hear()).toMatch(/latest\.md[\s\S]*handoff: brief/)
  expect((await cli(repo, ['off', '--json'])).json).toMatchObject({ ok: true, off: true })
  expect(await hear()).toBe('')
  expect((await cli(repo, ['status'])).stdout).toContain('Hooks: off in this clone (`git handoff init`')
  expect((await cli(repo, ['doctor'])).stdout).toContain('hooks are off in this clone')
  expect((await cli(repo, ['init', '--yes'])).stdout).toContain('are active in this clone now')
  expect(await hear()).toContain('latest.md')
  expect((await cli(repo, ['status'])).stdout).toContain('Hooks: Claude Code')
})
