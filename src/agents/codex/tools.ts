import { resolve } from 'node:path'
import type { Action, FileTouch } from '../../types/session.ts'
import { partTexts, pathOf } from '../content.ts'
import type { DraftOf, Known } from '../draft.ts'
import { type Fields, fieldsOf, itemsOf, listOf, numberIn, numberOf, recordOf, textOf } from '../fields.ts'
import { actionBy, patchFiles, planItems, questionsIn, TOOLS } from '../tools.ts'

/** Tools that only wait for, ask about or stop something: no work of their own. */
const SILENT = new Set([
  'wait', 'wait_agent', 'close_agent', 'list_agents', 'interrupt_agent', 'resume_agent', 'sleep',
  'get_goal', 'create_goal', 'update_goal', 'tool_search', 'request_user_input_async',
]) // biome-ignore format: one list

/** A call in the words of every agent; null for tools that do no work of their own. */
export function actionOf(tool: string, args: Fields, freeform: string): Action | null {
  if (SILENT.has(tool)) return null
  const deed = TOOLS.get(tool)
  if (deed === 'run') return commandAction(commandText(args.cmd ?? args.command))
  const input = { input: freeform || args.input, prompt: deed === 'task' ? taskText(args) : '' }
  const path = deed === 'read' ? textOf(args.path) || textOf(args.file_path) : ''
  return actionBy(deed, input, path === '' ? [] : [path])
}

export function commandAction(command: string): Action {
  const files = patchInCommand(command)
  return files.length > 0 ? { type: 'edit', files } : { type: 'run', command }
}

/** The command a person would type: the script of `["bash", "-lc", script]`, or the words of an argument list. */
export function commandText(command: unknown): string {
  if (typeof command === 'string') return command
  const words = listOf(command).map(textOf)
  const [shell = '', flag = '', script] = words
  const isShell = /(?:^|[\\/])(?:ba|z|da|fi|k)?sh(?:\.exe)?$|powershell|pwsh/i.test(shell)
  if (words.length === 3 && isShell && /^-\w/.test(flag)) return script ?? ''
  return words.join(' ')
}

const taskText = (args: Fields): string =>
  textOf(args.message) ||
  textOf(args.prompt) ||
  listOf(args.items)
    .map((item) => textOf(fieldsOf(item).text))
    .filter(Boolean)
    .join('\n')

/** Directory a call works in: its own `workdir`, which may be relative to the session's. */
export function workdirOf(args: Fields, cwd: string | null): string | null {
  const own = textOf(args.workdir)
  if (own === '') return cwd
  return cwd === null ? (own.startsWith('/') ? own : null) : resolve(cwd, own)
}

/** Arguments of a function call, which stand there as JSON text; none where the model broke it, which the client answers with an error. */
export const argumentsOf = (value: unknown): Fields => recordOf(textOf(value))

export type End = Known & { ok: boolean; text: string }

/** A call told whole by one record: what was tried, and how it ended when that is known. */
export interface Whole {
  id: string
  tool: string
  action: Action
  by: 'agent' | 'user'
  cwd?: string | null
  end: End | null
}

// Events name their call `call_id`, items `id`.
const idOf = (item: Fields): string => textOf(item.call_id) || textOf(item.id)

/** `exec_command_end` (0.118 … 0.126) and `item_completed/CommandExecution` (0.169). */
export function executed(item: Fields): Whole {
  const user = item.source === 'user_shell'
  const exitCode = numberOf(item.exit_code)
  const refused = item.status === 'declined'
  const text = textOf(item.aggregated_output) || textOf(item.formatted_output) || textOf(item.stdout)
  // -1: the client ended it on its own exit, so how it would have ended is not known.
  const known = refused || (exitCode !== null && exitCode !== -1)
  return {
    id: idOf(item),
    tool: user ? 'shell' : 'exec_command',
    action: commandAction(commandText(item.command)),
    by: user ? 'user' : 'agent',
    cwd: pathOf(textOf(item.cwd)) || null,
    end: known
      ? { ok: exitCode === 0 && !refused, exitCode: refused ? null : exitCode, text, refused }
      : null,
  }
}

/** `patch_apply_end` (0.118 … 0.144) and `item_completed/FileChange` (0.169). */
export function patched(item: Fields): Whole {
  const files = changedFiles(item.changes)
  const refused = item.status === 'declined'
  const ok = !refused && item.success !== false && item.status !== 'failed'
  const text = textOf(item.stdout) + textOf(item.stderr)
  return {
    id: idOf(item),
    tool: 'apply_patch',
    action: { type: 'edit', files },
    by: 'agent',
    end: { ok, text, refused, ...(ok ? { files } : {}) },
  }
}

