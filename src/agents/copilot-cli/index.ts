import { isAscii } from 'node:buffer'
import type { Adapter } from '../../types/agent.ts'
import type { ReadOptions, SessionEvent, SessionRef } from '../../types/session.ts'
import { createCopilotTranslator } from './events.ts'
import { copilotSessions, copilotStart, findCopilotFiles, readCopilotRef } from './files.ts'
import { copilotFullness } from './fullness.ts'
import { copilotHooks } from './hooks.ts'
import { isIdleKind, isToldKind, peekCopilot } from './kinds.ts'
import { copilotLaunch } from './launch.ts'
import { copilotSetup, copilotTraces } from './setup.ts'
import { type Fields, fieldsOf, textOf } from '../fields.ts'
import { isBlank, type Line, readLineBatches } from '../lines.ts'

/** GitHub Copilot CLI 1.0.102 (`@github/copilot`): a folder per session with one JSONL file of events. */
export const copilotCli: Adapter = {
  id: 'copilot-cli',
  label: 'GitHub Copilot CLI',
  marks: ['COPILOT_AGENT_SESSION_ID', 'COPILOT_CLI'],
  caller: ({ COPILOT_AGENT_SESSION_ID, COPILOT_CLI }) =>
    COPILOT_AGENT_SESSION_ID || COPILOT_CLI
      ? { agent: 'copilot-cli', sessionId: COPILOT_AGENT_SESSION_ID || null, path: null }
      : null,
  find: (place, roots) => findCopilotFiles(copilotSessions(place), roots),
  identify: async (path, head) => (copilotStart(head) ? readCopilotRef(path) : null),
  read: readSession,
  fullness: copilotFullness,
  hooks: copilotHooks,
  setup: copilotSetup,
  traces: copilotTraces,
  afterSetup: [
    'At its next start here it asks whether to trust this folder: say yes, else it leaves the hooks and the server out.',
  ],
  trust: async (place) => (await import('./trust.ts')).copilotTrust(place),
  launch: copilotLaunch,
}

/** Lines of kinds that tell nothing are most of the file, and are skipped by their first bytes. */
async function* readSession(ref: SessionRef, options: ReadOptions): AsyncGenerator<SessionEvent[]> {
  const translator = createCopilotTranslator()
  for await (const batch of readLineBatches(ref.path, options)) {
    const told: SessionEvent[] = []
    for (const line of batch) {
      const look = line.torn ? null : peekCopilot(line.bytes)
      if (
        look &&
        (isIdleKind(look.type) || (look.type === 'tool.execution_start' && translator.isTold(look.call)))
      )
        continue
      if (look && !isToldKind(look.type)) {
        options.onSkip?.('unknown')
        continue
      }
      const record = parse(line, options)
      const events = record && translator.add(record)
      if (events) told.push(...events)
      else if (record && !isIdleKind(textOf(record.type))) options.onSkip?.('unknown')
    }
    yield told
  }
  yield translator.end()
}

function parse(line: Line, { onSkip }: ReadOptions): Fields | null {
  if (isBlank(line)) return null
  const { bytes, torn } = line
  // Most lines are ASCII, which decodes several times faster.
  const text = bytes.toString(isAscii(bytes) ? 'latin1' : 'utf8')
  try {
    return fieldsOf(JSON.parse(text))
  } catch {
    onSkip?.(torn ? 'torn' : 'not-json')
    return null
  }
}
