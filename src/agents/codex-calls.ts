import type { Action, FileTouch, SessionEvent } from '../types.ts'
import { actionOf, argumentsOf, commandAction, commandText, pathOf, workdirOf } from './codex-action.ts'
import { outputText, readOutput, readScriptEnd } from './codex-output.ts'
import { changedFiles, patchFiles } from './codex-patch.ts'
import { answersOf, planOf, questionsOf } from './codex-plan.ts'
import { scriptCalls } from './codex-script.ts'
import { type Fields, fieldsOf, numberOf, textOf } from './fields.ts'
import { clip } from './lines.ts'

export type Stamp = Pick<SessionEvent, 'at' | 'sub' | 'cwd'>

/** A call that has no result yet. */
interface Open {
  is: 'work' | 'question' | 'script' | 'poll'
  /** The call a poll asks about. */
  about?: string
  /** Commands of a script, by the ids they were given. */
  runs?: string[]
  /** Patches of a script, for the case that they do not apply. */
  patches?: FileTouch[][]
  /** It goes on in the background. */
  running?: boolean
  /** A shell command, whose success only its exit status tells. */
  command?: boolean
}

/**
 * Keeps the calls of one conversation, so that each is told once and gets one result, whichever records describe it:
 * `response_item` calls and outputs (all versions), `exec_command_end`, `patch_apply_end` and `mcp_tool_call_end`
 * (0.118 … 0.144), `item_completed` (0.169; in code mode the only place of the real commands).
 * `seen` holds the ids already told; a thread and its subagents share it, since old forks copy records.
 */
