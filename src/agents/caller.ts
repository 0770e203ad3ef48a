import type { Adapter, Caller } from '../types/agent.ts'
import type { Place } from '../types/config.ts'
import type { AgentId } from '../types/session.ts'
import { wordSet } from './content.ts'
import { adapters } from './table.ts'

/** Marks of agents whose sessions cannot be read, and their names (`@vercel/detect-agent` 1, and the agents' own documentation). */
const UNREADABLE: readonly (readonly [mark: string, name: string])[] = [
  ['AUGMENT_AGENT', 'Augment'],
  ['TRAE_AI_SHELL_ID', 'Trae'],
]

export const unreadableMarks: readonly string[] = UNREADABLE.map(([mark]) => mark)

/** How agents that can be read are called in `AI_AGENT`, where that is not how their id begins. */
const ALIASES: Readonly<Record<string, AgentId>> = {
  claude: 'claude-code',
  gemini: 'gemini-cli',
  copilot: 'copilot-cli',
  'github-copilot': 'copilot-cli',
  omp: 'oh-my-pi',
  'cursor-cli': 'cursor',
  'kilo-code': 'kilo',
}

/** Values of `AGENT`, which means something else in other places, that name an agent. */
const AGENTS = wordSet('amp goose cursor droid junie kiro antigravity windsurf crush')

/** The agent that started this process, which may be one that cannot be read; null when a person did. */
export function callerOf(env: Place['env']): Caller | null {
  // oh-my-pi 18 sets CLAUDECODE as well, so its own mark decides first.
  if (env.OMPCODE) return { agent: 'oh-my-pi', sessionId: null, path: null }
  for (const adapter of adapters) {
    const caller = callerBy(adapter, env)
    if (caller) return caller
  }
  const agent =
    UNREADABLE.find(([mark]) => env[mark])?.[1] ??
    (env.AI_AGENT ? agentIn(env.AI_AGENT) : AGENTS.has(env.AGENT ?? '') ? env.AGENT : undefined)
  return agent === undefined ? null : { agent, sessionId: null, path: null }
}

/** The same where it is this agent. */
export function callerBy(
  { id, marks, sessionMarks = [], caller }: Adapter,
  env: Place['env'],
): Caller | null {
  if (caller) return caller(env)
  const sessionId = sessionMarks.map((mark) => env[mark]).find(Boolean) ?? null
  return marks.some((mark) => env[mark]) ? { agent: id, sessionId, path: null } : null
}

/** `claude-code_2-1-330_agent`, `devin@1`, `cursor-cli`: a name, and perhaps a version. What is no name may be a key. */
function agentIn(value: string): AgentId {
  const name = /^[a-z][a-z-]{0,30}?(?=$|[_@./]|-\d)/i.exec(value)?.[0].toLowerCase() ?? 'an unknown agent'
  return ALIASES[name] ?? name
}
