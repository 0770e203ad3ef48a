import type { Action, FileTouch, PlanItem } from '../../types/session.ts'
import { contentText, numbered } from '../content.ts'
import { type Draft, type DraftOf, endOf } from '../draft.ts'
import { type Fields, fieldsOf, listOf, numberIn, numberOf, textOf } from '../fields.ts'
import { actionBy, planItems, questionsIn, readByUser, shellByUser, TOOLS } from '../tools.ts'

/** Pi's own words at the end of a failed shell command; success carries no number (tools/bash.js of 0.74.2). */
const EXITED = /(?:^|\n)Command exited with code (\d+)\s*$/
/** What oh-my-pi 18 adds to the output of every command. */
const WALL_TIME = /\n{1,3}Wall time: [\d.]+ seconds(?=\s*$|\n\nCommand exited)/
/** How Pi's tools end when the person pressed Escape. */
const INTERRUPTED = /(?:^|\n)(?:Command|Operation) aborted\s*$/
/** oh-my-pi's frame around what a job in the background left (18.2.3). */
const NOTICE = /^<system-notice>\n[^\n]*\n([\s\S]*?)\n?<\/system-notice>\s*$/

/** Turns the results of one conversation into events: one for each call, at its real end. */
export function createPiResults() {
  /** Commands that oh-my-pi runs in the background, by the name of their job. */
  const jobs = new Map<string, string>()

  const shell = (id: string, isError: boolean, text: string, details: Fields): DraftOf<'result'> => {
    const told = isError ? EXITED.exec(text)?.[1] : undefined
    const exitCode = numberOf(details.exitCode) ?? numberIn(told)
    return endOf(id, !isError, text.replace(WALL_TIME, ''), { exitCode })
  }

  return {
    ended(message: Fields): Draft[] {
      const id = textOf(message.toolCallId)
      const tool = textOf(message.toolName)
      const text = contentText(message.content)
      const details = fieldsOf(message.details)
      const isError = message.isError === true
      const { state, jobId } = fieldsOf(details.async)
      if (tool === 'bash' && state === 'running') {
        jobs.set(textOf(jobId), id)
        return []
      }
      const told = { ...shell(id, isError && tool === 'bash', text, details), ok: !isError }
      const files = tool === 'edit' ? editedFiles(details) : undefined
      if (files) told.files = files
      if (isError && INTERRUPTED.test(text)) told.refused = true
      const plan = tool === 'todo' && !isError && details.op !== 'view' ? piPlan(details) : null
      return [
        told,
        ...(plan ? [{ kind: 'plan' as const, items: plan }] : []),
        ...(isError ? [] : piAnswers(id, tool, details)),
      ]
    },

    /** The message that brings what a job left; how one of several ended is not told. */
    delivered(record: Fields): Draft[] {
      const ended = listOf(fieldsOf(record.details).jobs).map((job) => textOf(fieldsOf(job).jobId))
      const content = contentText(record.content)
      const text = NOTICE.exec(content)?.[1] ?? content
      return ended.flatMap((job): Draft[] => {
        const id = jobs.get(job)
        jobs.delete(job)
        if (id === undefined) return []
        if (ended.length === 1) return [shell(id, EXITED.test(text), text, {})]
        return [endOf(id, true, '', { unsure: true })]
      })
    },
  }
}

/** Files the person named with `@`, as oh-my-pi 18 records them beside the prompt. */
export const mentioned = (files: unknown[], id: string): Draft[] =>
  files
    .map((file) => textOf(fieldsOf(file).path))
    .filter(Boolean)
    .flatMap((path, index) => readByUser(`${id}:${index}`, path))

/** A command the person ran with `!`; `exitCode` is numeric there. */
export function userShell(message: Fields, id: string): Draft[] {
  const exitCode = numberOf(message.exitCode)
  const refused = message.cancelled === true
  const end = { ok: exitCode === 0 && !refused, exitCode, text: textOf(message.output), refused }
  return shellByUser(id, textOf(message.command), end)
}

export function piAction(tool: string, input: Fields): Action {
  const deed = TOOLS.get(tool)
  const paths = deed === 'search' ? placesOf(pathsOf(input)) : pathsOf(input)
  const bare = deed === 'read' ? paths.map((path) => path.replace(SELECTOR, '')) : paths
  const pattern = textOf(input.pattern) || textOf(input.path)
  return actionBy(deed, { ...input, pattern, prompt: taskPrompt(input) }, bare)
}

