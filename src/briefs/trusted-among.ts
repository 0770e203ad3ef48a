import type { ChainNode } from '../brief/chain.ts'
import { readBlobs } from '../git/objects.ts'
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
  const [contents, head, apart] = await Promise.all([
    readBlobs(
      repo,
      nodes.map(({ oid }) => oid),
    ),
    listBriefsAtHead(repo),
    readSeparateHere(repo),
  ])
  const atHead = new Map(head.map((blob) => [blob.path, blob]))
  const beside = new Map(apart.map((blob) => [`${blob.path}\0${blob.oid}`, blob.apart]))
  const remotes = once(() => findRemoteBranches(repo, nodes))
  const commits = nodes.map(({ commit }) => commit)
  const signatures = once(() => readSignatures(repo, commits))
  const trusted = new Set<T>()
  for (const [at, node] of nodes.entries()) {
    const { path, oid, commit } = node
    const held = atHead.get(path) ?? null
    const ref = beside.get(`${path}\0${oid}`)
    const verdict = await verdictOn(
      repo,
      {
        ...{ path, oid, committed: held?.oid === oid, text: contents.get(oid)?.toString('utf8') ?? '' },
        ...(ref === undefined ? {} : { apart: ref }),
      },
      held,
      {
        remoteBranch: async () => (await remotes())[at] ?? null,
        lastChange: async () => ({ commit, letter: (await signatures()).get(commit) ?? 'N' }),
      },
    )
    if (verdict.trusted) trusted.add(node)
  }
  return trusted
}

function once<T>(ask: () => Promise<T>): () => Promise<T> {
  let answer: Promise<T> | undefined
  return () => {
    answer ??= ask()
    return answer
  }
}
