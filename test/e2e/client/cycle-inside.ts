/**
 * Runs inside the network namespace: starts the scripted model and a tmux server, lets a person's real client work in a pane of it, changes to another real
 * client with the built program, and writes down what happened. Bundled and started by `run.ts`.
 */
import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Json } from '../model/dialect.ts'
import type { Scenario } from '../model/scenario.ts'
import { startModel } from '../model/server.ts'
import { type Bench, type ClientId, DUMMY_KEY } from './client.ts'
import { clients } from './table.ts'

export interface CycleJob {
  from: ClientId
  to: ClientId
  /** Absolute paths of the clients' programs. */
  programs: string[]
  bench: Bench
  path: string
  /** What the person asks first. */
  ask: string
  /** Node, the built program, and `switch` with its options; the pane is added. Null: the departing agent calls it itself. */
  command: string[] | null
  /** A text of the last request that the successor makes for the person. */
  last: string
  scenario: Scenario
  /** For each thing that is waited for, in ms. */
  timeout: number
}

export interface CycleReport {
  code: number | null
  stdout: string
  stderr: string
  /** Bodies of the model requests, in order, and how many had come when the switch began. */
  requests: Json[]
  before: number
  problems: string[]
  /** What stood on the screens at each step. */
  screens: Record<string, string>
  /** Programs in the panes at the end. */
  panes: string[]
}

const [, , jobFile = '', reportFile = ''] = process.argv
const job = JSON.parse(readFileSync(jobFile, 'utf8')) as CycleJob
const { repo } = job.bench
const folder = mkdtempSync('/tmp/handoff-tmux-')
const socket = join(folder, 's')
const model = await startModel(job.scenario, DUMMY_KEY)
const two = [clients[job.from], clients[job.to]]
for (const client of two) await client.prepare(job.bench, model.url, null)
const env: Record<string, string> = {
  PATH: [job.path, ...job.programs.map((program) => dirname(program))].join(':'),
  HOME: job.bench.home,
  LANG: 'C.UTF-8',
  TERM: 'xterm-256color',
  GIT_CONFIG_NOSYSTEM: '1',
}
for (const client of two) Object.assign(env, client.env(job.bench, model.url))
const screens: Record<string, string> = {}
const report: CycleReport = {
  ...{ code: null, stdout: '', stderr: '', requests: model.requests, before: 0 },
  ...{ problems: model.problems, screens, panes: [] },
}

const tmux = (...args: string[]): string =>
  execFileSync('tmux', ['-S', socket, '-f', '/dev/null', ...args], {
    env,
    encoding: 'utf8',
    timeout: 20_000,
  }).trimEnd()
const screenOf = (pane: string): string => tmux('capture-pane', '-p', '-t', pane).replace(/\n{3,}/g, '\n\n')

async function until(what: string, look: () => boolean): Promise<void> {
  for (const end = Date.now() + job.timeout; !look(); await sleep(100))
    if (Date.now() > end) throw new Error(`never came: ${what}`)
}

/** Whether hooks have told the end of a turn of this agent. */
function hasStopped(agent: ClientId): boolean {
  try {
    const sessions = join(repo, '.git/handoff/sessions')
    return readdirSync(sessions)
      .map((name) => JSON.parse(readFileSync(join(sessions, name), 'utf8')) as Json)
      .some((session) => session.agent === agent && session.event === 'stop')
  } catch {
    return false
  }
}

try {
  tmux('new-session', '-d', '-x', '160', '-y', '50', '--', 'sleep', '900')
  const { screen, bin } = clients[job.from]
  if (screen === undefined) throw new Error(`nobody has seen the screen of ${job.from}`)
  const pane = tmux(
    'new-window',
    '-d',
    '-P',
    '-F',
    '#{pane_id}',
    '-c',
    repo,
    '--',
    'env',
    bin,
    ...screen.args,
  )
  try {
    await until(`the screen of ${job.from}`, () => screen.ready.test(screenOf(pane)))
    await sleep(1000)
    screens.waiting = screenOf(pane)
    tmux('send-keys', '-t', pane, '-l', '--', job.ask)
    await sleep(400)
    tmux('send-keys', '-t', pane, 'Enter')
    if (job.command !== null) {
      await until(`the end of the turn of ${job.from}`, () => hasStopped(job.from))
      screens.worked = screenOf(pane)
      report.before = model.requests.length
      await runSwitch([...job.command, '--pane', pane])
    }
    await until(`the last request of ${job.to}`, () =>
      model.requests.slice(report.before).some((body) => JSON.stringify(body).includes(job.last)),
    )
    await until(`the end of the turn of ${job.to}`, () => hasStopped(job.to))
  } finally {
    const panes = tmux('list-panes', '-a', '-F', '#{pane_id} #{pane_current_command}').split('\n')
    report.panes = panes.map((line) => line.replace(/^\S+ /, ''))
    for (const line of panes) screens[`at the end, ${line}`] = screenOf(line.split(' ')[0] ?? '')
  }
} catch (error) {
  report.problems.push(error instanceof Error ? error.message : String(error))
} finally {
  try {
    const pids = tmux('list-panes', '-a', '-F', '#{pane_pid}').split('\n').map(Number)
    tmux('kill-server')
    await endOf(pids)
  } catch {
    // It has not come up, or ended with its last window.
  }
  rmSync(folder, { recursive: true, force: true })
}
await model.close()
await writeFile(reportFile, JSON.stringify(report))

/** Clients call their last hooks when their screen is gone; one that does not end then is ended. */
async function endOf(pids: number[]): Promise<void> {
  const isAlive = (pid: number): boolean => {
    try {
      return process.kill(pid, 0)
    } catch {
      return false
    }
  }
  for (const end = Date.now() + 10_000; pids.some(isAlive) && Date.now() < end; ) await sleep(100)
  for (const pid of pids.filter(isAlive)) process.kill(pid, 'SIGKILL')
}

function runSwitch([program = '', ...args]: string[]): Promise<void> {
  const child = spawn(program, args, {
    cwd: repo,
    env: { ...env, TMUX: `${socket},0,0` },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 2 * job.timeout,
  })
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      report[name] += text
    })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => {
      report.code = code
      resolve()
    })
  })
}
