import type { Adapter, Fullness, HookEvent } from '../../types/agent.ts'
import type { SessionRef } from '../../types/session.ts'
import { fieldsOf, numberOf, textOf } from '../fields.ts'
import { readCall } from '../hooks.ts'
import { lastRecord } from '../session-files.ts'
import { copilotStart, findCopilotFiles, readCopilotRef } from './files.ts'
import { readCopilotSession } from './read.ts'
import { copilotLaunch, copilotSetup, copilotTraces, copilotTrust } from './setup.ts'

/** Events whose answer reaches the model (1.0.102); the others take none that would not make the turn go on. */
const HEARD: ReadonlySet<HookEvent> = new Set(['session-start', 'prompt'])

/** GitHub Copilot CLI 1.0.102 (`@github/copilot`): a folder per session with one JSONL file of events. */
export const copilotCli: Adapter = {
  id: 'copilot-cli',
  label: 'GitHub Copilot CLI',
  basis: { is: 'recorded', of: '@github/copilot 1.0.102' },
  marks: ['COPILOT_AGENT_SESSION_ID', 'COPILOT_CLI'],
  caller: ({ COPILOT_AGENT_SESSION_ID, COPILOT_CLI }) =>
    COPILOT_AGENT_SESSION_ID || COPILOT_CLI
      ? { agent: 'copilot-cli', sessionId: COPILOT_AGENT_SESSION_ID || null, path: null }
      : null,
  find: findCopilotFiles,
  identify: async (path, head) => (copilotStart(head) ? readCopilotRef(path) : null),
  read: readCopilotSession,
  fullness,
  hooks: { read: (payload) => readCall(fieldsOf(payload)), answer, isHeard: (event) => HEARD.has(event) },
  setup: copilotSetup,
  traces: copilotTraces,
  afterSetup: [
    'At its next start it asks whether to trust this folder. Answer yes: otherwise it ignores the hooks and the server.',
  ],
  trust: copilotTrust,
  launch: copilotLaunch,
}

/**
 * At the start of a session, also of the one that `/clear` begins, the text becomes a message of its own before the prompt; at a prompt
 * it stands at the prompt's end. Nothing can be shown to the person alone, so the model is asked to pass it on.
 */
function answer(
  event: HookEvent,
  { context, notice }: { context: string | null; notice: string | null },
): string {
  if (!HEARD.has(event)) return ''
  const said = [
    context,
    notice === null ? null : `Before anything else, tell the user this line as it stands: ${notice}`,
  ]
  const additionalContext = said.filter((text) => text !== null).join('\n\n')
  return additionalContext === '' ? '' : `${JSON.stringify({ additionalContext })}\n`
}

/** Part of the limit at which the client begins to compact in the background (1.0). */
const COMPACTS = 0.8

/**
 * The last request of the conversation against the most its prompt may hold; what a compaction left when none came after it
 * (1.0.102). Receipts of subagents have an `agentId`.
 */
async function fullness({ path }: Pick<SessionRef, 'path'>): Promise<Fullness | null> {
  return lastRecord(path, '"type":"session.', (record) => {
    const data = fieldsOf(record.data)
    if (textOf(record.agentId) !== '') return null
    const used = fieldsOf(data.usage)
    const [tokens, window] =
      record.type === 'session.usage_record'
        ? [numberOf(used.inputTokens), numberOf(used.maxPromptTokens)]
        : record.type === 'session.compaction_complete' && data.success === true
          ? [numberOf(data.postCompactionTokens), numberOf(data.tokenLimit)]
          : [null, null]
    return tokens === null || window === null || window <= 0
      ? null
      : { tokens, window, compactsAt: Math.floor(window * COMPACTS) }
  })
}
