import { untrustedLine } from '../brief/inject.ts'
import { goalLine, inlinePrompt } from '../brief/prompt.ts'
import { noBrief } from '../errors.ts'
import { readCurrent } from './current.ts'
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

interface Entry {
  id: string
  kind: string
  goal: string
  branch: string | null
  agent: string
  createdAt: string
  path: string
  inTree: boolean
}

/** Lines of the chain, newest first. The goal of a brief that is not trusted is a stranger's text and left out. */
export async function readLogForAgent(
  invocation: Invocation,
  { all, limit = 20 }: { all?: boolean; limit?: number },
): Promise<string> {
  const { repo } = await openWorkspace(invocation)
  const log = await runCommand(invocation, 'log', [], {
    ...(all === true ? { all } : {}),
    limit: String(limit),
  })
  const { briefs } = log as { briefs: Entry[] }
  const lines = await Promise.all(
    briefs.map(async ({ id, kind, goal, branch, agent, createdAt }) => {
      const { trusted } = await verdictOn(repo, await findBrief(repo, id, repo.root))
      const told = trusted ? goalLine(goal) : '(not trusted, so its goal is not shown)'
      return `${id}  ${createdAt}  ${branch ?? 'detached HEAD'}  ${agent}  ${kind === 'done' ? 'closed: ' : ''}${told}`
    }),
  )
  return lines.length === 0 ? 'No briefs here yet.' : lines.join('\n')
}
