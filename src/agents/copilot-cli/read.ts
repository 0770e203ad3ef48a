import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { sessionUnreadable } from '../../errors/session.ts'
import type { Place } from '../../types/place.ts'
import type { ReadOptions, SessionEvent, SessionRef } from '../../types/session.ts'
import { type Fields, fieldsOf, recordOf, textOf, timeOf } from '../fields.ts'
import { parseLine, readLineBatches } from '../lines.ts'
import { entriesIn, isAbsent, isWithin, newestFirst, readEnds } from '../session-files.ts'
import { createCopilotTranslator } from './events.ts'

/**
 * Sessions whose working directory lies in one of `roots`, newest first. Each has a folder of its own; `COPILOT_HOME` relocates the
 * client's whole home.
 */
export async function findCopilotFiles(
  { home, env }: Pick<Place, 'home' | 'env'>,
  roots: readonly string[],
): Promise<SessionRef[]> {
  const folder = join(env.COPILOT_HOME || join(home, '.copilot'), 'session-state')
  const refs = await Promise.all(
    entriesIn(folder)
      .filter((entry) => entry.isDirectory())
      .map(async ({ name }) => {
        const { cwd } = workspaceOf(join(folder, name))
        // Most sessions belong elsewhere and need no closer look.
        if (cwd !== '' && !isWithin(cwd, roots)) return null
        return readCopilotRef(join(folder, name, 'events.jsonl'))
      }),
  )
  return refs
    .filter((ref) => ref !== null)
    .filter(({ cwd }) => isWithin(cwd, roots))
    .sort(newestFirst)
}

/** What `workspace.yaml` beside the events says, which follows the session as it moves; empty texts without it. */
function workspaceOf(folder: string): { cwd: string; branch: string; name: string } {
  const text = workspaceText(folder)
  const value = (key: string): string => plain(new RegExp(`^${key}: +(.*)$`, 'm').exec(text)?.[1] ?? '')
  return { cwd: value('cwd'), branch: value('branch'), name: value('name') }
}

function workspaceText(folder: string): string {
  try {
    return readFileSync(join(folder, 'workspace.yaml'), 'utf8')
  } catch (cause) {
    if (isAbsent(cause)) return ''
    throw sessionUnreadable(folder, cause)
  }
}

/** A YAML scalar of one line; empty for one that goes on below. */
function plain(scalar: string): string {
  if (/^[|>]/.test(scalar)) return ''
  if (/^'.*'$/.test(scalar)) return scalar.slice(1, -1).replaceAll("''", "'")
  if (!scalar.startsWith('"')) return scalar.trim()
  try {
    return textOf(JSON.parse(scalar))
  } catch {
    return '' // An escape of YAML that JSON does not have.
  }
}

/** The record a session begins with, or null when a text is not the start of one. */
export function copilotStart(head: string): Fields | null {
  const line = head.split('\n', 1)[0] ?? ''
  if (!line.startsWith('{"type":"session.start"')) return null
  const data = fieldsOf(recordOf(line).data)
  return textOf(data.sessionId) === '' ? null : data
}

/** The reference of one file of events; null when it is none, is gone, or is a helper the client started by itself. */
export async function readCopilotRef(path: string): Promise<SessionRef | null> {
  const ends = await readEnds(path)
  const start = ends && copilotStart(ends.head)
  if (!start || textOf(start.detachedFromSpawningParentSessionId) !== '') return null
  // The time stands behind what may be a long text, so a line whose beginning was cut off tells it as well.
  const times = ends.tail.matchAll(/"timestamp":"([^"]+)"(?:,"parentId":(?:null|"[^"]*"))?\}$/gm)
  const { cwd, branch, name } = workspaceOf(dirname(path))
  const context = fieldsOf(start.context)
  const at = branch || textOf(context.branch)
  return {
    agent: 'copilot-cli',
    id: textOf(start.sessionId),
    path,
    cwd: cwd || textOf(context.cwd) || null,
    startedAt: timeOf(start.startTime),
    updatedAt: timeOf([...times].at(-1)?.[1]) ?? ends.mtime.toISOString(),
    bytes: ends.size,
    ...(name ? { title: name } : {}),
    ...(at ? { branch: at } : {}),
  }
}

/** Lines of kinds that tell nothing are most of the file, and are skipped by their first bytes. */
export async function* readCopilotSession(
  ref: SessionRef,
  options: ReadOptions,
): AsyncGenerator<SessionEvent[]> {
  const translator = createCopilotTranslator()
  for await (const batch of readLineBatches(ref.path, options)) {
    const told: SessionEvent[] = []
    for (const line of batch) {
      const look = line.torn ? null : peek(line.bytes)
      if (
        look &&
        (isIdle(look.type) || (look.type === 'tool.execution_start' && translator.isTold(look.call)))
      )
        continue
      if (look && !TOLD.has(look.type)) {
        options.onSkip?.('unknown')
        continue
      }
      const record = parseLine(line, options)
      const events = record && translator.add(record)
      if (events) told.push(...events)
      else if (record && !isIdle(textOf(record.type))) options.onSkip?.('unknown')
    }
    yield told
  }
  yield translator.end()
}

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
function peek(line: Buffer): { type: string; call: string } | null {
  const found = START.exec(line.toString('latin1', 0, PREFIX))
  return found && { type: found[1] ?? '', call: found[2] ?? '' }
}

/** A record that need not be read. The client writes what it asks its model for a summary as `model.…`. */
const isIdle = (type: string): boolean => IDLE.has(type) || type.startsWith('model.')
