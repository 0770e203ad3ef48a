import { open } from 'node:fs/promises'
import { sep } from 'node:path'
import { openCodeUnreadable } from '../../errors/session.ts'
import type { Place } from '../../types/place.ts'
import type { SessionRef } from '../../types/session.ts'
import { type Fields, numberOf, recordOf, textOf, timeOf } from '../fields.ts'
import { sessionPath } from './database.ts'
import { titleOf } from './events.ts'
import { queryLines, quoted } from './query.ts'

/** Sessions whose size is asked for: it costs a page of the file per part. */
const SIZED = 50

/** Bytes of a path that stand in one piece in a row of the file, whatever follows. */
const NEEDLE = 200

/** Sessions started inside one of `roots`, newest first, without those of subagents. Throws `openCodeUnreadable`. */
export async function listSessions(
  database: string,
  roots: readonly string[],
  place: Pick<Place, 'home' | 'env' | 'signal'>,
): Promise<SessionRef[]> {
  const refs: SessionRef[] = []
  for await (const lines of queryLines(database, sqlOf(roots), place, () => namesAny(database, roots)))
    for (const line of lines) {
      const row = recordOf(line)
      // A row that is cut off, or without its id, is no session that could be read.
      if (textOf(row.id) !== '') refs.push(refOf(database, row))
    }
  return refs
}

function refOf(database: string, row: Fields): SessionRef {
  const title = titleOf(row)
  return {
    agent: 'opencode',
    id: textOf(row.id),
    path: sessionPath(database, textOf(row.id)),
    cwd: textOf(row.directory) || null,
    startedAt: timeOf(row.created),
    updatedAt: timeOf(row.updated) ?? timeOf(row.created) ?? new Date(0).toISOString(),
    bytes: numberOf(row.bytes) ?? 0,
    ...(title ? { title } : {}),
  }
}

function sqlOf(roots: readonly string[]): string {
  const inside = roots.map((root) => {
    const below = root.endsWith(sep) ? root : root + sep
    return `directory = ${quoted(root)} or substr(directory, 1, ${[...below].length}) = ${quoted(below)}`
  })
  // The time of a session is not touched by every message.
  return `with own as (
  select id, directory, title, time_created, max(time_updated, coalesce(
    (select max(time_created) from message where session_id = session.id), 0)) as updated
  from session where parent_id is null and (${inside.join(' or ')})),
ranked as (select *, row_number() over (order by updated desc, id) as rank from own)
select json_object('id', id, 'directory', directory, 'title', title, 'created', time_created, 'updated', updated,
  'bytes', case when rank <= ${SIZED} then (select sum(octet_length(data)) from part where session_id = ranked.id) end) as line
from ranked order by rank`
}

/** One of the directories stands in the file or in the log beside it: to look through them is quicker than to start OpenCode. */
async function namesAny(database: string, roots: readonly string[]): Promise<boolean> {
  const needles = roots.map((root) => Buffer.from(root).subarray(0, NEEDLE))
  for (const path of [database, `${database}-wal`]) {
    let before = Buffer.alloc(0)
    const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null
      throw openCodeUnreadable(database, error.message, error)
    })
    if (file === null) continue
    for await (const block of file.createReadStream({ highWaterMark: 1 << 20 })) {
      const bytes = Buffer.concat([before, block as Buffer])
      if (needles.some((needle) => bytes.includes(needle))) return true
      before = bytes.subarray(-NEEDLE)
    }
  }
  return false
}
