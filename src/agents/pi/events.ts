import { isAbsolute, resolve } from 'node:path'
import type { SessionEvent } from '../../types/session.ts'
import { contentText } from '../content.ts'
import { callOf, createSettings, type Draft, endOf, promptOf, stamped, usageOf } from '../draft.ts'
import { type Fields, fieldsOf, itemsOf, listOf, numberOf, sumOf, textOf, timeOf } from '../fields.ts'
import { readByUser } from '../tools.ts'
import { createPiResults, mentioned, piAction, piPlan, piQuestions, userShell } from './calls.ts'

/**
 * Translates the records of one Pi conversation, in their order. Answers null for a kind of record nobody knows.
 * `omitted`: ids whose words no longer count; what was done in them stays, because it did happen. `sub` names the helper
 * whose conversation it is.
 */
export function createPiTranslator(
  sessionCwd: string | null,
  omitted: ReadonlySet<string>,
  sub: string | null = null,
): (record: Fields) => SessionEvent[] | null {
  const results = createPiResults()
  const settings = createSettings()
  const tools = new Set<string>()

  const modelIs = (provider: unknown, id: unknown): Draft[] =>
    settings({ model: [textOf(provider), textOf(id)].filter((part) => part !== '').join('/') })
  const thinkingIs = (level: unknown): Draft[] => settings({ thinking: textOf(level) })
  const toolsAre = (message: Fields): Draft[] => {
    const before = [...tools].join()
    for (const tool of listOf(message.toolsAdded)) tools.add(textOf(fieldsOf(tool).name))
    for (const tool of listOf(message.toolsRemoved)) tools.delete(textOf(fieldsOf(tool).name))
    return [...tools].join() === before ? [] : [{ kind: 'setting', tools: [...tools].sort() }]
  }

  const ofMessage = (record: Fields): Draft[] | null => {
    const message = fieldsOf(record.message)
    const silent = omitted.has(textOf(record.id))
    switch (message.role) {
      case 'user':
        return silent || message.attribution === 'agent'
          ? []
          : piPrompt(contentText(message.content), textOf(record.id))
      case 'assistant':
        return [
          ...modelIs(message.provider, message.model),
          ...thinkingIs(message.thinkingLevel),
          ...assistant(message, silent),
        ]
      case 'toolResult':
        return results.ended(message)
      case 'bashExecution':
        return userShell(message, textOf(record.id) || `user-${textOf(record.timestamp)}`)
      case 'system':
        return toolsAre(message)
      case 'fileMention':
        return mentioned(listOf(message.files), textOf(record.id))
      // Extensions and the client wrote these, not the person; `hookMessage` is their name in version 2. The person's own
      // lines of Python are no commands of the work.
      case 'custom':
      case 'hookMessage':
      case 'developer':
      case 'pythonExecution':
      case 'branchSummary':
      case 'compactionSummary':
        return []
      default:
        return null
    }
  }

  const drafts = (record: Fields): Draft[] | null => {
    switch (record.type) {
      case 'message':
        return ofMessage(record)
      case 'model_change':
        // oh-my-pi also records the models of its helpers.
        return textOf(record.role) === '' || record.role === 'default'
          ? modelIs(record.provider, record.modelId ?? record.model)
          : []
      case 'thinking_level_change':
        return thinkingIs(record.thinkingLevel)
      case 'session_info':
        return textOf(record.name) === '' ? [] : [{ kind: 'setting', title: textOf(record.name) }]
      case 'title_change':
        return textOf(record.title) === '' ? [] : [{ kind: 'setting', title: textOf(record.title) }]
      case 'custom': {
        const plan = record.customType === 'user_todo_edit' ? piPlan(fieldsOf(record.data)) : null
        return plan ? [{ kind: 'plan', items: plan }] : []
      }
      case 'compaction':
      case 'branch_summary':
        return textOf(record.summary) === '' ? [] : [{ kind: 'compaction', summary: textOf(record.summary) }]
      case 'custom_message':
        if (record.customType === 'skill-prompt') return skillPrompt(record)
        return record.customType === 'async-result' ? results.delivered(record) : []
      case 'label':
      case 'model_usage':
      case 'mode_change':
      case 'reset_boundary':
      case 'ttsr_injection':
      case 'credential_pin':
      case 'context_edit':
      case 'usage':
      case 'service_tier_change':
      case 'session_init':
        return []
      default:
        return null
    }
  }

  return (record) => {
    const events = drafts(record)
    const at = timeOf(record.timestamp) ?? timeOf(fieldsOf(record.message).timestamp)
    // A helper's model and summaries are not the session's.
    const own =
      sub === null ? events : events?.filter(({ kind }) => kind !== 'setting' && kind !== 'compaction')
    return own?.map((draft) => stamped(inside(draft, sessionCwd), { at, sub, cwd: sessionCwd })) ?? null
  }
}

