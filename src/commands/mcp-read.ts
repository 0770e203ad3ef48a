import { untrustedLine } from '../brief/inject.ts'
import { goalLine, inlinePrompt } from '../brief/prompt.ts'
import { oneLine } from '../brief/safe-text.ts'
import { noBrief } from '../errors.ts'
import { type CurrentBrief, readCurrent } from './current.ts'
import { findBrief } from './find-brief.ts'
import { runCommand } from './mcp-tools.ts'
import type { Invocation } from './table.ts'
import { verdictOn } from './verdict.ts'
import { openWorkspace } from './workspace.ts'

/** A brief for a model that asked for it; of one that is not trusted only its id. Throws `noBrief` and what finding one throws. */
export async function readForAgent(invocation: Invocation, id: string | undefined): Promise<string> {
  const { repo } = await openWorkspace(invocation)
  const brief = id === undefined ? await readCurrent(repo) : await findBrief(repo, id, repo.root)
  if (brief === null) throw noBrief()
  const { trusted } = await verdictOn(repo, brief)
  return trusted ? inlinePrompt(brief.text) : untrustedLine(brief.id)
}

/** Lines of the chain, newest first. What stands in a brief that is not trusted is a stranger's text and left out. */
export async function readLogForAgent(
  invocation: Invocation,
  { all, limit = 20 }: { all?: boolean; limit?: number },
): Promise<string> {
  const { repo } = await openWorkspace(invocation)
  const log = await runCommand(invocation, 'log', [], {
    ...(all === true ? { all } : {}),
    limit: String(limit),
  })
  const lines: string[] = []
  // One after the other: each asks git several times.
  for (const { id } of (log as { briefs: { id: string }[] }).briefs) {
    // What is judged is what is told: another branch may have another file of the same id.
    const brief = await findBrief(repo, id, repo.root)
    const { trusted } = await verdictOn(repo, brief)
    lines.push(trusted ? lineOf(brief) : `${id}  (not trusted, so nothing of it is shown)`)
  }
  return lines.length === 0 ? 'No briefs here yet.' : lines.join('\n')
}

function lineOf({ id, parsed }: CurrentBrief): string {
  const { createdAt, branch, agent, kind, goal } = parsed.meta
  const told = `${kind === 'done' ? 'closed: ' : ''}${goalLine(goal)}`
  return [
    id,
    createdAt,
    branch === null ? 'detached HEAD' : oneLine(branch),
    oneLine(agent.label),
    told,
  ].join('  ')
}
