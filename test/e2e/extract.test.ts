import { spawn } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { isAlive } from '../is-alive.ts'
import { USUAL, writeClaudeSession } from '../repo/claude-session.ts'
import { fakeAgent } from '../repo/fake-agent.ts'
import { makeFolder, makeRepo, type TempRepo } from '../repo/make-repo.ts'
import { answerWith } from '../repo/model-answer.ts'
import { MODELS, type ModelServer, startModelServer } from '../repo/model-server.ts'
import { byNight, sampled } from '../sampled.ts'
import { root } from './build.ts'

const GOAL = 'finish the retry queue and document its limits'
const FINDING = 'The queue drops jobs older than a day.'
const ANSWER = answerWith(FINDING)

let server: ModelServer | null = null
afterEach(async () => {
  await server?.close()
  server = null
})

function newRepo(): TempRepo {
  const repo = makeRepo()
  repo.commit('queue', { 'src/queue.ts': 'x\n', 'src/api.ts': 'y\n', 'test/queue.test.ts': 'z\n' })
  writeClaudeSession(repo, USUAL, { end: new Date(Date.now() - 60_000) })
  return repo
}

interface Ran {
  code: number | null
  stdout: string
  stderr: string
}

/** Runs the built program, or a copy of it, and interrupts it when `until` is settled. */
function run(
  repo: TempRepo,
  args: string[],
  {
    env = {},
    until,
    again,
    program = root,
  }: {
    env?: Record<string, string>
    until?: () => Promise<unknown>
    /** Ms until it is interrupted once more. */
    again?: number
    program?: string
  } = {},
): Promise<Ran> {
  const child = spawn(process.execPath, [join(program, 'bin/handoff.cjs'), 'create', GOAL, ...args], {
    cwd: repo.root,
    env: { ...repo.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ran: Ran = { code: null, stdout: '', stderr: '' }
  for (const stream of ['stdout', 'stderr'] as const)
    child[stream].setEncoding('utf8').on('data', (text: string) => {
      ran[stream] += text
    })
  void until?.().then(() => {
    child.kill('SIGINT')
    if (again !== undefined) setTimeout(() => child.kill('SIGINT'), again)
  })
  return new Promise((resolve) => child.once('close', (code) => resolve({ ...ran, code })))
}

byNight.each(sampled(MODELS, 1))(
  'the built program asks %s through the installed packages',
  async (model) => {
    const repo = newRepo()
    server = await startModelServer([{ text: ANSWER }])
    const { code, stdout, stderr } = await run(repo, ['--json', '--extract', model], { env: server.env })
    expect(code, stderr + stdout).toBe(0)
    const { brief, warnings } = JSON.parse(stdout)
    expect(brief.extraction).toEqual({ mode: 'model', model, attempts: 1 })
    expect(brief.notes.page).toContain(FINDING)
    expect(warnings.join('\n')).not.toContain('vain')
    // Nothing is written by the packages themselves.
    expect(stderr).toBe('')
  },
)

byNight('without the packages the line that installs them is told, and nothing is written', async () => {
  const repo = newRepo()
  const program = join(makeFolder(), 'program')
  mkdirSync(program)
  for (const name of ['bin', 'dist', 'templates', 'package.json'])
    cpSync(join(root, name), join(program, name), { recursive: true })
  for (const model of MODELS) {
    const { code, stdout } = await run(repo, ['--json', '--extract', model], { program })
    expect(code).toBe(2)
    const [error] = JSON.parse(stdout).errors
    expect(error).toMatchObject({ code: 'E_MODEL_PACKAGE' })
    expect(error.hint).toContain(`ai@6 @ai-sdk/${model.split('/')[0]}@3`)
  }
  expect(repo.git(['status', '--porcelain'])).toBe('')
})

byNight('the package that asks is loaded only when somebody asks', async () => {
  const folder = makeFolder()
  const log = join(folder, 'loaded')
  writeFileSync(
    join(folder, 'spy.cjs'),
    `const { Module } = require('node:module'); const { appendFileSync } = require('node:fs')
const load = Module._load
Module._load = function (name, ...rest) { appendFileSync(${JSON.stringify(log)}, name + '\\n'); return load.call(this, name, ...rest) }
`,
  )
  const env = { NODE_OPTIONS: `--require=${join(folder, 'spy.cjs')}` }
  await run(newRepo(), [], { env })
  const plain = readFileSync(log, 'utf8')
  expect(plain).not.toMatch(/^ai$/m)
  server = await startModelServer([{ text: ANSWER }])
  await run(newRepo(), ['--extract', MODELS[0]], { env: { ...env, ...server.env } })
  // It is seen where it is loaded.
  expect(readFileSync(log, 'utf8')).toMatch(/^ai$/m)
})

/** The question has ended, and the brief was made without its answer. */
function expectQuoted(repo: TempRepo, { code, stderr }: Ran): void {
  expect(code, stderr).toBe(0)
  expect(stderr).toContain('wrote no page: you ended the question; the brief quotes the session')
  expect(repo.git(['log', '-1', '--format=%s'])).toContain('chore(handoff)')
  expect(repo.git(['status', '--porcelain'])).toBe('')
}

it('Ctrl-C while an agent is asked: it is ended with what it started, and the brief is made', async () => {
  const repo = newRepo()
  const fake = fakeAgent(repo, 'claude', { hangs: true })
  const temporary = join(repo.base, 'tmp')
  mkdirSync(temporary)
  const ran = await run(repo, ['--extract', 'agent'], {
    env: { ...fake.env, TMPDIR: temporary },
    until: () => expect.poll(() => fake.seen(), { timeout: 60_000 }).not.toBeNull(),
  })
  expectQuoted(repo, ran)
  expect(isAlive(fake.seen()?.pid ?? 0)).toBe(false)
  expect(readdirSync(temporary)).toEqual([])
})

byNight('a second Ctrl-C while an agent will not end: its folder is gone all the same', async () => {
  const repo = newRepo()
  const fake = fakeAgent(repo, 'claude', { hangs: true, isDeaf: true })
  const temporary = join(repo.base, 'tmp')
  mkdirSync(temporary)
  const ran = await run(repo, ['--extract', 'agent'], {
    env: { ...fake.env, TMPDIR: temporary },
    until: () => expect.poll(() => fake.seen(), { timeout: 60_000 }).not.toBeNull(),
    again: 500,
  })
  expectQuoted(repo, ran)
  expect(readdirSync(temporary)).toEqual([])
  await expect.poll(() => isAlive(fake.seen()?.pid ?? 0)).toBe(false)
})
