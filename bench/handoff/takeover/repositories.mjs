/** Brings the repository of a task to where its work begins. No code of it is stored here: git has it. */
import { spawnSync } from 'node:child_process'
import { appendFileSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { gitEnv } from '../repository.mjs'

const DEPTH = 20

export function run(program, args, { cwd, env = process.env, ok = true }) {
  const done = spawnSync(program, args, { cwd, env, encoding: 'utf8', maxBuffer: 1 << 28 })
  if (ok && done.status !== 0)
    throw new Error(`${program} ${args.join(' ')}: ${done.stderr}${done.stdout}${done.error ?? ''}`)
  return done
}

/** The bare repository of a task: `<sources>/<owner>+<name>/repo` if it is there, else a clone put there. */
export function sourceOf(task, sources) {
  const path = resolve(sources, task.repository.replace('/', '+'), 'repo')
  if (!existsSync(path)) {
    mkdirSync(dirname(path), { recursive: true })
    run('git', ['clone', '-q', '--mirror', `https://github.com/${task.repository}`, path], {
      cwd: dirname(path),
    })
  }
  return path
}

/** The npm packages that the tests of a task need, installed once below `sources`. */
function packagesOf(task, sources) {
  const folder = resolve(sources, 'packages', task.id)
  const modules = join(folder, 'node_modules')
  if (!existsSync(modules)) {
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'package.json'), '{ "private": true }\n')
    run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', ...task.packages], { cwd: folder })
  }
  return modules
}

/** The repository before the fix, with some of its history and without a remote. Gives the id of its commit and its time. */
export function checkOut(task, repo, home, sources) {
  const git = (...args) => run('git', args, { cwd: repo, env: gitEnv(home) }).stdout.trim()
  const source = sourceOf(task, sources)
  mkdirSync(repo, { recursive: true })
  mkdirSync(home, { recursive: true })
  const base = run('git', ['rev-parse', `${task.fix}^`], { cwd: source }).stdout.trim()
  git('init', '-q', '-b', 'work', '--template=')
  git('config', 'user.name', 'Robin')
  git('config', 'user.email', 'robin@example.invalid')
  const pack = 'git -c uploadpack.allowAnySHA1InWant=true upload-pack'
  git('fetch', '-q', `--depth=${DEPTH}`, '--no-tags', `--upload-pack=${pack}`, `file://${source}`, base)
  git('reset', '-q', '--hard', base)
  rmSync(join(repo, '.git/FETCH_HEAD'))
  mkdirSync(join(repo, '.git/info'), { recursive: true })
  appendFileSync(join(repo, '.git/info/exclude'), 'node_modules\n__pycache__/\n.pytest_cache/\n*.egg-info/\n')
  if (task.packages?.length) symlinkSync(packagesOf(task, sources), join(repo, 'node_modules'))
  return { base, seconds: Number(git('log', '-1', '--format=%ct')) }
}

/** The environment of every command of a session or of a successor: nothing is left behind in the work tree. */
export const commandEnv = (home) => ({
  ...process.env,
  PYTHONDONTWRITEBYTECODE: '1',
  PYTEST_ADDOPTS: '-p no:cacheprovider',
  NO_COLOR: '1',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: join(home, '.gitconfig'),
})

/** What the work tree has against a commit, files that git does not know included. */
export function changesAgainst(base, repo, home) {
  const env = { ...gitEnv(home), GIT_INDEX_FILE: join(home, 'index') }
  const git = (...args) => run('git', args, { cwd: repo, env }).stdout
  git('read-tree', 'HEAD')
  git('add', '-A')
  const files = git('diff', '--cached', '--name-only', '--no-renames', base).split('\n').filter(Boolean)
  const patch = git('diff', '--cached', '--no-renames', '-U0', base)
  const subjects = git('log', '--format=%s', `${base}..HEAD`).split('\n').filter(Boolean)
  return { files, subjects, added: addedLines(patch) }
}

function addedLines(patch) {
  const added = []
  let path = ''
  for (const line of patch.split('\n')) {
    if (line.startsWith('+++ ')) path = line.slice(6)
    else if (line.startsWith('+')) added.push({ path, text: line.slice(1) })
  }
  return added
}

/** Lays the tests of the fix over a copy of the work and runs them, and the suite that passed before. */
export function tryTests(task, repo, home, sources) {
  const source = sourceOf(task, sources)
  for (const path of task.hidden) {
    const text = run('git', ['show', `${task.fix}:${path}`], { cwd: source }).stdout
    mkdirSync(dirname(join(repo, path)), { recursive: true })
    writeFileSync(join(repo, path), text)
  }
  const tried = (command) =>
    spawnSync('bash', ['-c', command], {
      cwd: repo,
      env: commandEnv(home),
      encoding: 'utf8',
      timeout: 300_000,
    })
  const [check, suite] = [tried(task.check), tried(task.suite)]
  return {
    solved: check.status === 0,
    suite: suite.status === 0,
    output: `${check.stdout}${check.stderr}${suite.stdout}${suite.stderr}`.slice(-4000),
  }
}
