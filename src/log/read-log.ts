import type { ChainNode } from '../brief/chain.ts'
import { chainOf, isWanted, linkChain } from '../brief/chain.ts'
import { readCurrent } from '../briefs/current.ts'
import { refreshLatest } from '../briefs/latest-file.ts'
import { readWholeChain } from '../briefs/read-chain.ts'
import type { ChainResult } from '../briefs/results.ts'
import type { Invocation } from '../command.ts'
import { openWorkspace, type Workspace } from '../workspace/workspace.ts'
import { checkNames } from './log-names.ts'
import type { LogOptions } from './log-options.ts'
import { chainWarnings } from './log-warnings.ts'

export interface LogOutcome {
  /** The object of `--json`. */
  result: ChainResult
  /** The whole chain, of which the result shows a part. */
  nodes: ChainNode[]
  /** What is not as it should be, one line each; said as warnings already. */
  notices: string[]
  workspace: Workspace & { repo: NonNullable<Workspace['repo']> }
}

/** The briefs that history holds, each once by its id, as far as they are asked for. Throws what opening throws. */
export async function readLog(invocation: Invocation, asked: LogOptions): Promise<LogOutcome> {
  const { out } = invocation
  const workspace = await openWorkspace(invocation)
  const { repo } = workspace
  const [chain, current] = await Promise.all([readWholeChain(repo, { all: asked.all }), readCurrent(repo)])
  const { nodes } = chain
  const linked = linkChain(nodes)
  const line = asked.chain && current !== null ? chainOf(current.id, nodes) : linked.order
  const wanted = line.filter((node) => isWanted(node, asked.filter))
  const notices = [
    ...checkNames(asked.filter, nodes, asked.all),
    ...chainWarnings(chain, linked, repo.shallow),
  ]
  for (const notice of notices) out.warn(notice)
  await refreshLatest(invocation, repo)
  const result: ChainResult = {
    ok: true,
    current: current?.id ?? null,
    briefs: wanted.sort((a, b) => (a.id < b.id ? 1 : -1)).slice(0, asked.limit),
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
