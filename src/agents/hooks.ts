import type { HookCall, HookDialect, HookEvent } from '../types/agent.ts'
import { type Fields, fieldsOf, textOf } from './fields.ts'
import { fullnessOf } from './fullness.ts'

/** The agent's own names of the events whose answer may put text before its model (2.1.330, 0.169). */
const NAMES: Partial<Record<HookEvent, string>> = {
  'session-start': 'SessionStart',
  prompt: 'UserPromptSubmit',
}

/** Hooks of Claude Code 2.1.330 and Codex 0.169: one JSON object in, one out. Codex drops an answer with any other key. */
export const claudeHooks: HookDialect = {
  read: (payload) => readCall(fieldsOf(payload)),
  answer: answerBy(NAMES),
  // `claude -p` and programs that drive it name themselves `sdk-cli`, `sdk-ts`, `sdk-py`; the terminal is `cli` (2.1.330).
  isUnattended: (_call, env) => env.CLAUDE_CODE_ENTRYPOINT?.startsWith('sdk') === true,
  // The turn goes on, with the reason as what the person said.
  goOn: (reason) => `${JSON.stringify({ decision: 'block', reason })}\n`,
}

/** Answers in the form that Claude Code, Codex and Gemini CLI share; `names` are the agent's own for events that reach its model. */
export function answerBy(names: Partial<Record<HookEvent, string>>): HookDialect['answer'] {
  return (event, { context, notice }) => {
    const hookEventName = names[event]
    const answer = {
      ...(notice === null ? {} : { systemMessage: notice }),
      ...(context === null || hookEventName === undefined
        ? {}
        : { hookSpecificOutput: { hookEventName, additionalContext: context } }),
    }
    return Object.keys(answer).length === 0 ? '' : `${JSON.stringify(answer)}\n`
  }
}

/** Fields that Claude Code, Codex and Gemini CLI name alike; Copilot CLI has them in another spelling. */
export const readCall = (payload: Fields): HookCall => {
  const first = (...names: string[]): string | null =>
    names.map((name) => textOf(payload[name])).find((text) => text !== '') ?? null
  return {
    sessionId: first('session_id', 'sessionId'),
    path: first('transcript_path', 'transcriptPath'),
    cwd: first('cwd'),
    source: first('source', 'trigger', 'stopReason', 'reason'),
    text: first('prompt', 'initialPrompt', 'last_assistant_message'),
    fullness: null,
  }
}

/** The dialect of our own extensions: common fields and the agent's own figures in, `{context, notice}` out. */
export const ownHooks = (compacts: (window: number, fields: Fields) => number): HookDialect => ({
  read(payload) {
    const fields = fieldsOf(payload)
    const fullness = fullnessOf(fields.tokens, fields.window, (window) => compacts(window, fields))
    return {
      ...readCall(fields),
      fullness,
      ...(fields.unattended === true ? { isUnattended: true } : {}),
      ...(fields.has_read === true ? { hasRead: true } : {}),
    }
  },
  isUnattended: (call) => call.isUnattended === true,
  answer: (_event, { context, notice }) =>
    context === null && notice === null ? '' : `${JSON.stringify({ context, notice })}\n`,
})
