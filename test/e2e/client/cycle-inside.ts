/**
 * Runs inside the network namespace: starts the scripted model and a tmux server, lets a person's real client work in a pane of it, changes to another real
 * client with the built program, and writes down what happened. Bundled and started by `run.ts`.
 */
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Json } from '../model/dialect.ts'
import type { Scenario } from '../model/scenario.ts'
import { startModel } from '../model/server.ts'
import { type Bench, type ClientId, DUMMY_KEY } from './client.ts'
import { liveSessions, servePanes, until } from './panes.ts'
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
  /** Node, the built program, and `switch` with its options; the pane is added. */
  command: string[]
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

/** Whether hooks have told the end of a turn of this agent. */
const hasStopped = (agent: ClientId): boolean =>
  liveSessions(repo).some((session) => session.agent === agent && session.event === 'stop')

const panes = servePanes(env)
try {
  const { screen, bin } = clients[job.from]
  if (screen === undefined) throw new Error(`nobody has seen the screen of ${job.from}`)
  const pane = panes.open(repo, bin, ...screen.args)
  try {
    await until(`the screen of ${job.from}`, job.timeout, () => screen.ready.test(panes.screen(pane)))
    await sleep(1000)
    screens.waiting = panes.screen(pane)
    await panes.type(pane, job.ask)
    await until(`the end of the turn of ${job.from}`, job.timeout, () => hasStopped(job.from))
    screens.worked = panes.screen(pane)
    report.before = model.requests.length
    await runSwitch([...job.command, '--pane', pane])
    await until(`the last request of ${job.to}`, job.timeout, () =>
      model.requests.slice(report.before).some((body) => JSON.stringify(body).includes(job.last)),
    )
    await until(`the end of the turn of ${job.to}`, job.timeout, () => hasStopped(job.to))
  } finally {
    const open = panes.list()
    report.panes = open.map((line) => line.replace(/^\S+ /, ''))
    for (const line of open) screens[`at the end, ${line}`] = panes.screen(line.split(' ')[0] ?? '')
  }
} catch (error) {
  report.problems.push(error instanceof Error ? error.message : String(error))
} finally {
  await panes.close()
}
await model.close()
await writeFile(reportFile, JSON.stringify(report))

function runSwitch([program = '', ...args]: string[]): Promise<void> {
  const child = spawn(program, args, {
    cwd: repo,
    env: { ...env, TMUX: panes.address },
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