export function createCalls(seen: Set<string>) {
  const open = new Map<string, Open>()
  /** Background process → its call; running script → its call. */
  const sessions = new Map<string, string>()
  const cells = new Map<string, string>()
  /** Commands are told by items, so scripts need not be searched for them. */
  let itemised = false
  let typed = 0

  const call = (stamp: Stamp, id: string, tool: string, action: Action, by: 'agent' | 'user' = 'agent') => {
    seen.add(id)
    return { ...stamp, kind: 'call' as const, id, tool, action, by }
  }
  const result = (
    stamp: Stamp,
    id: string,
    end: { ok: boolean; exitCode?: number | null; text: string; files?: FileTouch[]; refused?: boolean },
  ): SessionEvent => {
    open.delete(id)
    return {
      ...stamp,
      kind: 'result',
      id,
      ok: end.ok,
      exitCode: end.exitCode ?? null,
      text: clip(end.text),
      ...(end.files ? { files: end.files } : {}),
      ...(end.refused ? { refused: true } : {}),
    }
  }

  /** Told by an event record: result of an open call, or a call and its result when nothing told of it before. */
  function whole(
    stamp: Stamp,
    id: string,
    told: { tool: string; action: Action; by?: 'agent' | 'user' },
    end: Parameters<typeof result>[2] | null,
  ): SessionEvent[] {
    if (open.has(id)) return end ? [result(stamp, id, end)] : []
    if (seen.has(id)) return []
    const started = call(stamp, id, told.tool, told.action, told.by)
    return end ? [started, result(stamp, id, end)] : [started]
  }

  function script(stamp: Stamp, id: string, source: string): SessionEvent[] {
    const events: SessionEvent[] = []
    const runs: string[] = []
    const patches: FileTouch[][] = []
    const found = scriptCalls(source)
    const many = found.filter(({ tool }) => tool === 'exec_command').length > 1
    for (const { tool, argument } of found) {
      const args = fieldsOf(argument)
      if (tool === 'update_plan') {
        const plan = planOf(args)
        if (plan) events.push({ ...stamp, ...plan })
      } else if (tool === 'apply_patch') patches.push(patchFiles(textOf(argument)))
      else if (tool === 'exec_command' && !itemised && textOf(args.cmd) !== '') {
        const run = many ? `${id}/${runs.length + 1}` : id
        runs.push(run)
        const where = { ...stamp, cwd: workdirOf(args, stamp.cwd) }
        events.push(call(where, run, tool, commandAction(textOf(args.cmd))))
      }
    }
    seen.add(id)
    if (runs.length + patches.length > 0) open.set(id, { is: 'script', runs, patches })
    return events
  }

  /** Only a single command whose status was printed has a known end; the others stay without a result. */
  function scriptEnd(stamp: Stamp, id: string, about: Open, output: unknown): SessionEvent[] {
    const end = readScriptEnd(output)
    if (end.state === 'running') {
      if (end.cell !== null) cells.set(end.cell, id)
      return []
    }
    open.delete(id)
    const run = about.runs?.length === 1 ? about.runs[0] : undefined
    const failed = end.state === 'failed'
    const patch = about.patches?.length === 1 ? about.patches[0] : undefined
    if (failed && patch && /apply_patch verification failed|patch rejected/.test(end.text))
      return [
        call(stamp, `${id}/patch`, 'apply_patch', { type: 'edit', files: patch }),
        result(stamp, `${id}/patch`, { ok: false, text: end.text }),
      ]
    if (run === undefined || (!failed && end.exitCode === null)) return []
    const refused = failed && /rejected by user/.test(end.text)
    const ok = !failed && end.exitCode === 0
    return [
      result(stamp, run, { ok, exitCode: end.exitCode, text: end.text, ...(refused ? { refused } : {}) }),
    ]
  }

  return {
    /** Still wanted: outputs of other calls need not be parsed. */
    awaits: (id: string): boolean => open.has(id),

    useItems: () => {
      itemised = true
    },

    /** `function_call`, `custom_tool_call`, `local_shell_call`. */
    started(stamp: Stamp, item: Fields): SessionEvent[] {
      const id = textOf(item.call_id) || textOf(item.id)
      if (id === '' || seen.has(id)) return []
      const freeform = textOf(item.input)
      const args = item.type === 'local_shell_call' ? fieldsOf(item.action) : argumentsOf(item.arguments)
      const space = textOf(item.namespace)
      const tool = textOf(item.name) || 'local_shell'
      if (tool === 'exec' && item.type === 'custom_tool_call') return script(stamp, id, freeform)
      if (tool === 'write_stdin' || tool === 'wait') {
        const about = sessions.get(String(args.session_id)) ?? cells.get(String(args.cell_id))
        if (about !== undefined) open.set(id, { is: 'poll', about })
        return []
      }
      const plan = tool === 'update_plan' ? planOf(args) : null
      if (plan) return [{ ...stamp, ...plan }]
      if (tool === 'request_user_input') {
        open.set(id, { is: 'question' })
        return questionsOf(id, args).map((question) => ({ ...stamp, ...question }))
      }
      const action = actionOf(tool, args, freeform)
      if (!action) return []
      open.set(id, { is: 'work', command: action.type === 'run' })
      const name = space.startsWith('mcp__') ? `${space}__${tool}` : tool
      return [call({ ...stamp, cwd: workdirOf(args, stamp.cwd) }, id, name, action)]
    },

    /** `function_call_output`, `custom_tool_call_output`. */
    ended(stamp: Stamp, item: Fields): SessionEvent[] {
      const id = textOf(item.call_id)
      const about = open.get(id)
      if (!about) return []
      if (about.is === 'question') {
        open.delete(id)
        return answersOf(id, outputText(item.output)).map((answer) => ({ ...stamp, ...answer }))
      }
      if (about.is === 'script') return scriptEnd(stamp, id, about, item.output)
      const target = about.is === 'poll' ? (about.about ?? '') : id
      if (about.is === 'poll') {
        open.delete(id)
        const asked = open.get(target)
        if (!asked) return []
        if (asked.is === 'script') return scriptEnd(stamp, target, asked, item.output)
      }
      const end = readOutput(item.output)
      if (end.session !== null) {
        sessions.set(end.session, target)
        open.set(target, { is: 'work', running: true, command: true })
        return []
      }
      const { exitCode, text, refused } = end
      const poll = about.is === 'poll'
      if (poll && exitCode === null) return []
      if (refused) return [result(stamp, target, { ok: false, text, refused })]
      if (exitCode === null && about.command && !end.rejected) return []
      return [
        result(stamp, target, { ok: exitCode === null ? !end.rejected : exitCode === 0, exitCode, text }),
      ]
    },

    /** `exec_command_end` and `item_completed/CommandExecution`. */
    executed(stamp: Stamp, item: Fields): SessionEvent[] {
      // A look at a process that another record tells whole.
      if (item.source === 'unified_exec_interaction') return []
      const id = textOf(item.call_id) || textOf(item.id)
      const user = item.source === 'user_shell'
      const exitCode = numberOf(item.exit_code)
      const text = textOf(item.aggregated_output) || textOf(item.formatted_output) || textOf(item.stdout)
      const refused = item.status === 'declined'
      // -1: the client ended it on its own exit, so how it would have ended is not known.
      const end =
        exitCode === null && !refused
          ? null
          : { ok: exitCode === 0, exitCode: refused ? null : exitCode, text, refused }
      return whole(
        { ...stamp, cwd: pathOf(item.cwd) ?? stamp.cwd },
        id,
        {
          tool: user ? 'shell' : 'exec_command',
          action: commandAction(commandText(item.command)),
          by: user ? 'user' : 'agent',
        },
        exitCode === -1 ? null : end,
      )
    },

    /** `patch_apply_end` and `item_completed/FileChange`. */
    patched(stamp: Stamp, item: Fields): SessionEvent[] {
      const id = textOf(item.call_id) || textOf(item.id)
      const files = changedFiles(item.changes)
      const refused = item.status === 'declined'
      const ok = !refused && item.success !== false && item.status !== 'failed'
      const text = textOf(item.stdout) + textOf(item.stderr)
      return whole(
        stamp,
        id,
        { tool: 'apply_patch', action: { type: 'edit', files } },
        { ok, text, ...(ok ? { files } : {}), ...(refused ? { refused } : {}) },
      )
    },

    /** `mcp_tool_call_end` and `item_completed/McpToolCall`. */
    called(stamp: Stamp, item: Fields): SessionEvent[] {
      const asked = 'invocation' in item ? fieldsOf(item.invocation) : item
      const answer = fieldsOf(item.result)
      const body = 'Ok' in answer ? fieldsOf(answer.Ok) : answer
      const error = textOf(fieldsOf(item.error).message) || textOf(answer.Err)
      const failed =
        error !== '' || item.status === 'failed' || body.isError === true || body.is_error === true
      return whole(
        stamp,
        textOf(item.call_id) || textOf(item.id),
        { tool: `mcp__${textOf(asked.server)}__${textOf(asked.tool)}`, action: { type: 'other', paths: [] } },
        { ok: !failed, text: error || outputText(body.content) },
      )
    },

    /** The person's `!` command as a row (0.98 … 0.135); newer clients tell it as an item too. */
    typed(stamp: Stamp, command: string, exitCode: number | null, text: string): SessionEvent[] {
      const id = `shell/${++typed}`
      const started = call(stamp, id, 'shell', commandAction(command), 'user')
      return exitCode === null
        ? [started]
        : [started, result(stamp, id, { ok: exitCode === 0, exitCode, text })]
    },

    /** The turn was interrupted: what had not begun to answer did not happen. */
    aborted(stamp: Stamp): SessionEvent[] {
      const cut = [...open].filter(([, { is, running }]) => is === 'work' && !running)
      return cut.map(([id]) => result(stamp, id, { ok: false, text: '', refused: true }))
    },
  }
}
