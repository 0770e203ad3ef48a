const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

/** Kinds of records that the events are made of (`schemas/session-events.schema.json` of 1.0.102). */
const TOLD = words(`session.start session.resume session.context_changed session.model_change session.error
  session.compaction_complete session.usage_record session.task_complete user.message assistant.message
  tool.user_requested tool.execution_start tool.execution_complete human_response.recorded permission.completed
  skill.invoked system.notification abort`)

/** Kinds that say nothing of the work, or say again what another record tells: most of a file's bytes, never parsed. */
const IDLE =
  words(`hook.start hook.end hook.progress system.message permission.requested permission.carriedForward
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

/** Longest start of a line that is looked at before the line is parsed whole. */
const PREFIX = 160
/** How the client begins every line; a call's id is the first field of its data. */
const START = /^\{"type":"([\w.]+)"(?:,"data":\{"toolCallId":"([^"\\]+)")?/

/** What the start of a line tells: its kind, and the call it belongs to; null when it is written otherwise. */
export function peekCopilot(line: Buffer): { type: string; call: string } | null {
  const found = START.exec(line.toString('latin1', 0, PREFIX))
  return found && { type: found[1] ?? '', call: found[2] ?? '' }
}

/** A record that need not be read. The client writes what it asks its model for a summary as `model.…`. */
export const isIdleKind = (type: string): boolean => IDLE.has(type) || type.startsWith('model.')

export const isToldKind = (type: string): boolean => TOLD.has(type)
