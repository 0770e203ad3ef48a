import type { Action, FileTouch, PlanItem, SessionEvent } from '../../types/session.ts'
import { contentText, numbered, withoutElements } from '../content.ts'
import { clip, type Stamp, stamped } from '../draft.ts'
import { type Fields, fieldsOf, listOf, recordOf, textOf } from '../fields.ts'
import { actionBy, isCopy, isOwnSkill, planItems, planStatus, questionsIn, skillOf, TOOLS } from '../tools.ts'

export type Actions = ReturnType<typeof createActions>

export function createActions(emit: (event: SessionEvent) => void) {
  const open = new Map<string, OpenCall>()
  const proposals = new Map<string, SessionEvent>()
  const background = new Map<string, string>()
  const plans = new Map<string | null, ReturnType<typeof createPlan>>()
  const planOf = (sub: string | null) => {
    const plan = plans.get(sub) ?? createPlan()
    plans.set(sub, plan)
    return plan
  }

  function call(block: Fields, stamp: Stamp): void {
    const id = textOf(block.id)
    const tool = textOf(block.name)
    const input = fieldsOf(block.input)
    open.set(id, { id, tool, input, cwd: stamp.cwd })
    emit({ kind: 'call', ...stamp, id, tool, action: actionOf(tool, input), by: 'agent' })
    if (tool === 'AskUserQuestion') for (const draft of asked(id, input)) emit(stamped(draft, stamp))
    if (tool === 'ExitPlanMode' && textOf(input.plan) !== '')
      proposals.set(id, { kind: 'proposal', ...stamp, text: textOf(input.plan), accepted: null })
  }

  function result(block: Fields, record: Fields, own: Stamp): void {
    const id = textOf(block.tool_use_id)
    const made = open.get(id)
    open.delete(id)
    const stamp = { ...own, cwd: own.cwd ?? made?.cwd ?? null }
    const outcome = resultOf(block, record, made, stamp)
    emit(outcome)
    if (outcome.ok && made) succeeded(made, record, stamp, contentText(block.content))
    const proposal = proposals.get(id)
    // A call that failed without a refusal was no answer.
    const accepted = outcome.ok ? true : outcome.refused ? false : null
    if (proposal?.kind === 'proposal') emit({ ...proposal, at: stamp.at, accepted })
    proposals.delete(id)
    if (outcome.reason !== undefined) emit({ kind: 'prompt', ...stamp, text: outcome.reason })
  }

  function succeeded(made: OpenCall, record: Fields, stamp: Stamp, text: string): void {
    const { tool, input, id } = made
    const output = fieldsOf(record.toolUseResult)
    const task = tool === 'Bash' ? taskIdOf(text) : null
    if (task !== null) background.set(task, id)
    if (PLAN_TOOLS.has(tool)) {
      const items = planOf(stamp.sub).apply(tool, input, output)
      if (items) emit({ kind: 'plan', ...stamp, items })
    }
    if (tool === 'Skill')
      for (const draft of skillOf(textOf(input.skill) || textOf(input.command))) emit(stamped(draft, stamp))
    if (tool === 'AskUserQuestion')
      for (const { id: question, text } of asked(id, input)) {
        const notes = textOf(fieldsOf(fieldsOf(output.annotations)[text]).notes)
        // An answer in the person's own words stands in both.
        const said = [textOf(fieldsOf(output.answers)[text]).trim(), notes.trim()]
        const answer = [...new Set(said)].filter(Boolean).join('\n')
        if (answer !== '') emit({ kind: 'answer', ...stamp, id: question, text: answer })
      }
  }

  return {
    call,
    result,
    /** What the result of this call is told by when it went well; null when it takes all of the record. */
    needsOf(id: string): Needs | null {
      const tool = open.get(id)?.tool
      return tool === undefined || PLAN_TOOLS.has(tool) || OUTPUT_MATTERS.has(tool) ? null : needsOf(tool)
    },
    startedBy: (task: string): string | null => background.get(task) ?? null,
    tasks(list: unknown[], stamp: Stamp): void {
      const items = planOf(stamp.sub).replace(list)
      if (items) emit({ kind: 'plan', ...stamp, items })
    },
    end(): void {
      for (const proposal of proposals.values()) emit(proposal)
    },
  }
}

