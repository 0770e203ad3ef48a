import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { root } from '../build.ts'
import { type Annotation, commandsOf } from './commands.ts'

export interface ScriptResult {
  code: number | null
  /** Standard output and standard error as they come. */
  log: string
}

/** Runs a text as a script of a shell, as a CI server does. */
export function runScript(
  shell: readonly [string, ...string[]],
  text: string,
  options: { cwd: string; env: Record<string, string>; folder: string },
): Promise<ScriptResult> {
  const file = join(mkdtempSync(join(options.folder, 'script-')), 'script')
  writeFileSync(file, text)
  const [program, ...args] = shell
  const child = spawn(program, [...args, file], {
    cwd: options.cwd,
    env: options.env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let log = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (block: string) => {
      log += block
    })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve({ code, log }))
  })
}

interface Action {
  inputs: Record<string, { default: string }>
  outputs: Record<string, { value: string }>
  runs: {
    using: string
    steps: { name: string; id?: string; shell: string; env?: Record<string, string>; run: string }[]
  }
}

/** A template of the package as a value. */
export const readTemplate = (path: string): unknown =>
  parse(readFileSync(join(root, 'templates', path), 'utf8'))

export const action = readTemplate('github-action/action.yml') as Action

export interface ActionResult {
  /** Exit status of the step that failed, else 0. */
  code: number
  log: string
  outputs: Record<string, string>
  summary: string
  annotations: Annotation[]
}

/** Runs the steps of the composite action one after the other, as the runner of GitHub does. */
export async function runAction(run: {
  folder: string
  workspace: string
  event: { name: string; payload: object }
  env: Record<string, string>
  inputs: Record<string, string>
}): Promise<ActionResult> {
  const { folder, workspace } = run
  const event = join(folder, 'event.json')
  writeFileSync(event, JSON.stringify(run.event.payload))
  const [summary, outputFile, envFile] = ['summary', 'output', 'env'].map((name) =>
    join(folder, `${name}.txt`),
  )
  for (const file of [summary, envFile]) writeFileSync(file as string, '')
  const inputs = Object.fromEntries(
    Object.entries(action.inputs).map(([name, { default: value }]) => [name, run.inputs[name] ?? value]),
  )
  const steps: Record<string, Record<string, string>> = {}
  const value = (text: string): string =>
    text.replace(/\$\{\{ (\S+) \}\}/g, (whole, path: string) => {
      const [scope, a = '', , b = ''] = path.split('.')
      if (scope === 'inputs') return value(inputs[a] ?? '')
      if (scope === 'steps') return steps[a]?.[b] ?? ''
      if (path === 'github.token') return run.env.GITHUB_TOKEN_OF_RUN ?? ''
      throw new Error(`the test cannot tell what ${whole} is`)
    })
  let log = ''
  let code = 0
  for (const step of action.runs.steps) {
    writeFileSync(outputFile as string, '')
    const result = await runScript(['bash', '--noprofile', '--norc', '-eo', 'pipefail'], step.run, {
      cwd: workspace,
      folder,
      env: {
        ...run.env,
        CI: 'true',
        GITHUB_ACTIONS: 'true',
        GITHUB_EVENT_NAME: run.event.name,
        GITHUB_EVENT_PATH: event,
        GITHUB_WORKSPACE: workspace,
        GITHUB_REPOSITORY: 'org/repo',
        GITHUB_ACTION_PATH: join(root, 'templates/github-action'),
        GITHUB_STEP_SUMMARY: summary as string,
        GITHUB_OUTPUT: outputFile as string,
        GITHUB_ENV: envFile as string,
        RUNNER_TEMP: folder,
        ...Object.fromEntries(Object.entries(step.env ?? {}).map(([name, text]) => [name, value(text)])),
      },
    })
    log += result.log
    if (step.id !== undefined) steps[step.id] = readOutputs(readFileSync(outputFile as string, 'utf8'))
    if (result.code !== 0) {
      code = result.code ?? -1
      break
    }
  }
  const outputs = Object.entries(action.outputs).map(([name, output]) => [name, value(output.value)])
  return {
    code,
    log,
    outputs: Object.fromEntries(outputs) as Record<string, string>,
    summary: readFileSync(summary as string, 'utf8'),
    annotations: commandsOf(log),
  }
}

const readOutputs = (text: string): Record<string, string> =>
  Object.fromEntries(
    text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  )
