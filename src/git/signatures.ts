import { realpathSync } from 'node:fs'
import { relative, resolve, sep } from 'node:path'
import type { Repo } from './open-repo.ts'
import { orNull } from './or-null.ts'

/** What `signaturesIn` reads: commit, letter, fingerprint of the key, parents. */
export const SIGNATURE = '--format=%H %G? %GF %P'

/** What git says of the signatures of these commits (full ids), by id: see `signaturesIn`. Throws `gitFailed`. */
export async function readSignatures(repo: Repo, commits: readonly string[]): Promise<Map<string, string>> {
  const ids = [...new Set(commits)].filter((id) => /^[0-9a-f]{40,64}$/.test(id))
  if (ids.length === 0) return new Map()
  return signaturesIn(repo, await repo.git(['log', '--no-walk=unsorted', SIGNATURE, ...ids, '--']))
}

/**
 * By commit the letter of `%G?` (`G` good, `N` none, see git-log). What is good only by a list of signers that the work tree
 * brings counts as `U`, of an unknown signer: whoever wrote the brief may have written the list; and so does a certificate (X.509,
also gitsign), which says who somebody is, not that this person was allowed. The commit at which a shallow
 * clone begins counts as `N`: it seems to have made every file, also those of others. Throws `gitFailed`.
 */
export async function signaturesIn(repo: Repo, log: string): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  for (const line of log.split('\n')) {
    const [commit = '', letter = 'N', key = '', parent = ''] = line.split(' ')
    if (commit === '') continue
    if (repo.shallow && parent === '') found.set(commit, 'N')
    else found.set(commit, letter === 'G' && !(await isAllowed(repo, commit, key)) ? 'U' : letter)
  }
  return found
}

async function isAllowed(repo: Repo, commit: string, key: string): Promise<boolean> {
  if (key.startsWith('SHA256:')) return !(await hasOwnSigners(repo))
  const [header = ''] = (await repo.git(['cat-file', 'commit', commit])).split('\n\n', 1)
  return !/^gpgsig(?:-sha256)? -----BEGIN SIGNED MESSAGE-----/m.test(header)
}

/** The allowed signers of SSH keys stand in the work tree, where every branch can change them. */
async function hasOwnSigners(repo: Repo): Promise<boolean> {
  const args = ['config', '--type=path', '--get', 'gpg.ssh.allowedSignersFile']
  const named = resolve(repo.root, (await repo.git(args, { answers: [1] })).replace(/\n$/, ''))
  const real = orNull(() => realpathSync(named)) ?? named
  return [named, real].some(
    (path) => isIn(repo.root, path) && !isIn(repo.commonDir, path) && !isIn(repo.gitDir, path),
  )
}

const isIn = (folder: string, path: string): boolean => {
  const way = relative(folder, path)
  return way !== '..' && !way.startsWith(`..${sep}`)
}
