import type { AgentFacts, FrontMatter } from '../types.ts'
import { codeSpan, escapeText } from './safe-text.ts'

/** Which agent and model wrote this, in one line, safe as it is. Nothing in it grows while a session goes on. */
export function sessionLine(meta: FrontMatter, agent: AgentFacts | null): string {
  const { model, thinking, version } = meta.agent
  const skill = meta.skills?.at(-1)
  const parts = [
    agent === null
      ? 'none, git facts alone'
      : `${escapeText(agent.label)}${version === undefined ? '' : ` ${escapeText(version)}`}`,
    ...(model === undefined
      ? []
      : [`model ${escapeText(model)}${thinking === undefined ? '' : ` (thinking: ${escapeText(thinking)})`}`]),
    ...(skill === undefined ? [] : [`prior skill ${codeSpan(skill)}`]),
    ...(meta.persona === undefined ? [] : [`persona ${codeSpan(meta.persona)}`]),
  ]
  return `Session: ${parts.join(', ')}`
}