/** A directory that a call names is told from that of the session. */
function inside(draft: Draft, sessionCwd: string | null): Draft {
  const { cwd } = draft
  if (cwd && !isAbsolute(cwd)) draft.cwd = sessionCwd && resolve(sessionCwd, cwd)
  return draft
}

function assistant(message: Fields, silent: boolean): Draft[] {
  const drafts: Draft[] = []
  for (const block of itemsOf(message.content)) {
    if (block.type === 'text' && !silent && textOf(block.text).trim() !== '')
      drafts.push({ kind: 'reply', text: textOf(block.text) })
    if (block.type === 'toolCall') drafts.push(...toolCall(block, textOf(message.stopReason)))
  }
  drafts.push(...usageIn(fieldsOf(message.usage)))
  if (message.stopReason === 'error')
    drafts.push({ kind: 'failure', text: textOf(message.errorMessage) || 'The model request failed.' })
  if (message.stopReason === 'aborted') drafts.push({ kind: 'interrupt' })
  return drafts
}

/** `/skill:name words`, or such a word amid the person's own, as oh-my-pi keeps it (session/messages.ts of 18.2.3). */
function skillPrompt(record: Fields): Draft[] {
  const { name, args } = fieldsOf(record.details)
  if (record.attribution !== 'user' || textOf(name) === '') return []
  return piPrompt(`/skill:${textOf(name)} ${textOf(args)}`.trim(), textOf(record.id))
}

function toolCall(block: Fields, stopReason: string): Draft[] {
  const id = textOf(block.id)
  const tool = textOf(block.name)
  const input = fieldsOf(block.arguments)
  const cwd = tool === 'bash' ? textOf(input.cwd) : ''
  const call: Draft = { ...callOf(id, tool, piAction(tool, input)), ...(cwd ? { cwd } : {}) }
  // Pi runs no tool of a reply that broke off (agent-loop.js of 0.74.2), so these calls came to nothing. No words: they would be taken for
  // what the person said when refusing.
  if (stopReason === 'aborted') return [call, endOf(id, false, '', { refused: true })]
  if (stopReason === 'error') return [call, endOf(id, false)]
  return [call, ...piQuestions(id, tool, input)]
}

/** `input` leaves out what came from the cache. */
const usageIn = ({ input, cacheRead, cacheWrite, output, totalTokens }: Fields): Draft[] =>
  usageOf(sumOf(input, cacheRead, cacheWrite), sumOf(output), numberOf(totalTokens) ?? undefined)

/** A file given as `pi @file`, put before the prompt (cli/file-processor.js of 0.74.2). */
const ATTACHED = /^<file name="([^"\n]+)">(?:\n[\s\S]*?\n|[^\n]*?)<\/file>\n?/
/** A skill as Pi expands it (agent-session.js of 0.74.2 and 1.5.2). */
const EXPANDED = /^<skill name="([^"]+)" location="[^"]*">\n[\s\S]*?\n<\/skill>(?:\n\n([\s\S]+))?$/
/** A skill as it was typed, kept that way when Pi did not find it. */
const TYPED = /^\/skill:(\S+)(?:\s+([\s\S]*))?$/

/**
 * Takes a user row apart: attached files and skill texts were put there by Pi, the rest are the person's words.
 * A call of our own skill stays as it was typed: what follows belongs to the handoff, which is told apart later.
 */
export function piPrompt(row: string, id: string): Draft[] {
  const said: Draft[] = []
  let rest = row
  for (let file = ATTACHED.exec(rest); file; file = ATTACHED.exec(rest)) {
    said.push(...readByUser(`${id}:${said.length / 2}`, file[1] ?? ''))
    rest = rest.slice(file[0].length)
  }
  const skill = EXPANDED.exec(rest) ?? TYPED.exec(rest)
  const name = skill?.[1] ?? ''
  if (name === 'handoff') rest = `/skill:handoff ${skill?.[2] ?? ''}`.trim()
  else if (skill) {
    said.push({ kind: 'skill', name })
    rest = skill[2] ?? ''
  }
  return [...said, ...promptOf(rest)]
}
