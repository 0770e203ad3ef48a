import type { Action, Batches, FileTouch, ReadOptions, SessionRef } from '../../types/session.ts'
import { translate, wordSet } from '../content.ts'
import { callOf, createSettings, type Draft, endOf, promptOf, replyOf, stamped, usageOf } from '../draft.ts'
import { type Fields, fieldsOf, idOf, itemsOf, listOf, numberOf, sumOf, textOf, timeOf } from '../fields.ts'
import { actionBy, readByUser, skillOf, TOOLS } from '../tools.ts'
import { createTodos } from './todos.ts'

export const readCopilotSession = (ref: SessionRef, options: ReadOptions): Batches =>
  translate(ref.path, options, createCopilotTranslator())

/** Turns the records of a session into events. A rewind rewrites the file; records of subagents have an `agentId` (1.0.102). */
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
 * Takes a user row apart. Rows of other agents, of the client and of its autopilot are nobody's words.
 * A call of our own skill stays as it was typed: the handoff is told apart later.
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

interface Open {
  tool: string
  input: Fields
  sub: string | null
  /** The name of its shell, when it goes on in the background. */
  shell?: string
}

/** What the client adds to the output of a command that ended, and says instead of one that goes on (1.0.102). */
const ENDED = /\n?<(?:shellId: (\S+) completed|exited) with exit code (-?\d+)>\s*$/
const GOES_ON =
  /^<command (?:started in background )?with shellId: ([^\s>]+)|<command with shellId: (\S+) is still running/m

/** Tools that only look after commands in the background: what they find is told as the end of the command. */
const KEEPERS = wordSet('read_bash stop_bash list_bash read_powershell stop_powershell list_powershell')

/** How the client words what the person chose (1.0.102). */
const ANSWERED = /^User (?:responded|selected):\s*([\s\S]*)$/

