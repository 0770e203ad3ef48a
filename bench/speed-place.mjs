import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { data, importRepo } from './fast-import.mjs'
import { makeSession, sessionFiles } from './make-session.mjs'

/** Sessions to measure. */
export const SIZES = [
  { name: '50 KB', bytes: 50_000 },
  { name: '4 MB', bytes: 4e6 },
  { name: '44 MB', bytes: 44e6 },
  { name: '200 MB', bytes: 200e6 },
]
export const GOAL = 'make the logout test pass without a global, keep the public API'

/**
 * A small repository below `folder`, or one of `files` files and as many commits, and a home with one generated session of it, whose id
 * is given. Nothing else is in that home.
 */
export async function makePlace(folder, bytes, files = 0) {
  const [home, repo] = [join(folder, 'home'), join(folder, 'repo')]
  mkdirSync(home, { recursive: true })
  const git = await importRepo(repo, home, history(files))
  git('checkout', '-b', 'feature/guard')
  for (let n = 0; n < 12; n++) {
    writeFileSync(join(repo, sessionFiles[n]), `export const name = 'changed ${n}'\n`)
    git('commit', '-am', `Change ${n}`)
  }
  writeFileSync(join(repo, sessionFiles[20]), 'export const name = "not committed"\n')
  git('commit-graph', 'write', '--reachable')
  return { home, repo, id: addSession(home, repo, bytes) }
}

/** Gives the id of the session. Other programs find it by the name of its file. */
export function addSession(home, repo, bytes) {
  const folder = join(home, '.claude', 'projects', repo.replace(/[^a-zA-Z0-9]/g, '-'))
  const out = join(folder, 'generated.jsonl')
  const { sessionId } = makeSession({ out, bytes, cwd: repo })
  renameSync(out, join(folder, `${sessionId}.jsonl`))
  return sessionId
}

/** Repositories set up for Claude Code and git: `idle` without a brief, `briefed` with one, which is staged under another name as well. */
export async function makeHooked(folder, program) {
  const [idle, briefed] = [
    await makePlace(join(folder, 'idle'), SIZES[0].bytes),
    await makePlace(join(folder, 'briefed'), SIZES[0].bytes),
  ]
  const handoff = ({ repo, home }, ...args) =>
    execFileSync(process.execPath, [program, ...args], {
      cwd: repo,
      stdio: 'ignore',
      env: { PATH: process.env.PATH, HOME: home },
    })
  for (const place of [idle, briefed]) handoff(place, 'init', '--agent', 'claude-code', '--yes')
  handoff(briefed, 'create', GOAL)
  stageBrief(briefed)
  return { idle, briefed }
}

/** A commit with a brief in it, as far as the index. */
function stageBrief({ repo, home }) {
  const folder = join(repo, '.handoff', 'briefs')
  const [name] = readdirSync(folder)
  const path = join(folder, name.replace(/^(.{15}).{4}/, '$1-fff'))
  const [from, to] = [name, basename(path)].map((one) => one.slice(0, 24))
  writeFileSync(path, readFileSync(join(folder, name), 'utf8').replaceAll(from, to))
  execFileSync('git', ['add', '-f', path], { cwd: repo, env: { PATH: process.env.PATH, HOME: home } })
}

/** One commit with the files of the session; then, of `files` in all, commits that change three of them each. */
function* history(files) {
  const others = Array.from(
    { length: Math.max(0, files - sessionFiles.length) },
    (_, n) => `packages/p${Math.floor(n / 2000)}/src/m${Math.floor(n / 20) % 100}/f${n}.ts`,
  )
  const paths = [...sessionFiles, ...others]
  const file = (path, text) => `M 100644 inline ${path}\n${data(text)}`
  const head = (number) =>
    `commit refs/heads/main\ncommitter Robin <robin@example.invalid> ${1_767_600_000 + number * 60} +0000\n${data(`Change ${number}`)}`
  yield head(0)
  yield file('package.json', '{ "name": "small", "scripts": { "test": "vitest run" } }\n')
  for (const [n, path] of paths.entries()) yield file(path, `export const name = '${n}'\n`)
  for (let number = 1; number < files; number++) {
    yield head(number)
    for (let n = 0; n < 3; n++) {
      const at = (number * 7919 + n * 104_729) % paths.length
      yield file(paths[at], `export const name = '${at} of ${number}'\n`)
    }
  }
  yield 'done\n'
}
