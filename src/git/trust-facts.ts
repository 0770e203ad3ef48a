import { createHash } from 'node:crypto'
import { readFileSync, realpathSync } from 'node:fs'
import { devNull } from 'node:os'
import { resolve } from 'node:path'
import { orNull } from '../errors/handoff-error.ts'
import { readReflog } from './branch-line.ts'
import { lookUp } from './build-tree.ts'
import { hashPlainFile, isInWorkTree, MAX_BLOB } from './files.ts'
import type { Repo } from './open-repo.ts'
import { readRefs } from './refs.ts'
import { readConfig } from './settings.ts'
import { readHeadView } from './snapshot.ts'

/** Facts that decide whether a brief may be shown to an agent unasked. */
export interface TrustFacts {
  /** HEAD has a plain file at the path. */
  isPlain: boolean
  /** HEAD has exactly this blob at the path, and so has the work tree, as a plain file. */
  matchesHead: boolean
  /** A branch of origin that has the same blob at the same path, as `origin/main`; pull request refs do not count. */
  remoteBranch(): Promise<string | null>
  /**
   * The commit that made the file what it is, and what git says of its signature: the letter of `%G?` (`G` good, `N` none, see git-log). Null
   * where there is none. Walks history, so ask last.
   */
  lastChange(): Promise<{ commit: string; letter: string } | null>
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
    isPlain: held?.mode === '100644',
    matchesHead: held?.oid === oid && hashPlainFile(repo, path) === oid,
    ...separateFacts(repo, { path, oid }, 'HEAD'),
  }
}

/** The same about a blob on a branch of briefs (full name `ref`) or in HEAD, where no work tree has a say. */
export const separateFacts = (
  repo: Repo,
  { path, oid }: { path: string; oid: string },
  ref: string,
): Pick<TrustFacts, 'remoteBranch' | 'lastChange'> => ({
  remoteBranch: async () => (await findRemoteBranches(repo, [{ path, oid }]))[0] ?? null,
  lastChange: async () => {
    const [last] = await signaturesOf(repo, ['-1', '--no-renames', '--end-of-options', ref, '--', path])
    return last === undefined ? null : { commit: last[0], letter: last[1] }
  },
})

/** For each of these blobs a branch of origin that has it at its path, or null; asked at once for all. Throws `gitFailed`. */
export async function findRemoteBranches(
  repo: Repo,
  blobs: readonly { path: string; oid: string }[],
): Promise<(string | null)[]> {
  const all = (await readRefs(repo, ['refs/remotes'])).map(({ name }) => name)
  const ofOrigin = all.filter((ref) => ref.startsWith('refs/remotes/origin/') && !FOREIGN.test(ref))
  if (ofOrigin.length === 0) return blobs.map(() => null)
  const isForeign = await readForeign(repo)
  const refs = ofOrigin.filter((ref) => !isForeign(ref))
  const names = blobs.flatMap(({ path }) => refs.map((ref) => `${ref}:${path}`))
  const found = await repo.objects.read(names, MAX_BLOB)
  return blobs.map(({ oid }, at) => {
    const own = found.slice(at * refs.length, (at + 1) * refs.length)
    const holder = refs.find((ref, n) => own[n]?.oid === oid && !isNoBranch(repo, ref))
    return holder?.slice('refs/remotes/'.length) ?? null
  })
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
  const { entries } = await readConfig(repo)
  const fetched = entries.filter(({ key }) => key.startsWith('remote.') && key.endsWith('.fetch'))
  const places = fetched.flatMap(({ key, value }) => {
    const [from = '', to = ''] = value.replace(/^\+/, '').split(':')
    const isOurs = key === 'remote.origin.fetch' && from.startsWith('refs/heads/')
    return isOurs || to === '' ? [] : [to.split('*')]
  })
  return (ref) =>
    places.some(([begin = '', end]) =>
      end === undefined ? ref === begin : ref.startsWith(begin) && ref.endsWith(end),
    )
}

