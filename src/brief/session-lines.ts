import type { AgentFacts, FrontMatter, GitState } from '../types.ts'
import { shortSha } from './count.ts'
import { codeSpan, escapeText } from './safe-text.ts'

/** Tool names listed. */
const TOOLS = 12

/** The Session Metadata lines, safe as they are. Nothing in them grows while a session goes on. */
export function sessionLines(meta: FrontMatter, agent: AgentFacts | null, git: GitState | null): string[] {
  const { model, thinking, version, tools = [] } = meta.agent
  const skill = meta.skills?.at(-1)
  return [
    ...(agent === null
      ? ['Session: none, git facts alone']
      : [`Session: ${escapeText(agent.label)}${version === undefined ? '' : ` ${escapeText(version)}`}`]),
    ...(model === undefined
      ? []
      : [
          `Model: ${escapeText(model)}${thinking === undefined ? '' : ` (thinking: ${escapeText(thinking)})`}`,
        ]),
    ...(tools.length === 0
      ? []
      : [
          `Tools: ${tools.slice(0, TOOLS).map(escapeText).join(', ')}${tools.length > TOOLS ? ` and ${tools.length - TOOLS} more` : ''}`,
        ]),
    ...(git === null ? [] : [`Git: ${gitLine(git)}`]),
    ...(skill === undefined ? [] : [`Prior skill: ${codeSpan(skill)}`]),
    ...(meta.persona === undefined ? [] : [`Persona: ${codeSpan(meta.persona)}`]),
  ]
}

function gitLine(git: GitState): string {
  const branch = git.branch === null ? 'detached HEAD' : codeSpan(git.branch)
  const base =
    git.base === null ? '' : `, grown from ${codeSpan(git.base.ref)} at \`${shortSha(git.base.sha)}\``
  return `${branch}${base}, ${git.changes.length === 0 ? 'clean' : 'dirty'}`
}
