import { existsSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Adapter } from '../types/agent.ts'
import type { Action, SessionRef } from '../types/session.ts'
import { eachRecord, numbered, type Translator, translate, withoutLeadingBlocks } from './content.ts'
import { callOf, createSettings, type Draft, type DraftOf, endOf, promptOf, replyOf } from './draft.ts'
import { type Fields, fieldsOf, itemsOf, jsonOf, numberOf, recordOf, textOf, timeOf } from './fields.ts'
import { readCall } from './hooks.ts'
import {
  fileRef,
  firstRecord,
  isWithin,
  namesIn,
  readEnds,
  refAt,
  rootTouched,
  sessionsIn,
  withFileIfThere,
} from './session-files.ts'
import { mcpServer, skillIn, usualLaunch } from './setup.ts'
import { actionBy, isCopy, questionsIn, TOOLS } from './tools.ts'

/** Antigravity, CLI (`agy`) and IDE: a JSONL file per conversation. Source: getspecstory `ANTIGRAVITY-FORMAT.md`, codeburn (August 2026). */
export const antigravity: Adapter = {
  id: 'antigravity',
  label: 'Antigravity',
  basis: { is: 'documented', of: 'agy 1.1', source: 'getspecstory, codeburn' },
  marks: ['ANTIGRAVITY_AGENT', 'ANTIGRAVITY_CONVERSATION_ID'],
  sessionMarks: ['ANTIGRAVITY_CONVERSATION_ID'],
  // Sessions of the workspaces inside one of `roots`, newest first.
  async find({ home }, roots, onUnread) {
    const found = PRODUCTS.map((product) => join(home, '.gemini', product)).flatMap((folder) => {
      const workspaces = workspacesIn(folder)
      return namesIn(join(folder, 'brain'), onUnread).map((id) => {
        const stated = workspaces.get(id) ?? null
        if (stated !== null && !isWithin(stated, roots)) return null
        const logs = join(folder, 'brain', id, '.system_generated', 'logs')
        const paths = TRANSCRIPTS.map((name) => join(logs, name))
        const isFilled = (one: string): boolean => (withFileIfThere(one, ({ size }) => size) ?? 0) > 0
        const path = paths.find(isFilled) ?? paths.find((one) => existsSync(one)) ?? paths[0]
        if (path === undefined) return null
        return refAt(path, (one) => readAntigravityRef(one, stated ?? rootTouched(one, roots)), onUnread)
      })
    })
    return sessionsIn(found, roots)
  },
  identify: async (path, head) =>
    head.startsWith('{"step_index":') ? readAntigravityRef(path, antigravityFolder(path)) : null,
  read: (ref, options) => translate(ref.path, options, createAntigravityTranslator(ref.cwd)),
  // One message that stands before this request; nothing reaches the person.
  hooks: {
    read(payload) {
      const { conversationId, workspacePaths, ...fields } = fieldsOf(payload)
      return {
        ...readCall(fields),
        sessionId: textOf(conversationId) || null,
        cwd: textOf([workspacePaths].flat()[0]) || null,
      }
    },
    answer: (event, { context }) =>
      event !== 'prompt'
        ? ''
        : `${JSON.stringify(context === null ? {} : { injectSteps: [{ ephemeralMessage: context }] })}\n`,
    isHeard: (event) => event === 'prompt',
  },
  // CLI 1.1.25 reads hooks here, 1.1.11 took them only from plugins (skillsaw 0.20, ToolAhead 0.7, August 2026).
  // Only the hook before a request can tell the model something; the one at the end of a turn wants a decision.
  setup: (place) => [
    {
      type: 'json-item',
      path: join(place.root, '.agents', 'hooks.json'),
      at: ['handoff', 'PreInvocation'],
      value: { type: 'command', command: place.hookCommand('prompt'), timeout: 10 },
    },
    skillIn(place, '.agents'),
    mcpServer(place, '.agents', 'mcp_config.json'),
  ],
  traces: ({ root, home }) => ({
    project: ['mcp_config.json', 'hooks.json'].map((name) => join(root, '.agents', name)),
    home: ['antigravity-cli', 'antigravity'].map((name) => join(home, '.gemini', name)),
  }),
  // The CLI 1.1 (`agy`).
  launch: {
    ...usualLaunch,
    program: 'agy',
    interactive: (prompt) => ({ args: ['-i', prompt] }),
    headless: (prompt) => ({ args: ['-p', prompt] }),
    passEnv: ['GEMINI_*', 'GOOGLE_*'],
  },
}

/** The folders of the CLI, of the IDE and of the newer IDE. */
const PRODUCTS = ['antigravity-cli', 'antigravity', 'antigravity-ide']
/** The next one is used where those before are missing or empty; earlier builds of the IDE wrote the third (a reader's report of 2026). */
const TRANSCRIPTS = ['transcript_full.jsonl', 'transcript.jsonl', 'overview.txt']

