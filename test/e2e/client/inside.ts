/**
 * Runs inside the network namespace, where nothing but loopback exists: starts the scripted model, lets one real client
 * work one headless turn against it, and writes down what happened. Bundled and started by `run.ts`.
 */
import { spawn } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Json } from '../model/dialect.ts'
import type { Scenario } from '../model/scenario.ts'
import { startModel } from '../model/server.ts'
import { type Bench, type ClientId, DUMMY_KEY } from './client.ts'
import { clients } from './table.ts'

/** What to run. */
export interface Job {
  client: ClientId
  /** Another one that is ready as well. */
  besides?: ClientId
  /** Absolute path of the client's program. */
  program: string
  bench: Bench
  path: string
  prompt: string
  model: string | null
  scenario: Scenario
  /** More arguments, behind those of the turn. */
  args?: string[]
  /** What to run instead of a turn: program and arguments, in the client's environment and with the client on PATH. */
  command?: string[]
  /** The turn is ended after this many ms. */
  timeout: number
}

/** What happened. `requests`: bodies of the model requests in order. */
export interface Report {
  code: number | null
  stdout: string
  stderr: string
  requests: Json[]
  problems: string[]
}

const [, , jobFile = '', reportFile = ''] = process.argv
const job = JSON.parse(await readFile(jobFile, 'utf8')) as Job
const client = clients[job.client]
const ready = [client, ...(job.besides ? [clients[job.besides]] : [])]
const model = await startModel(job.scenario, DUMMY_KEY)
for (const one of ready) await one.prepare(job.bench, model.url, job.model)
// What a client needs besides itself stands beside it.
const PATH = `${job.path}:${dirname(job.program)}`
const [program = job.program, ...args] = job.command ?? [
  job.program,
  ...client.turn(job.prompt),
  ...(job.args ?? []),
]
const child = spawn(program, args, {
  cwd: job.bench.repo,
  env: {
    PATH,
    HOME: job.bench.home,
    LANG: 'C.UTF-8',
    ...Object.assign({}, ...ready.map((one) => one.env(job.bench, model.url))),
  },
  stdio: ['ignore', 'pipe', 'pipe'],
  timeout: job.timeout,
})
const out: Buffer[] = []
const err: Buffer[] = []
child.stdout.on('data', (chunk: Buffer) => out.push(chunk))
child.stderr.on('data', (chunk: Buffer) => err.push(chunk))
const code = await new Promise<number | null>((resolve, reject) => {
  child.once('error', reject)
  child.once('close', resolve)
})
await model.close()
const report: Report = {
  code,
  stdout: Buffer.concat(out).toString('utf8'),
  stderr: Buffer.concat(err).toString('utf8'),
  requests: model.requests,
  problems: model.problems,
}
await writeFile(reportFile, JSON.stringify(report))
