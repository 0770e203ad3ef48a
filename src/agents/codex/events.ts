import type { SessionEvent } from '../../types/session.ts'
import { partTexts, wordSet } from '../content.ts'
import { createSettings, type Draft, replyOf, stamped } from '../draft.ts'
import { type Fields, fieldsOf, itemsOf, listOf, numberOf, textOf, timeOf } from '../fields.ts'
import { skillOf } from '../tools.ts'
import { createCalls } from './calls.ts'
import { called, executed, messageTexts, patched, summaryText, userPart } from './tools.ts'

/** What the client sends when the person picks "Yes, implement this plan" (0.142, 0.169). */
const ACCEPTS = /^(?:PLEASE )?implement th(?:is|e) plan[.:]/i

/** Turns the records of one conversation into events. `sub`: the subagent it belongs to; `seen`: call ids already told in this family. */
export function createTranslator(sub: string | null, seen: Set<string>) {
  const calls = createCalls(seen)
  const usage = createUsage()
  const setting = createSettings(sub)
  let cwd: string | null = null
  let begun = false
  let proposal: string | null = null
  let shell = ''

  function prompt(texts: string[]): Draft[] {
    const words = texts.map(userPart).flatMap((part) => (part.is === 'words' ? [part.text] : []))
    const text = words.join('\n')
    if (sub !== null || text === '') return []
    const accepted = proposal !== null && ACCEPTS.test(text) ? proposal : null
    proposal = null
    return accepted === null
      ? [{ kind: 'prompt', text }]
      : [{ kind: 'proposal', text: accepted, accepted: true }]
  }

  /** What the client wrote in the person's name; the words themselves are told by an event. */
  const userRow = (message: Fields): Draft[] =>
    messageTexts(message)
      .map(userPart)
      .flatMap((part): Draft[] => {
        if (part.is === 'skill') return skillOf(part.name)
        if (part.is !== 'shell') return []
        const repeated = part.command === shell
        shell = ''
        return repeated ? [] : calls.typed(part.command, part.exitCode, part.output)
      })

  function response(kind: string, item: Fields): Draft[] | null {
    switch (kind) {
      case 'message':
        return item.role === 'user' ? userRow(item) : []
      case 'function_call':
      case 'custom_tool_call':
      case 'local_shell_call':
        return calls.started(item, cwd)
      case 'function_call_output':
      case 'custom_tool_call_output':
        return calls.ended(item)
      case 'additional_tools':
        return setting({ tools: toolNames(item) })
      default:
        return null
    }
  }

  function happened(kind: string, event: Fields): Draft[] | null {
    const item = kind.startsWith('item/') ? fieldsOf(event.item) : event
    switch (kind) {
      case 'user_message':
        // Early clients named the rows they wrote themselves.
        return event.kind === undefined || event.kind === 'plain' ? prompt([textOf(event.message)]) : []
      case 'item/UserMessage':
        calls.useItems()
        return prompt(partTexts(item.content).filter(Boolean))
      case 'agent_message':
        return replyOf(withoutDirectives(textOf(event.message)))
      case 'item/AgentMessage':
        return replyOf(withoutDirectives(contentOf(item)))
      case 'item/Plan':
        proposal = textOf(item.text).trim()
        return [{ kind: 'proposal', text: proposal, accepted: null }]
      case 'exec_command_end':
      case 'item/CommandExecution': {
        if (kind === 'item/CommandExecution') calls.useItems()
        // A look at a process that another record tells whole.
        if (item.source === 'unified_exec_interaction') return []
        const whole = executed(item)
        if (whole.by === 'user' && whole.action.type === 'run') shell = whole.action.command
        return calls.told(whole)
      }
      case 'patch_apply_end':
      case 'item/FileChange':
        return calls.told(patched(item))
      case 'mcp_tool_call_end':
      case 'item/McpToolCall':
        return calls.told(called(item))
      case 'token_count':
        return usage.add(event)
      case 'turn_aborted':
        return textOf(event.reason) === 'interrupted'
          ? [...calls.aborted(), { kind: 'interrupt' }]
          : calls.aborted()
      case 'thread_name_updated':
        return setting({ title: textOf(event.thread_name) })
      case 'task_complete':
      case 'turn_complete':
        return failure(textOf(fieldsOf(event.error).message))
      case 'error':
        return failure(textOf(event.message))
      default:
        return null
    }
  }

  function translate(type: string, kind: string, payload: Fields): Draft[] | null {
    switch (type) {
      case 'session_meta': {
        begun = true
        cwd = textOf(payload.cwd) || cwd
        // Such a file tells everything as items, from the first one on.
        if (payload.history_mode === 'paginated') calls.useItems()
        return setting({ version: textOf(payload.cli_version), branch: textOf(fieldsOf(payload.git).branch) })
      }
      case 'turn_context': {
        cwd = textOf(payload.cwd) || cwd
        const mode = fieldsOf(fieldsOf(payload.collaboration_mode).settings)
        const thinking = textOf(payload.effort) || textOf(mode.reasoning_effort)
        return setting({ model: textOf(payload.model), thinking })
      }
      case 'compacted':
        return [{ kind: 'compaction', summary: summaryText(textOf(payload.message)) }]
      case 'response_item':
        return response(kind, payload)
      case 'event_msg':
        return happened(kind, payload)
      default:
        return null
    }
  }

  return {
    /** The next file of the same conversation begins: its header counts too. */
    nextFile: () => {
      begun = false
    },

    add(record: Fields): SessionEvent[] | null {
      const { type, kind } = kindOf(record)
      const at = timeOf(record.timestamp)
      if (isIdle(type, kind) || (type === 'session_meta' && begun)) return []
      return (
        translate(type, kind, fieldsOf(record.payload))?.map((draft) => stamped(draft, { at, sub, cwd })) ??
        null
      )
    },
  }
}

