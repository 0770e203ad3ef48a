import { join } from 'node:path'
import type { HookDialect, Launch, SetupEdit, SetupPlace } from '../../types/agent.ts'
import { fieldsOf, listOf, textOf } from '../fields.ts'
import { readCall } from '../hooks.ts'
import { mcpServer, skillIn, usualLaunch } from '../setup.ts'

/**
 * Antigravity, CLI 1.1 and IDE: a hook, a skill and MCP servers of the project. CLI 1.1.11 took hooks only from plugins (ToolAhead 0.7,
 * August 2026), 1.1.25 reads them here (skillsaw 0.20). The one before each request alone may tell the model something (its documentation
 * as of July 2026, in the adapter of AEP); the end of a turn wants a decision, which is not ours to make.
 */
export const antigravitySetup = (place: SetupPlace): SetupEdit[] => [
  {
    type: 'json-item',
    path: join(place.root, '.agents', 'hooks.json'),
    at: ['handoff', 'PreInvocation'],
    value: { type: 'command', command: place.hookCommand('prompt'), timeout: 10 },
  },
  skillIn(place, '.agents'),
  mcpServer(place, '.agents', 'mcp_config.json'),
]

/** One message that stands before this request; nothing reaches the person. */
export const antigravityHooks: HookDialect = {
  read(payload) {
    const { conversationId, workspacePaths, ...fields } = fieldsOf(payload)
    return {
      ...readCall(fields),
      sessionId: textOf(conversationId) || null,
      cwd: textOf(listOf(workspacePaths)[0]) || null,
    }
  },
  answer: (event, { context }) =>
    event !== 'prompt'
      ? ''
      : `${JSON.stringify(context === null ? {} : { injectSteps: [{ ephemeralMessage: context }] })}\n`,
  isHeard: (event) => event === 'prompt',
}

export const antigravityTraces = ({ root, home }: Pick<SetupPlace, 'root' | 'home'>) => ({
  project: ['mcp_config.json', 'hooks.json'].map((name) => join(root, '.agents', name)),
  home: ['antigravity-cli', 'antigravity'].map((name) => join(home, '.gemini', name)),
})

/** The CLI 1.1 (`agy`). */
export const antigravityLaunch: Launch = {
  ...usualLaunch,
  program: 'agy',
  interactive: (prompt) => ({ args: ['-i', prompt] }),
  headless: (prompt) => ({ args: ['-p', prompt] }),
  passEnv: ['GEMINI_*', 'GOOGLE_*'],
  exitLine: '/quit',
}
