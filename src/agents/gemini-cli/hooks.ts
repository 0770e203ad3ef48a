import type { HookDialect, HookEvent } from '../../types/agent.ts'
import { answerBy, readCall } from '../claude-code/hooks.ts'
import { fieldsOf, textOf } from '../fields.ts'

/** The client's own names of the events whose answer may put text before its model (0.61.0). */
const NAMES: Partial<Record<HookEvent, string>> = { 'session-start': 'SessionStart', prompt: 'BeforeAgent' }

/**
 * Hooks of Gemini CLI 0.61. Text for the model arrives between `<hook_context>` tags with `<` and `>` escaped, and the client tells
 * its model that it is data. What a hook answers at the start of a session that follows `/clear` is thrown away (seen): the first
 * prompt of that session is the next chance. After a resume the path told at the start is that of a second, empty file.
 */
export const geminiHooks: HookDialect = {
  read(payload) {
    const fields = fieldsOf(payload)
    const call = readCall(fields)
    const path = fields.hook_event_name === 'SessionStart' && call.source === 'resume' ? null : call.path
    return { ...call, path, text: textOf(fields.prompt_response) || call.text }
  },
  answer: answerBy(NAMES),
  isHeard: (event, { source }) => event !== 'session-start' || source !== 'clear',
}
