import { type Fields, fieldsOf, textOf, wordSet } from '../fields.ts'

/** What a record is. The oldest rollouts hold bare items, without timestamp and payload. */
export interface RecordKind {
  type: string
  /** `payload.type`, or `item/<item.type>` for an `item_completed`; empty when the payload has none. */
  kind: string
}

export function kindOf(record: Fields): RecordKind {
  const payload = payloadOf(record)
  const kind = textOf(payload.type)
  return {
    type: payload === record ? 'response_item' : textOf(record.type),
    kind: kind === 'item_completed' ? `item/${textOf(fieldsOf(payload.item).type)}` : kind,
  }
}

/** What a parsed line says: its payload, or in the oldest rollouts the line itself. */
export function payloadOf(record: Fields): Fields {
  const payload = record.payload
  return typeof payload === 'object' && payload !== null ? fieldsOf(payload) : record
}

// Records that say nothing the events need, or say again what another record tells (0.98 … 0.169).
const IDLE_TYPES = wordSet(
  'world_state token_usage_record inter_agent_communication_metadata retained_context',
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
  item/ExitedReviewMode item/Sleep item/TodoList`)

export const isIdle = (type: string, kind: string): boolean =>
  type === 'response_item'
    ? IDLE_ITEMS.has(kind)
    : type === 'event_msg'
      ? IDLE_EVENTS.has(kind)
      : IDLE_TYPES.has(type)

/** Events that tell a `message` item of this role, and tell it better. */
export const TWINS: ReadonlyMap<string, 'user' | 'assistant'> = new Map([
  ['user_message', 'user'],
  ['item/UserMessage', 'user'],
  ['agent_message', 'assistant'],
  ['item/AgentMessage', 'assistant'],
  ['item/Plan', 'assistant'],
])