/** Tools whose `toolUseResult` says more than their result. */
const OUTPUT_MATTERS = new Set(['Agent', 'AskUserQuestion', 'Skill', 'Task'])

const asked = (id: string, { questions }: Fields) => questionsIn(questions, (index) => numbered(id, index))

function actionOf(tool: string, input: Fields): Action {
  // Ours by the file that it loads, so that it is told apart from work.
  if (tool === 'Skill' && isOwnSkill(textOf(input.skill) || textOf(input.command)))
    return { type: 'read', paths: ['.claude/skills/handoff/SKILL.md'] }
  const deed = TOOLS.get(tool)
  const path = textOf(input.file_path) || textOf(input.notebook_path) || textOf(input.path)
  if (deed === undefined) return tool === 'Skill' ? actionBy(deed, {}) : actionBy(deed, input)
  return actionBy(deed, input, path === '' ? [] : [path])
}

const PLAN_TOOLS = new Set(['TodoWrite', 'TaskCreate', 'TaskUpdate', 'TaskList'])

/** The plan of one conversation, folded from the tools that change it piece by piece (2.1) or as a whole (TodoWrite). */
export function createPlan() {
  /** Never changed in place: what was told goes on standing in an event. */
  let items: readonly PlanItem[] = []
  let shown = '[]'
  const changed = (): PlanItem[] | null => {
    const now = JSON.stringify(items)
    if (now === shown) return null
    shown = now
    return [...items]
  }
  /** The whole plan after the client listed its tasks, or null when it stands as before. */
  const replace = (tasks: unknown[]): PlanItem[] | null => {
    items = tasks.map(fieldsOf).map(taskItem)
    return changed()
  }
  return {
    replace,
    /** The same after a successful call. `output`: `toolUseResult`. */
    apply(tool: string, input: Fields, output: unknown): PlanItem[] | null {
      const result = fieldsOf(output)
      if (tool === 'TodoWrite') items = planItems(input.todos, 'content')
      else if (tool === 'TaskList') return Array.isArray(result.tasks) ? replace(result.tasks) : null
      else if (tool === 'TaskCreate') {
        const id = textOf(fieldsOf(result.task).id) || String(items.length + 1)
        items = [...items.filter((item) => item.id !== id), taskItem({ ...input, id })]
      } else items = updated(items, input)
      return changed()
    },
  }
}

function updated(items: readonly PlanItem[], input: Fields): PlanItem[] {
  const id = textOf(input.taskId)
  if (input.status === 'deleted') return items.filter((item) => item.id !== id)
  const blocks = listOf(input.addBlocks)
  return items.map((item) => {
    const waits = item.id === id ? listOf(input.addBlockedBy) : blocks.includes(item.id) ? [id] : []
    const blockedBy = [...new Set([...(item.blockedBy ?? []), ...waits.map(textOf)])]
    const own =
      item.id === id
        ? {
            text: textOf(input.subject) || item.text,
            status: input.status === undefined ? item.status : planStatus(input.status),
          }
        : {}
    return { ...item, ...own, ...(blockedBy.length > 0 ? { blockedBy } : {}) }
  })
}

function taskItem(task: Fields): PlanItem {
  const blockedBy = listOf(task.blockedBy).map(textOf)
  return {
    id: textOf(task.id),
    text: textOf(task.subject),
    status: planStatus(task.status),
    ...(blockedBy.length > 0 ? { blockedBy } : {}),
  }
}

/** What a text in a `user` record of Claude Code really is (seen in 2.1.5 to 2.1.330). */
export type Row =
  | { is: 'words'; text: string }
  /** The person's own `!` command, its output when it stands in the same row. */
  | { is: 'shell'; command: string; output: string | null }
  | { is: 'shell-output'; output: string }
  /** A slash command that was expanded into a prompt; `args` are the person's words. */
  | { is: 'command'; name: string; args: string }
  | { is: 'task'; task: string; call: string | null; ok: boolean; exitCode: number | null; text: string }
  /** The person stopped the agent between two calls; the result of a call that they stopped says so. */
  | { is: 'interrupt' }
  | { is: 'injected' }

