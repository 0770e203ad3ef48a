import { existsSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Adapter } from '../../types/agent.ts'
import type { SessionRef } from '../../types/session.ts'
import { createSettings, type Draft, promptOf, replyOf, stamped } from '../draft.ts'
import { type Fields, fieldsOf, itemsOf, listOf, numberOf, recordOf, textOf, timeOf } from '../fields.ts'
import { readCall } from '../hooks.ts'
import { type Translator, translate } from '../lines.ts'
import {
  fileRef,
  isWithin,
  namesIn,
  readEnds,
  refAt,
  rootTouched,
  sessionsIn,
  withFileIfThere,
} from '../session-files.ts'
import { mcpServer, skillIn, usualLaunch } from '../setup.ts'
import { antigravityModel, antigravityPrompt, createAntigravityCalls } from './calls.ts'

/**
 * Antigravity, CLI (`agy`) and IDE: one JSONL file of steps per conversation. From documents, not recorded: the description in
 * specstoryai/getspecstory (`docs/ANTIGRAVITY-FORMAT.md`, `agy` 1.1, August 2026) and the fixtures of codeburn (August 2026).
 */
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
        cwd: textOf(listOf(workspacePaths)[0]) || null,
      }
    },
    answer: (event, { context }) =>
      event !== 'prompt'
        ? ''
        : `${JSON.stringify(context === null ? {} : { injectSteps: [{ ephemeralMessage: context }] })}\n`,
    isHeard: (event) => event === 'prompt',
  },
  // CLI 1.1 and IDE: a hook, a skill and MCP servers of the project. CLI 1.1.11 took hooks only from plugins (ToolAhead 0.7, August 2026),
  // 1.1.25 reads them here (skillsaw 0.20). The one before each request alone may tell the model something (its documentation as of July
  // 2026, in the adapter of AEP); the end of a turn wants a decision, which is not ours to make.
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
    exitLine: '/quit',
  },
}

/** The folders of the CLI, of the IDE and of the newer IDE. */
const PRODUCTS = ['antigravity-cli', 'antigravity', 'antigravity-ide']
/** The second one is used where the first is missing or empty. */
const TRANSCRIPTS = ['transcript_full.jsonl', 'transcript.jsonl']

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
  const first = recordOf(ends?.head.split('\n', 1)[0] ?? '')
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

  return {
    add(step) {
      const at = timeOf(step.created_at)
      return drafts(step)?.map((draft) => stamped(draft, { at, sub: null, cwd: folder })) ?? null
    },
  }
}
