import { readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Place } from '../../types/place.ts'
import type { ReadOptions, SessionEvent, SessionRef } from '../../types/session.ts'
import { textOf } from '../fields.ts'
import { readLineBatches } from '../lines.ts'
import { mergeByTime } from '../merge-by-time.ts'
import { createPiTranslator } from './events.ts'
import { readPiRef } from './files.ts'
import { parseRecord, readPiTree } from './tree.ts'

/**
 * A conversation with those of its helpers, which oh-my-pi keeps as files of a folder named after the session's (18.2.3). Forks
 * hold copies of the earlier records and a new session with a parent is a new conversation: `parentSession` is not
 * followed.
 */
export async function* readPiConversation(
  ref: SessionRef,
  options: ReadOptions,
): AsyncGenerator<SessionEvent[]> {
  const main = readFile(ref.path, null, options)
  const helpers = await helpersOf(ref.path)
  yield* helpers.length === 0
    ? main
    : mergeByTime(
        main,
        helpers.map(({ path, startedAt, label }) => ({
          startedAt,
          read: () => readFile(path, label, options),
        })),
      )
  yield activeTools(options.place?.env)
}

/** The tools that our extension says the model is given now: no record tells them. */
function activeTools(env: Place['env'] = {}): SessionEvent[] {
  const tools = (env.HANDOFF_ACTIVE_TOOLS ?? '').split(',').filter((name) => /^[\w.:-]{1,64}$/.test(name))
  return tools.length === 0 ? [] : [{ kind: 'setting', tools, at: null, sub: null, cwd: null }]
}

async function helpersOf(session: string): Promise<{ path: string; startedAt: string; label: string }[]> {
  const folder = session.replace(/\.jsonl$/, '')
  if (folder === session) return []
  const names = await readdir(folder, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return []
    throw error
  })
  const paths = names.filter((name) => name.endsWith('.jsonl')).sort()
  const refs = await Promise.all(paths.map((name) => readPiRef(join(folder, name))))
  return refs.flatMap((ref) =>
    ref === null || ref.startedAt === null
      ? []
      : [{ path: ref.path, startedAt: ref.startedAt, label: basename(ref.path, '.jsonl') }],
  )
}

/** Two passes: the first finds the current conversation, the second reads only its lines, so memory stays flat. */
async function* readFile(
  path: string,
  sub: string | null,
  options: ReadOptions,
): AsyncGenerator<SessionEvent[]> {
  const tree = await readPiTree(path, options)
  const translate = createPiTranslator(textOf(tree.header.cwd) || null, tree.omitted, sub)
  const second = options.signal ? { signal: options.signal, end: tree.end } : { end: tree.end }
  for await (const batch of readLineBatches(path, second)) {
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
