import type { SessionEvent } from '../types.ts'
import { createCalls, type Stamp } from './codex-calls.ts'
import { type Peek, payloadOf, peekParsed } from './codex-peek.ts'
import { messageTexts, summaryText, userPart } from './codex-prompt.ts'
import { createUsage } from './codex-usage.ts'
import { type Fields, fieldsOf, listOf, textOf } from './fields.ts'

/** Records that say nothing the events need, or say again what another record tells. */
const KNOWN = new Set(
  `world_state token_usage_record inter_agent_communication_metadata retained_context session_state
  response_item/reasoning response_item/agent_message response_item/web_search_call response_item/ghost_snapshot
  response_item/compaction response_item/context_compaction response_item/compaction_trigger response_item/image_generation_call
  response_item/tool_search_call response_item/tool_search_output response_item/other
  event_msg/agent_reasoning event_msg/agent_reasoning_raw_content event_msg/agent_reasoning_section_break
  event_msg/task_started event_msg/turn_started event_msg/context_compacted event_msg/thread_settings_applied
  event_msg/thread_rolled_back event_msg/web_search_end event_msg/image_generation_end event_msg/view_image_tool_call
  event_msg/collab_agent_spawn_begin event_msg/collab_agent_spawn_end event_msg/collab_agent_interaction_begin
  event_msg/collab_agent_interaction_end event_msg/collab_waiting_begin event_msg/collab_waiting_end
  event_msg/collab_close_begin event_msg/collab_close_end event_msg/collab_resume_begin event_msg/collab_resume_end
  event_msg/sub_agent_activity event_msg/dynamic_tool_call_request event_msg/dynamic_tool_call_response
  event_msg/entered_review_mode event_msg/exited_review_mode event_msg/thread_goal_updated event_msg/background_event
  event_msg/warning event_msg/stream_error event_msg/model_reroute event_msg/turn_diff event_msg/undo_completed event_msg/patch_apply_begin
  event_msg/exec_command_begin event_msg/mcp_tool_call_begin event_msg/plan_update event_msg/hook_completed
  event_msg/item/Reasoning event_msg/item/ContextCompaction event_msg/item/WebSearch event_msg/item/HookPrompt
  event_msg/item/CollabAgentToolCall event_msg/item/SubAgentActivity event_msg/item/ImageView
  event_msg/item/ImageGeneration event_msg/item/DynamicToolCall event_msg/item/EnteredReviewMode
  event_msg/item/ExitedReviewMode event_msg/item/Sleep event_msg/item/TodoList`.split(/\s+/),
)
/** Events that tell a `message` item better. */
const TWINS = new Set(['user_message', 'item/UserMessage', 'agent_message', 'item/AgentMessage', 'item/Plan'])
/** What the client sends when the person picks "Yes, implement this plan" (0.142, 0.169). */
const ACCEPTS = /^(?:PLEASE )?implement th(?:is|e) plan[.:]/i
type Facts = Omit<Extract<SessionEvent, { kind: 'setting' }>, keyof Stamp | 'kind'>

const CALL_ID = /"call_id":"([^"]*)"/

/**
 * Turns the records of one conversation, in their order, into events. `sub` names the subagent it belongs to, whose
 * user rows are orders of another agent; `seen` are the call ids already told in this family.
 */
