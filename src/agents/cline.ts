import { dirname, join } from 'node:path'
import type { Adapter } from '../types/agent.ts'
import type { Home } from '../types/config.ts'
import type { Action, Batches, ReadOptions, SessionRef } from '../types/session.ts'
import { contentText, labelsOf, numbered, pathsUnder, wordSet } from './content.ts'
import {
  callOf,
  clip,
  createSettings,
  type Draft,
  type DraftOf,
  endOf,
  promptOf,
  replyOf,
  stamped,
  usageOf,
} from './draft.ts'
import { type Fields, fieldsOf, itemsOf, listOf, recordOf, sumOf, textOf, timeOf } from './fields.ts'
import { mergeByTime, type Side, sidesIn } from './merge-by-time.ts'
import { fileRef, namesIn, readEnds, recordAt, sessionsAt } from './session-files.ts'
import { skillIn, usualLaunch } from './setup.ts'
import { actionBy, isCopy, readByUser, skillOf, TOOLS } from './tools.ts'
import { headerIn, readRecords } from './whole-json.ts'

/** Cline 3.0.65 (`cline`, and its extension since it keeps sessions in the same place): one JSON file of messages per session. */
export const cline: Adapter = {
  id: 'cline',
  label: 'Cline',
  basis: { is: 'recorded', of: 'cline 3.0.65' },
  // The CLI sets the first (3.0.65), terminals of the extension have the second (`VscodeTerminalRegistry.ts` of 4.1.13).
  marks: ['CLINE_CONNECTOR_CLI_LAUNCH', 'CLINE_ACTIVE'],
  find: findClineFiles,
  identify: async (path, head) => identifyCline(path, head),
  read: readClineSession,
  // MCP servers are set at the person's home. Hooks of the start and of a prompt do not reach the model in the CLI
  // (`hook-file-hooks.ts`, August 2026); in the extension each event is one script that people write by hand.
  setup: (place) => [skillIn(place, '.cline')],
  traces: ({ root, ...place }) => ({
    project: [join(root, '.cline'), join(root, '.clinerules')],
    home: [clineFolder(place)],
  }),
  // The CLI approves every tool by itself unless it is told to ask; in a turn without a person it would then do nothing.
  launch: {
    ...usualLaunch,
    program: 'cline',
    interactive: (prompt) => ({ args: ['--tui', '--auto-approve', 'false', prompt] }),
    headless: (prompt) => ({ args: [prompt] }),
    passEnv: ['CLINE_*'],
  },
}

/** The conversation with its subagents in order of time. Throws `sessionUnreadable`, and `sessionFormat` when the file holds no messages. */
async function* readClineSession(ref: SessionRef, options: ReadOptions): Batches {
  const main = readFile(ref, null, readClineCompaction(ref.path), options)
  yield* mergeByTime(main, clineSubagents(ref), ({ path, label }) =>
    readFile({ ...ref, path }, label, null, options),
  )
}

async function* readFile(
  { path, cwd, branch = '', title = '' }: SessionRef,
  sub: string | null,
  compaction: Compaction | null,
  options: ReadOptions,
): Batches {
  const { header, records } = await readRecords(path, 'messages', options)
  const settings = createSettings(sub)
  const translate = createClineTranslator(settings, sub === null)
  const version = textOf(fieldsOf(header.origin).version)
  const told = settings({ version, branch, title }).map((draft) => stamped(draft, { at: null, sub, cwd }))
  records.forEach((message, index) => {
    const found = translate(message)
    if (found === null) options.onSkip?.('unknown')
    const at = timeOf(message.ts)
    for (const draft of found ?? []) told.push(stamped(draft, { at, sub, cwd }))
    if (compaction?.count === index + 1)
      told.push({ kind: 'compaction', summary: compaction.summary, at: compaction.at, sub, cwd })
  })
  yield told
}

