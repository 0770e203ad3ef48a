import { statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { orNull } from '../errors/handoff-error.ts'
import { failure } from './git.ts'
import { areThere } from './objects.ts'
import type { Repo } from './open-repo.ts'
import { openSimpleGit } from './simple-git.ts'

/** Words of git when it does not know who is committing (git 2.39). */
const NO_IDENTITY =
  /tell me who you are|empty ident name|unable to auto-detect email|no email was given|no name was given/i

/** Writes a content as a blob. No filter, no end-of-line conversion. */
export const writeBlob = (repo: Repo, content: Buffer | string): Promise<string> =>
  repo.git(['hash-object', '-w', '--stdin'], { input: content })

/** True when the user signs all commits. Throws `gitFailed` when the setting is no boolean. */
export async function isSigning(repo: Repo): Promise<boolean> {
  const args = ['config', '--type=bool', '--get', 'commit.gpgSign']
  return (await repo.git(args, { answers: [1] })).trim() === 'true'
}

/**
 * Writes a commit object and returns its id; moves nothing, runs no hook. Without a configured identity the missing half of it is
 * `handoff`, and `identity` says so. Throws `gitFailed`.
 */
export async function writeCommit(
  repo: Repo,
  commit: { tree: string; parents: readonly string[]; message: string; sign: boolean },
): Promise<{ oid: string; identity: 'own' | 'handoff' }> {
  const parents = commit.parents.flatMap((parent) => ['-p', parent])
  const args = ['commit-tree', ...(commit.sign ? ['-S'] : []), commit.tree, ...parents, '-F', '-']
  // A signer may ask for a passphrase on the terminal, which a process group of its own would not have.
  const options = { input: commit.message, foreground: commit.sign }
  const first = await repo.run(args, options)
  if (first.code === 0) return { oid: first.stdout.toString('utf8').trim(), identity: 'own' }
  if (!NO_IDENTITY.test(first.stderr)) throw failure(args, first)
  const oid = await repo.git(args, { ...options, env: await borrowedIdentity(repo) })
  return { oid: oid.trim(), identity: 'handoff' }
}

async function borrowedIdentity(repo: Repo): Promise<Record<string, string>> {
  const git = await openSimpleGit(repo)
  const [name, email] = await Promise.all([
    git.getConfig('user.name').then(({ value }) => value || 'handoff'),
    git.getConfig('user.email').then(({ value }) => value || 'handoff@localhost'),
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
