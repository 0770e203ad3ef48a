import type { Batches, ReadOptions, SessionRef } from '../../types/session.ts'
import { wordSet } from '../content.ts'
import { createSettings, type Draft, promptOf, replyOf, stamped, usageOf } from '../draft.ts'
import { type Fields, fieldsOf, idOf, itemsOf, numberOf, sumOf, textOf, timeOf } from '../fields.ts'
import { translate } from '../lines.ts'
import { readByUser, skillOf } from '../tools.ts'
import { createCopilotCalls } from './calls.ts'

export const readCopilotSession = (ref: SessionRef, options: ReadOptions): Batches =>
  translate(ref.path, options, createCopilotTranslator())

/**
 * Turns the records of a session, in their order, into events. What a rewind took back is no longer in the file: the client
 * writes it anew (1.0.102), and records of subagents stand between those of the conversation, with an `agentId`.
 */
export function createCopilotTranslator(...tools: Parameters<typeof createCopilotCalls>) {
  const calls = createCopilotCalls(...tools)
  const settings = createSettings()
  const counted = new Set<string>()
  let cwd: string | null = null

  /** Only what is new; a subagent's model is not the session's. */
  function setting(sub: string | null, all: Parameters<typeof settings>[0]): Draft[] {
    return sub === null ? settings(all) : []
  }

  function place(data: Fields): Draft[] {
    const context = 'context' in data ? fieldsOf(data.context) : data
    cwd = textOf(context.cwd) || cwd
    return setting(null, { branch: textOf(context.branch) })
  }

  function message(data: Fields, sub: string | null): Draft[] {
    return [
      ...setting(sub, { model: textOf(data.model) }),
      ...replyOf(textOf(data.content)),
      ...itemsOf(data.toolRequests).flatMap((asked) =>
        calls.call(textOf(asked.toolCallId), textOf(asked.name), asked.arguments, 'agent', sub),
      ),
    ]
  }

  /** Once per request: a resumed session may hold a receipt twice. `inputTokens` counts cached ones, as in OpenAI's API. */
  function usage(record: Fields): Draft[] {
    const used = fieldsOf(record.usage)
    const { sourceSessionId, sequence } = fieldsOf(used.accounting)
    const receipt = `${idOf(sourceSessionId)} ${idOf(sequence)}`
    if (sequence !== undefined && counted.has(receipt)) return []
    counted.add(receipt)
    return usageOf(
      sumOf(used.inputTokens),
      sumOf(used.outputTokens),
      undefined,
      numberOf(used.maxPromptTokens),
    )
  }

  function drafts(type: string, data: Fields, id: string, sub: string | null): Draft[] | null {
    switch (type) {
      case 'session.start':
      case 'session.resume':
        return [
          ...place(data),
          ...setting(sub, {
            model: textOf(data.selectedModel),
            thinking: textOf(data.reasoningEffort),
            version: textOf(data.copilotVersion),
          }),
        ]
      case 'session.context_changed':
        return place(data)
      case 'session.model_change':
        return setting(sub, { model: textOf(data.newModel), thinking: textOf(data.reasoningEffort) })
      case 'user.message':
        return sub === null ? copilotPrompt(data, id) : []
      case 'assistant.message':
        return message(data, sub)
      case 'tool.user_requested':
        return calls.call(textOf(data.toolCallId), textOf(data.toolName), data.arguments, 'user', sub)
      case 'tool.execution_start':
        if (calls.seen(textOf(data.toolCallId))) return []
        return calls.call(textOf(data.toolCallId), textOf(data.toolName), data.arguments, 'agent', sub)
      case 'tool.execution_complete':
        return calls.result(textOf(data.toolCallId), data)
      case 'permission.completed': {
        const outcome = fieldsOf(data.result)
        if (outcome.kind === 'denied-interactively-by-user')
          calls.refuse(textOf(data.toolCallId), textOf(outcome.feedback))
        return []
      }
      case 'human_response.recorded':
        return calls.respond(textOf(data.toolCallId), fieldsOf(data.response))
      case 'skill.invoked':
        return sub === null ? skillOf(textOf(data.name)) : []
      case 'abort':
        return sub === null ? [...calls.abort(sub), { kind: 'interrupt' }] : calls.abort(sub)
      case 'session.compaction_complete':
        return sub !== null || data.success === false || textOf(data.summaryContent) === ''
          ? []
          : [{ kind: 'compaction', summary: textOf(data.summaryContent) }]
      case 'session.usage_record':
        return usage(data)
      case 'session.task_complete':
        return sub === null ? replyOf(textOf(data.summary)) : []
      case 'session.error':
        return sub !== null
          ? []
          : [{ kind: 'failure', text: textOf(data.message) || 'The model request failed.' }]
      case 'system.notification':
        return []
      default:
        return null
    }
  }

  return {
    add(record: Fields) {
      const sub = textOf(record.agentId) || null
      const at = timeOf(record.timestamp)
      const type = textOf(record.type)
      if (isIdle(type)) return []
      const told = drafts(type, fieldsOf(record.data), textOf(record.id), sub)
      return told?.map((draft) => stamped(draft, { at, sub, cwd })) ?? null
    },
    end: () => calls.end().map((draft) => stamped(draft, { at: null, sub: null, cwd })),
  }
}