/** `isMain`: a person speaks in it; what a subagent is told is the agent's. */
function createClineTranslator(
  settings: ReturnType<typeof createSettings>,
  isMain: boolean,
): (message: Fields) => Draft[] | null {
  const calls = new Map<string, ClineCall>()
  let mode = ''
  /** The last reply in the mode that plans, and what of it the person has answered to. */
  let plan = { text: '', answered: '' }

  function said(message: Fields): Draft[] {
    const ended = blocksOf(message, 'tool_result').flatMap((block) =>
      finished(textOf(block.tool_use_id), block),
    )
    const { kind, displayRole, summary } = fieldsOf(message.metadata)
    if (kind === 'compaction_summary') return [{ kind: 'compaction', summary: textOf(summary) }]
    if (!isMain || NOTICES.has(textOf(kind)) || NOBODY.has(textOf(displayRole))) return ended
    const text = contentText(message.content)
    const words = typedText(text)
    if (words.trim() !== '') plan.answered = plan.text
    mode = OPENS.exec(text)?.[1] ?? mode
    const files = blocksOf(message, 'file').flatMap(({ path }, index) =>
      readByUser(`${textOf(message.id)}:${index}`, textOf(path)),
    )
    return [...ended, ...promptOf(words), ...files]
  }

  function replied(message: Fields): Draft[] {
    const text = contentText(message.content)
    if (mode === 'plan' && text.trim() !== '') plan.text = text
    // The tokens of the cache are among those of the input (llms/src/providers/ai-sdk.ts of 3.0.56).
    const { inputTokens, outputTokens } = fieldsOf(message.metrics)
    const input = sumOf(inputTokens)
    return [
      ...settings({ model: textOf(fieldsOf(message.modelInfo).id) }),
      ...replyOf(text),
      ...usageOf(input, sumOf(outputTokens), input),
      ...blocksOf(message, 'tool_use').flatMap(({ id, name, input: given }) => {
        const call = clineCall(textOf(name), given)
        calls.set(textOf(id), call)
        return clineAttempt(textOf(id), call)
      }),
    ]
  }

  function finished(id: string, block: Fields): Draft[] {
    const call = calls.get(id) ?? clineCall(textOf(block.name), {})
    calls.delete(id)
    const drafts = clineResult(id, call, block)
    const isAccepted =
      call.tool === 'switch_to_act_mode' && drafts.some((one) => one.kind === 'result' && one.ok)
    const { answered } = plan
    if (!isAccepted) return drafts
    plan = { text: '', answered: '' }
    return answered === '' ? drafts : [...drafts, { kind: 'proposal', text: answered, accepted: true }]
  }

  return (message) =>
    message.role === 'user' ? said(message) : message.role === 'assistant' ? replied(message) : null
}

const blocksOf = ({ content }: Fields, type: string): Fields[] =>
  itemsOf(content).filter((block) => block.type === type)

/** Messages that the client wrote in the person's name (core/src/session/user-run-messages.ts of 3.0.56). */
const NOTICES =
  wordSet(`auto_compaction compaction_budget_emergency completion_reminder loop_detection_notice manual_compaction
  mistake_stop_notice recovery_notice`)
const NOBODY: ReadonlySet<string> = new Set(['system', 'status', 'error'])
/** The same where nothing but the words tells it; the last are those of agents/src/agent-runtime.ts. */
const SYNTHETIC =
  /^(?:\[TASK RESUMPTION\]|The user approved switching to act mode\. Continue with the approved plan now\.$|\[SYSTEM\] This run is not complete until )/

/** Frames around what the person typed (shared/src/prompt/format.ts of 3.0.56). */
const OPENS = /<user_input mode="(act|plan|yolo)">/
const CLOSES = '</user_input>'
const NOTICE = /<mode_notice>[^<]*<\/mode_notice>/g
const COMMAND = /^<user_command slash="([^"]+)">([\s\S]*)<\/user_command>$/
const TEAM = /^spawn a team of agents for the following task:\s*/i

