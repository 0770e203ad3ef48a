import { existsSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Adapter } from '../../types/agent.ts'
import type { SessionRef } from '../../types/session.ts'
import { numberOf, recordOf, textOf } from '../fields.ts'
import { rootTouched } from '../root-touched.ts'
import { fileRef, isWithin, namesIn, readEnds, refAt, sessionsIn, withFileIfThere } from '../session-files.ts'

/** The folders of the CLI, of the IDE and of the newer IDE. */
const PRODUCTS = ['antigravity-cli', 'antigravity', 'antigravity-ide']
/** The second one is used where the first is missing or empty. */
const TRANSCRIPTS = ['transcript_full.jsonl', 'transcript.jsonl']

/** Sessions of the workspaces inside one of `roots`, newest first. */
export const findAntigravitySessions: Adapter['find'] = async ({ home }, roots, onUnread) => {
  const found = PRODUCTS.map((product) => join(home, '.gemini', product)).flatMap((folder) => {
    const workspaces = workspacesIn(folder)
    return namesIn(join(folder, 'brain'), onUnread).map((id) => {
      const stated = workspaces.get(id) ?? null
      if (stated !== null && !isWithin(stated, roots)) return null
      const logs = join(folder, 'brain', id, '.system_generated', 'logs')
      const paths = TRANSCRIPTS.map((name) => join(logs, name))
      const isFilled = (one: string): boolean => (withFileIfThere(one, ({ size }) => size) ?? 0) > 0
      const path = paths.find(isFilled) ?? paths.find((one) => existsSync(one)) ?? paths[0]
      if (path === undefined) return null
      return refAt(path, (one) => readAntigravityRef(one, stated ?? rootTouched(one, roots)), onUnread)
    })
  })
  return sessionsIn(found, roots)
}

/** Bytes of the list of prompts that are read, from its end. */
const LISTED = 4 * 1024 * 1024

/** The workspace of each conversation that somebody led in a terminal; a headless one is not in this list. */
function workspacesIn(folder: string): Map<string, string> {
  const text =
    withFileIfThere(join(folder, 'history.jsonl'), (file) =>
      file.at(Math.max(0, file.size - LISTED), file.size).toString('utf8'),
    ) ?? ''
  const rows = text.split('\n').map(recordOf)
  return new Map(
    rows.flatMap(({ conversationId, workspace }) =>
      textOf(conversationId) === '' || textOf(workspace) === ''
        ? []
        : [[textOf(conversationId), textOf(workspace)] as const],
    ),
  )
}

/** The id is the name of the folder of the conversation; elsewhere that of the file. */
function idOf(path: string): string {
  const folder = dirname(dirname(dirname(path)))
  return basename(dirname(dirname(path))) === '.system_generated'
    ? basename(folder)
    : basename(path, '.jsonl')
}

/** The workspace of a transcript that lies in its place, as the list of prompts has it. */
export function antigravityFolder(path: string): string | null {
  const product = join(dirname(path), '..', '..', '..', '..')
  return idOf(path) === basename(path, '.jsonl') ? null : (workspacesIn(product).get(idOf(path)) ?? null)
}

/** The reference of one transcript; null when it is none. A session without a prompt is none. */
export function readAntigravityRef(path: string, cwd: string | null): SessionRef | null {
  const ends = readEnds(path)
  const first = recordOf(ends?.head.split('\n', 1)[0] ?? '')
  const isStep =
    numberOf(first.step_index) !== null && textOf(first.source) !== '' && textOf(first.type) !== ''
  if (!ends || !isStep) return null
  const times = [...ends.tail.matchAll(/"created_at":\s*"([^"]+)"/g)]
  const to = times.at(-1)?.[1]
  return fileRef('antigravity', path, ends, { id: idOf(path), cwd, from: first.created_at, to })
}
