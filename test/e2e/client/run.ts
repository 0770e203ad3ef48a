import { execFileSync, spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import type { Job, Report } from './inside.ts'

export type { Job, Report } from './inside.ts'

/** Lets the client work one turn against the scripted model, cut off from every network where the machine allows it. */
export const runClient = (job: Job): Promise<Report> => runInside<Report>('inside.ts', job)

/** Runs a program of this folder, which takes a file with its job and one for its report, cut off from every network where the machine allows it. */
export async function runInside<T>(entry: string, job: object): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'handoff-client-'))
  try {
    const [program, jobFile, reportFile] = ['inside.mjs', 'job.json', 'report.json'].map((name) =>
      join(folder, name),
    ) as [string, string, string]
    await build({
      entryPoints: [fileURLToPath(new URL(entry, import.meta.url))],
      outfile: program,
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node20',
      logLevel: 'warning',
    })
    await writeFile(jobFile, JSON.stringify(job))
    const [command = process.execPath, ...args] = [
      ...loopbackOnly(),
      process.execPath,
      program,
      jobFile,
      reportFile,
    ]
    const stderr = await finish(command, args)
    const report = await readFile(reportFile, 'utf8').catch((cause: unknown) => {
      throw new Error(`${entry} left no report: ${stderr}`, { cause })
    })
    return JSON.parse(report) as T
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Prefix of a command that sees only loopback: as root, as a user with own namespaces, or none where neither works. */
function loopbackOnly(): string[] {
  const inside = ['--', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh']
  for (const flags of [['-n'], ['-r', '-n']]) {
    try {
      execFileSync('unshare', [...flags, ...inside, 'true'], { stdio: 'ignore' })
      return ['unshare', ...flags, ...inside]
    } catch {
      // Not allowed here: the next way is tried, and without any the clients still know only the address of the script.
    }
  }
  return []
}

function finish(command: string, args: string[]): Promise<string> {
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'], env: { PATH: process.env.PATH } })
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', () => resolve(stderr))
  })
}
