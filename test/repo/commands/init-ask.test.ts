import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, it, vi } from 'vitest'
import { cli } from '../cli.ts'
import { makeRepo } from '../make-repo.ts'

const cancel = Symbol('cancel')
const asked = vi.fn()
vi.mock('@clack/prompts', () => ({
  multiselect: (question: unknown) => asked(question) as unknown,
  isCancel: (answer: unknown) => answer === cancel,
}))
beforeEach(() => void asked.mockReset())

const claudeOnly = () => {
  const repo = makeRepo()
  mkdirSync(join(repo.root, '.claude'))
  return Object.assign(repo, { env: { ...repo.env, PATH: '/usr/bin:/bin' } })
}

it('offers every agent to a person at a terminal, those found here chosen', async () => {
  const repo = claudeOnly()
  asked.mockResolvedValue(['codex'])
  const { stdout } = await cli(repo, ['init'], { isTTY: true })
  const [question] = asked.mock.calls[0] as [
    { initialValues: string[]; options: { value: string; hint?: string }[] },
  ]
  expect(question.initialValues).toEqual(['claude-code'])
  expect(question.options.find(({ value }) => value === 'codex')?.hint).toBe('not found here')
  expect(question.options.find(({ value }) => value === 'claude-code')?.hint).toBeUndefined()
  expect(stdout).toContain('Set up: Codex.')
})

it('writes nothing when the question is left', async () => {
  const repo = claudeOnly()
  asked.mockResolvedValue(cancel)
  const { code, stderr } = await cli(repo, ['init'], { isTTY: true })
  expect([code, stderr]).toEqual([130, expect.stringContaining('Handoff cancelled')])
  expect(repo.git(['status', '--porcelain'])).toBe('')
})

it.each<[string, string[], Record<string, string>, boolean]>([
  ['with --yes', ['--yes'], {}, true],
  ['with --agent', ['--agent', 'claude-code'], {}, true],
  ['without a terminal', [], {}, false],
  ['when an agent calls', [], { CODEX_THREAD_ID: 'x' }, true],
  ['in CI', [], { CI: 'true' }, true],
])('asks nothing %s', async (_, argv, env, isTTY) => {
  const { stdout } = await cli(claudeOnly(), ['init', ...argv], { isTTY, env })
  expect(asked).not.toHaveBeenCalled()
  expect(stdout).toContain('Set up: Claude Code.')
})