function typedText(text: string): string {
  const words = unframed(text).replace(NOTICE, '').trim()
  const [, slash, content = ''] = COMMAND.exec(words) ?? []
  if (slash !== undefined) return `/${slash} ${content.trim().replace(TEAM, '')}`.trim()
  return SYNTHETIC.test(words) ? '' : words
}

/** What stands around the frame is the client's: files and notices. */
function unframed(text: string): string {
  const opens = OPENS.exec(text)
  const end = text.lastIndexOf(CLOSES)
  return opens && end > opens.index ? text.slice(opens.index + opens[0].length, end) : text
}

const MESSAGES = '.messages.json'

export const clineFolder = ({ home, env }: Home): string => env.CLINE_DIR || join(home, '.cline')

/** Sessions in `sessions/<id>` of the data folder (shared/src/storage/paths.ts of 3.0.56); one in which nothing was said is none. */
async function findClineFiles(
  ...[{ home, env }, roots, onUnread]: Parameters<Adapter['find']>
): Promise<SessionRef[]> {
  const data = env.CLINE_DATA_DIR || join(clineFolder({ home, env }), 'data')
  const folder = env.CLINE_SESSION_DATA_DIR || join(data, 'sessions')
  const paths = namesIn(folder, onUnread).map((name) => join(folder, name, name + MESSAGES))
  return sessionsAt(paths, roots, onUnread, readClineRef, (head) => SIGN.test(head))
}

/** How a file of messages begins, in the order of its fields (core/src/services/session-data.ts of 3.0.56). */
const SIGN =
  /^\s*\{\s*"version":\s*1,\s*"updated_at":\s*"[^"]*",\s*"agent":\s*"(?:lead|subagent|teammate)",\s*"sessionId":/
/** How the files beside it begin: the manifest and the last compaction (core/src/session/models of 3.0.56). */
const BESIDE =
  /^\s*\{\s*"version":\s*1,\s*"(?:session_id":\s*"[^"]*",\s*"source"|updated_at":\s*"[^"]*",\s*(?:"conversation_id":\s*"[^"]*",\s*)?"source_message_count"):/

/** Takes a file of messages, and for a file beside it those messages. */
export function identifyCline(path: string, head: string): SessionRef | null {
  if (SIGN.test(head)) return readClineRef(path)
  return BESIDE.test(head) ? readClineRef(path.replace(/(?:\.compaction)?\.json$/, MESSAGES)) : null
}

const FIRST_TIME = /"ts":\s*(\d+)/

