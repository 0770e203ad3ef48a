import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { repositoryFiles, textAt } from './sessions.mjs'

const TIME_LIMIT = 120_000
/** Time and chance are taken out, so that predictions can be compared byte by byte. */
const STILL = ['--require', fileURLToPath(new URL('./still.cjs', import.meta.url))]
/** Failures that no input should be able to cause. */
const UNFORESEEN = new Set(['E_GIT', 'E_UNEXPECTED'])

/**
 * A dry run of `create` over every item, `jobs` at a time, in a repository with the files of its own: `{id, format, state, files, commands,
 * markdown, tokens, ghosts}` in the order of the items. `state` is `ok`, `refused` (the product said no) or `crashed`.
 */
export async function runAll(items, { corpus, folder, program, jobs }) {
  const results = []
  let next = 0
  const work = async (job) => {
    const run = makeRunner({ corpus, folder: join(folder, `job-${job}`), program })
    while (next < items.length) {
      const at = next++
      results[at] = await run(items[at])
      if (process.stderr.isTTY) process.stderr.write(`\r${at + 1} of ${items.length} `)
    }
  }
  await Promise.all(Array.from({ length: jobs }, (_, job) => work(job)))
  if (process.stderr.isTTY) process.stderr.write('\n')
  return results
}

function makeRunner({ corpus, folder, program }) {
  const home = join(folder, 'home')
  mkdirSync(home, { recursive: true })
  /** Nothing of the caller but PATH. */
  const env = { PATH: process.env.PATH, HOME: home, LANG: 'C.UTF-8', GIT_CONFIG_NOSYSTEM: '1' }
  const made = new Set()
  return async function run(item) {
    const text = textAt(corpus, item)
    const listed = repositoryFiles(corpus, item.repo) ?? []
    const repo = join(folder, item.repo.replace('/', '+'))
    if (!made.has(repo)) makeRepository(repo, env, listed)
    made.add(repo)
    const session = join(folder, `session.${item.format === 'opencode' ? 'json' : 'jsonl'}`)
    writeFileSync(session, text)
    const flags = ['--session', session, '--json', '--allow-vague', '--redact', '--dry-run']
    const args = [...STILL, program, 'create', ...flags, '--', item.goal]
    const outcome = outcomeOf(await execute(process.execPath, args, repo, env))
    const known = new Set(listed)
    const ghosts = outcome.files.filter(
      (file) => !text.includes(file) && !item.goal.includes(file) && !known.has(file),
    )
    return { id: item.id, format: item.format, ...outcome, ghosts }
  }
}

/** A git repository with the given paths as tracked files, on a branch of its own. JSON files hold `{}`, others nothing. */
function makeRepository(folder, env, files) {
  mkdirSync(folder, { recursive: true })
  const git = (args, input = '') =>
    execFileSync('git', args, { cwd: folder, input, stdio: ['pipe', 'ignore', 'pipe'], env })
  git(['init', '-b', 'main'])
  git(['config', 'user.name', 'Robin'])
  git(['config', 'user.email', 'robin@example.invalid'])
  git(['config', 'gc.auto', '0'])
  git(['fast-import', '--quiet', '--done'], importStream(files))
  git(['reset', '--hard', 'main'])
  git(['checkout', '-b', 'work'])
}

/** Paths that git refuses are left out. */
function importStream(files) {
  const isTaken = (path) =>
    !/(^|\/)\.git(\/|$)/i.test(path) && !path.startsWith('.handoff/') && !/[\n"\\]/.test(path)
  return [
    'blob\nmark :1\ndata 0\n',
    'blob\nmark :2\ndata 3\n{}\n',
    'commit refs/heads/main\ncommitter Robin <robin@example.invalid> 1790000000 +0000\ndata 5\nBegin',
    ...['.keep', ...files.filter(isTaken)].map(
      (path) => `M 100644 :${path.endsWith('.json') ? 2 : 1} ${path}`,
    ),
    'done\n',
  ].join('\n')
}

/** What `create --json` said, in the words of the predictions. */
function outcomeOf({ code, signal, stdout, stderr }) {
  const empty = { files: [], commands: [], markdown: '', tokens: null }
  let answer
  try {
    answer = JSON.parse(stdout)
  } catch {
    const said = (stderr || stdout).trim().slice(0, 500)
    return { ...empty, state: 'crashed', error: `ended with ${code ?? signal} and no JSON: ${said}` }
  }
  if (code === 0 && answer.ok) {
    const { relevantFiles, relevantCommands } = answer.brief
    return {
      state: 'ok',
      files: relevantFiles.map(({ path }) => path),
      commands: relevantCommands.map(({ command }) => command),
      markdown: answer.markdown,
      tokens: answer.tokens,
      warnings: answer.warnings,
    }
  }
  const [error] = answer.errors ?? []
  const isRefusal = error && !UNFORESEEN.has(error.code) && [1, 2].includes(code)
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