/** The text of a skill that the person called by its name, in what the client sent (1.0.102). */
const CALLED = /<skill-context name="([^"]+)">/
/** A skill as it is typed; in a headless turn nothing is put in its place. */
const TYPED = /^\/([\w-]+)(?:\s+([\s\S]*))?$/

/**
 * Takes a user row apart: `content` holds the words as they were typed, files named in them are listed beside. Rows of other
 * agents, of the client and of its autopilot are nobody's words. A call of our own skill stays as it was typed: what follows
 * belongs to the handoff, which is told apart later.
 */
function copilotPrompt(data: Fields, id: string): Draft[] {
  const source = textOf(data.source)
  if ((source !== '' && source !== 'user') || data.isAutopilotContinuation === true) return []
  const typed = TYPED.exec(textOf(data.content).trim())
  const called = CALLED.exec(textOf(data.transformedContent))?.[1]
  const isOwn = typed?.[1] === 'handoff'
  const text = typed && !isOwn && typed[1] === called ? (typed[2] ?? '') : textOf(data.content)
  const attached = itemsOf(data.attachments).flatMap((file, index) =>
    readByUser(`${id}:${index}`, textOf(file.path) || textOf(file.filePath)),
  )
  return [...attached, ...promptOf(text)]
}

/** Kinds that say nothing of the work, or say again what another record tells: most of a file's bytes. */
const IDLE =
  wordSet(`hook.start hook.end hook.progress system.message permission.requested permission.carriedForward
  permission.messageAuthorization permission.messageAuthorizationRead permission.messageAuthorizationDegraded
  permission.assentDetected permission.contextualAuthorization assistant.turn_start assistant.turn_end
  assistant.reasoning assistant.fusion_phase_completed assistant.fusion_phase_failed subagent.started
  subagent.configured subagent.completed subagent.failed subagent.selected subagent.deselected skill.invoked_ref
  skill.context_delivered skill.context_delivered_ref tool_search.activated external_tool.requested
  mcp.oauth_recovery_completed session.info session.warning session.shutdown session.remote_steerable_changed
  session.schedule_created session.schedule_cancelled session.schedule_rearmed session.autopilot_objective_changed
  session.model_deselected session.mode_changed session.mode_notice_delivered session.session_limits_changed
  session.permissions_changed session.plan_changed session.workspace_file_changed session.handoff
  session.truncation session.usage_checkpoint session.fusion_change_checkpoint session.fusion_route_failed
  session.fusion_resolved session.fusion_handoff session.fusion_commit_started session.fusion_completed
  session.request_body_compression_disabled session.context_cleared session.compaction_start
  session.completion_receipt session.permission_recovery session.binary_asset session.auto_mode_resolved
  session.canvas.recorded session.canvas.removed`)

/** A record that need not be read. The client writes what it asks its model for a summary as `model.…`. */
const isIdle = (type: string): boolean => IDLE.has(type) || type.startsWith('model.')
