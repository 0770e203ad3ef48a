import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { byNight, sampled } from '../../sampled.ts'
import { cli } from '../cli.ts'
import { fakeAgent } from '../fake-agent.ts'
import { atFolder, makeRepo, type TempRepo } from '../make-repo.ts'
import { BRANCH, pushed } from '../remote/team.ts'

const cancel = Symbol('cancel')
interface Question {
  message: string
  options: { value: string; label: string }[]
  initialValue?: string
}
const asked = vi.fn<(question: Question) => unknown>()
vi.mock('@clack/prompts', () => ({
  select: (question: Question) => asked(question),
  isCancel: (answer: unknown) => answer === cancel,
}))
afterAll(() => vi.doUnmock('@clack/prompts'))
const GO_ON = 'Go on? (Esc cancels)'
/** Enter at every question. */
const enter = ({ initialValue, options }: Question): unknown => initialValue ?? options[0]?.value
beforeEach(() => void asked.mockReset().mockImplementation(enter))

const claudeOnly = () => {
  const repo = makeRepo()
  mkdirSync(join(repo.root, '.claude'))
  return Object.assign(repo, { env: { ...repo.env, PATH: '/usr/bin:/bin' } })
}
/** Answers by a word of the question; every other one gets Enter. */
const answering = (answers: Record<string, unknown>): void =>
  void asked.mockImplementation((question) => {
    const [, answer] = Object.entries(answers).find(([word]) => question.message.includes(word)) ?? []
    return answer ?? enter(question)
  })
const status = (repo: TempRepo): string => repo.git(['status', '--porcelain', '-uall'])

byNight('Enter does what --yes does', async () => {
  const [talked, quiet] = [claudeOnly(), claudeOnly()]
  const told = await cli(talked, ['init'], { isTTY: true })
  await cli(quiet, ['init', '--yes'])
  expect(told.code).toBe(0)
  expect(asked.mock.calls.map(([{ message }]) => message)).toEqual([GO_ON])
  expect(status(talked)).toBe(status(quiet))
})

it('shows what it will write, and nothing is there before', async () => {
  const repo = claudeOnly()
  const seen: string[] = []
  asked.mockImplementation((question) => {
    if (question.message === GO_ON) seen.push(status(repo))
    return enter(question)
  })
  const { code, stderr } = await cli(repo, ['init'], { isTTY: true })
  expect(code).toBe(0)
  expect(seen).toEqual([''])
  for (const line of [
    'Write AGENTS.md',
    'Write .claude/settings.json',
    'Set filter.handoff.clean in .git/config',
  ])
    expect(stderr).toContain(`  ${line}`)
})

it.each(sampled([cancel, 'no'], 1))('writes nothing when the answer is not yes', async (answer) => {
  const repo = claudeOnly()
  answering({ 'Go on?': answer })
  const { code, stderr } = await cli(repo, ['init'], { isTTY: true })
  expect([code, stderr]).toEqual([130, expect.stringContaining('Handoff cancelled')])
  expect(status(repo)).toBe('')
  expect(repo.tryGit(['config', '--get', 'filter.handoff.clean']).status).toBe(1)
})

byNight('asks nothing where nothing is to be done', async () => {
  const repo = claudeOnly()
  const argv = ['init', '--agent', 'claude-code', '--git-hooks', 'none', '--ci', 'none']
  await cli(repo, [...argv, '--yes'])
  const { stdout } = await cli(repo, argv, { isTTY: true })
  expect(asked).not.toHaveBeenCalled()
  expect(stdout).toContain('Nothing to change.')
})

const silent: [string, string[], Record<string, string>, boolean][] = [
  ['with --yes', ['--yes'], {}, true],
  ['without a terminal', [], {}, false],
  ['when an agent calls', [], { CODEX_THREAD_ID: 'x' }, true],
  ['in CI', [], { CI: 'true' }, true],
  ['when told so', [], { HANDOFF_NONINTERACTIVE: '1' }, true],
]
it.each(sampled(silent, 1))('asks nothing %s', async (_, argv, env, isTTY) => {
  const { stdout } = await cli(claudeOnly(), ['init', ...argv], { isTTY, env })
  expect(asked).not.toHaveBeenCalled()
  expect(stdout).toContain('Set up: Claude Code.')
  expect(stdout).toContain('Commit the files above')
})

describe('S13: what origin carries', () => {
  /** A clone of a repository that may be a stranger's. */
  const cloned = (): TempRepo => {
    const repo = claudeOnly()
    const clone = join(repo.base, 'clone')
    repo.git(['clone', '-q', repo.root, clone])
    return atFolder(repo.base, clone, repo.env)
  }
  const trusted = async (repo: TempRepo) => (await cli(repo, ['trust', '--list', '--json'])).json.trusted
  const said = ['init', '--agent', 'codex', '--git-hooks', 'none', '--ci', 'none']

  const untold: [string, string[], Record<string, string>, boolean][] = [
    ['with --yes', ['--yes'], {}, true],
    ['without a terminal', [], {}, false],
    ['when an agent calls', [], { CODEX_THREAD_ID: 'x' }, true],
    ['at a terminal', [], {}, true],
  ]
  it.each(sampled(untold, 1))('is not trusted %s, and how to is told', async (_, argv, env, isTTY) => {
    const repo = cloned()
    const { stdout } = await cli(repo, [...said, ...argv], { isTTY, env })
    expect(stdout.replace(/\s+/g, ' ')).toContain(
      'are not trusted. To trust them: `git handoff trust --origin`',
    )
    expect(await trusted(repo)).toEqual([])
    const again = await cli(repo, [...said, ...argv], { isTTY, env })
    expect(again.stdout).not.toContain('not trusted')
  })
})

byNight(
  'open says what it did, and how to go back, to whoever cancels at the question of trust',
  async () => {
    const { bob } = await pushed()
    const { env } = fakeAgent(bob, 'codex')
    answering({ 'whole brief': cancel })
    const opened = await cli(bob, ['open', BRANCH, '--to', 'codex'], { env, isTTY: true })
    expect(opened.code).toBe(130)
    expect(opened.stderr.replace(/\s+/g, ' ')).toMatch(
      `Handoff cancelled Switched to ${BRANCH}, a branch of origin. No agent was started. To go back: \`git checkout -\``,
    )
  },
)
