import type { Draft, DraftOf } from '../codex/draft.ts'
import { contentText, type Fields, fieldsOf, listOf, numberOf, textOf } from '../fields.ts'
import { clip } from '../lines.ts'
import { piAnswers } from './questions.ts'
import { editedFiles, piPlan } from './tools.ts'

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
    const exitCode = numberOf(details.exitCode) ?? (told === undefined ? null : Number(told))
    return { kind: 'result', id, ok: !isError, exitCode, text: clip(text.replace(WALL_TIME, '')) }
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
      const told =
        tool === 'bash'
          ? shell(id, isError, text, details)
          : { ...shell(id, false, text, details), ok: !isError }
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
        return [{ kind: 'result', id, ok: true, exitCode: null, text: '', unsure: true }]
      })
    },
  }
}

/** Files the person named with `@`, as oh-my-pi 18 records them beside the prompt. */
export function mentioned(files: unknown[], id: string): Draft[] {
  const paths = files.map((file) => textOf(fieldsOf(file).path)).filter((path) => path !== '')
  return paths.flatMap((path, index): Draft[] => [
    {
      kind: 'call',
      id: `${id}:${index}`,
      tool: '@',
      action: { type: 'read', paths: [path] },
      by: 'user',
    },
    { kind: 'result', id: `${id}:${index}`, ok: true, exitCode: null, text: '' },
  ])
}

/** A command the person ran with `!`; `exitCode` is numeric there. */
export function userShell(message: Fields, id: string): Draft[] {
  const exitCode = numberOf(message.exitCode)
  const refused = message.cancelled === true
  return [
    { kind: 'call', id, tool: '!', action: { type: 'run', command: textOf(message.command) }, by: 'user' },
    {
      kind: 'result',
      id,
      ok: exitCode === 0 && !refused,
      exitCode,
      text: clip(textOf(message.output)),
      ...(refused ? { refused } : {}),
    },
  ]
}
