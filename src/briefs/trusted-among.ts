import type { ChainNode } from '../brief/chain.ts'
import type { Repo } from '../git/open-repo.ts'
import { listBriefsAtHead } from '../git/read-briefs.ts'
import { readSeparateHere } from '../git/separate-branch.ts'
import { findRemoteBranches, readSignatures } from '../git/trust-facts.ts'
import { verdictOn } from './verdict.ts'

/** What an agent reads in place of a stranger's words. */
export const UNTRUSTED = 'not trusted, so nothing of it is shown'

/** What is judged is what is told: the very blob, whatever else has its id. Git is asked once about all of them. */
export async function trustedAmong<T extends Pick<ChainNode, 'path' | 'oid' | 'commit'>>(
  repo: Repo,
  nodes: readonly T[],
): Promise<Set<T>> {
  const holderOf = await openHolders(repo)
  const remotes = once(() => findRemoteBranches(repo, nodes))
  const commits = nodes.map(({ commit }) => commit)
  const signatures = once(() => readSignatures(repo, commits))
  const trusted = new Set<T>()
  for (const [at, node] of nodes.entries()) {
    const { commit } = node
    const { brief, held } = holderOf(node)
    const verdict = await verdictOn(repo, brief, held, {
      remoteBranch: async () => (await remotes())[at] ?? null,
      lastChange: async () => ({ commit, letter: (await signatures()).get(commit) ?? 'N' }),
    })
    if (verdict.trusted) trusted.add(node)
  }
  return trusted
}

type Blob = Pick<ChainNode, 'path' | 'oid'>

/** Tells where a blob stands: in HEAD, or on a branch of briefs. */
async function openHolders(repo: Repo) {
  const [head, apart] = await Promise.all([listBriefsAtHead(repo), readSeparateHere(repo)])
  const atHead = new Map(head.map((blob) => [blob.path, blob]))
  const beside = new Map(apart.map((blob) => [`${blob.path}\0${blob.oid}`, blob.apart]))
  return ({ path, oid }: Blob) => {
    const held = atHead.get(path) ?? null
    const ref = beside.get(`${path}\0${oid}`)
    const brief = { path, oid, committed: held?.oid === oid, ...(ref === undefined ? {} : { apart: ref }) }
    return { brief, held }
  }
}

/** Tells whether an agent may read a text. `isOwn`: one that no commit has was written here. */
export async function openTrust(repo: Repo, isOwn: boolean): Promise<(blob: Blob) => Promise<boolean>> {
  const holderOf = await openHolders(repo)
  return async (blob) => {
    const { brief, held } = holderOf(blob)
    if (isOwn && held === null && brief.apart === undefined) return true
    return (await verdictOn(repo, brief, held)).trusted
  }
}

function once<T>(ask: () => Promise<T>): () => Promise<T> {
  let answer: Promise<T> | undefined
  return () => {
    answer ??= ask()
    return answer
  }
}
