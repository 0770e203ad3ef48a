import { stat } from 'node:fs/promises'
import { basename, extname } from 'node:path'
import { sessionFormat, sessionUnreadable } from '../errors/session.ts'
import type { Adapter } from '../types/agent.ts'
import type { ReadOptions, SessionEvent, SessionRef } from '../types/session.ts'
import { contentText, fieldsOf, recordOf, textOf, timeOf } from './fields.ts'
import { readLineBatches } from './lines.ts'
import { createMarkdownReader, hasUserTurn, type Role, roleOf } from './plain-markdown.ts'

/**
 * A conversation written by hand or by a tool nobody knows: JSONL of `{role, content[, timestamp]}`, or markdown with
 * `## User` and `## Assistant` headings (or `**User:**`). It lives where the person put it, so nothing is searched for.
 */
export const plain: Adapter = {
  id: 'plain',
  label: 'Plain transcript',
  marks: [],
  caller: () => null,
  find: async () => [],
  identify: async (path, head) => {
    const text = head.replace(/^\uFEFF/, '')
    return (isJsonl(text) ? hasMessages(text) : hasUserTurn(text)) ? refOf(path) : null
  },
  read,
}

const isJsonl = (text: string): boolean => /^\s*\{/.test(text)

const hasMessages = (head: string): boolean =>
  head.split('\n').some((line) => {
    const record = recordOf(line)
    // `type` and `message` belong to the records of agents that have readers of their own.
    return 'content' in record && roleOf(textOf(record.role)) !== null && !('message' in record)
  })

async function refOf(path: string): Promise<SessionRef> {
  const { size, mtime } = await stat(path).catch((cause: unknown) => {
    throw sessionUnreadable(path, cause)
  })
  return {
    agent: 'plain',
    id: basename(path, extname(path)),
    path,
    cwd: null,
    startedAt: null,
    updatedAt: mtime.toISOString(),
    bytes: size,
  }
}

/** Throws `sessionFormat` when no line of it belongs to a turn. */
async function* read(ref: SessionRef, options: ReadOptions): AsyncGenerator<SessionEvent[]> {
  const markdown = createMarkdownReader()
  let jsonl: boolean | null = null
  let turns = 0
  for await (const batch of readLineBatches(ref.path, options)) {
    const told: SessionEvent[] = []
    for (const line of batch) {
      const text = line.bytes.toString('utf8').replace(/^\uFEFF/, '')
      if (jsonl === null && text.trim() !== '') jsonl = isJsonl(text)
      if (!jsonl) {
        const turn = markdown.line(text.replace(/\r$/, ''))
        if (turn) turns++
        told.push(...said(turn?.role, turn?.text, null))
        continue
      }
      if (text.trim() === '') continue
      const record = parse(text)
      const role = record && roleOf(textOf(record.role))
      if (!record) options.onSkip?.(line.torn ? 'torn' : 'not-json')
      else if (!role || !('content' in record)) options.onSkip?.('unknown')
      else {
        turns++
        told.push(...said(role, contentText(record.content), at(record.timestamp)))
      }
    }
    yield told
  }
  const last = markdown.end()
  if (last) turns++
  yield said(last?.role, last?.text, null)
  if (turns === 0) throw sessionFormat(ref.path, 'no line of it belongs to a turn of a user or an assistant')
}

function said(role: Role | undefined, text: string | undefined, time: string | null): SessionEvent[] {
  if (!role || role === 'other' || !text || text.trim() === '') return []
  return [{ kind: role === 'user' ? 'prompt' : 'reply', text, at: time, sub: null, cwd: null }]
}

/** Times before 1973 in ms are meant as seconds. */
const at = (time: unknown): string | null =>
  timeOf(typeof time === 'number' && time < 1e11 ? time * 1000 : time)

function parse(line: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? fieldsOf(value) : null
  } catch {
    // The caller says why the line cannot be used.
    return null
  }
}