/** What git says of the signatures of these commits (full ids), by id: see `signaturesOf`. Throws `gitFailed`. */
export async function readSignatures(repo: Repo, commits: readonly string[]): Promise<Map<string, string>> {
  const ids = [...new Set(commits)].filter((id) => /^[0-9a-f]{40,64}$/.test(id))
  return ids.length === 0 ? new Map() : signaturesOf(repo, ['--no-walk=unsorted', ...ids, '--'])
}

/**
 * By commit of this log the letter of `%G?` (`G` good, `N` none, see git-log). `G` is also what the person's own key made. What is good only by
 * a list of signers that the work tree brings counts as `U`, of an unknown signer: whoever wrote the brief may have written the list; and so
 * does a certificate (X.509, also gitsign), which says who somebody is, not that this person was allowed. The commit at which a shallow
 * clone begins counts as `N`: it seems to have made every file, also those of others. Throws `gitFailed`.
 */
async function signaturesOf(repo: Repo, args: readonly string[]): Promise<Map<string, string>> {
  const own = await readOwnKey(repo)
  // Without a list git does not look at signatures by SSH at all.
  const list = own.signers !== undefined ? [] : ['-c', `gpg.ssh.allowedSignersFile=${devNull}`]
  const log = await repo.git([...list, 'log', '--format=%H %G? %GF %GP %P', ...args])
  const found = new Map<string, string>()
  for (const line of log.split('\n')) {
    const [commit = '', letter = 'N', key = '', primary = '', parent = ''] = line.split(' ')
    if (commit === '') continue
    if (repo.shallow && parent === '') found.set(commit, 'N')
    else if (/[GU]/.test(letter) && [key, primary].some(own.isOwn)) found.set(commit, 'G')
    else
      found.set(commit, letter === 'G' && !(await isAllowed(repo, commit, key, own.signers)) ? 'U' : letter)
  }
  return found
}

/** Whether a fingerprint is that of the key which `user.signingKey` names, outside of the work tree, where a branch could bring one. */
async function readOwnKey(repo: Repo) {
  const { last } = await readConfig(repo)
  // With `~` as a home.
  const pathOf = async (key: string) =>
    last(key) && (await repo.git(['config', '-z', '--type=path', '--get', key])).replace(/\0$/, '')
  const [named = '', signers] = [await pathOf('user.signingkey'), await pathOf('gpg.ssh.allowedsignersfile')]
  const read = (path: string) => (isInWorkTree(repo, path) ? null : orNull(() => readFileSync(path, 'utf8')))
  const path = resolve(repo.root, named)
  const text = /^(?:key::)?\S+ AAAA/.test(named) ? named : (read(`${path}.pub`) ?? read(path) ?? '')
  const blob = /(?:^|\s)(AAAA[\w+/=]+)/.exec(text)?.[1]
  const digest = createHash('sha256').update(Buffer.from(blob ?? '', 'base64'))
  const ssh = blob === undefined ? null : `SHA256:${digest.digest('base64').replace(/=+$/, '')}`
  const pgp = /^(?:0x)?([0-9a-f]{16,40})!?$/i.exec(named)?.[1]?.toUpperCase()
  return {
    signers,
    isOwn: (key: string): boolean => key !== '' && (key === ssh || (pgp !== undefined && key.endsWith(pgp))),
  }
}

/** No list of signers counts that stands in the work tree, where every branch can change it. */
async function isAllowed(repo: Repo, commit: string, key: string, signers = ''): Promise<boolean> {
  const list = resolve(repo.root, signers)
  if (key.startsWith('SHA256:'))
    return ![list, orNull(() => realpathSync(list)) ?? list].some((path) => isInWorkTree(repo, path))
  const [header = ''] = (await repo.git(['cat-file', 'commit', commit])).split('\n\n', 1)
  return !/^gpgsig(?:-sha256)? -----BEGIN SIGNED MESSAGE-----/m.test(header)
}
