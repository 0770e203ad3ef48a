import { join } from 'node:path'
import type { Adapter, AgentId, ReadOptions, SessionEvent, SessionRef } from '../types.ts'
import { textOf } from './fields.ts'
import { readLineBatches } from './lines.ts'
import { ownHooks } from './own-hooks.ts'
import { createPiTranslator } from './pi-events.ts'
import { findPiFiles, piHeader, piSessionFolders, readPiRef } from './pi-files.ts'
import { piLaunch } from './pi-launch.ts'
import { piSetup, piTraces } from './pi-setup.ts'
import { parseRecord, readPiTree } from './pi-tree.ts'

/** Pi 0.74 … 1.5 (`@earendil-works/pi-coding-agent`): one JSONL file per session, a tree of entries. */
export const pi: Adapter = {
  id: 'pi',
  label: 'Pi',
  marks: ['PI_CODING_AGENT', 'PI_SESSION_FILE', 'PI_SESSION_ID'],
  caller: ({ PI_CODING_AGENT, PI_SESSION_ID, PI_SESSION_FILE }) =>
    // The mark alone in 0.74; since 0.82 the bash tool also gets id and file.
    PI_CODING_AGENT || PI_SESSION_FILE
      ? { agent: 'pi', sessionId: PI_SESSION_ID || null, path: PI_SESSION_FILE || null }
      : null,
  find: async (place, roots) => {
    const folders = await piSessionFolders(place, roots)
    return (await Promise.all(folders.map((folder) => findPiFiles(folder, roots)))).flat()
  },
  identify: identifyAs('pi'),
  read: readConversation,
  hooks: ownHooks,
  setup: piSetup,
  traces: piTraces,
  launch: piLaunch,
}

/** oh-my-pi 18: a title line first, then the records of Pi, in a folder of its own. */
export const ohMyPi: Adapter = {
  id: 'oh-my-pi',
  label: 'oh-my-pi',
  marks: ['OMPCODE'],
  caller: ({ OMPCODE }) => (OMPCODE ? { agent: 'oh-my-pi', sessionId: null, path: null } : null),
  find: ({ home }, roots) => findPiFiles(join(home, '.omp', 'agent', 'sessions'), roots),
  identify: identifyAs('oh-my-pi'),
  read: readConversation,
}

function identifyAs(agent: AgentId): Adapter['identify'] {
  return async (path, head) => (piHeader(head)?.agent === agent ? readPiRef(path) : null)
}

/**
 * Two passes: the first finds the current conversation, the second reads only its lines, so memory stays flat. Forks
 * hold copies of the earlier records and a new session with a parent is a new conversation: `parentSession` is not
 * followed.
 */
async function* readConversation(ref: SessionRef, options: ReadOptions): AsyncGenerator<SessionEvent[]> {
  const tree = await readPiTree(ref.path, options)
  const translate = createPiTranslator(textOf(tree.header.cwd) || null, tree.omitted)
  const second = options.signal ? { signal: options.signal, end: tree.end } : { end: tree.end }
  for await (const batch of readLineBatches(ref.path, second)) {
    const told: SessionEvent[] = []
    for (const line of batch) {
      if (!tree.active.has(line.index)) continue
      const record = parseRecord(line, options)
      if (!record) continue
      const events = translate(record)
      if (events) told.push(...events)
      else options.onSkip?.('unknown')
    }
    yield told
  }
}
