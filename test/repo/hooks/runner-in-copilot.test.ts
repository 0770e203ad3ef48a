import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { runnerText } from '../../../src/hooks/runner.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'handoff-runner-'))
  await mkdir(join(folder, 'handoff'))
  const program = join(folder, 'program.cjs')
  await writeFile(program, "console.log(process.argv.slice(2).join(' '))\n")
  await writeFile(join(folder, 'handoff', 'hook'), runnerText({ node: process.execPath, program }))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const call = (agent: string, env: Record<string, string>): string =>
  execFileSync('sh', [join(folder, 'handoff', 'hook'), agent, 'stop'], {
    env: { PATH: process.env.PATH ?? '', ...env },
    encoding: 'utf8',
  }).trim()

it("leaves Claude Code's hooks alone when Copilot CLI runs them, which has its own", () => {
  const inCopilot = { COPILOT_CLI: '1', COPILOT_PROJECT_DIR: '/r' }
  expect(call('claude-code', inCopilot)).toBe('')
  expect(call('copilot-cli', inCopilot)).toBe('hook stop --agent copilot-cli')
  // Started by a command of Copilot CLI, Claude Code is itself.
  expect(call('claude-code', { COPILOT_CLI: '1' })).toBe('hook stop --agent claude-code')
})
