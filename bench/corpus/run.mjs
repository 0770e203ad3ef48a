import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chooseFiles, gitEnv, makeRepository } from './place.mjs'
import { repositoryFiles, textAt } from './sessions.mjs'

const TIME_LIMIT = 120_000
/** Where nothing is written, time and chance are taken out, so that predictions can be compared byte by byte. */
const STILL = ['--require', fileURLToPath(new URL('./still.cjs', import.meta.url))]
/** Failures that no input should be able to cause. */
const UNFORESEEN = new Set(['E_GIT', 'E_UNEXPECTED'])

/**
 * A function that hands over one item and returns its result: `{id, format, state, files, commands, markdown, tokens,
 * ms, ghosts, problems}`. `state` is `ok`, `refused` (the product said no), `crashed` or `wrong` (a promise was broken).
 */
export function makeRunner({ corpus, folder, program, cap, commit }) {
  const home = join(folder, 'home')
  mkdirSync(home, { recursive: true })
  const shared = new Set()
  const env = gitEnv(home)

  return async function run(item) {
    const text = textAt(corpus, item)
    const listed = repositoryFiles(corpus, item.repo)
    const repo = join(folder, commit ? 'repo' : item.repo.replace('/', '+'))
    if (commit) rmSync(repo, { recursive: true, force: true, maxRetries: 5 })
    if (!shared.has(repo)) makeRepository(repo, home, chooseFiles(listed ?? [], text, cap))
    if (!commit) shared.add(repo)
    const session = join(folder, `session.${item.format === 'opencode' ? 'json' : 'jsonl'}`)
    writeFileSync(session, text)

    const git = async (...args) => (await execute('git', args, repo, env)).stdout
    const indexOf = async () => hash(await git('ls-files', '--stage', '--', '.', ':!.handoff'))
    const before = commit ? { index: await indexOf(), head: (await git('rev-parse', 'HEAD')).trim() } : null
    const start = performance.now()
    const args = [
      'create',
      '--session',
      session,
      '--json',
      '--allow-vague',
      '--redact',
      ...(commit ? [] : ['--dry-run']),
    ]
    const made = await execute(
      process.execPath,
      [...(commit ? [] : STILL), program, ...args, '--', item.goal],
      repo,
      env,
    )
    const ms = Math.round(performance.now() - start)

    const result = { id: item.id, format: item.format, ...outcomeOf(made), ms, ghosts: [], problems: [] }
    if (result.state !== 'ok') return result
    const known = new Set(listed)
    result.ghosts = result.files.filter(
      (file) => !text.includes(file) && !item.goal.includes(file) && !known.has(file),
    )
    if (result.ghosts.length > 0) result.problems.push(`ghosts: ${result.ghosts.join(', ')}`)
    if (commit) {
      const checked = await execute(process.execPath, [program, 'check', result.path, '--json'], repo, env)
      if (checked.code !== 0) result.problems.push(`check ended with ${checked.code}: ${first(checked)}`)
      const status = await git('status', '--porcelain')
      if (status !== '') result.problems.push(`status is not clean: ${status.split('\n')[0]}`)
      if ((await indexOf()) !== before.index) result.problems.push('the index changed outside .handoff')
      const count = (await git('rev-list', '--count', `${before.head}..HEAD`)).trim()
      if (count !== '1') result.problems.push(`${count} commits instead of 1`)
    }
    return { ...result, state: result.problems.length === 0 ? 'ok' : 'wrong' }
  }
}

/** What `create --json` said, in the words of the predictions. */
function outcomeOf(made) {
  const empty = { files: [], commands: [], markdown: '', tokens: null, path: null }
  let answer
  try {
    answer = JSON.parse(made.stdout)
  } catch {
    return {
      ...empty,
      state: 'crashed',
      error: `ended with ${made.code ?? made.signal} and no JSON: ${first(made)}`,
    }
  }
  if (made.code === 0 && answer.ok) {
    const { relevantFiles, relevantCommands } = answer.brief
    return {
      state: 'ok',
      files: relevantFiles.map(({ path }) => path),
      commands: relevantCommands.map(({ command }) => command),
      markdown: answer.markdown,
      tokens: answer.tokens,
      path: answer.path,
      warnings: answer.warnings,
    }
  }
  const [error] = answer.errors ?? []
  const isRefusal = error && !UNFORESEEN.has(error.code) && [1, 2].includes(made.code)
  return { ...empty, state: isRefusal ? 'refused' : 'crashed', error: `${error?.code}: ${error?.message}` }
}

function execute(command, args, cwd, env) {
  const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], timeout: TIME_LIMIT })
  const out = { stdout: [], stderr: [] }
  for (const name of ['stdout', 'stderr']) child[name].on('data', (chunk) => out[name].push(chunk))
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => {
      const [stdout, stderr] = ['stdout', 'stderr'].map((name) => Buffer.concat(out[name]).toString('utf8'))
      resolve({ code, signal, stdout, stderr })
    })
  })
}

const hash = (text) => createHash('sha256').update(text).digest('hex')

const first = ({ stdout, stderr }) => (stderr || stdout).trim().slice(0, 500)