/** Bytes of the list of prompts that are read, from its end. */
const LISTED = 4 * 1024 * 1024

/** The workspace of each conversation that somebody led in a terminal; a headless one is not in this list. */
function workspacesIn(folder: string): Map<string, string> {
  const text =
    withFileIfThere(join(folder, 'history.jsonl'), (file) =>
      file.at(Math.max(0, file.size - LISTED), file.size).toString('utf8'),
    ) ?? ''
  const rows = text.split('\n').map(recordOf)
  return new Map(
    rows.flatMap(({ conversationId, workspace }) =>
      textOf(conversationId) === '' || textOf(workspace) === ''
        ? []
        : [[textOf(conversationId), textOf(workspace)] as const],
    ),
  )
}

/** The id is the name of the folder of the conversation; elsewhere that of the file. */
function idOf(path: string): string {
  const folder = dirname(dirname(dirname(path)))
  return basename(dirname(dirname(path))) === '.system_generated'
    ? basename(folder)
    : basename(path, '.jsonl')
}

/** The workspace of a transcript that lies in its place, as the list of prompts has it. */
function antigravityFolder(path: string): string | null {
  const product = join(dirname(path), '..', '..', '..', '..')
  return idOf(path) === basename(path, '.jsonl') ? null : (workspacesIn(product).get(idOf(path)) ?? null)
}

/** The reference of one transcript; null when it is none. A session without a prompt is none. */
export function readAntigravityRef(path: string, cwd: string | null): SessionRef | null {
  const ends = readEnds(path)
  const first = firstRecord(ends)
  const isStep =
    numberOf(first.step_index) !== null && textOf(first.source) !== '' && textOf(first.type) !== ''
  if (!ends || !isStep) return null
  const times = [...ends.tail.matchAll(/"created_at":\s*"([^"]+)"/g)]
  const to = times.at(-1)?.[1]
  return fileRef('antigravity', path, ends, { id: idOf(path), cwd, from: first.created_at, to })
}

const IDLE = new Set(['CONVERSATION_HISTORY', 'SYSTEM_MESSAGE', 'CHECKPOINT', 'EPHEMERAL_MESSAGE'])

export function createAntigravityTranslator(folder: string | null): Translator {
  const calls = createAntigravityCalls()
  const settings = createSettings()

  function drafts(step: Fields): Draft[] | null {
    const type = textOf(step.type)
    const content = textOf(step.content)
    if (IDLE.has(type)) return []
    if (type === 'USER_INPUT') {
      calls.begin()
      return [...settings({ model: antigravityModel(content) }), ...promptOf(antigravityPrompt(content))]
    }
    if (type === 'PLANNER_RESPONSE') {
      const place = numberOf(step.step_index) ?? 0
      const made = itemsOf(step.tool_calls)
      return [
        ...replyOf(content),
        ...made.flatMap((call, index) => calls.call(`${place}:${index}`, call, place)),
      ]
    }
    // Every other step of the model is the result of a tool.
    return type !== '' && step.source === 'MODEL' ? calls.result(type, step) : null
  }

  return eachRecord(drafts, (step) => ({ at: timeOf(step.created_at), sub: null, cwd: folder }))
}

/** The kind of the step that holds the result of a tool; those of other tools have `GENERIC` or a kind of their own. */
const RESULTS: Readonly<Record<string, string>> = {
  run_command: 'RUN_COMMAND',
  view_file: 'VIEW_FILE',
  write_to_file: 'CODE_ACTION',
  replace_file_content: 'CODE_ACTION',
  multi_replace_file_content: 'CODE_ACTION',
  grep_search: 'GREP_SEARCH',
  list_dir: 'LIST_DIRECTORY',
  search_web: 'SEARCH_WEB',
  read_url_content: 'READ_URL_CONTENT',
  generate_image: 'GENERATE_IMAGE',
  invoke_subagent: 'INVOKE_SUBAGENT',
  ask_question: 'ASK_QUESTION',
}
const KINDS: ReadonlySet<string> = new Set(Object.values(RESULTS))

const PATHS = ['AbsolutePath', 'TargetFile', 'SearchPath', 'DirectoryPath']

