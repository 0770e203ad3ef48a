import { basename } from 'node:path'
import { sessionFormat } from '../../errors/session.ts'
import type { Place } from '../../types/place.ts'
import type { Batches, ReadOptions, SessionEvent, SessionRef } from '../../types/session.ts'
import { type Fields, recordOf, textOf } from '../fields.ts'
import { type Line, parseLine, readLineBatches, translate } from '../lines.ts'
import { mergeByTime } from '../merge-by-time.ts'
import { pathsIn } from '../session-files.ts'
import { createPiTranslator } from './events.ts'
import { readPiRef } from './files.ts'

/**
 * A conversation with those of its helpers, which oh-my-pi keeps as files of a folder named after the session's (18.2.3). Forks
 * hold copies of the earlier records and a new session with a parent is a new conversation: `parentSession` is not
 * followed.
 */
export async function* readPiConversation(ref: SessionRef, options: ReadOptions): Batches {
  yield* mergeByTime(readFile(ref.path, null, options), helpersOf(ref.path), ({ path, label }) =>
    readFile(path, label, options),
  )
  yield activeTools(options.place?.env)
}

/** The tools that our extension says the model is given now: no record tells them. */
function activeTools(env: Place['env'] = {}): SessionEvent[] {
  const tools = (env.HANDOFF_ACTIVE_TOOLS ?? '').split(',').filter((name) => /^[\w.:-]{1,64}$/.test(name))
  return tools.length === 0 ? [] : [{ kind: 'setting', tools, at: null, sub: null, cwd: null }]
}

function helpersOf(session: string): { path: string; startedAt: string; label: string }[] {
  const folder = session.replace(/\.jsonl$/, '')
  if (folder === session) return []
  const paths = pathsIn(folder, undefined, true).filter((path) => path.endsWith('.jsonl'))
  const refs = paths.map((path) => readPiRef(path))
  return refs.flatMap((ref) =>
    ref === null || ref.startedAt === null
      ? []
      : [{ path: ref.path, startedAt: ref.startedAt, label: basename(ref.path, '.jsonl') }],
  )
}

/** Two passes: the first finds the current conversation, the second reads only its lines, so memory stays flat. */
async function* readFile(path: string, sub: string | null, options: ReadOptions): Batches {
  const tree = await readPiTree(path, options)
  const add = createPiTranslator(textOf(tree.header.cwd) || null, tree.omitted, sub)
  // The first pass has shown the bytes and said what cannot be used.
  const { onRaw: _, ...second } = options
  yield* translate(
    path,
    { ...second, end: tree.end },
    {
      wants: ({ index }) => tree.active.has(index),
      add,
      parse: parseRecord,
    },
  )
}

/** What one pass over a Pi file tells before any conversation is read. */
interface PiTree {
  header: Fields
  /** 0-based numbers of the lines of the current conversation. */
  active: ReadonlySet<number>
  /** Ids of entries whose words were taken out of the conversation by `context_edit`. */
  omitted: ReadonlySet<string>
  /** Byte offset behind the last line seen, so that a second pass over a growing file sees the same lines. */
  end: number
}

interface Entry {
  line: number
  /** Undefined in files of version 1, which are linear; null where a conversation begins. */
  parent: string | null | undefined
}

/**
 * Finds the current conversation of a Pi session: the walk from the last line up `parentId`. Lines off that walk are
 * abandoned branches. Memory is a few words per line, never the lines themselves, so a second pass reads them again.
 * Format: Pi's session-format.md, versions 1 to 3 (seen in 0.74.2, 0.87.1 and 1.5.2).
 * Throws `sessionUnreadable`, and `sessionFormat` when there is no session header.
 */
async function readPiTree(path: string, options: ReadOptions): Promise<PiTree> {
  const entries: Entry[] = []
  const byId = new Map<string, number>()
  const edits: { entry: number; target: string; omit: boolean }[] = []
  let header: Fields | null = null
  let end = 0

  const take = (line: Line): void => {
    const record = parseRecord(line, options)
    if (!record) return
    const { type } = record
    if (type === 'session') header ??= record
    if (type === 'session' || type === 'title') return
    const id = textOf(record.id) || undefined
    const parent = record.parentId === null ? null : textOf(record.parentId) || undefined
    if (type === 'context_edit')
      edits.push({
        entry: entries.length,
        target: textOf(record.targetId),
        omit: record.replacement === null,
      })
    if (id !== undefined) byId.set(id, entries.length)
    // Behind oh-my-pi's `/clear` a new conversation begins in the same file (18.2.3).
    entries.push({ line: line.index, parent: type === 'reset_boundary' ? null : parent })
  }

  for await (const batch of readLineBatches(path, options)) {
    for (const line of batch) {
      end = line.offset + line.bytes.length + (line.torn ? 0 : 1)
      if (line.bytes.length > 0) take(line)
    }
  }
  if (!header) throw sessionFormat(path, 'it has no Pi session header')

  const walked = walk(entries, byId)
  const omitted = new Set<string>()
  for (const edit of edits) {
    if (!walked.has(edit.entry)) continue
    if (edit.omit) omitted.add(edit.target)
    else omitted.delete(edit.target)
  }
  const active = new Set<number>()
  for (const at of walked) active.add(entries[at]?.line ?? -1)
  return { header, active, omitted, end }
}

function walk(entries: readonly Entry[], byId: ReadonlyMap<string, number>): Set<number> {
  const walked = new Set<number>()
  let at = entries.length - 1
  while (at >= 0) {
    walked.add(at)
    const parent = entries[at]?.parent
    if (parent === null) break
    const up = parent === undefined ? undefined : byId.get(parent)
    // A parent always stands earlier; where it was lost, the line before is the nearest that is known.
    at = up !== undefined && up < at ? up : at - 1
  }
  return walked
}

/** Where a second record begins in a line that holds the torn end of a crashed process before it. */
const GLUED = /.\{"type":"[a-z_]+","id":"[^"\\]+","parentId":/g

/** The record of a line, or null after saying why it cannot be used. */
function parseRecord(line: Line, options: Pick<ReadOptions, 'onSkip'>): Fields | null {
  const record = parseLine(line, options) ?? gluedIn(line)
  if (record === null || typeof record.type === 'string') return record
  options.onSkip?.('unknown')
  return null
}

function gluedIn({ bytes }: Line): Fields | null {
  const text = bytes.toString('utf8')
  const glued = [...text.matchAll(GLUED)].at(-1)
  const record = glued ? recordOf(text.slice(glued.index + 1)) : {}
  return 'type' in record ? record : null
}
