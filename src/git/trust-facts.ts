import { realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import { orNull } from '../errors/handoff-error.ts'
import { readReflog } from './branch-line.ts'
import { lookUp } from './build-tree.ts'
import { isInWorkTree } from './files.ts'
import { checkObjects } from './objects.ts'
import type { Repo } from './open-repo.ts'
import { readHeadView } from './snapshot.ts'
import { hashPlainFile } from './work-file.ts'

/** Facts that decide whether a brief may be shown to an agent unasked. */
export interface TrustFacts {
  /** Mode in HEAD (`100644` is a plain file), or null when HEAD does not have the path. */
  mode: string | null
  /** HEAD has exactly this blob at the path. */
  inHead: boolean
  /** The work-tree file is a plain file and holds exactly that blob. */
  workTreeEqualsHead: boolean
  /** A branch of origin that has the same blob at the same path, as `origin/main`; pull request refs do not count. */
  remoteBranch(): Promise<string | null>
  /**
   * What git says of the signature of the commit that made the file what it is: the letter of `%G?` (`G` good, `N` none,
   * see git-log). Walks history, so ask last.
   */
  signature(): Promise<string>
}

/** Refs under origin that others than its committers can write. */
const FOREIGN =
  /^refs\/remotes\/origin\/(HEAD$|(?:pr|prs|pull|pulls|pull-requests|mr|mrs|merge-requests|merge_requests|changes)\/)/

/** Reads the facts about the blob `oid` at `path`. `inHead`: what HEAD has there, when that is known. Throws `gitFailed`. */
export async function trustFacts(
  repo: Repo,
  path: string,
  oid: string,
  inHead: { mode: string; oid: string } | null = null,
): Promise<TrustFacts> {
  const held = inHead ?? lookUp(await readHeadView(repo, [path]), path)
  return {
    mode: held?.mode ?? null,
    inHead: held?.oid === oid,
    workTreeEqualsHead: held !== null && hashPlainFile(repo, path) === held.oid,
    ...separateFacts(repo, { path, oid }, 'HEAD'),
  }
}

/** The same about a blob on a branch of briefs (full name `ref`) or in HEAD, where no work tree has a say. */
export const separateFacts = (
  repo: Repo,
  { path, oid }: { path: string; oid: string },
  ref: string,
): Pick<TrustFacts, 'remoteBranch' | 'signature'> => ({
  remoteBranch: async () => (await findRemoteBranches(repo, [{ path, oid }]))[0] ?? null,
  signature: async () => {
    const made = await readLetters(repo, ['-1', '--no-renames', '--end-of-options', ref, '--', path])
    return made.values().next().value ?? 'N'
  },
})

/** For each of these blobs a branch of origin that has it at its path, or null; asked at once for all. Throws `gitFailed`. */
export async function findRemoteBranches(
  repo: Repo,
  blobs: readonly { path: string; oid: string }[],
): Promise<(string | null)[]> {
  const [listing, isForeign] = await Promise.all([
    repo.git(['for-each-ref', '--format=%(refname)', 'refs/remotes/origin']),
    readForeign(repo),
  ])
  const refs = listing.split('\n').filter((ref) => ref !== '' && !FOREIGN.test(ref) && !isForeign(ref))
  // A line break would end the question, so nothing is asked of such a path.
  const asked = blobs.flatMap(({ path }) => (path.includes('\n') ? [] : refs.map((ref) => `${ref}:${path}`)))
  const found = await checkObjects(repo, asked)
  let from = 0
  const holders = blobs.map(({ path, oid }) => {
    if (path.includes('\n')) return []
    const own = found.slice(from, from + refs.length)
    from += refs.length
    return refs.filter((_, at) => own[at]?.oid === oid)
  })
  return holders.map(
    (held) => held.find((ref) => !isNoBranch(repo, ref))?.slice('refs/remotes/'.length) ?? null,
  )
}

/**
 * A fetch filled the ref with what is no branch there: `git fetch origin 'refs/changes/*:refs/remotes/origin/*'` leaves no refspec behind, but
 * its log says `storing ref`. A single commit by its id says nothing of where it stands.
 */
const isNoBranch = (repo: Repo, ref: string): boolean =>
  readReflog(repo.commonDir, ref).some(
    ({ said }) => said.endsWith(': storing ref') && !/[ +][0-9a-f]{40,64}:/.test(said),
  )

/** Tells refs that a refspec fills with anything but branches of origin: a remote may be called `origin/fork`. */
async function readForeign(repo: Repo): Promise<(ref: string) => boolean> {
  const listing = await repo.git(['config', '-z', '--get-regexp', '^remote\\..*\\.fetch$'], { answers: [1] })
  const places = listing.split('\0').flatMap((entry) => {
    const [name = '', spec = ''] = entry.split('\n')
    const [from = '', to = ''] = spec.replace(/^\+/, '').split(':')
    const isOurs = name === 'remote.origin.fetch' && from.startsWith('refs/heads/')
    return isOurs || to === '' ? [] : [to.split('*')]
  })
  return (ref) =>
    places.some(([begin = '', end]) =>
      end === undefined ? ref === begin : ref.startsWith(begin) && ref.endsWith(end),
    )
}

/** What git says of the signatures of these commits (full ids), by id: see `readLetters`. Throws `gitFailed`. */
export async function readSignatures(repo: Repo, commits: readonly string[]): Promise<Map<string, string>> {
  const ids = [...new Set(commits)].filter((id) => /^[0-9a-f]{40,64}$/.test(id))
  return ids.length === 0 ? new Map() : readLetters(repo, ['--no-walk=unsorted', ...ids, '--'])
}

/**
 * By commit of a log the letter of `%G?` (`G` good, `N` none, see git-log). What is good only by a list of signers that the work tree
 * brings counts as `U`, of an unknown signer: whoever wrote the brief may have written the list; and so does a certificate (X.509,
 * also gitsign), which says who somebody is, not that this person was allowed. The commit at which a shallow
 * clone begins counts as `N`: it seems to have made every file, also those of others. Throws `gitFailed`.
 */
async function readLetters(repo: Repo, which: readonly string[]): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  for (const line of (await repo.git(['log', '--format=%H %G? %GF %P', ...which])).split('\n')) {
    const [commit = '', letter = 'N', key = '', parent = ''] = line.split(' ')
    if (commit === '') continue
    const isBeginning = repo.shallow && parent === ''
    const isUnknown = !isBeginning && letter === 'G' && !(await isAllowed(repo, commit, key))
    found.set(commit, isBeginning ? 'N' : isUnknown ? 'U' : letter)
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
  return [named, real].some((path) => isInWorkTree(repo, path))
}