/** `mcp_tool_call_end` (0.142 … 0.144) and `item_completed/McpToolCall` (0.169). */
export function called(item: Fields): Whole {
  const asked = 'invocation' in item ? fieldsOf(item.invocation) : item
  const answer = fieldsOf(item.result)
  const body = 'Ok' in answer ? fieldsOf(answer.Ok) : answer
  const error = textOf(fieldsOf(item.error).message) || textOf(answer.Err)
  const failed = error !== '' || item.status === 'failed' || body.isError === true || body.is_error === true
  return {
    id: idOf(item),
    tool: `mcp__${textOf(asked.server)}__${textOf(asked.tool)}`,
    action: { type: 'other', paths: [] },
    by: 'agent',
    end: { ok: !failed, text: error || outputText(body.content) },
  }
}

export function planOf(args: Fields): DraftOf<'plan'> | null {
  return Array.isArray(args.plan) ? { kind: 'plan', items: planItems(args.plan, 'step') } : null
}

/** The questions of `request_user_input`, one event each; its call id alone names the only one. */
export const questionsOf = (call: string, { questions }: Fields): DraftOf<'question'>[] =>
  questionsIn(questions, (_, { id }) => (listOf(questions).length === 1 ? call : `${call}/${textOf(id)}`))

/** The answers to `request_user_input`: `{"answers": {"<question id>": {"answers": ["…"]}}}`. */
export function answersOf(call: string, output: string): DraftOf<'answer'>[] {
  // Where it was not answered, the tool says in words why (cancelled, not available in this mode).
  const answers = fieldsOf(recordOf(output).answers)
  const ids = Object.keys(answers)
  return ids
    .map(
      (id): DraftOf<'answer'> => ({
        kind: 'answer',
        id: ids.length === 1 ? call : `${call}/${id}`,
        text: listOf(fieldsOf(answers[id]).answers).map(textOf).filter(Boolean).join('\n'),
      }),
    )
    .filter(({ text }) => text !== '')
}

/** Files of a shell command that feeds a patch to `apply_patch` (the way of clients before the tool); else empty. */
export const patchInCommand = (command: string): FileTouch[] =>
  /\bapply_?patch\b/.test(command) && command.includes('*** Begin Patch') ? patchFiles(command) : []

/** Files of a `changes` table (`patch_apply_end` 0.118 … 0.144, `FileChange` 0.169), by path. */
export function changedFiles(changes: unknown): FileTouch[] {
  const table = fieldsOf(changes)
  return Object.keys(table)
    .sort()
    .map((path): FileTouch => {
      const change = fieldsOf(table[path])
      // Before 0.130 a change was {"update": {…}}, since then {"type": "update", …}.
      const old = ['add', 'delete', 'update'].find((word) => word in change) ?? ''
      const moved = textOf(change.move_path) || textOf(fieldsOf(change[old]).move_path)
      if (moved) return { path: moved, change: 'rename', from: path }
      const type = textOf(change.type) || old
      return { path, change: type === 'add' ? 'create' : type === 'delete' ? 'delete' : 'update' }
    })
}

const EXIT = /(?:^|\n)(?:Process exited with code|Exit code:) ?(-?\d+)/
const SESSION = /(?:^|\n)Process running with session ID (\d+)/
const REFUSED = /(?:^|\n)aborted (?:by user|before dispatch)|rejected by (?:the )?user(?! approval)/
const REJECTED =
  /^(?:[\w.]+ failed(?: for|:)|failed to parse|unsupported call|apply_patch verification failed|patch rejected|execution error|command timed out)/

/**
 * Reads the output of a function call: a header with the status and `Output:` (0.118 … 0.169), or bare text. `session`: the process goes on,
 * and its end is told to whoever asks for this later. `refused`: by the person; `rejected`: the tool itself gave up, so nothing ran.
 */
export function readOutput(output: unknown) {
  const raw = outputText(output)
  // The status stands before the output, which may quote anything; a long command line may stand before the status.
  const cut = raw.search(/(?:^|\n)Output:(?:\n|$)/)
  const header = cut === -1 ? raw : raw.slice(0, cut)
  const exit = EXIT.exec(header)
  return {
    exitCode: exit ? Number(exit[1]) : null,
    text: cut === -1 ? raw : raw.slice(raw.indexOf('Output:', cut) + 8),
    session: SESSION.exec(header)?.[1] ?? null,
    refused: !exit && REFUSED.test(raw),
    rejected: !exit && REJECTED.test(raw),
  }
}

export const outputText = (output: unknown): string => partTexts(output).join('\n')

interface ScriptEnd {
  state: 'completed' | 'failed' | 'running'
  cell: string | null
  /** The one exit status that the script printed; null when it printed none or several. */
  exitCode: number | null
  /** The one process that the script printed as still running; null when it printed none or several. */
  session: string | null
  /** Time that this answer took, in seconds; null when it does not say. */
  seconds: number | null
  text: string
  parts: Answer[]
}

