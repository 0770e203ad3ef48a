import { basename, dirname, join } from 'node:path'
import type { Adapter } from '../../types/agent.ts'
import type { SessionRef } from '../../types/session.ts'
import { type Fields, fieldsOf, recordOf, textOf, timeOf } from '../fields.ts'
import { dashed, fileRef, namesIn, onlyNotes, pathsIn, readEnds, sessionsAt } from '../session-files.ts'

/**
 * Sessions started inside one of `roots`, newest first, in `projects/<start directory>/chats` of the client's own folder or of the one
 * that the environment names (core/config/storage.ts of 0.15.10). A session in which nothing was said is none.
 */
export const findQwenFiles: Adapter['find'] = async ({ home, env }, roots, onUnread) => {
  const projects = join(env.QWEN_RUNTIME_DIR || env.QWEN_HOME || join(home, '.qwen'), 'projects')
  const folders = namesIn(projects, onUnread).filter((name) =>
    roots.some((root) => name.startsWith(dashed(root))),
  )
  const all = folders.flatMap((name) => pathsIn(join(projects, name, 'chats'), onUnread))
  const paths = all.filter((path) => path.endsWith('.jsonl'))
  return sessionsAt(paths, roots, onUnread, readQwenRef, onlyNotes(isNote, 'message'))
}

const isNote = ({ type }: Fields): boolean => type === 'system'

/** A record that somebody said something, behind those of the client. */
const SAID = /^\{"uuid":.*"type":"(?:user|assistant)"/m

/** What the first and last records tell; null for a file that is gone or in which nothing was said. */
export function readQwenRef(path: string): SessionRef | null {
  const ends = readEnds(path)
  const first = recordOf(ends?.head.split('\n', 1)[0] ?? '')
  if (!ends || textOf(first.sessionId) === '' || !(SAID.test(ends.head) || SAID.test(ends.tail))) return null
  const records = ends.tail.split('\n').map(recordOf).reverse()
  const last = <T>(pick: (record: typeof first) => T | null | ''): T | undefined =>
    records.map(pick).find((found) => found !== null && found !== '') || undefined
  const branch = last((record) => textOf(record.gitBranch))
  // The client writes the title again at its end.
  const title = last((record) => textOf(fieldsOf(record.systemPayload).customTitle))
  return fileRef('qwen-code', path, ends, {
    id: textOf(first.sessionId),
    // `/cd` and `enter_worktree` change it (0.24.4).
    cwd: last((record) => textOf(record.cwd)) ?? first.cwd,
    from: first.timestamp,
    to: last((record) => timeOf(record.timestamp)),
    title,
    branch: branch === 'HEAD' ? '' : branch,
  })
}

/** Transcripts of the subagents that ran in the background; 0.15.10 keeps none of the others (core/agents/agent-transcript.ts). */
export function qwenSubagents({
  path,
  id,
}: Pick<SessionRef, 'path' | 'id'>): { id: string; path: string; startedAt: string }[] {
  if (!/^[\w-]+$/.test(id)) return []
  const folder = join(dirname(dirname(path)), 'subagents', id)
  const files = namesIn(folder).filter((name) => /^agent-.*\.jsonl$/.test(name))
  return files.flatMap((name) => {
    const head = readEnds(join(folder, name))?.head ?? ''
    const startedAt = timeOf(recordOf(head.split('\n', 1)[0] ?? '').timestamp)
    const label = basename(name, '.jsonl').slice('agent-'.length)
    return startedAt === null ? [] : [{ id: label, path: join(folder, name), startedAt }]
  })
}
