import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { root } from './build.ts'

/** A scratch home and repository. Absolute real paths. */
export interface Lab {
  /** Holds all of it. */
  folder: string
  home: string
  repo: string
  /** PATH on which `handoff` is the built program. */
  path: string
}

export interface Outcome {
  code: number | null
  stdout: string
  stderr: string
}

const FILES: Readonly<Record<string, string>> = {
  'package.json': '{ "name": "lab", "type": "module", "scripts": { "test": "node --test" } }\n',
  'calc.js': 'export const add = (a, b) => a - b\nexport const sub = (a, b) => a + b\n',
  'calc.test.js': `import assert from 'node:assert/strict'
import test from 'node:test'
import { add, sub } from './calc.js'
test('add', () => assert.equal(add(2, 3), 5))
test('sub', () => assert.equal(sub(5, 3), 2))
`,
}

/** A repository with two bugs and a test that fails for both; removed when `atEnd` says, usually with the test. */
export async function makeLab(
  atEnd: (remove: () => Promise<void>) => void = (remove) => onTestFinished(remove),
): Promise<Lab> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'handoff-lab-')))
  atEnd(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  const [home, repo, bin] = [join(folder, 'home'), join(folder, 'repo'), join(folder, 'bin')]
  for (const made of [home, repo, bin]) await mkdir(made)
  await symlink(join(root, 'bin', 'handoff.cjs'), join(bin, 'handoff'))
  const lab = {
    folder,
    home,
    repo,
    path: [bin, dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(':'),
  }
  // Codex runs commands in a login shell, which would set a PATH of its own.
  await writeFile(join(home, '.profile'), `export PATH='${lab.path}'\n`)
  for (const [name, text] of Object.entries(FILES)) await writeFile(join(repo, name), text)
  await git(lab, 'init', '-q', '-b', 'main')
  await git(lab, 'config', 'user.email', 'robin@example.invalid')
  await git(lab, 'config', 'user.name', 'Robin')
  await git(lab, 'add', '.')
  await git(lab, 'commit', '-q', '-m', 'Add the calculator')
  await git(lab, 'switch', '-q', '-c', 'feature/fix-calc')
  return lab
}

/** Output of a git command that must succeed. */
export async function git(lab: Lab, ...args: string[]): Promise<string> {
  const outcome = await execute('git', args, lab)
  if (outcome.code !== 0) throw new Error(`git ${args.join(' ')}: ${outcome.stderr}`)
  return outcome.stdout
}

/** Runs the built program in the lab's repository, as its own person and without this process's environment. */
export const handoff = (lab: Lab, ...args: string[]): Promise<Outcome> =>
  execute(process.execPath, [join(root, 'bin', 'handoff.cjs'), ...args], lab)

/** Text of a file of the lab's repository. */
export const textOf = (lab: Lab, path: string): Promise<string> => readFile(join(lab.repo, path), 'utf8')

/** Runs a program in the lab with a clean environment. */
export function execute(
  command: string,
  args: readonly string[],
  lab: Lab,
  cwd = lab.repo,
): Promise<Outcome> {
  const env = { PATH: lab.path, HOME: lab.home, LANG: 'C.UTF-8', GIT_CONFIG_NOSYSTEM: '1' }
  const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const outcome: Outcome = { code: null, stdout: '', stderr: '' }
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (text: string) => {
      outcome[stream] += text
    })
  }
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve({ ...outcome, code }))
  })
}
