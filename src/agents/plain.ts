import { stat } from 'node:fs/promises'
import { basename, extname } from 'node:path'
import { sessionFormat, sessionUnreadable } from '../errors/session.ts'
import type { Adapter } from '../types/agent.ts'
import type { Batches, ReadOptions, SessionEvent, SessionRef } from '../types/session.ts'
import { contentText, parseLine, readLineBatches } from './content.ts'
import { instantOf, recordOf, textOf } from './fields.ts'
import { fileRef } from './session-files.ts'

/** A conversation that no known agent wrote: JSONL of `{role, content[, timestamp]}`, or markdown with `## User` or `**User:**`. */
export const plain: Adapter = {
  id: 'plain',
  label: 'Plain transcript',
  basis: { is: 'documented', of: 'handoff' },
  marks: [],
  isNamed: true,
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
  const file = await stat(path).catch((cause: unknown) => {
    throw sessionUnreadable(path, cause)
  })
  return fileRef('plain', path, file, { id: basename(path, extname(path)) })
}

/** Throws `sessionFormat` when no line of it belongs to a turn. */
async function* read(ref: SessionRef, options: ReadOptions): Batches {
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
      const record = parseLine(line, options, text)
      if (!record) continue
      const role = roleOf(textOf(record.role))
      if (!role || !('content' in record)) options.onSkip?.('unknown')
      else {
        turns++
        told.push(...said(role, contentText(record.content), instantOf(record.timestamp)))
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

/** `other`: system and tool turns, which are nobody's words. */
type Role = 'user' | 'assistant' | 'other'

interface Turn {
  role: Role
  text: string
}

const ROLES: Readonly<Record<string, Role>> = {
  user: 'user',
  human: 'user',
  you: 'user',
  assistant: 'assistant',
  agent: 'assistant',
  ai: 'assistant',
  model: 'assistant',
  system: 'other',
  developer: 'other',
  tool: 'other',
  function: 'other',
}

const roleOf = (name: string): Role | null => ROLES[name.toLowerCase()] ?? null

const NAMES = Object.keys(ROLES).join('|')
const HEADING = new RegExp(`^(#{1,4})\\s+(?:[^\\w\\s#]+\\s+)?(${NAMES})\\s*(?:\\([^)]*\\))?\\s*:?\\s*$`, 'iu')
const BOLD = new RegExp(`^\\*\\*(${NAMES})(?::\\*\\*|\\*\\*:)\\s*(.*)$`, 'i')
const FENCE = /^ {0,3}(`{3,}|~{3,})/

/** True when a turn of the user stands in the text: a conversation begins with one. */
export function hasUserTurn(text: string): boolean {
  const reader = createMarkdownReader()
  const turns = text.split('\n').map((line) => reader.line(line.replace(/\r$/, '')))
  return [...turns, reader.end()].some((turn) => turn?.role === 'user')
}

/** Takes markdown line by line; a turn comes out when the next begins. The first heading sets the style: others do not cut a reply. */
export function createMarkdownReader(): { line(text: string): Turn | null; end(): Turn | null } {
  let style: string | null = null
  let role: Role | null = null
  let lines: string[] = []
  let fence: string | null = null

  const take = (): Turn | null => {
    const turn = role && {
      role,
      // Blank lines go first: a pattern that passes over them takes 10 s for 50,000.
      text: lines
        .join('\n')
        .trim()
        .replace(/\n[^\S\n]*(?:-{3,}|\*{3,})$/, '')
        .trim(),
    }
    lines = []
    return turn
  }
  return {
    line(text) {
      const mark = FENCE.exec(text)?.[1]
      if (mark && fence === null) fence = mark
      // A fence ends with at least as many of the same marks and nothing behind them.
      else if (mark && fence !== null && mark.startsWith(fence) && text.trim() === mark) fence = null
      const start = fence === null ? startOf(text) : null
      if (!start || (style !== null && start.style !== style)) {
        lines.push(text)
        return null
      }
      const turn = take()
      style = start.style
      role = start.role
      if (start.rest !== '') lines.push(start.rest)
      return turn
    },
    end: take,
  }
}

function startOf(line: string): { style: string; role: Role | null; rest: string } | null {
  const heading = HEADING.exec(line)
  if (heading) return { style: heading[1] ?? '', role: roleOf(heading[2] ?? ''), rest: '' }
  const bold = BOLD.exec(line)
  return bold ? { style: '**', role: roleOf(bold[1] ?? ''), rest: bold[2] ?? '' } : null
}
