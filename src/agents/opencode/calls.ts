import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { SessionEvent } from '../../types/session.ts'
import { type Fields, fieldsOf, listOf, textOf, timeOf } from '../fields.ts'
import { clip } from '../lines.ts'
import {
  editedFiles,
  openCodeAction,
  openCodePlan,
  outcomeOf,
  refusalWords,
  workDir,
} from './tools.ts'

/** Where an event of an OpenCode message stands. */
export interface Stamp {
  at: string | null
  sub: string | null
  cwd: string | null
}

/**
 * The calls of one message. A `patch` part stands behind them and names every file the step changed: those that no
 * edit names were written by a command, so they go to the result of the last one.
 */
export function createCalls(
  by: 'agent' | 'user',
  stamp: Stamp,
): { tool(part: Fields): SessionEvent[]; patch(part: Fields): SessionEvent[] } {
  const edited = new Set<string>()
  let lastRun: Extract<SessionEvent, { kind: 'result' }> | null = null
  return {
    tool(part) {
      const events = [...toolEvents(part, by, stamp)]
      const isRun = events.some((event) => event.kind === 'call' && event.action.type === 'run')
      for (const event of events) {
        if (event.kind !== 'result') continue
        if (isRun) lastRun = event
        for (const { path } of event.files ?? []) edited.add(resolve(stamp.cwd ?? '/', path))
      }
      return events
    },
    patch(part) {
      const files = listOf(part.files)
        .map(textOf)
        .filter((path) => path !== '' && !edited.has(resolve(stamp.cwd ?? '/', path)))
        .map((path) => ({ path, change: 'update' as const }))
      if (files.length === 0) return []
      if (lastRun) {
        lastRun.files = files
        return []
      }
      const id = textOf(part.id)
      return [
        { kind: 'call', id, tool: 'patch', action: { type: 'edit', files }, by: 'agent', ...stamp },
        { kind: 'result', id, ok: true, exitCode: null, text: '', files, ...stamp },
      ]
    },
  }
}

function* toolEvents(part: Fields, by: 'agent' | 'user', message: Stamp): Generator<SessionEvent> {
  const tool = textOf(part.tool)
  const state = fieldsOf(part.state)
  const input = fieldsOf(state.input)
  const time = fieldsOf(state.time)
  const id = textOf(part.callID) || textOf(part.id)
  const stamp = { ...message, at: timeOf(time.start) ?? message.at, cwd: workDir(input, message.cwd) }
  const action = openCodeAction(tool, state)
  yield { kind: 'call', id, tool, action, by, ...stamp }
  const questions = tool === 'question' ? listOf(input.questions).map(fieldsOf) : []
  for (const [n, question] of questions.entries())
    yield {
      kind: 'question',
      id: `${id}:${n}`,
      text: textOf(question.question),
      options: listOf(question.options).map((option) => textOf(fieldsOf(option).label)),
      ...stamp,
    }
  // A part that is still pending or running has no outcome yet.
  if (state.status !== 'completed' && state.status !== 'error') return

  const end = { ...stamp, at: timeOf(time.end) ?? stamp.at }
  const metadata = fieldsOf(state.metadata)
  const outcome = outcomeOf(state)
  const files = outcome.ok
    ? (editedFiles(action, metadata) ?? (action.type === 'edit' ? action.files : null))
    : null
  yield { kind: 'result', id, ...outcome, text: clip(outcome.text), ...(files ? { files } : {}), ...end }
  const words = message.sub === null ? refusalWords(outcome.text) : ''
  if (outcome.refused && words !== '') yield { kind: 'prompt', text: words, ...end }
  if (!outcome.ok) return
  for (const [n] of questions.entries()) {
    const text = listOf(listOf(metadata.answers)[n]).map(textOf).join(', ')
    if (text !== '') yield { kind: 'answer', id: `${id}:${n}`, text, ...end }
  }
  if (tool === 'todowrite') yield { kind: 'plan', items: openCodePlan(state), ...end }
  if (tool === 'skill' && textOf(input.name) !== '' && input.name !== 'handoff')
    yield { kind: 'skill', name: textOf(input.name), ...end }
}

/** A file the person attached or named with `@`: OpenCode reads it into the conversation. */
export function* attached(part: Fields, stamp: Stamp): Generator<SessionEvent> {
  const url = textOf(part.url)
  const path = textOf(fieldsOf(part.source).path) || (url.startsWith('file://') ? pathOf(url) : '')
  if (path === '') return
  const id = textOf(part.id)
  const type = part.mime === 'application/x-directory' ? 'other' : 'read'
  yield { kind: 'call', id, tool: '@', action: { type, paths: [path] }, by: 'user', ...stamp }
  yield { kind: 'result', id, ok: true, exitCode: null, text: '', ...stamp }
}

function pathOf(url: string): string {
  try {
    return fileURLToPath(url)
  } catch {
    // A URL of another host or platform names no file here.
    return ''
  }
}