/** Lines by which the app draws buttons (`::git-push{cwd="…"}`, seen with 0.118 to 0.169); a pull request keeps its address. */
const DIRECTIVE = /::(?:git-[a-z-]+|archive|created-thread)\{([^{}\n]*)\}[ \t]*/g
const withoutDirectives = (text: string): string =>
  text.includes('::')
    ? text.replace(DIRECTIVE, (_, fields: string) => /\burl="([^"]*)"/.exec(fields)?.[1] ?? '').trimEnd()
    : text

const contentOf = (item: Fields): string => partTexts(item.content).filter(Boolean).join('\n')

const failure = (text: string): Draft[] => (text === '' ? [] : [{ kind: 'failure', text }])

/** Names of the tools offered in `additional_tools` (0.169), those in a namespace of their own as `space.name`. */
function toolNames(item: Fields): string[] {
  const named = (tool: Fields): string[] => {
    if (!('tools' in tool)) return [textOf(tool.name)]
    const space = tool.name === 'functions' ? '' : `${textOf(tool.name)}.`
    return listOf(tool.tools).map((inner) => space + textOf(fieldsOf(inner).name))
  }
  return itemsOf(item.tools).flatMap(named).filter(Boolean)
}

/**
 * Tokens as increments: Codex writes running totals, often the same one several times, so each event carries what the
 * total grew by and the events add up to the last total. `inputTokens` include cached ones, as Codex counts them. The
 * first total counts with its last request alone, since that of a fork includes a history told elsewhere; so does a
 * total that fell, since a client that resumes may count anew.
 */
function createUsage() {
  let input = Number.POSITIVE_INFINITY
  let output = Number.POSITIVE_INFINITY
  return {
    /** `token_count` (all versions); without `info` it only tells rate limits. */
    add(event: Fields): Draft[] {
      const info = fieldsOf(event.info)
      const total = fieldsOf(info.total_token_usage)
      const last = fieldsOf(info.last_token_usage)
      const nextInput = numberOf(total.input_tokens)
      const nextOutput = numberOf(total.output_tokens)
      if (nextInput === null || nextOutput === null) return []
      if (nextInput === input && nextOutput === output) return []
      const anew = nextInput < input || nextOutput < output
      const inputTokens = anew ? (numberOf(last.input_tokens) ?? nextInput) : nextInput - input
      const outputTokens = anew ? (numberOf(last.output_tokens) ?? nextOutput) : nextOutput - output
      input = nextInput
      output = nextOutput
      return [
        {
          kind: 'usage',
          inputTokens,
          outputTokens,
          contextTokens: numberOf(last.input_tokens) ?? nextInput,
          contextWindow: numberOf(info.model_context_window),
        },
      ]
    },
  }
}

/** What a record is; `kind`: `payload.type`, or `item/<item.type>` for an `item_completed`; empty when the payload has none. */
function kindOf({ type, payload }: Fields): { type: string; kind: string } {
  const { type: kind, item } = fieldsOf(payload)
  return {
    type: textOf(type),
    kind: kind === 'item_completed' ? `item/${textOf(fieldsOf(item).type)}` : textOf(kind),
  }
}

// Records that say nothing the events need, or say again what another record tells (0.118 … 0.171).
const IDLE_TYPES = wordSet(
  'world_state token_usage_record inter_agent_communication_metadata retained_context security_risk_score',
)
const IDLE_ITEMS =
  wordSet(`reasoning agent_message web_search_call ghost_snapshot compaction context_compaction
  compaction_trigger image_generation_call tool_search_call tool_search_output other`)
const IDLE_EVENTS =
  wordSet(`agent_reasoning agent_reasoning_raw_content agent_reasoning_section_break task_started turn_started
  context_compacted thread_settings_applied thread_rolled_back web_search_end image_generation_end
  view_image_tool_call collab_agent_spawn_begin collab_agent_spawn_end collab_agent_interaction_begin
  collab_agent_interaction_end collab_waiting_begin collab_waiting_end collab_close_begin collab_close_end
  collab_resume_begin collab_resume_end sub_agent_activity dynamic_tool_call_request dynamic_tool_call_response
  entered_review_mode exited_review_mode thread_goal_updated background_event warning stream_error model_reroute
  turn_diff undo_completed patch_apply_begin exec_command_begin mcp_tool_call_begin plan_update hook_completed
  item/Reasoning item/ContextCompaction item/WebSearch item/HookPrompt item/CollabAgentToolCall
  item/SubAgentActivity item/ImageView item/ImageGeneration item/DynamicToolCall item/EnteredReviewMode
  item/ExitedReviewMode item/Sleep item/TodoList item/Extension guardian_assessment security_risk_score realtime_item`)

const isIdle = (type: string, kind: string): boolean =>
  type === 'response_item'
    ? IDLE_ITEMS.has(kind)
    : type === 'event_msg'
      ? IDLE_EVENTS.has(kind)
      : IDLE_TYPES.has(type)
