import type { Adapter } from '../../types/agent.ts'
import { fieldsOf } from '../fields.ts'
import { answerBy, readCall } from '../hooks.ts'
import { findQwenFiles, readQwenRef } from './files.ts'
import { readQwenSession } from './read.ts'
import { qwenLaunch, qwenSetup, qwenTraces } from './setup.ts'

/** Qwen Code 0.15.10 (`@qwen-code/qwen-code`): one JSONL file per session, messages of Gemini CLI in the envelope of Claude Code. */
export const qwenCode: Adapter = {
  id: 'qwen-code',
  label: 'Qwen Code',
  basis: { is: 'recorded', of: '@qwen-code/qwen-code 0.15.10' },
  // Commands of 0.15.10 see only the first (core/services/shellExecutionService.ts), later ones both (core/services/shellContextEnv.ts).
  marks: ['QWEN_CODE', 'QWEN_CODE_SESSION_ID'],
  caller: ({ QWEN_CODE, QWEN_CODE_SESSION_ID }) =>
    QWEN_CODE || QWEN_CODE_SESSION_ID
      ? { agent: 'qwen-code', sessionId: QWEN_CODE_SESSION_ID || null, path: null }
      : null,
  find: findQwenFiles,
  identify: async (path, head) => (SIGN.test(head) ? readQwenRef(path) : null),
  read: readQwenSession,
  // What a hook answers at the start of a session reaches nobody (seen in 0.15.10): the first prompt is the next chance.
  hooks: {
    read: (payload) => readCall(fieldsOf(payload)),
    answer: answerBy({ prompt: 'UserPromptSubmit' }),
    isHeard: (event) => event !== 'session-start',
  },
  setup: qwenSetup,
  traces: qwenTraces,
  launch: qwenLaunch,
}

/** A message in parts, in the order of the fields that the client writes (core/services/chatRecordingService.ts of 0.15.10). */
const SIGN = /^\{"uuid":"[^"]+","parentUuid":.*"message":\{"role":"[a-z]+","parts":\[/m