const INJECTED: Row = { is: 'injected' }

/** Tells the person's words from what the client wrote in their name. */
export function rowOf(raw: string): Row {
  const text = withoutReminders(raw).replace(PLAN_NOTE, '').trim()
  if (text.startsWith('<bash-input>'))
    return {
      is: 'shell',
      command: between(text, 'bash-input') ?? '',
      output: text.includes('<bash-stdout>') ? shellOutput(text) : null,
    }
  if (text.startsWith('<bash-stdout>') || text.startsWith('<bash-stderr>'))
    return { is: 'shell-output', output: shellOutput(text) }
  // Commands that the client itself carries out (/clear, /model) put the name first, prompts and skills the message.
  if (text.startsWith('<command-message>'))
    return {
      is: 'command',
      name: (between(text, 'command-name') ?? '').replace(/^\//, '').trim(),
      args: (between(text, 'command-args') ?? '').trim(),
    }
  if (text.startsWith('<task-notification>')) return taskRow(text)
  if (text === '[Request interrupted by user]') return { is: 'interrupt' }
  return text === '' || NOT_WORDS.test(text) || isNotice(text) ? INJECTED : { is: 'words', text }
}

/** What the client puts below a plan that it hands to a fresh session. */
const PLAN_NOTE = /(?<!\s)\s*\n[^\S\n]*If you need specific details from before exiting plan mode \([^\n]*/

const NOT_WORDS = new RegExp(
  [
    '^<(?:command-name|command-args|local-command-[a-z]+|system-reminder|session-start-hook|user-prompt-submit-hook',
    '|teammate-message|agent-message|task-[a-z-]+|[a-z-]+-(?:event|notification)|new-diagnostics|ide_[a-z_]+)[ >]',
    '|^\\[Request interrupted by user[^\\]]*\\]$',
    '|^Caveat: The messages below were generated by the user while running local commands',
    '|^This session is being continued from a previous conversation',
    '|^Base directory for this skill: ',
    '|^(?:Stop|TeammateIdle|TaskCreated|TaskCompleted) hook feedback:\\n',
    '|^Another Claude session sent a message',
    // Recorded once as typed, before the client carries it out (2.1.228).
    '|^/compact(?:\\s|$)',
  ].join(''),
)

/** What older clients put on the queue when a background task ended: its record as JSON. */
const isNotice = (text: string): boolean => text.startsWith('{') && textOf(recordOf(text).task_id) !== ''

/** Output without the reminders that older clients append to it. */
export const withoutReminders = (text: string): string =>
  text.includes('<system-reminder>') ? withoutElements(text, 'system-reminder', '\n') : text

function shellOutput(text: string): string {
  const parts = [between(text, 'bash-stdout'), between(text, 'bash-stderr')]
  return parts
    .map((part) => part?.trimEnd() ?? '')
    .filter((part) => part !== '')
    .join('\n')
}

function taskRow(text: string): Row {
  const summary = between(text, 'summary') ?? ''
  const code = /exit code (\d+)\)?$/.exec(summary.trim())
  const exitCode = code ? Number(code[1]) : null
  return {
    is: 'task',
    task: between(text, 'task-id') ?? '',
    call: between(text, 'tool-use-id'),
    ok: exitCode === null ? between(text, 'status') === 'completed' : exitCode === 0,
    exitCode,
    text: between(text, 'result') ?? summary,
  }
}

function between(text: string, tag: string): string | null {
  const start = text.indexOf(`<${tag}>`)
  if (start === -1) return null
  const from = start + tag.length + 2
  const end = text.indexOf(`</${tag}>`, from)
  return text.slice(from, end === -1 ? text.length : end)
}

export interface OpenCall {
  id: string
  tool: string
  input: Fields
  cwd: string | null
}

type Result = Extract<SessionEvent, { kind: 'result' }>

/** What came of a call; `block` is the `tool_result`, `record` the row that holds it. */
export function resultOf(block: Fields, record: Fields, call: OpenCall | undefined, stamp: Stamp): Result {
  const quiet = block.is_error !== true && call !== undefined && isCopy(TOOLS.get(call.tool))
  const text = quiet ? '' : withoutReminders(contentText(block.content))
  const { at, sub, cwd } = stamp
  const id = textOf(block.tool_use_id)
  const event: Result = { kind: 'result', at, sub, cwd, id, ok: true, exitCode: null, text }
  if (block.is_error === true) return failed(event, record)
  const output = fieldsOf(record.toolUseResult)
  // Without the frame that the client puts around a subagent's report.
  if (Array.isArray(output.content)) event.text = contentText(output.content)
  if (call && isShell(call.tool)) {
    if (BACKGROUND.test(text)) event.unsure = true
    // Success is written without a code: 0, unless the client reads another as success.
    else if (!output.returnCodeInterpretation) event.exitCode = 0
  }
  const file = call && isEdit(call.tool) ? fileOf(call, output) : null
  if (file) event.files = [file]
  event.text = clip(event.text)
  return event
}

function fileOf(call: OpenCall, output: Fields): FileTouch | null {
  const path = textOf(output.filePath) || textOf(call.input.file_path) || textOf(call.input.notebook_path)
  return path === '' ? null : { path, change: output.type === 'create' ? 'create' : 'update' }
}

const isShell = (tool: string): boolean => TOOLS.get(tool) === 'run'
const isEdit = (tool: string): boolean => TOOLS.get(tool) === 'update' || TOOLS.get(tool) === 'create'

/** What of a record a successful result is told by: the text, and the head of `toolUseResult`. */
export interface Needs {
  text: boolean
  output: boolean
}

export const needsOf = (tool: string): Needs => ({
  text: !isCopy(TOOLS.get(tool)),
  output: isShell(tool) || isEdit(tool),
})

/** Id of the background task that a successful command became, or null. */
export const taskIdOf = (text: string): string | null => BACKGROUND.exec(text)?.[1] ?? null
const BACKGROUND = /^Command (?:running in background|was manually backgrounded by user) with ID: (\w+)/

function failed(event: Result, record: Fields): Result {
  const text = event.text.replace(/^<tool_use_error>([\s\S]*)<\/tool_use_error>\s*$/, '$1')
  const code = /^(?:Error: )?Exit code (\d+)(?:\n|$)/.exec(text)
  event.ok = false
  event.exitCode = code ? Number(code[1]) : null
  event.text = clip(code ? text.slice(code[0].length) : text)
  // Versions before about 2.1.200 do not write it; 2.1.330 does.
  const kind = textOf(record.toolDenialKind)
  const isByClient = (kind !== '' && kind !== 'user-rejected') || BY_CLIENT.test(text)
  if (isByClient) event.byClient = true
  if (isByClient || kind !== '' || BY_PERSON.test(text)) event.refused = true
  const reason = reasonOf(text)
  if (reason !== '') event.reason = reason
  // Words of the client, which `extract` would tell as the error.
  if (BESIDE_A_FAILURE.test(text)) event.text = ''
  return event
}

/** A call that was never made because one beside it failed. */
const BESIDE_A_FAILURE = /^(?:Sibling tool call errored|Cancelled: parallel tool call )/

/** Nobody was asked: a rule or the mode forbade it. */
const NOT_PERMITTED =
  /^(?:Permission (?:to use|for this) |Claude requested permissions to .* haven't granted it yet)/
const BY_CLIENT = new RegExp(`${BESIDE_A_FAILURE.source}|${NOT_PERMITTED.source}`)

/** Refused, or stopped in the middle: 2.0.76 then puts the status of the kill first. */
const BY_PERSON =
  /^(?:The user doesn't want to (?:proceed with this tool use|take this action right now)|(?:Exit code 137\n)?\[Request interrupted by user)/

/** The words with which the person refused a call, empty for none. The second lead is that of the SDK. */
function reasonOf(text: string): string {
  const words = REASON.exec(text)?.[1]?.trim() ?? ''
  // Written by the client when a question is answered with "let us talk about it".
  return words.startsWith('The user wants to clarify these questions.') ? '' : words
}
const REASON =
  /^The user doesn't want to [\s\S]*?(?:the user said:\n|The user provided the following reason for the rejection:)([\s\S]*?)(?:\n\nNote: The user's next message may contain a correction|$)/
