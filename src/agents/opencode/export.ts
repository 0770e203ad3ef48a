import { stat } from 'node:fs/promises'
import { sessionFormat } from '../../errors/session.ts'
import type { Batches, ReadOptions, SessionRef } from '../../types/session.ts'
import { type Fields, fieldsOf, listOf, recordOf, textOf } from '../fields.ts'
import { fileRef } from '../session-files.ts'
import { readWhole } from '../whole-json.ts'
import { openCodeEvents, titleOf } from './events.ts'

/** Reads the file that `opencode export <id>` prints as a session; null when its first bytes are not one. */
export async function identifyExport(path: string, head: string): Promise<SessionRef | null> {
  if (!/^\s*\{\s*"info"\s*:\s*\{/.test(head)) return null
  const info = infoIn(head) ?? fieldsOf((await readExport(path, {})).info)
  if (textOf(info.id) === '' || (textOf(info.directory) === '' && textOf(info.projectID) === '')) return null
  const { created: from, updated: to } = fieldsOf(info.time)
  const told = { id: textOf(info.id), cwd: info.directory, from, to, title: titleOf(info) }
  return fileRef('opencode', path, await stat(path), told)
}

/** The `info` object when the head holds all of it, so that a large export is parsed once and not twice. */
function infoIn(head: string): Fields | null {
  const from = head.indexOf('{', head.indexOf('"info"'))
  let depth = 0
  for (const { 0: token, index } of head.slice(from).matchAll(/"[^"\\]*(?:\\.[^"\\]*)*(?:"|$)|[{}]/gs)) {
    if (token === '{') depth++
    if (token === '}') depth--
    // Damaged, it is no export.
    if (depth === 0) return recordOf(head.slice(from, from + index + 1))
  }
  return null
}

/** Throws `sessionUnreadable` when it is larger than one string may be, `sessionFormat` when its JSON is damaged. */
export async function* readExportFile(ref: SessionRef, options: ReadOptions): Batches {
  for (const batch of openCodeEvents(await readExport(ref.path, options), options)) {
    options.signal?.throwIfAborted()
    yield batch
  }
}

async function readExport(path: string, options: ReadOptions): Promise<Fields> {
  const session = fieldsOf(parse(path, await readWhole(path, options)))
  if (listOf(session.messages) !== session.messages)
    throw sessionFormat(path, 'it holds no messages; write it with `opencode export <id>`')
  return session
}

function parse(path: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw sessionFormat(path, 'its JSON is cut off or damaged; write it again with `opencode export <id>`')
  }
}