export function createTranslator(sub: string | null, seen: Set<string>) {
  const calls = createCalls(seen)
  const usage = createUsage()
  let cwd: string | null = null
  const facts = new Map<string, string>()
  let begun = false
  let proposal: string | null = null
  let shell = ''
  /** Texts of `message` items that wait for their `event_msg` twin, which tells them better. */
  let held: { role: string; event: SessionEvent }[] = []
  const twins = new Set<string>()

  const say = (role: string, event: SessionEvent): SessionEvent[] => {
    twins.add(role)
    held = held.filter((one) => one.role !== role)
    return [...release(), event]
  }
  const release = (): SessionEvent[] => {
    const ready = held.filter(({ role }) => !twins.has(role)).map(({ event }) => event)
    held = []
    return ready
  }

  function prompt(stamp: Stamp, texts: string[]): SessionEvent[] {
    const words = texts.map(userPart).flatMap((part) => (part.is === 'words' ? [part.text] : []))
    const text = words.join('\n')
    if (sub !== null || text === '') {
      // Its twin was held all the same and must not be told later.
      twins.add('user')
      return []
    }
    if (proposal !== null && ACCEPTS.test(text)) {
      const accepted = { ...stamp, kind: 'proposal' as const, text: proposal, accepted: true }
      proposal = null
      return say('user', accepted)
    }
    proposal = null
    return say('user', { ...stamp, kind: 'prompt', text })
  }

  function userRow(stamp: Stamp, message: Fields): SessionEvent[] {
    const events: SessionEvent[] = []
    // The oldest rollouts name the directory nowhere else.
    cwd ??= /<cwd>([^<]+)<\/cwd>/.exec(JSON.stringify(message.content ?? ''))?.[1] ?? null
    for (const part of messageTexts(message).map(userPart)) {
      if (part.is === 'skill' && part.name !== 'handoff')
        events.push({ ...stamp, kind: 'skill', name: part.name })
      if (part.is === 'shell' && part.command !== shell)
        events.push(...calls.typed(stamp, part.command, part.exitCode, part.output))
      if (part.is === 'shell') shell = ''
      if (part.is === 'words' && sub === null && !twins.has('user'))
        held.push({ role: 'user', event: { ...stamp, kind: 'prompt', text: part.text } })
    }
    return events
  }

  /** Only what is new; a subagent's model and tools are not the session's. */
  function setting(stamp: Stamp, all: Facts): SessionEvent[] {
    const fresh = Object.entries(all).filter(
      ([key, value]) => value.length > 0 && facts.get(key) !== String(value),
    )
    for (const [key, value] of fresh) facts.set(key, String(value))
    return sub !== null || fresh.length === 0
      ? []
      : [{ ...stamp, kind: 'setting', ...Object.fromEntries(fresh) }]
  }

  function response(stamp: Stamp, kind: string, item: Fields): SessionEvent[] | null {
    if (kind === 'message') {
      if (item.role === 'user') return userRow(stamp, item)
      const text = listOf(item.content)
        .map((part) => textOf(fieldsOf(part).text))
        .join('\n')
      if (item.role === 'assistant' && text.trim() !== '' && !twins.has('assistant'))
        held.push({ role: 'assistant', event: { ...stamp, kind: 'reply', text } })
      return []
    }
    if (kind === 'additional_tools') return setting(stamp, { tools: toolNames(item) })
    if (/^(?:function|custom_tool|local_shell)_call$/.test(kind)) return calls.started(stamp, item)
    if (/_call_output$/.test(kind)) return calls.ended(stamp, item)
    // Header and state lines of the oldest rollouts.
    return kind === '' ? [] : null
  }

  function happened(stamp: Stamp, kind: string, event: Fields): SessionEvent[] | null {
    const item = kind.startsWith('item/') ? fieldsOf(event.item) : event
    switch (kind) {
      case 'user_message':
        return event.kind === undefined || event.kind === 'plain'
          ? prompt(stamp, [textOf(event.message)])
          : []
      case 'item/UserMessage':
        calls.useItems()
        return prompt(
          stamp,
          listOf(item.content)
            .map((part) => textOf(fieldsOf(part).text))
            .filter(Boolean),
        )
      case 'agent_message':
        return say('assistant', { ...stamp, kind: 'reply', text: textOf(event.message) })
      case 'item/AgentMessage': {
        const text = listOf(item.content)
          .map((part) => textOf(fieldsOf(part).text))
          .join('\n')
        return say('assistant', { ...stamp, kind: 'reply', text })
      }
      case 'item/Plan':
        proposal = textOf(item.text).trim()
        return say('assistant', { ...stamp, kind: 'proposal', text: proposal, accepted: null })
      case 'exec_command_end':
      case 'item/CommandExecution': {
        if (kind.startsWith('item/')) calls.useItems()
        const events = calls.executed(stamp, item)
        const [first] = events
        if (first?.kind === 'call' && first.by === 'user' && first.action.type === 'run')
          shell = first.action.command
        return events
      }
      case 'patch_apply_end':
      case 'item/FileChange':
        return calls.patched(stamp, item)
      case 'mcp_tool_call_end':
      case 'item/McpToolCall':
        return calls.called(stamp, item)
      case 'token_count':
        return usage.add(stamp, event)
      case 'turn_aborted':
        return calls.aborted(stamp)
      case 'thread_name_updated':
        return setting(stamp, { title: textOf(event.thread_name) })
      case 'task_complete':
      case 'turn_complete':
        return failure(stamp, textOf(fieldsOf(event.error).message))
      case 'error':
        return failure(stamp, textOf(event.message))
      default:
        return null
    }
  }

  return {
    /** False for lines that need not be parsed. */
    wants({ type, kind, head }: Peek): boolean {
      if (isKnown({ type, kind })) return false
      if (type === 'session_meta') return !begun
      if (type !== 'response_item' || head === '') return true
      if (kind === 'message')
        return (
          !/"role":"(?:developer|system)"/.test(head) &&
          !(twins.has('assistant') && head.includes('"role":"assistant"'))
        )
      const id = kind.endsWith('_call_output') ? CALL_ID.exec(head)?.[1] : undefined
      return id === undefined || calls.awaits(id)
    },

    /** The next file of the same conversation begins: its header counts too. */
    nextFile: () => {
      begun = false
    },

    /** Events of one record; null when its kind is not known. */
    add(record: Fields): SessionEvent[] | null {
      const found = peekParsed(record)
      const ready = TWINS.has(found.kind) || found.kind === 'message' ? [] : release()
      const events = isKnown(found) ? [] : translate(found, payloadOf(record))
      return events && [...ready, ...events]
    },

    /** What still waited for a twin when the file ended. */
    end: release,
  }

  function translate({ at, type, kind }: Peek, payload: Fields): SessionEvent[] | null {
    const stamp: Stamp = { at, sub, cwd }
    switch (type) {
      case 'session_meta': {
        if (begun) return []
        begun = true
        cwd = textOf(payload.cwd) || cwd
        // Newer records describe everything as items, from the first one on.
        if (payload.history_mode === 'paginated') calls.useItems()
        const version = textOf(payload.cli_version)
        const branch = textOf(fieldsOf(payload.git).branch)
        return setting({ ...stamp, cwd }, { version, branch })
      }
      case 'turn_context': {
        cwd = textOf(payload.cwd) || cwd
        const model = textOf(payload.model)
        const mode = fieldsOf(fieldsOf(payload.collaboration_mode).settings)
        const thinking = textOf(payload.effort) || textOf(mode.reasoning_effort)
        return setting({ ...stamp, cwd }, { model, thinking })
      }
      case 'compacted':
        return [{ ...stamp, kind: 'compaction', summary: summaryText(textOf(payload.message)) }]
      case 'response_item':
        return response(stamp, kind, payload)
      case 'event_msg':
        return happened(stamp, kind, payload)
      default:
        return null
    }
  }
}

const isKnown = ({ type, kind }: Pick<Peek, 'type' | 'kind'>): boolean =>
  KNOWN.has(`${type}/${kind}`) || KNOWN.has(type)

const failure = (stamp: Stamp, text: string): SessionEvent[] =>
  text === '' ? [] : [{ ...stamp, kind: 'failure', text }]

/** Names of the tools offered in `additional_tools` (0.169), those in a namespace of their own as `space.name`. */
const toolNames = (item: Fields): string[] =>
  listOf(item.tools)
    .map(fieldsOf)
    .flatMap((tool) =>
      'tools' in tool
        ? listOf(tool.tools).map((inner) =>
            tool.name === 'functions'
              ? textOf(fieldsOf(inner).name)
              : `${textOf(tool.name)}.${textOf(fieldsOf(inner).name)}`,
          )
        : [textOf(tool.name)],
    )
    .filter(Boolean)
