/**
 * Runs inside the network namespace: starts the scripted model and one real client in a pane of a terminal, types what a person says, waits for
 * the end of each turn, and runs programs beside it. Bundled and started by `run.ts`.
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

/**
 * What happens next: the person says something, waits until something stands on the screen, or runs a program beside the session, in its own
 * place or in the environment of the client.
 */
export type Act = { say: string } | { shows: string } | { beside: string[] }

export interface ScreenJob {
  client: ClientId
  /** Absolute path of the client's program. */
  program: string
  bench: Bench
  path: string
  scenario: Scenario
  acts: Act[]
  /** More arguments of the client. */
  args: string[]
  /** What the person types instead of the client's name: variables, program and arguments. */
  command?: string[]
  /** For each thing that is waited for, in ms. */
  timeout: number
}

export interface ScreenReport {
  /** By act: the bodies of the model requests that came in it, and what a program beside it printed. */
  acts: { requests: Json[]; code: number | null; stdout: string; stderr: string }[]
  problems: string[]
  /** What stood on the screen after each act. */
  screens: string[]
}

const [, , jobFile = '', reportFile = ''] = process.argv
const job = JSON.parse(readFileSync(jobFile, 'utf8')) as ScreenJob
const { repo, home } = job.bench
const client = clients[job.client]
const model = await startModel(job.scenario, DUMMY_KEY)
await client.prepare(job.bench, model.url, null)
const base = {
  PATH: `${job.path}:${dirname(job.program)}`,
  HOME: home,
  LANG: 'C.UTF-8',
  TERM: 'xterm-256color',
  GIT_CONFIG_NOSYSTEM: '1',
}
const env = { ...base, ...client.env(job.bench, model.url) }
const report: ScreenReport = { acts: [], problems: model.problems, screens: [] }
const panes = servePanes(env)

/** When the last turn of this client ended, as its hooks said. */
const lastStop = (): string =>
  liveSessions(repo)
    .filter(({ agent, event }) => agent === job.client && event === 'stop')
    .map(({ at }) => String(at))
    .sort()
    .at(-1) ?? ''

try {
  const { screen, bin } = client
  if (screen === undefined) throw new Error(`nobody has seen the screen of ${job.client}`)
  const pane = panes.open(repo, ...(job.command ?? [bin, ...screen.args, ...job.args]))
  try {
    if (job.command === undefined) {
      await until(`the screen of ${job.client}`, job.timeout, () => screen.ready.test(panes.screen(pane)))
      await sleep(1000)
    }
    for (const act of job.acts) {
      const before = model.requests.length
      const seen = { code: null as number | null, stdout: '', stderr: '' }
      if ('say' in act) {
        const stopped = lastStop()
        await panes.type(pane, act.say)
        await until(`the end of the turn "${act.say}"`, job.timeout, () => lastStop() > stopped)
      } else if ('shows' in act) {
        await until(`"${act.shows}" on the screen`, job.timeout, () => panes.screen(pane).includes(act.shows))
      } else {
        await runProgram(act.beside, seen)
      }
      report.acts.push({ requests: model.requests.slice(before), ...seen })
      report.screens.push(panes.screen(pane))
    }
  } catch (error) {
    report.screens.push(panes.screen(pane))
    throw error
  }
} catch (error) {
  report.problems.push(error instanceof Error ? error.message : String(error))
} finally {
  await panes.close()
}
await model.close()
await writeFile(reportFile, JSON.stringify(report))

/** The model answers in this process, so it may not wait for the end of a client. */
function runProgram([program = '', ...args]: string[], seen: Omit<ScreenReport['acts'][number], 'requests'>) {
  const child = spawn(program, args, {
    cwd: repo,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: job.timeout,
  })
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      seen[name] += text
    })
  return new Promise<void>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => {
      seen.code = code
      resolve()
    })
  })
}
