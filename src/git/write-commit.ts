import { statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { gitFailed } from '../errors/git.ts'
import { orNull } from './files.ts'
import { areThere } from './objects.ts'
import type { Repo } from './open-repo.ts'
import { spawnGit, spawnGitOk } from './spawn.ts'

/** Words of git when it does not know who is committing (git 2.39). */
const NO_IDENTITY =
  /tell me who you are|empty ident name|unable to auto-detect email|no email was given|no name was given/i

/** Writes contents as blobs and returns their ids in order. No filter, no end-of-line conversion. */
export function writeBlobs(repo: Repo, contents: readonly (Buffer | string)[]): Promise<string[]> {
  return Promise.all(
    contents.map(async (content) => {
      const out = await spawnGitOk(['hash-object', '-w', '--stdin'], repo.child({ input: content }))
      return out.toString('utf8').trim()
    }),
  )
}

/** True when the user signs all commits. Throws `gitFailed` when the setting is no boolean. */
export async function isSigning(repo: Repo): Promise<boolean> {
  const args = ['config', '--type=bool', '--get', 'commit.gpgSign']
  const { code, stdout, stderr } = await spawnGit(args, repo.child())
  // 1 means that it is not set.
  if (code !== 0 && code !== 1) throw gitFailed(args, stderr)
  return stdout.toString('utf8').trim() === 'true'
}

/**
 * Writes a commit object and returns its id; moves nothing, runs no hook. Git starts at once and looks for the tree when
 * it has the message, which it gets when `stored` says that the tree is there. Without a configured identity the missing
 * half of it is `handoff`, and `identity` says so. Throws `gitFailed`, and what `stored` is rejected with.
 */
export async function writeCommit(
  repo: Repo,
  commit: {
    tree: string
    parents: readonly string[]
    message: string
    sign: boolean
    stored: Promise<unknown>
  },
): Promise<{ oid: string; identity: 'own' | 'handoff' }> {
  const args = ['commit-tree', ...(commit.sign ? ['-S'] : []), commit.tree]
  for (const parent of commit.parents) args.push('-p', parent)
  args.push('-F', '-')
  // A signer may ask for a passphrase on the terminal, which a process group of its own would not have.
  const input = commit.stored.then(() => commit.message)
  // Heard where it is awaited, unless git never started.
  input.catch(() => undefined)
  const child = repo.child({ input, foreground: commit.sign })
  const first = await spawnGit(args, child)
  if (first.code === 0) return { oid: first.stdout.toString('utf8').trim(), identity: 'own' }
  if (!NO_IDENTITY.test(first.stderr)) throw gitFailed(args, first.stderr || 'no reason given')
  const out = await spawnGitOk(args, { ...child, env: { ...child.env, ...(await borrowedIdentity(repo)) } })
  return { oid: out.toString('utf8').trim(), identity: 'handoff' }
}

async function borrowedIdentity(repo: Repo): Promise<Record<string, string>> {
  const setting = async (key: string, otherwise: string) =>
    (await repo.git(['config', '--get', key], { answers: [1] })).trim() || otherwise
  const [name, email] = await Promise.all([
    setting('user.name', 'handoff'),
    setting('user.email', 'handoff@localhost'),
  ])
  return {
    GIT_AUTHOR_NAME: name,
    GIT_AUTHOR_EMAIL: email,
    GIT_COMMITTER_NAME: name,
    GIT_COMMITTER_EMAIL: email,
  }
}

/** Ms for which a running collection is watched: its list of what may go was made before ours was named. */
const WATCH = 2000
/** Ms after which git takes the mark of a collection for a dead one (git 2.39, builtin/gc.c: 12 hours). */
const STALE = 12 * 3_600_000

/**
 * Whether new objects that a ref names by now outlast a `git gc` that is running: one that began earlier may still take them away.
 * One that begins later finds the ref.
 */
export async function outlastCollection(repo: Repo, oids: readonly string[]): Promise<boolean> {
  const end = performance.now() + WATCH
  for (;;) {
    const mark = orNull(() => statSync(join(repo.commonDir, 'gc.pid')))
    const isRunning = mark !== null && Date.now() - mark.mtimeMs < STALE
    // Asked after the mark: a collection that was over then has taken all it will.
    if (!(await areThere(repo, oids))) return false
    if (!isRunning || performance.now() > end) return true
    await sleep(50)
  }
}