/** Reads the output of code mode's `exec` and `wait` (0.142 … 0.169). */
export function readScriptEnd(output: unknown): ScriptEnd {
  const [first = '', ...parts] = partTexts(output)
  const lead = first.slice(first.indexOf('Output:\n') + 8)
  const rest = [...(first.includes('Output:\n') && lead.trim() ? [lead] : []), ...parts]
  const answers = rest.map(answerIn)
  const codes = answers.flatMap((answer) => answer?.exitCode ?? [])
  const sessions = answers.flatMap((answer) => answer?.session ?? [])
  return {
    state: first.startsWith('Script failed')
      ? 'failed'
      : first.startsWith('Script running')
        ? 'running'
        : 'completed',
    cell: /^Script running with cell ID (\S+)/.exec(first)?.[1] ?? null,
    exitCode: codes.length === 1 ? (codes[0] ?? null) : null,
    session: sessions.length === 1 && codes.length === 0 ? (sessions[0] ?? null) : null,
    seconds: numberOf(Number(/^Wall time ([\d.]+) seconds/m.exec(first)?.[1] ?? undefined)),
    text: rest.flatMap((part, index) => answers[index]?.text ?? (answers[index] ? [] : part)).join('\n'),
    parts: rest.map((part, index) => answers[index] ?? { exitCode: null, session: null, text: part }),
  }
}

interface Answer {
  exitCode: number | null
  session: string | null
  /** What the command said; null when the answer is its status alone. */
  text: string | null
}

// Scripts print a whole answer as JSON, or its status alone; anything else could be a quotation.
function answerIn(part: string): Answer | null {
  const alone = /^\s*(exit(?:[_ ]?code)?|session[_ ]?id)\s*[:=]\s*(-?\d+)\s*$/i.exec(part)
  if (alone) {
    const isExit = alone[1]?.toLowerCase().startsWith('exit')
    return {
      exitCode: isExit ? Number(alone[2]) : null,
      session: isExit ? null : (alone[2] ?? null),
      text: null,
    }
  }
  if (!part.startsWith('{') || !/"(?:exit_code|session_id)"/.test(part)) return null
  // Cut by the client's own limit, or not JSON after all, it is text.
  const answer = recordOf(part)
  const [exitCode, session] = [numberOf(answer.exit_code), numberOf(answer.session_id)]
  if (exitCode === null && session === null) return null
  return { exitCode, session: session === null ? null : String(session), text: textOf(answer.output) }
}

type UserPart =
  | { is: 'words'; text: string }
  | { is: 'skill'; name: string }
  | { is: 'shell'; command: string; exitCode: number | null; output: string }
  | { is: 'injected' }

/** Rows that the client writes in the person's name (0.118 … 0.169; names from its binary). */
const INJECTED = new RegExp(
  [
    '^(?:# AGENTS\\.md instructions|<(?:environment_context|user_instructions|permissions instructions|INSTRUCTIONS',
    '|skills_instructions|plugins_instructions|apps_instructions|collaboration_mode|multi_agent_mode|personality_spec',
    '|app-context|turn_aborted|hook_prompt|recommended_plugins|subagent_notification|codex_internal_context|user_action',
    '|realtime_conversation|image_resize_notice|current_time_unavailable|token_budget|rollout_budget|model_switch',
    '|proposed_plan|external_[a-z_]+)[ >])',
  ].join(''),
)
const SKILL = /^<skill>\s*<name>([^<]+)<\/name>/
const SHELL =
  /^<user_shell_command>\s*<command>\n?([\s\S]*?)\n?<\/command>\s*<result>\n(?:Exit code: (-?\d+)\n)?(?:Duration: [^\n]*\n)?(?:Output:\n)?([\s\S]*?)\n?<\/result>/
/** The desktop client puts mentioned files and open tabs before the words. */
const REQUEST = /^# (?:Files mentioned|Context from my)[\s\S]*?\n## My request for Codex:\n/

/** Tells a person's words from what the client wrote in their name. */
export function userPart(raw: string): UserPart {
  const text = raw.trim()
  const skill = SKILL.exec(text)
  if (skill) return { is: 'skill', name: (skill[1] ?? '').trim() }
  const shell = SHELL.exec(text)
  if (shell)
    return {
      is: 'shell',
      command: shell[1] ?? '',
      exitCode: numberIn(shell[2]),
      output: shell[3] ?? '',
    }
  const words = text.replace(REQUEST, '').trim()
  if (words === '' || INJECTED.test(words)) return { is: 'injected' }
  return { is: 'words', text: words }
}

/** Texts of a `message` of the role user, without the parts that its provenance says a person did not write. */
export function messageTexts(message: Fields): string[] {
  const source = listOf(fieldsOf(message.internal_chat_message_metadata_passthrough).content_item_metadata)
  return itemsOf(message.content)
    .filter((part, index) => {
      const from = textOf(fieldsOf(fieldsOf(source[index]).provenance).type)
      // Skill texts come from `skills`, and their names are wanted.
      return from !== 'harness' && from !== 'tool' && textOf(part.text) !== ''
    })
    .map((part) => textOf(part.text))
}

/** The fixed text before a summary that another model wrote (0.118 … 0.169). */
const SUMMARY_PREFIX = /^Another language model started to solve this problem[\s\S]*?\n(?=\S)/

export const summaryText = (message: string): string => message.replace(SUMMARY_PREFIX, '').trim()