/** Keeps the calls of one session, so that each is told once and gets one result; `actionOf` knows the tools. */
export function createCopilotCalls(actionOf = copilotAction) {
  const open = new Map<string, Open>()
  const seen = new Set<string>()
  /** What the person said to a call: words of a refusal, or null for one without. */
  const refusals = new Map<string, string | null>()
  const proposals = new Map<string, string>()
  const answered = new Set<string>()
  const apply = createTodos()

  function call(id: string, tool: string, given: unknown, by: 'agent' | 'user', sub: string | null): Draft[] {
    // Some providers count calls anew in every reply.
    if (id === '' || open.has(id)) return []
    seen.add(id)
    const input = fieldsOf(given)
    open.set(id, { tool, input, sub })
    if (KEEPERS.has(tool)) return []
    const drafts: Draft[] = [callOf(id, by === 'user' ? '!' : tool, actionOf(tool, given), { by })]
    const question = tool === 'ask_user' ? textOf(input.message) || textOf(input.question) : ''
    if (question !== '') drafts.push({ kind: 'question', id, text: question, options: optionsOf(input) })
    if (tool === 'exit_plan_mode' && textOf(input.summary) !== '') proposals.set(id, textOf(input.summary))
    return drafts
  }

  function result(id: string, data: Fields): Draft[] {
    const made = open.get(id)
    const { success, result, error, shellExecution, fileEdits } = data
    const whole = textOf(fieldsOf(result).content) || textOf(fieldsOf(error).message)
    if (made && KEEPERS.has(made.tool)) return poll(id, whole)
    const going = success === true && made?.tool !== undefined ? GOES_ON.exec(whole) : null
    const exit = numberOf(fieldsOf(shellExecution).exitCode) ?? exitOf(whole)
    if (made && going && exit === null) {
      made.shell = going[1] ?? going[2] ?? ''
      return []
    }
    open.delete(id)
    const refused = refusals.has(id)
    const denied = !refused && fieldsOf(error).code === 'denied'
    // What the person said when refusing is told as their words.
    const text = refused ? '' : whole.replace(ENDED, '')
    const isDone = success === true && (exit ?? 0) === 0
    const files = editedFiles(fileEdits)
    return [
      endOf(id, isDone, text, { exitCode: exit, files, refused: refused || denied, byClient: denied }),
      ...refusalOf(id),
      ...(made && success === true ? succeeded(id, made, whole) : []),
      ...proposed(id, null),
    ]
  }

  function succeeded(id: string, { tool, input }: Open, whole: string): Draft[] {
    if (tool === 'sql') {
      const items = apply(textOf(input.query), whole)
      return items ? [{ kind: 'plan', items }] : []
    }
    const answer = tool === 'ask_user' && !answered.has(id) ? ANSWERED.exec(whole)?.[1]?.trim() : undefined
    return answer ? [{ kind: 'answer', id, text: answer }] : []
  }

  function refusalOf(id: string): Draft[] {
    const words = refusals.get(id) ?? null
    refusals.delete(id)
    return words === null ? [] : [{ kind: 'prompt', text: words }]
  }

  function proposed(id: string, accepted: boolean | null): Draft[] {
    const text = proposals.get(id)
    proposals.delete(id)
    return text === undefined ? [] : [{ kind: 'proposal', text, accepted }]
  }

  /** The end of a command in the background, as the agent or the client looks after it. */
  function poll(id: string, whole: string): Draft[] {
    open.delete(id)
    const [, shell = '', exit] = ENDED.exec(whole) ?? []
    return exit === undefined ? [] : finished(shell, Number(exit), whole.replace(ENDED, ''))
  }

  function finished(shell: string, exitCode: number, text: string): Draft[] {
    const [id] = [...open].find(([, made]) => made.shell !== undefined && made.shell === shell) ?? []
    if (id === undefined) return []
    open.delete(id)
    return [endOf(id, exitCode === 0, text, { exitCode })]
  }

  return {
    seen: (id: string): boolean => seen.has(id),
    call,
    result,
    refuse: (id: string, words: string): void => void refusals.set(id, words === '' ? null : words),
    respond(id: string, response: Fields): Draft[] {
      if (response.responseKind === 'exit_plan_mode') {
        if (textOf(response.planContent) !== '') proposals.set(id, textOf(response.planContent))
        return [...proposed(id, response.approved === true), ...promptOf(textOf(response.feedback))]
      }
      const text = textOf(response.answer) || Object.values(fieldsOf(response.content)).map(shown).join('\n')
      if (text === '') return []
      answered.add(id)
      return [{ kind: 'answer', id, text }]
    },
    /** The person stopped the agent: what was running came to nothing. */
    abort(sub: string | null): Draft[] {
      const stopped = [...open].filter(([, made]) => made.sub === sub && made.shell === undefined)
      return stopped.flatMap(([id, { tool }]): Draft[] => {
        open.delete(id)
        return KEEPERS.has(tool) ? [] : [endOf(id, false, '', { refused: true })]
      })
    },
    /** At the end of the file: plans without an answer, and commands that went on. */
    end(): Draft[] {
      const left = [...proposals.keys()].flatMap((id) => proposed(id, null))
      const going = [...open].filter(([, { shell }]) => shell !== undefined)
      return [...left, ...going.map(([id]) => endOf(id, true, '', { unsure: true }))]
    },
  }
}

const exitOf = (text: string): number | null => {
  const told = ENDED.exec(text)?.[2]
  return told === undefined ? null : Number(told)
}

const shown = (value: unknown): string =>
  typeof value === 'string'
    ? value
    : Array.isArray(value)
      ? value.map(shown).join(', ')
      : JSON.stringify(value)

/** The choices of a form, or of the plain question before it. */
function optionsOf(input: Fields): string[] {
  const fields = Object.values(fieldsOf(fieldsOf(input.requestedSchema).properties)).map(fieldsOf)
  const choices = fields.flatMap((field) => [...listOf(field.enum), ...listOf(fieldsOf(field.items).enum)])
  return [...listOf(input.choices), ...choices].map(textOf).filter((choice) => choice !== '')
}

/** What a call attempts; `given` is a bare text for `apply_patch`. */
export function copilotAction(tool: string, given: unknown): Action {
  const input = typeof given === 'string' ? { input: given } : fieldsOf(given)
  return actionBy(TOOLS.get(tool), input)
}

const CHANGES: Readonly<Record<string, FileTouch['change']>> = {
  create: 'create',
  edit: 'update',
  delete: 'delete',
}

/** The files a call did change, as the client recorded them; undefined when it recorded none. */
function editedFiles(edits: unknown): FileTouch[] | undefined {
  const files = itemsOf(edits)
    .map((edit): FileTouch => ({ path: textOf(edit.path), change: CHANGES[textOf(edit.kind)] ?? 'update' }))
    .filter(({ path }) => path !== '')
  return files.length === 0 ? undefined : files
}
