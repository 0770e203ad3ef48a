import { join } from 'node:path'
import type { Adapter, Fullness, HookCall } from '../../types/agent.ts'
import type { Place } from '../../types/place.ts'
import type { SessionRef } from '../../types/session.ts'
import { type Fields, fieldsOf, listOf, numberOf, textOf } from '../fields.ts'
import { answerBy, readCall } from '../hooks.ts'
import { lastRecord } from '../session-files.ts'
import { readSettings } from '../setup.ts'
import { geminiWindow } from './calls.ts'
import { findGeminiFiles, geminiHeader, readGeminiRef } from './files.ts'
import { readGeminiSession } from './read.ts'
import { geminiLaunch, geminiSetup, geminiTraces, geminiTrust } from './setup.ts'

/** Gemini CLI 0.61 (`@google/gemini-cli`): one JSONL file per session, a log of changes to a list of messages. */
export const geminiCli: Adapter = {
  id: 'gemini-cli',
  label: 'Gemini CLI',
  basis: { is: 'recorded', of: '@google/gemini-cli 0.61.0' },
  marks: ['GEMINI_CLI'],
  // The id of the session is told to hooks only.
  caller: ({ GEMINI_CLI, GEMINI_SESSION_ID }) =>
    GEMINI_CLI ? { agent: 'gemini-cli', sessionId: GEMINI_SESSION_ID || null, path: null } : null,
  find: findGeminiFiles,
  identify: async (path, head) => (geminiHeader(head) ? readGeminiRef(path) : null),
  read: readGeminiSession,
  fullness,
  // Text for the model arrives between `<hook_context>` tags with `<` and `>` escaped, and the client tells its model that it is data.
  hooks: {
    read: readHook,
    answer: answerBy({ 'session-start': 'SessionStart', prompt: 'BeforeAgent' }),
    // What a hook answers at the start of a session that follows `/clear` is thrown away (seen): its first prompt is the next chance.
    isHeard: (event, { source }) => event !== 'session-start' || source !== 'clear',
  },
  setup: geminiSetup,
  traces: geminiTraces,
  afterSetup: [
    'At its next start it asks whether to trust this folder. Answer yes: otherwise it ignores all this and does not start without a terminal.',
  ],
  trust: geminiTrust,
  launch: geminiLaunch,
}

/** After a resume the path told at the start is that of a second, empty file. */
function readHook(payload: unknown): HookCall {
  const fields = fieldsOf(payload)
  const call = readCall(fields)
  const path = fields.hook_event_name === 'SessionStart' && call.source === 'resume' ? null : call.path
  return { ...call, path, text: textOf(fields.prompt_response) || call.text }
}

/**
 * Tokens that the last request of the session held; null when the history was compacted since, for then nothing is known until the
 * next request, and when the model is none of Google's.
 */
async function fullness(
  { path }: Pick<SessionRef, 'path'>,
  place: Pick<Place, 'home' | 'env'>,
): Promise<Fullness | null> {
  const last = lastRecord(path, '"type":"gemini"', (record) => {
    const messages = fieldsOf(record.$set).messages
    if (!Array.isArray(messages)) return requestOf(record)
    // A copy of the history: that of a compaction holds no request, that of a resumed session all of them.
    return (
      listOf(messages)
        .map(fieldsOf)
        .map(requestOf)
        .findLast((one) => one !== null) ?? NOTHING
    )
  })
  if (last === null || last.tokens === 0) return null
  const window = geminiWindow(last.model)
  return window === null
    ? null
    : { tokens: last.tokens, window, compactsAt: Math.floor(window * threshold(place)) }
}

/** Part of the window at which the client compresses (`core/chatCompressionService.js`), unless the person's settings tell another. */
const COMPRESSES = 0.5

function threshold({ home, env }: Pick<Place, 'home' | 'env'>): number {
  const settings = readSettings(join(env.GEMINI_CLI_HOME || home, '.gemini', 'settings.json'))
  const set = numberOf(fieldsOf(fieldsOf(settings).model).compressionThreshold)
  return set !== null && set > 0 && set <= 1 ? set : COMPRESSES
}

const NOTHING = { tokens: 0, model: '' }

function requestOf({ type, tokens, model }: Fields): { tokens: number; model: string } | null {
  const input = numberOf(fieldsOf(tokens).input) ?? 0
  return type === 'gemini' && input > 0 ? { tokens: input, model: textOf(model) } : null
}
