import type { HookDialect, HookEvent } from '../../types/agent.ts'
import { fieldsOf, textOf } from '../fields.ts'

/** Events whose answer reaches the model (1.0.102); the others take none that would not make the turn go on. */
const HEARD: ReadonlySet<HookEvent> = new Set(['session-start', 'prompt'])

/**
 * Hooks of Copilot CLI 1.0.102. At the start of a session, also of the one that `/clear` begins, the text becomes a message of its
 * own before the prompt; at a prompt it stands at the prompt's end. Nothing can be shown to the person alone, so the model
 * is asked to pass it on.
 */
export const copilotHooks: HookDialect = {
  read(payload) {
    const fields = fieldsOf(payload)
    const why = [fields.source, fields.trigger, fields.stopReason, fields.reason].map(textOf)
    return {
      sessionId: textOf(fields.sessionId) || null,
      path: textOf(fields.transcriptPath) || null,
      cwd: textOf(fields.cwd) || null,
      source: why.find((word) => word !== '') ?? null,
      text: textOf(fields.prompt) || textOf(fields.initialPrompt) || null,
      fullness: null,
    }
  },
  answer(event, { context, notice }) {
    if (!HEARD.has(event)) return ''
    const said = [
      context,
      notice === null ? null : `Before anything else, tell the user this line as it stands: ${notice}`,
    ]
    const additionalContext = said.filter((text) => text !== null).join('\n\n')
    return additionalContext === '' ? '' : `${JSON.stringify({ additionalContext })}\n`
  },
  isHeard: (event) => HEARD.has(event),
}