function readClineRef(path: string): SessionRef | null {
  const ends = readEnds(path, true)
  if (!ends || !SIGN.test(ends.head) || !/"messages":\s*\[\s*\{/.test(ends.head)) return null
  const header = headerIn(ends.head, 'messages')
  const id = textOf(header.sessionId)
  if (id === '') return null
  const manifest = path.endsWith(MESSAGES) ? readBeside(path, '.json') : {}
  const { title, git } = fieldsOf(manifest.metadata)
  const from = timeOf(manifest.started_at) ?? Number(FIRST_TIME.exec(ends.head)?.[1])
  const { branch } = fieldsOf(git)
  return fileRef('cline', path, ends, { id, cwd: manifest.cwd, from, to: header.updated_at, title, branch })
}

/** The file beside the messages with this ending; empty where there is none, or a torn one. */
const readBeside = (path: string, ending: string): Fields =>
  recordAt(path.slice(0, -MESSAGES.length) + ending)

/** A summary that took the place of the first `count` messages, which stay on file. */
export interface Compaction {
  count: number
  at: string | null
  summary: string
}

/** The last compaction, kept in a file of its own (core/src/session/models/session-compaction.ts of 3.0.56). */
export function readClineCompaction(path: string): Compaction | null {
  if (!path.endsWith(MESSAGES)) return null
  const { messages, source_message_count: count, updated_at } = readBeside(path, '.compaction.json')
  if (!Array.isArray(messages) || typeof count !== 'number') return null
  const kinds = messages.map((message) => fieldsOf(fieldsOf(message).metadata))
  const { generatedAt, summary } = kinds.find(({ kind }) => kind === 'compaction_summary') ?? {}
  return { count, at: timeOf(generatedAt) ?? timeOf(updated_at), summary: textOf(summary) }
}

/** Files of the subagents and teammates of a session, which lie beside its own. */
function clineSubagents(ref: SessionRef): Side[] {
  if (!ref.path.endsWith(MESSAGES)) return []
  const begun = (path: string): string | null => {
    const { head = '' } = readEnds(path) ?? {}
    const { agent, sessionId } = headerIn(head, 'messages')
    const isOurs = path !== ref.path && agent !== 'lead' && textOf(sessionId).startsWith(`${ref.id}__`)
    return isOurs ? timeOf(Number(FIRST_TIME.exec(head)?.[1])) : null
  }
  return sidesIn(dirname(ref.path), /^(.*)\.messages\.json$/, begun)
}

export interface ClineCall {
  tool: string
  input: Fields
  /** The commands of one call, which run at once and end each for itself; one empty text for other tools. */
  commands: string[]
}

/** Models may write the input in several forms (schemas.ts of 3.0.56): a text or a list alone stands for the one field of the tool. */
export function clineCall(tool: string, given: unknown): ClineCall {
  const isBare = typeof given === 'string' || Array.isArray(given)
  const input: Fields = isBare
    ? { input: given, files: given, commands: given, queries: given }
    : fieldsOf(given)
  return { tool, input, commands: TOOLS.get(tool) === 'run' ? commandsIn(input) : [''] }
}

function commandsIn(input: Fields): string[] {
  const several = input.commands ?? input.cmd ?? input
  const commands = (Array.isArray(several) ? several : [several]).map((one) => {
    const { command, args } = fieldsOf(one)
    return textOf(one) || [textOf(command), ...listOf(args).map(textOf)].join(' ').trim()
  })
  return commands.length === 0 ? [''] : commands
}

function actionOf({ tool, input }: ClineCall, command: string): Action {
  const deed = TOOLS.get(tool)
  const pattern = [input.queries].flat().map(textOf).join(' | ')
  return actionBy(deed, { ...input, command, pattern, prompt: input.task }, pathsIn(deed ? input : {}))
}

function pathsIn(input: Fields): string[] {
  const inside = [input.files, input.paths].flat().map(fieldsOf)
  return [...new Set([input, ...inside].flatMap((one) => pathsUnder(one)))]
}

/** What a call attempts, one event for each of its commands, and what the person sees of it. */
export function clineAttempt(id: string, call: ClineCall): Draft[] {
  const { tool, input } = call
  const calls = call.commands.map((command, index) =>
    callOf(numbered(id, index), tool, actionOf(call, command)),
  )
  if (tool === 'submit_and_exit') return [...calls, ...replyOf(textOf(input.summary))]
  if (tool !== 'ask_question') return calls
  return [...calls, { kind: 'question', id, text: textOf(input.question), options: labelsOf(input.options) }]
}

/** What came of a call, and what follows from that; `block` is a `tool_result`. */
export function clineResult(id: string, call: ClineCall, block: Fields): Draft[] {
  const { tool, input, commands } = call
  const told = outcomesOf(block.content)
  const failed = block.is_error === true
  if (TOOLS.get(tool) === 'run')
    return commands.map((_, index) => ({
      ...outcome(numbered(id, index), failed, failed ? told.slice(0, 1) : told.slice(index, index + 1)),
      ...ofShell(failed, told[index] ?? {}),
    }))
  const result = outcome(id, failed, told)
  const [first] = told
  const text = textOf(first?.result)
  if (text === DISMISSED) return [{ ...result, ok: false, text: '', refused: true }]
  if (!result.ok) return [result]
  const created = CREATED.test(text) ? textOf(input.path) : ''
  if (tool === 'editor' && created !== '') result.files = [{ path: created, change: 'create' }]
  if (isCopy(TOOLS.get(tool))) result.text = ''
  if (tool === 'skills') return [{ ...result, text: '' }, ...skillOf(textOf(input.skill))]
  return tool === 'ask_question' && text !== '' ? [result, { kind: 'answer', id, text }] : [result]
}

/** Begins the result of `editor` where there was no such file (executors/editor.ts of 3.0.56). */
const CREATED = /^File created successfully at: /
/** The answer to a question that was closed (cli/src/tui/hooks/use-runtime-dialog-bridge.tsx of 3.0.56). */
const DISMISSED = '[User dismissed the question]'

/** The parts of a result: objects with `result`, `error` and `success`, one such object as a text, or a plain text. */
function outcomesOf(content: unknown): Fields[] {
  if (typeof content !== 'string')
    return itemsOf(content).map((part) => (part.type === 'text' ? { result: part.text } : part))
  const one = recordOf(content.startsWith('{') ? content : '')
  // A subagent's report.
  if (typeof one.text === 'string') return [{ result: one.text }]
  return ['result', 'error', 'success'].some((key) => key in one) ? [one] : [{ result: content }]
}

/** The words of a client's own refusal (agents/src/agent-runtime.ts of 3.0.56): nobody was asked. */
const BY_CLIENT =
  /^Tool (?:".*" (?:is disabled by policy|requires approval but|was not approved|approval request failed)|\S+ was blocked by a runtime hook|execution is disabled for provider )/
/** How a refusal of the person is told: by the CLI (3.0.56), by the extension (sdk/tool-approval-denial.ts of 4.1.13), by a chat. */
const DENIED =
  /^(?:Tool ".*" was denied by user|User denied the tool execution|The user denied this edit\.|Tool execution was cancelled because the user sent|Denied by [\w ]+ user$)/
const FEEDBACK = /^[^<]*<feedback>\n([\s\S]*)\n<\/feedback>/
/** A command that the person stopped (executors/bash.ts of 3.0.56). */
const ABORTED = /^(?:Command failed: )?Command was aborted$/

function outcome(id: string, failed: boolean, parts: Fields[]): DraftOf<'result'> {
  const ok = !failed && parts.every(({ success, error }) => success !== false && !error)
  const error = textOf(parts.find((part) => textOf(part.error) !== '')?.error)
  const text = parts.map((part) => textOf(part.result) || textOf(part.error)).join('\n')
  const result = endOf(id, ok, text)
  if (ok) return result
  if (BY_CLIENT.test(error)) return { ...result, refused: true, byClient: true }
  if (!DENIED.test(error) && !ABORTED.test(error)) return result
  const reason = FEEDBACK.exec(error)?.[1]?.trim() ?? ''
  return { ...result, text: '', refused: true, ...(reason === '' ? {} : { reason }) }
}

const EXITED = /^\[Command exited with code (\d+)\]\n?/
/** Begins what is told of a command that goes on by itself, or whose end nobody saw (vscode-run-commands-tool.ts of 4.1.13). */
const GOES_ON =
  /^(?:\[Command is still running\.|The user chose to proceed while the command|The command was still starting or running after|\[Command completion could not be observed;)/

function ofShell(failed: boolean, { result, success }: Fields): Partial<DraftOf<'result'>> {
  const text = textOf(result)
  if (GOES_ON.test(text)) return { text: '', unsure: true }
  const code = EXITED.exec(text)
  if (code) return { ok: false, exitCode: Number(code[1]), text: clip(text.slice(code[0].length)) }
  return !failed && success === true ? { exitCode: 0 } : {}
}
