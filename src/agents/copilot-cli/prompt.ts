import type { Draft } from '../codex/draft.ts'
import { type Fields, fieldsOf, listOf, textOf } from '../fields.ts'

/** The text of a skill that the person called by its name, in what the client sent (1.0.102). */
const CALLED = /<skill-context name="([^"]+)">/
/** A skill as it is typed; in a headless turn nothing is put in its place. */
const TYPED = /^\/([\w-]+)(?:\s+([\s\S]*))?$/

/**
 * Takes a user row apart: `content` holds the words as they were typed, files named in them are listed beside. Rows of other
 * agents, of the client and of its autopilot are nobody's words. A call of our own skill stays as it was typed: what follows
 * belongs to the handoff, which is told apart later.
 */
export function copilotPrompt(data: Fields, id: string): Draft[] {
  const source = textOf(data.source)
  if ((source !== '' && source !== 'user') || data.isAutopilotContinuation === true) return []
  const typed = TYPED.exec(textOf(data.content).trim())
  const called = CALLED.exec(textOf(data.transformedContent))?.[1]
  const isOwn = typed?.[1] === 'handoff'
  const text = typed && !isOwn && typed[1] === called ? (typed[2] ?? '') : textOf(data.content)
  return [
    ...attached(listOf(data.attachments), id),
    ...(text.trim() === '' ? [] : [{ kind: 'prompt' as const, text }]),
  ]
}

function attached(files: unknown[], id: string): Draft[] {
  return files.map(fieldsOf).flatMap((file, index): Draft[] => {
    const path = textOf(file.path) || textOf(file.filePath)
    if (path === '') return []
    const call = `${id}:${index}`
    return [
      { kind: 'call', id: call, tool: '@', action: { type: 'read', paths: [path] }, by: 'user' },
      { kind: 'result', id: call, ok: true, exitCode: null, text: '' },
    ]
  })
}
