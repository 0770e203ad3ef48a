import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'

/**
 * A new repository whose main and other branches are what `parts` says to `git fast-import`, with main checked out. Gives a
 * function that runs git in it.
 */
export async function importRepo(repo, home, parts) {
  mkdirSync(repo, { recursive: true })
  const options = { cwd: repo, env: { PATH: process.env.PATH, HOME: home, GIT_CONFIG_NOSYSTEM: '1' } }
  const git = (...args) => execFileSync('git', args, { ...options, stdio: ['ignore', 'pipe', 'ignore'] })
  git('init', '-b', 'main')
  git('config', 'user.name', 'Robin')
  git('config', 'user.email', 'robin@example.invalid')
  const child = spawn('git', ['fast-import', '--quiet'], {
    ...options,
    stdio: ['pipe', 'inherit', 'inherit'],
  })
  const ended = new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) =>
      code === 0 ? resolve() : reject(new Error(`git fast-import ended with ${code}`)),
    )
  })
  for (const part of parts)
    if (!child.stdin.write(part)) await new Promise((resolve) => child.stdin.once('drain', resolve))
  child.stdin.end()
  await ended
  git('reset', '--hard', 'main')
  return git
}

/** A text as fast-import takes it. */
export const data = (text) => `data ${Buffer.byteLength(text)}\n${text}\n`
