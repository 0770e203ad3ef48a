import { type Chain, type ChainNode, chainOf, isWanted, linkChain } from '../brief/chain.ts'
import { readCurrent } from '../briefs/current.ts'
import { refreshLatest } from '../briefs/latest-file.ts'
import { readWholeChain, type WholeChain } from '../briefs/read-chain.ts'
import type { ChainResult } from '../briefs/results.ts'
import { trustedAmong, UNTRUSTED } from '../briefs/trusted-among.ts'
import type { Invocation } from '../command.ts'
import type { Repo } from '../git/open-repo.ts'
import { shortSha } from '../text/count.ts'
import { exactLine } from '../text/safe-text.ts'
import { isAgent } from '../workspace/at-terminal.ts'
import { maskName } from '../workspace/input-secrets.ts'
import { openWorkspace } from '../workspace/workspace.ts'
import type { LogOptions } from './log-options.ts'

/**
 * The briefs that history holds, each once by its id, as far as they are asked for: the object of `--json`, and the whole chain.
 * `notices` are said as warnings already. Throws what opening throws.
 */
export async function readLog(invocation: Invocation, asked: LogOptions) {
  const { out } = invocation
  const workspace = await openWorkspace(invocation, { isAnswer: true })
  const { repo } = workspace
  const [chain, current] = await Promise.all([readWholeChain(repo, { all: asked.all }), readCurrent(repo)])
  const nodes = await shownTo(invocation, repo, chain.nodes)
  const linked = linkChain(nodes)
  const line = asked.chain && current !== null ? chainOf(current.id, nodes) : linked.order
  const wanted = line.filter((node) => isWanted(node, asked.filter))
  const notices = chainWarnings(chain, linked, repo.shallow)
  for (const notice of notices) out.warn(notice)
  await refreshLatest(invocation, repo)
  const result: ChainResult = {
    ok: true,
    current: current?.id ?? null,
    briefs: await Promise.all(
      wanted
        .sort((a, b) => (a.id < b.id ? 1 : -1))
        .slice(0, asked.limit)
        .map(async (node) => ({ ...node, ref: await maskName(node.ref) })),
    ),
    total: nodes.length,
    heads: linked.heads,
    parked: [...new Set(chain.parked.map(({ id }) => id))],
    missing: linked.missing,
    cycles: linked.cycles,
    unreadable: chain.unreadable,
    broken: chain.broken,
    warnings: out.warnings,
  }
  return { result, nodes, notices, workspace }
}

/** An agent reads no word of a brief that is not trusted: only what git and the program say of it. */
async function shownTo(
  { place }: Invocation,
  repo: Repo,
  nodes: readonly ChainNode[],
): Promise<readonly ChainNode[]> {
  if (!isAgent(place.env)) return nodes
  const trusted = await trustedAmong(repo, nodes)
  return nodes.map((node) => {
    if (trusted.has(node)) return node
    const { persona: _, author: __, ...known } = node
    const words = { goal: UNTRUSTED, agent: UNTRUSTED, agentId: UNTRUSTED, reason: UNTRUSTED }
    return { ...known, ...words, branch: null, head: null, base: null }
  })
}

/** Whoever asked may read it. */
export const isShown = ({ goal }: Pick<ChainNode, 'goal'>): boolean => goal !== UNTRUSTED

/** Of one kind so many are told one by one. */
const MOST = 5

/** What a person should know of a chain that is not as it should be. None of it is an error: history is what it is. */
function chainWarnings(
  { nodes, unreadable, broken }: WholeChain,
  { missing, cycles }: Chain<ChainNode>,
  isShallow: boolean,
): string[] {
  const cut = isShallow ? '; this clone is shallow, `git fetch --unshallow` brings the rest' : ''
  return [
    ...some(
      broken === null ? [] : [broken],
      (why) => `git could not read all of history, so briefs that were removed may be missing: ${why}`,
      '',
    ),
    ...some(cycles, (cycle) => `these briefs form a circle of parents: ${circle(cycle)}`, 'circles'),
    ...some(
      missing,
      ({ id, parent }) => `the parent ${parent} of ${id} is not in the history that is here${cut}`,
      'parents that are not here',
    ),
    ...some(
      nodes.filter(({ duplicate }) => duplicate),
      (node) =>
        `several files have the id ${node.id}: shown is ${node.path}; the others are ${others(node, false)}`,
      'ids of several files',
    ),
    ...some(
      nodes.filter(({ edited }) => edited),
      (node) =>
        `${node.id} was changed after it was committed: shown is the version of ${shortSha(node.commit)}; it was changed by ${others(node, true)}`,
      'changed briefs',
    ),
    ...some(
      unreadable,
      ({ path, commit, why }) =>
        `${exactLine(path)} (commit ${shortSha(commit)}) is not a brief: ${exactLine(why)}`,
      'files that are not briefs',
    ),
  ]
}

const some = <T>(all: readonly T[], line: (one: T) => string, what: string): string[] => [
  ...all.slice(0, MOST).map(line),
  ...(all.length > MOST ? [`${all.length - MOST} more ${what}`] : []),
]

const circle = (ids: readonly string[]): string =>
  ids.length > MOST ? `${ids.slice(0, MOST).join(' → ')} → … (${ids.length})` : ids.join(' → ')

/** The other files of the id, or the commits with another content of the same file. */
function others({ path, others: all = [] }: ChainNode, isSameFile: boolean): string {
  const found = isSameFile
    ? all.filter((other) => other.path === path).map(({ commit }) => shortSha(commit))
    : all.filter((other) => other.path !== path).map((other) => exactLine(other.path))
  return [...new Set(found)].slice(0, MOST).join(', ')
}