/** Which lines of a file oh-my-pi 18 shall read, written behind its path: `:10-20`, `:-5`, `:raw`, `:raw:1-9`. */
const SELECTOR = /(?::(?:raw|conflicts|img|-?\d+(?:[-+]\d*)?(?:,\d+(?:[-+]\d*)?)*))+$/

/** oh-my-pi 18 searches several places at once, `src; test/**`; a pattern is no place. */
const placesOf = (paths: string[]): string[] =>
  paths
    .flatMap((path) => path.split(';'))
    // No system has a longer path, and the pattern takes time by the square of a longer one.
    .filter((path) => path.length <= 4096)
    .map((path) => path.trim().replace(SELECTOR, ''))
    .filter((path) => path !== '' && !/[*?{[]/.test(path))

/** The paths an input names, each once: its own, those of its edits, and those of oh-my-pi's `[path#TAG]` patches. */
function pathsOf(input: Fields): string[] {
  const inEdits = listOf(input.edits).map((edit) => textOf(fieldsOf(edit).path))
  const inPatch = [...textOf(input.input).matchAll(/^\[([^\]\n]+?)(?:#[0-9A-F]+)?\]$/gm)].map(
    ([, path]) => path ?? '',
  )
  const named = [textOf(input.path) || textOf(input.file_path), ...inEdits, ...inPatch]
  return [...new Set(named.filter((path) => path !== ''))]
}

function taskPrompt(input: Fields): string {
  const several = [...listOf(input.tasks), ...listOf(input.chain)].map(fieldsOf)
  const parts = several.map((task) => textOf(task.task) || textOf(task.assignment) || textOf(task.prompt))
  return [textOf(input.task) || textOf(input.prompt), ...parts].filter((part) => part !== '').join('\n')
}

const CHANGES: Readonly<Record<string, FileTouch['change']>> = {
  create: 'create',
  update: 'update',
  delete: 'delete',
}

/** The files an edit of oh-my-pi 18 did change; undefined where the result does not tell, as in Pi. */
function editedFiles(details: Fields): FileTouch[] | undefined {
  const each = Array.isArray(details.perFileResults) ? details.perFileResults.map(fieldsOf) : [details]
  const files = each.flatMap((file): FileTouch[] => {
    const change = CHANGES[textOf(file.op)]
    const path = textOf(file.move) || textOf(file.path)
    if (change === undefined || path === '' || file.isError === true) return []
    const from = textOf(file.sourcePath)
    return [from !== '' && from !== path ? { path, change: 'rename', from } : { path, change }]
  })
  return files.length === 0 ? undefined : files
}

/** The plan of Pi's `todo` extension (`examples/extensions/todo.ts` of 0.74.2), or the phases of oh-my-pi 18; null for other results. */
export function piPlan(details: Fields): PlanItem[] | null {
  if (Array.isArray(details.phases))
    return details.phases.flatMap((phase) =>
      planItems(fieldsOf(phase).tasks, 'content', ({ blocker }) =>
        textOf(blocker) === '' ? {} : { blockedBy: [textOf(blocker)] },
      ),
    )
  if (!Array.isArray(details.todos)) return null
  return planItems(details.todos, 'text', ({ done, id }) => ({
    status: done === true ? 'done' : 'pending',
    ...(typeof id === 'number' || typeof id === 'string' ? { id: String(id) } : {}),
  }))
}

/** Questions of Pi's `question` extension, one a call, and of oh-my-pi's `ask` (18.2.3), several a call. */
export function piQuestions(id: string, tool: string, input: Fields): DraftOf<'question'>[] {
  const asked = tool === 'question' ? [input] : tool === 'ask' ? input.questions : []
  return questionsIn(asked, (index) => numbered(id, index, '/')).filter(({ text }) => text !== '')
}

/** What the person chose or wrote; nothing for a choice that oh-my-pi made itself when the time was up. */
function piAnswers(id: string, tool: string, details: Fields): Draft[] {
  if (tool === 'question') return answer(id, textOf(details.answer))
  if (tool !== 'ask') return []
  const results = Array.isArray(details.results) ? details.results.map(fieldsOf) : [details]
  return results.flatMap((result, index) => {
    if (result.timedOut === true) return []
    const said = [...listOf(result.selectedOptions), result.customInput, result.note].map(textOf)
    return answer(numbered(id, index, '/'), said.filter((text) => text !== '').join('\n'))
  })
}

const answer = (id: string, text: string): Draft[] => (text === '' ? [] : [{ kind: 'answer', id, text }])
