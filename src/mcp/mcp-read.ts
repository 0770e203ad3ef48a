import { callerOf } from '../agents/caller.ts'
import { labelOf } from '../agents/table.ts'
import type { ChainNode } from '../brief/chain.ts'
import { goalLine, inlinePrompt, takenWords, untrustedLine } from '../brief/prompt.ts'
import { findBrief } from '../briefs/find-brief.ts'
import { readChain } from '../briefs/read-chain.ts'
import { trustedAmong, UNTRUSTED } from '../briefs/trusted-among.ts'
import { verdictOn } from '../briefs/verdict.ts'
import type { Invocation } from '../command.ts'
import { chainClosed } from '../errors/briefs.ts'
import { readPickUp } from '../store/pick-ups.ts'
import { oneLine } from '../text/safe-text.ts'
import { openScanner } from '../workspace/input-secrets.ts'
import { openWorkspace } from '../workspace/workspace.ts'

/** A brief for a model that asked for it; of one that is not trusted only its id. Throws `chainClosed` and what finding one throws. */
export async function readForAgent(invocation: Invocation, id: string | undefined): Promise<string> {
  const { repo, loaded } = await openWorkspace(invocation, { isAnswer: true })
  const brief = await findBrief(repo, id ?? 'latest', repo.root)
  const { kind, parents } = brief.parsed.meta
  if (id === undefined && kind === 'done') throw chainClosed(brief.id, parents[0] ?? null)
  const { trusted, because } = await verdictOn(repo, brief)
  if (!trusted) return untrustedLine(brief.id, because)
  // Whoever wrote it may not have looked: what goes to a model is looked through here as well.
  const scanner = await openScanner(invocation.place, repo.root, loaded.config)
  const now = invocation.place.now().getTime()
  const holder = await readPickUp(repo.commonDir, brief.id, now)
  const isOther = holder?.isActing === true && holder.sessionId !== callerOf(invocation.place.env)?.sessionId
  const taken = isOther
    ? ` It was ${takenWords({ ...holder, label: labelOf(holder.agent) }, repo.root, now)}.`
    : ''
  const { value } = await scanner.redact(brief.text)
  return inlinePrompt(value, `What the user asks comes first.${taken}`)
}

/** Lines of the chain, newest first. What stands in a brief that is not trusted is a stranger's text and left out. */
export async function readLogForAgent(
  invocation: Invocation,
  { all = false, limit = 20 }: { all?: boolean; limit?: number },
): Promise<string> {
  const { repo, loaded } = await openWorkspace(invocation, { isAnswer: true })
  const nodes = (await readChain(repo, { all })).sort((a, b) => (a.id < b.id ? 1 : -1)).slice(0, limit)
  const trusted = await trustedAmong(repo, nodes)
  const lines = nodes.map((node) => (trusted.has(node) ? lineOf(node) : `${node.id}  (${UNTRUSTED})`))
  const scanner = await openScanner(invocation.place, repo.root, loaded.config)
  const { value: told } = await scanner.redact(lines)
  return told.length === 0 ? 'No briefs here yet.' : told.join('\n')
}

function lineOf({ id, createdAt, branch, agent, goal, state }: ChainNode): string {
  const told = `${state}: ${goalLine(goal)}`
  return [id, createdAt, branch === null ? 'detached HEAD' : oneLine(branch), oneLine(agent), told].join('  ')
}
