import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { notesContract } from '../../../src/brief/template.ts'
import { byNight, sampled } from '../../sampled.ts'
import { cli, NOW } from '../cli.ts'
import type { TempRepo } from '../make-repo.ts'
import { AGENT, sectionOf, usual } from '../usual.ts'

const GOAL = "finish the retry queue, it's half done"
const PAGE = `## Where it stands
The queue retries; \`npm test\` fails with "expected $1".

## Not proven
That it's fast: \\no run.
`
const create = (repo: TempRepo, args: string[] = [], stdin = '') =>
  cli(repo, ['create', GOAL, '--json', ...args], { ...AGENT, stdin })

it('an agent that calls create is asked for its page, with the contract and the command, once', async () => {
  const repo = usual()
  const asked = await create(repo)
  expect([asked.code, asked.json.errors[0].code]).toEqual([2, 'E_NOTES_WANTED'])
  expect(asked.json.errors[0].hint).toContain(notesContract)
  expect(repo.git(['status', '--porcelain'])).toBe('')
  const again = await create(repo)
  expect([again.code, sectionOf(again.json.markdown, 'Working Memory')]).toEqual([
    0,
    '[gap-fill not provided]',
  ])
})

it('the command that it is told hands page and goal over as they are, through a shell', async () => {
  const repo = usual()
  const { json } = await create(repo)
  const command = json.errors[0].hint
    .slice(json.errors[0].hint.indexOf('git handoff create'))
    .replace('<the page>\n', PAGE)
  const inShell = (line: string) => execFileSync('sh', ['-c', line], { encoding: 'utf8' })
  const [first = ''] = command.split('\n')
  const words = inShell(first.replace('git handoff create', 'printf "%s\\n"').replace(/ <<.*/, ''))
  expect(words.split('\n')).toEqual([GOAL, '--notes', '-', ''])
  expect(inShell(command.replace(/^.*(?=<<)/, 'cat '))).toBe(PAGE)
  const made = await create(repo, ['--notes', '-'], PAGE)
  expect(made.code).toBe(0)
  expect(sectionOf(made.json.markdown, 'Working Memory')).toContain('expected $1')
})

const UNASKED: [string, string[], Record<string, string>][] = [
  ['--no-notes', ['--no-notes'], {}],
  ['a pipeline', [], { CI: 'true' }],
  ['a look before writing', ['--dry-run'], {}],
  ['a session that was named', ['--from', 'git'], {}],
]
byNight.each(sampled(UNASKED, 1))('is not asked with %s', async (_, args, env) => {
  const repo = usual()
  const { code } = await cli(repo, ['create', GOAL, ...args], { env: { ...AGENT.env, ...env } })
  expect(code).toBe(0)
})

byNight('is not asked after it recorded notes, nor is a person', async () => {
  const noted = usual()
  await cli(noted, ['note', '--active-hypothesis', 'the timer is cleared twice'], AGENT)
  expect((await create(noted)).code).toBe(0)
  expect((await cli(usual(), ['create', GOAL])).code).toBe(0)
})

it('is asked where the shell of the agent is a terminal', async () => {
  const { code, stderr } = await cli(usual(), ['create', GOAL], { ...AGENT, isTTY: true })
  expect([code, stderr]).toEqual([2, expect.stringContaining("--notes - <<'HANDOFF_PAGE'\n")])
})

byNight('is asked again on another branch, and an hour later', async () => {
  const repo = usual()
  await create(repo)
  repo.git(['switch', '-q', '-c', 'other'])
  expect((await create(repo)).json.errors[0].code).toBe('E_NOTES_WANTED')
  const later = new Date(NOW.getTime() + 61 * 60_000)
  const { json } = await cli(repo, ['create', GOAL, '--json'], { ...AGENT, now: later })
  expect(json.errors[0].code).toBe('E_NOTES_WANTED')
})

it('tells a goal again without the secret that --redact takes out of it', async () => {
  const token = ['ghp', 'q7Rk2mXv9TfLw4Zc8NbYh3JpDs6GaE1uVo5K'].join('_')
  const { code, stdout } = await cli(
    usual(),
    ['create', `rotate the token ${token} of the queue`, '--redact', '--json'],
    AGENT,
  )
  expect([code, stdout.includes('E_NOTES_WANTED'), stdout.includes(token)]).toEqual([2, true, false])
})
