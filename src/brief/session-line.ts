import { escapeText } from '../text/safe-text.ts'
import type { FrontMatter } from '../types/brief.ts'
import type { AgentFacts } from '../types/evidence.ts'

/**
 * Which agent and model wrote this, in one line, safe as it is: without code spans, which a stray backtick before them could open.
 * Nothing in it grows while a session goes on.
 */
export function sessionLine(meta: FrontMatter, agent: AgentFacts | null): string {
  const { model, thinking, version } = meta.agent
  const skill = meta.skills?.at(-1)
  const parts = [
    agent === null
      ? 'none, git facts alone'
      : `${escapeText(agent.label)}${version === undefined ? '' : ` ${escapeText(version)}`}`,
    ...(model === undefined
      ? []
      : [
          `model ${escapeText(model)}${thinking === undefined ? '' : ` (thinking: ${escapeText(thinking)})`}`,
        ]),
    ...(skill === undefined ? [] : [`prior skill ${escapeText(skill)}`]),
    ...(meta.persona === undefined ? [] : [`persona ${escapeText(meta.persona)}`]),
  ]
  return `Session: ${parts.join(', ')}`
}
