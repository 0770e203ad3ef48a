import { isAbsolute, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { orNull } from '../../errors/handoff-error.ts'
import type { Action, FileTouch, PlanItem, SessionEvent } from '../../types/session.ts'
import { callOf, type DraftOf, endOf, type Stamp, stamped } from '../draft.ts'
import { type Fields, fieldsOf, listOf, numberOf, textOf, timeOf } from '../fields.ts'
import { actionBy, planItems, questionsIn, readByUser, skillOf, TOOLS } from '../tools.ts'

/** The calls of one message. Files of its `patch` part that no edit names were written by a command: they go to the last one. */
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
      const made = [callOf(id, 'patch', { type: 'edit', files }), endOf(id, true, '', { files })]
      return made.map((draft) => stamped(draft, stamp))
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
  const questions = tool === 'question' ? questionsIn(input.questions, (index) => `${id}:${index}`) : []
  for (const question of questions) yield { ...question, ...stamp }
  // A part that is still pending or running has no outcome yet.
  if (state.status !== 'completed' && state.status !== 'error') return

  const end = { ...stamp, at: timeOf(time.end) ?? stamp.at }
  const metadata = fieldsOf(state.metadata)
  const outcome = outcomeOf(id, state)
  const files = editedFiles(action, metadata) ?? (action.type === 'edit' ? action.files : null)
  if (outcome.ok && files) outcome.files = files
  yield stamped(outcome, end)
  if (outcome.reason !== undefined && message.sub === null)
    yield { kind: 'prompt', text: outcome.reason, ...end }
  if (!outcome.ok) return
  for (const [n, question] of questions.entries()) {
    const text = listOf(listOf(metadata.answers)[n]).map(textOf).join(', ')
    if (text !== '') yield { kind: 'answer', id: question.id, text, ...end }
  }
  if (tool === 'todowrite') yield { kind: 'plan', items: openCodePlan(state), ...end }
  if (tool === 'skill') for (const draft of skillOf(textOf(input.name))) yield stamped(draft, end)
}

/** A file the person attached or named with `@`: OpenCode reads it into the conversation. */
export function attached(part: Fields, stamp: Stamp): SessionEvent[] {
  const url = textOf(part.url)
  const path = textOf(fieldsOf(part.source).path) || fileOf(url)
  const type = part.mime === 'application/x-directory' ? 'other' : 'read'
  return readByUser(textOf(part.id), path, type).map((draft) => stamped(draft, stamp))
}

/** A URL of another kind, host or platform names no file here. */
const fileOf = (url: string): string => orNull(() => fileURLToPath(url)) ?? ''

/** What a tool part attempts. `state` also tells whether a written file is new; an edit of nothing makes the file. */
function openCodeAction(tool: string, state: Fields): Action {
  const input = fieldsOf(state.input)
  // Ours by the file that it loads, so that it is told apart from work.
  if (tool === 'skill' && input.name === 'handoff')
    return { type: 'read', paths: ['.agents/skills/handoff/SKILL.md'] }
  const isNew = tool === 'write' ? fieldsOf(state.metadata).exists === false : input.oldString === ''
  const path = textOf(input.filePath) || textOf(input.path)
  const deed = TOOLS.get(tool)
  return actionBy(deed === 'update' && isNew ? 'create' : deed, input, path === '' ? [] : [path])
}

/** The files a finished edit names in its result: absolute, where the call may have been relative. */
function editedFiles(action: Action, metadata: Fields): FileTouch[] | null {
  if (action.type !== 'edit') return null
  const path = textOf(fieldsOf(metadata.filediff).file) || textOf(metadata.filepath)
  const [only, ...others] = action.files
  return path !== '' && only && others.length === 0 ? [{ ...only, path }] : null
}

/** How a tool part ended. A shell command is `completed` even when it failed: `metadata.exit` tells. */
function outcomeOf(id: string, state: Fields): DraftOf<'result'> {
  const exitCode = numberOf(fieldsOf(state.metadata).exit)
  const text = textOf(state.status === 'error' ? state.error : state.output)
  const note = /<(?:bash_|shell_)?metadata>([\s\S]*)<\/(?:bash_|shell_)?metadata>\s*$/.exec(text)?.[1] ?? ''
  const stopped = note.includes('terminated command after exceeding timeout')
  const refused =
    note.includes('User aborted the command') ||
    (state.status === 'error' &&
      /^(?:Error: )?(?:The user (?:rejected|dismissed|has specified a rule)|Tool execution aborted)/.test(
        text,
      ))
  const ok = state.status === 'completed' && (exitCode ?? 0) === 0 && !stopped && !refused
  return endOf(id, ok, text, { exitCode, refused, reason: refused && refusalWords(text) })
}

const refusalWords = (text: string): string =>
  /^(?:Error: )?The user rejected [^\n]*? with the following feedback: ([\s\S]*)$/.exec(text)?.[1]?.trim() ??
  ''

export function openCodePlan(state: Fields): PlanItem[] {
  const todos = fieldsOf(state.metadata).todos ?? fieldsOf(state.input).todos
  return planItems(todos, 'content', ({ id }) => (textOf(id) ? { id: textOf(id) } : {}))
}

/** Directory a command ran in, absolute; `cwd` unless the call names another. */
function workDir(input: Fields, cwd: string | null): string | null {
  const dir = textOf(input.workdir)
  if (dir === '') return cwd
  return isAbsolute(dir) ? dir : cwd && resolve(cwd, dir)
}
