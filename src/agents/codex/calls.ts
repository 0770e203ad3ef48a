import type { Action, FileTouch } from '../../types/session.ts'
import { callOf, type Draft, endOf } from '../draft.ts'
import { type Fields, fieldsOf, idOf, numberOf, textOf } from '../fields.ts'
import { patchFiles } from '../tools.ts'
import { type ScriptCall, scriptCalls } from './script.ts'
import {
  actionOf,
  answersOf,
  argumentsOf,
  commandAction,
  type End,
  outputText,
  planOf,
  questionsOf,
  readOutput,
  readScriptEnd,
  type Whole,
  workdirOf,
} from './tools.ts'

interface Open {
  is: 'work' | 'question' | 'script' | 'poll'
  /** A shell command, whose success only its exit status tells. */
  command?: boolean
  /** It goes on in the background. */
  running?: boolean
  /** The call a poll asks about. */
  about?: string
  /** Commands of a script, by the ids they were given. */
  runs?: string[]
  /** Patches of a script, for the case that they do not apply. */
  patches?: FileTouch[][]
  /** Seconds after which the script would have been answered though its command goes on, and those that passed so far. */
  yields?: number
  passed?: number
}

/** Seconds until a command, and until a poll that sends nothing, is answered though the process goes on (Codex 0.144). */
const YIELDS = { exec_command: 10, write_stdin: 5 }

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
  /** The last command of a script that goes on though the script did not print its process. */
  let untold: string | null = null
  /** Commands are told by items, so scripts need not be searched for them. */
  let itemised = false
  let typed = 0

  function call(id: string, tool: string, action: Action, by: 'agent' | 'user', cwd?: string | null): Draft {
    seen.add(id)
    return callOf(id, tool, action, { by, cwd: cwd ?? null })
  }

  function result(id: string, { ok, text, ...more }: End): Draft {
    open.delete(id)
    return endOf(id, ok, text, more)
  }

  function script(id: string, source: string, cwd: string | null): Draft[] {
    const drafts: Draft[] = []
    const runs: string[] = []
    const patches: FileTouch[][] = []
    const found = scriptCalls(source)
    const many = found.filter(({ tool }) => tool === 'exec_command').length > 1
    const [only, ...others] = found.filter(({ tool }) => tool === 'exec_command' || tool === 'write_stdin')
    const yields = only && others.length === 0 ? secondsUntilAnswer(only) : 0
    for (const { tool, argument } of found) {
      const args = fieldsOf(argument)
      const plan = tool === 'update_plan' ? planOf(args) : null
      if (plan) drafts.push(plan)
      if (tool === 'apply_patch') patches.push(patchFiles(textOf(argument)))
      if (tool !== 'exec_command' || itemised || textOf(args.cmd) === '') continue
      const run = many ? `${id}/${runs.length + 1}` : id
      runs.push(run)
      drafts.push(call(run, tool, commandAction(textOf(args.cmd)), 'agent', workdirOf(args, cwd)))
    }
    seen.add(id)
    const about =
      only?.tool === 'write_stdin' && others.length === 0 && !itemised ? processOf(only) : undefined
    if (runs.length + patches.length > 0 || about !== undefined)
      open.set(id, { is: 'script', runs, patches, yields, ...(about === undefined ? {} : { about }) })
    return drafts
  }

  /** The command that a poll in a script asks about. */
  function processOf({ argument }: ScriptCall): string | undefined {
    const session = idOf(fieldsOf(argument).session_id)
    const known = sessions.get(session)
    if (known !== undefined || untold === null || !/^\d+$/.test(session)) return known
    // The agent knows the process although the script did not print it: it is the last that went on.
    sessions.set(session, untold)
    untold = null
    return sessions.get(session)
  }

  /** Only a single command has a known end: a printed status, or an answer before its time. Polls tell the end of one that goes on. */
  function scriptEnd(id: string, script: Open, output: unknown): Draft[] {
    const { runs, patches, about } = script
    const end = readScriptEnd(output)
    script.passed = (script.passed ?? 0) + (end.seconds ?? Number.POSITIVE_INFINITY)
    if (end.state === 'running') {
      if (end.cell !== null) cells.set(end.cell, id)
      return []
    }
    open.delete(id)
    const failed = end.state === 'failed'
    const patch = patches?.length === 1 ? patches[0] : undefined
    if (failed && patch && /apply_patch verification failed|patch rejected/.test(end.text)) {
      const tried = call(`${id}/patch`, 'apply_patch', { type: 'edit', files: patch }, 'agent')
      return [tried, result(`${id}/patch`, { ok: false, text: end.text })]
    }
    // Of several commands each one's end is known where the script printed them one by one.
    if (about === undefined && runs !== undefined && runs.length > 1)
      return failed || end.parts.length !== runs.length
        ? []
        : end.parts.flatMap(({ exitCode, session, text }, at) => {
            const end = { ok: (exitCode ?? 0) === 0, exitCode, text: text ?? '', unsure: exitCode === null }
            return session === null ? [result(runs[at] ?? '', end)] : []
          })
    const run = about ?? (runs?.length === 1 ? runs[0] : undefined)
    if (run === undefined || (about !== undefined && !open.has(about))) return []
    const { exitCode, text, session } = end
    if (exitCode !== null && !failed) return [result(run, { ok: exitCode === 0, exitCode, text })]
    // A poll that failed says nothing about the process.
    if (failed)
      return about === undefined
        ? [result(run, { ok: false, exitCode, text, refused: /rejected by user/.test(text) })]
        : []
    // Answers are told to a tenth of a second.
    if (session === null && script.passed < (script.yields ?? 0) - 0.1)
      return [result(run, { ok: true, text, unsure: true })]
    open.set(run, { is: 'script', running: true })
    if (session !== null) sessions.set(session, run)
    else if (about === undefined && runs?.length === 1) untold = run
    return []
  }

  return {
    useItems: () => {
      itemised = true
    },

    /** `function_call`, `custom_tool_call`, `local_shell_call`. */
    started(item: Fields, cwd: string | null): Draft[] {
      const id = textOf(item.call_id) || textOf(item.id)
      if (id === '' || seen.has(id)) return []
      const tool = textOf(item.name) || 'local_shell'
      const freeform = textOf(item.input)
      if (tool === 'exec' && item.type === 'custom_tool_call') return script(id, freeform, cwd)
      const args = item.type === 'local_shell_call' ? fieldsOf(item.action) : argumentsOf(item.arguments)
      if (tool === 'write_stdin' || tool === 'wait') {
        const about = sessions.get(idOf(args.session_id)) ?? cells.get(idOf(args.cell_id))
        if (about !== undefined) open.set(id, { is: 'poll', about })
        return []
      }
      const plan = tool === 'update_plan' ? planOf(args) : null
      if (plan) return [plan]
      if (tool === 'request_user_input') {
        open.set(id, { is: 'question' })
        return questionsOf(id, args)
      }
      const action = actionOf(tool, args, freeform)
      if (!action) return []
      open.set(id, { is: 'work', command: action.type === 'run' })
      const space = textOf(item.namespace)
      const name = space.startsWith('mcp__') ? `${space}__${tool}` : tool
      return [call(id, name, action, 'agent', workdirOf(args, cwd))]
    },

    /** `function_call_output`, `custom_tool_call_output`. */
    ended(item: Fields): Draft[] {
      const id = textOf(item.call_id)
      const about = open.get(id)
      if (!about) return []
      if (about.is === 'question') {
        open.delete(id)
        return answersOf(id, outputText(item.output))
      }
      if (about.is === 'script') return scriptEnd(id, about, item.output)
      const target = about.is === 'poll' ? (about.about ?? '') : id
      if (about.is === 'poll') {
        open.delete(id)
        const asked = open.get(target)
        if (!asked) return []
        if (asked.is === 'script' && !asked.running) return scriptEnd(target, asked, item.output)
      }
      const end = readOutput(item.output)
      if (end.session !== null) {
        sessions.set(end.session, target)
        open.set(target, { is: 'work', running: true, command: true })
        return []
      }
      const { exitCode, text, refused, rejected } = end
      if (exitCode !== null) return [result(target, { ok: exitCode === 0, exitCode, text })]
      // A poll that failed says nothing about the process; a command without a status may have ended in any way.
      if (about.is === 'poll' || (about.command && !refused && !rejected)) return []
      return [result(target, { ok: !refused && !rejected, text, refused })]
    },

    /** Told by one record: the result of an open call, or call and result when nothing told of it before. */
    told({ id, tool, action, by, cwd, end }: Whole): Draft[] {
      const fresh = !seen.has(id)
      if (!fresh && !open.has(id)) return []
      const drafts = fresh ? [call(id, tool, action, by, cwd ?? undefined)] : []
      if (end) drafts.push(result(id, end))
      return drafts
    },

    /** The person's `!` command as a row (0.118 … 0.135); newer clients tell it as an item too. */
    typed(command: string, exitCode: number | null, text: string): Draft[] {
      const id = `shell/${++typed}`
      const tried = call(id, 'shell', commandAction(command), 'user')
      return exitCode === null ? [tried] : [tried, result(id, { ok: exitCode === 0, exitCode, text })]
    },

    /** The turn was interrupted: what had not begun to answer did not happen. */
    aborted(): Draft[] {
      const cut = [...open].filter(([, { is, running }]) => is === 'work' && !running)
      return cut.map(([id]) => result(id, { ok: false, text: '', refused: true }))
    },
  }
}

/** Seconds after which a command or poll of a script is answered though the process goes on. */
function secondsUntilAnswer({ tool, argument }: ScriptCall): number {
  const args = fieldsOf(argument)
  const asked = numberOf(args.yield_time_ms)
  if (tool === 'exec_command') return asked === null ? YIELDS.exec_command : asked / 1000
  return textOf(args.chars) === '' ? Math.max(YIELDS.write_stdin, (asked ?? 0) / 1000) : (asked ?? 0) / 1000
}
