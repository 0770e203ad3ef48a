import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { makeSession, sessionFiles } from './make-session.mjs'

/** Sessions to measure; `large` ones are left out of a quick run. */
export const SIZES = [
  { name: '50 KB', bytes: 50_000 },
  { name: '4 MB', bytes: 4e6 },
  { name: '44 MB', bytes: 44e6, large: true },
  { name: '200 MB', bytes: 200e6, large: true },
]

const HANDOFF = fileURLToPath(new URL('../bin/handoff.cjs', import.meta.url))

/**
 * A home that holds one generated session and the small repository it belongs to. The first place also gets other
 * repositories, so that nothing there changes for the other cases: `committing` for commits, `idle` and `briefed`, both set up for
 * Claude Code and git, without and with a brief. `briefed` has the brief staged as well, under another name.
 */
export function makePlace(folder, { name, bytes }) {
  const place = makeOne(join(folder, name.replace(' ', '-')), bytes)
  if (name !== SIZES[0].name) return place
  const others = ['committing', 'idle', 'briefed'].map((other) => [
    other,
    makeOne(join(folder, other), bytes),
  ])
  const all = { ...place, ...Object.fromEntries(others) }
  handoff(all.idle, 'init', '--agent', 'claude-code', '--yes')
  handoff(all.briefed, 'init', '--agent', 'claude-code', '--yes')
  handoff(all.briefed, 'create', 'make the logout test pass without a global, keep the public API')
  stageBrief(all.briefed)
  return all
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

/** A hook of git that was put in there. */
export const gitHookOf = ({ repo }, name) => join(repo, '.git', 'hooks', name)

/** The runner that a hook of Claude Code calls there. */
export const runnerOf = ({ repo }) => join(repo, '.git', 'handoff', 'hook')

const handoff = ({ repo, home }, ...args) =>
  execFileSync(process.execPath, [HANDOFF, ...args], {
    cwd: repo,
    stdio: 'ignore',
    env: { PATH: process.env.PATH, HOME: home },
  })

function makeOne(base, bytes) {
  const [home, repo] = [join(base, 'home'), join(base, 'repo')]
  for (const path of sessionFiles) {
    mkdirSync(dirname(join(repo, path)), { recursive: true })
    writeFileSync(join(repo, path), `export const name = '${path}'\n`)
  }
  writeFileSync(join(repo, 'package.json'), '{ "name": "small", "scripts": { "test": "vitest run" } }\n')
  mkdirSync(home, { recursive: true })
  const git = (...args) =>
    execFileSync('git', args, { cwd: repo, stdio: 'ignore', env: { PATH: process.env.PATH, HOME: home } })
  git('init', '-b', 'main')
  git('config', 'user.name', 'Robin')
  git('config', 'user.email', 'robin@example.invalid')
  git('add', '.')
  git('commit', '-m', 'Begin')
  git('checkout', '-b', 'feature/guard')
  for (let n = 0; n < 12; n++) {
    writeFileSync(join(repo, sessionFiles[n]), `export const name = 'changed ${n}'\n`)
    git('commit', '-am', `Change ${n}`)
  }
  writeFileSync(join(repo, sessionFiles[20]), 'export const name = "not committed"\n')
  const out = join(home, '.claude', 'projects', repo.replace(/[^a-zA-Z0-9]/g, '-'), 'generated.jsonl')
  makeSession({ out, bytes, cwd: repo })
  return { home, repo }
}
