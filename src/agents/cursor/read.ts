import type { Batches, ReadOptions, SessionRef } from '../../types/session.ts'
import { type Draft, promptOf, replyOf, stamped } from '../draft.ts'
import { type Fields, fieldsOf, listOf, textOf } from '../fields.ts'
import { type Translator, translate } from '../lines.ts'
import { mergeByTime } from '../merge-by-time.ts'
import { createCursorCalls } from './calls.ts'
import { cursorSubagents } from './files.ts'
import { promptTime, promptWords, replyWords } from './words.ts'

/** The conversation of one session, with those of its subagents. */
export function readCursorSession(ref: SessionRef, options: ReadOptions): Batches {
  const read = (path: string, sub: string | null) =>
    translate(path, options, createCursorTranslator(ref.cwd, sub))
  const sides = cursorSubagents(ref.path).map(({ path, label, startedAt }) => ({
    startedAt,
    read: () => read(path, label),
  }))
  return mergeByTime(read(ref.path, null), sides)
}

/** A record has neither id nor time: calls go by their place, and a time holds from its prompt to the next one. */
export function createCursorTranslator(cwd: string | null, sub: string | null): Translator {
  const callOf = createCursorCalls()
  const owner = sub === null ? '' : `${sub}:`
  let at: string | null = null

  function partDrafts(part: Fields, id: string): Draft[] | null {
    switch (part.type) {
      case 'text':
        return replyOf(replyWords(textOf(part.text)))
      case 'tool_use':
        return callOf(id, part)
      case 'turn_ended':
        return ended(part)
      case 'tool_result':
      case 'thinking':
        return []
      default:
        return null
    }
  }

  function prompt(parts: Fields[]): Draft[] {
    const text = parts.map((part) => textOf(part.text)).join('\n')
    if (text.trim() === '') return []
    at = promptTime(text)
    // What a subagent is asked are the words of the agent, which its call told.
    return sub === null ? promptOf(promptWords(text)) : []
  }

  function ended({ status, error }: Fields): Draft[] {
    const said = textOf(error)
    if (sub !== null || (status !== 'aborted' && status !== 'error')) return []
    return status === 'aborted' || /^User (?:aborted|interrupted)/i.test(said)
      ? [{ kind: 'interrupt' }]
      : [{ kind: 'failure', text: said || 'The turn failed.' }]
  }

  function drafts(record: Fields, index: number): Draft[] | null {
    if (record.type === 'turn_ended') return ended(record)
    const { content } = fieldsOf(record.message)
    const parts =
      typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content).map(fieldsOf)
    if (record.role === 'user') return prompt(parts)
    if (record.role !== 'assistant') return null
    const told = parts.map((part, place) => partDrafts(part, `${owner}${index}:${place}`))
    return parts.length > 0 && told.every((one) => one === null) ? null : told.flatMap((one) => one ?? [])
  }

  return {
    add: (record, { index }) =>
      drafts(record, index)?.map((draft) => stamped(draft, { at, sub, cwd })) ?? null,
  }
}