/** A value as it is: in the shorter of two transcripts each is written as JSON once more. */
function plain(value: unknown): unknown {
  const text = textOf(value)
  if (!/^["[{]/.test(text)) return value
  // A command may begin with a quote.
  return jsonOf(text) ?? value
}

function actionOf(tool: string, input: Fields): Action {
  const paths = PATHS.map((key) => textOf(input[key]).replace(/^file:\/\//, '')).filter((path) => path !== '')
  // A document about the work, in a folder of the client.
  if (input.IsArtifact === true || input.IsArtifact === 'true') return { type: 'other', paths }
  const prompts = itemsOf(input.Subagents).map(({ Prompt }) => textOf(Prompt))
  const prompt = textOf(input.Prompt) || prompts.join('\n')
  const fields = { command: input.CommandLine, pattern: input.Query, prompt }
  return actionBy(TOOLS.get(tool), fields, paths)
}

interface Open {
  id: string
  tool: string
  cwd: string | null
}

/** Neither calls nor results have ids: a result belongs to the oldest call of its kind that has none. */
export function createAntigravityCalls() {
  const open: Open[] = []
  /** Results that stand before their call: the client writes them as they come. */
  const early: { type: string; step: Fields }[] = []

  function take(type: string): Open | null {
    const alike = open.findIndex(({ tool }) => RESULTS[tool] === type)
    // A kind that no known tool has is that of another tool, or of the only one that waits.
    const other = KINDS.has(type) ? -1 : open.findIndex(({ tool }) => RESULTS[tool] === undefined)
    const only = !KINDS.has(type) && open.length === 1 ? 0 : -1
    const index = [alike, other, only].find((found) => found !== -1)
    return index === undefined ? null : (open.splice(index, 1)[0] ?? null)
  }

  return {
    /** A new request: what never had a result takes none of a later call. */
    begin(): void {
      open.length = 0
      early.length = 0
    },
    call(id: string, { name, args }: Fields, place: number): Draft[] {
      const tool = textOf(name).replace(/^default_api:/, '')
      const given = Object.entries(fieldsOf(args)).map(([key, value]) => [key, plain(value)] as const)
      const input: Fields = Object.fromEntries(given)
      const cwd = textOf(input.Cwd) || null
      open.push({ id, tool, cwd })
      const call = callOf(id, tool, actionOf(tool, input), { cwd })
      const asked =
        tool === 'ask_question' ? questionsIn(input.questions, (index) => numbered(id, index)) : []
      const held = early.findIndex(
        ({ type, step }) => (RESULTS[tool] ?? 'GENERIC') === type && (numberOf(step.step_index) ?? 0) > place,
      )
      const [found] = held === -1 ? [] : early.splice(held, 1)
      return [call, ...asked, ...(found ? this.result(found.type, found.step) : [])]
    },
    /** Empty while the call is still to come. */
    result(type: string, step: Fields): Draft[] {
      const made = take(type)
      if (made === null) {
        early.push({ type, step })
        return []
      }
      const { id, tool, cwd } = made
      const result = resultOf(id, tool, step)
      if (tool !== 'ask_question') return [{ ...result, cwd }]
      const answers = [...textOf(step.content).matchAll(/^A(\d+): *(.+)$/gm)]
      return [
        result,
        ...answers.map(
          ([, place, text = '']): Draft => ({ kind: 'answer', id: numbered(id, Number(place) - 1), text }),
        ),
      ]
    },
  }
}

const EXITED = /^[ \t]*The command (?:completed successfully|failed with exit code: (-?\d+))/m
/** What the client writes before the output of a command. */
const FRAME =
  /^(?:[ \t]*(?:(?:Created|Completed) At: .*|The command (?:completed|failed) .*|Output:)?\n)*(?:[ \t]*Output:$)?/

function resultOf(id: string, tool: string, { status, content }: Fields): DraftOf<'result'> {
  const whole = textOf(content)
  const deed = TOOLS.get(tool)
  const text = deed === 'run' ? undented(whole.replace(FRAME, '')) : isCopy(deed) ? '' : whole
  if (status === 'ERROR') return endOf(id, false, whole)
  const result = endOf(id, true, text)
  if (deed !== 'run') return result
  const ended = EXITED.exec(whole)
  if (ended === null || status === 'RUNNING') return { ...result, unsure: true }
  const exitCode = Number(ended[1] ?? 0)
  return { ...result, ok: exitCode === 0, exitCode }
}

/** The client indents all lines of an output by the same tabs. */
function undented(text: string): string {
  const lines = text.split('\n')
  let depth = Number.POSITIVE_INFINITY
  for (const line of lines)
    if (line.trim() !== '') depth = Math.min(depth, /^\t*/.exec(line)?.[0].length ?? 0)
  return lines
    .map((line) => line.slice(depth))
    .join('\n')
    .trim()
}

/** The person's own words in what the client sends: what it adds stands in tags of its own. */
export function antigravityPrompt(content: string): string {
  const said = /<USER_REQUEST>([\s\S]*?)(?:<\/USER_REQUEST>|$)/.exec(content)?.[1]
  return said?.trim() ?? withoutLeadingBlocks(content)
}

/** The model that was chosen last, from a sentence of the client; empty where it says nothing. */
export const antigravityModel = (content: string): string =>
  /`?Model Selection`? from .{1,80}? to ([^\n<]{1,80}?)(?:\. |\.?$|\.?\n|\.?<)/m.exec(content)?.[1]?.trim() ??
  ''
