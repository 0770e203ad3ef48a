import { basename, dirname, join } from 'node:path'
import type { Adapter, HookEvent, OnUnread, SetupEdit } from '../types/agent.ts'
import type { Action, Batches, PlanItem, ReadOptions, SessionRef } from '../types/session.ts'
import {
  blocksOf,
  labelsOf,
  numbered,
  partTexts,
  pathsUnder,
  type Translator,
  translate,
  withoutLeadingBlocks,
} from './content.ts'
import { callOf, type Draft, endOf, promptOf, replyOf, stamped } from './draft.ts'
import { type Fields, fieldsOf, itemsOf, listOf, recordOf, textOf, timeOf } from './fields.ts'
import { readCall } from './hooks.ts'
import { mergeByTime, type Side, sidesIn } from './merge-by-time.ts'
import {
  fileRef,
  firstRecord,
  isWithin,
  namesIn,
  readEnds,
  refAt,
  sessionsIn,
  withFileIfThere,
} from './session-files.ts'
import { jsonValue, mcpServer, skillIn, usualLaunch } from './setup.ts'
import { actionBy, planItems, planStatus, toolsBy } from './tools.ts'

/**
 * Cursor, IDE and CLI: one JSONL file of messages per session, without results, times and model.
 * Source: relayhistory (September 2026, 104 transcripts of Cursor 3.13), agentsview and codeburn (August 2026).
 */
export const cursor: Adapter = {
  id: 'cursor',
  label: 'Cursor',
  basis: { is: 'documented', of: 'transcripts of 2026', source: 'relayhistory, agentsview, codeburn' },
  marks: ['CURSOR_AGENT', 'CURSOR_CONVERSATION_ID'],
  caller: ({ CURSOR_AGENT, CURSOR_CONVERSATION_ID }) =>
    CURSOR_AGENT ? { agent: 'cursor', sessionId: CURSOR_CONVERSATION_ID || null, path: null } : null,
  find: findCursorSessions,
  identify: async (path, head) => (/^\s*\{\s*"role"/.test(head) ? readCursorRef(path) : null),
  read: readCursorSession,
  // Only the answer at the start of a session reaches the model.
  hooks: {
    read(payload) {
      const fields = fieldsOf(payload)
      const call = readCall(fields)
      return {
        ...call,
        sessionId: call.sessionId ?? (textOf(fields.conversation_id) || null),
        cwd: call.cwd ?? (textOf(listOf(fields.workspace_roots)[0]) || null),
      }
    },
    answer: (event, { context }) =>
      event === 'session-start' && context !== null
        ? `${JSON.stringify({ additional_context: context })}\n`
        : '',
    isHeard: (event) => event === 'session-start',
  },
  // Cursor 3, IDE and CLI: hooks, skill and MCP server of the project (its documentation of CLI, hooks and skills, 2026).
  setup(place) {
    const path = join(place.root, '.cursor', 'hooks.json')
    return [
      jsonValue(path, ['version'], 1),
      ...EVENTS.map(([name, event]): SetupEdit => {
        const value = { command: place.hookCommand(event), timeout: TIME_LIMIT }
        return { type: 'json-item', path, at: ['hooks', name], value }
      }),
      skillIn(place, '.cursor'),
      mcpServer(place, '.cursor', 'mcp.json'),
    ]
  },
  traces: ({ root, home, env }) => ({
    project: [join(root, '.cursor')],
    home: [env.CURSOR_DATA_DIR || join(home, '.cursor')],
  }),
  // The CLI of Cursor, as its documentation of 2026 has it.
  launch: {
    ...usualLaunch,
    program: 'cursor-agent',
    headless: (prompt) => ({ args: ['-p', prompt] }),
    passEnv: ['CURSOR_API_KEY', 'CURSOR_DATA_DIR'],
    ready: /→/,
  },
}

const EVENTS: readonly [string, HookEvent][] = [
  ['sessionStart', 'session-start'],
  ['beforeSubmitPrompt', 'prompt'],
  ['stop', 'stop'],
  ['preCompact', 'pre-compact'],
  ['sessionEnd', 'session-end'],
]

/** Seconds that a hook may take. */
const TIME_LIMIT = 10

function readCursorSession(ref: SessionRef, options: ReadOptions): Batches {
  const read = (path: string, sub: string | null) =>
    translate(path, options, createCursorTranslator(ref.cwd, sub))
  return mergeByTime(read(ref.path, null), cursorSubagents(ref.path), ({ path, label }) => read(path, label))
}

/** A record has neither id nor time: calls go by their place, and a time holds from its prompt to the next one. */
export function createCursorTranslator(cwd: string | null, sub: string | null): Translator {
  const called = createCursorCalls()
  const owner = sub === null ? '' : `${sub}:`
  let at: string | null = null

  function partDrafts(part: Fields, id: string): Draft[] | null {
    switch (part.type) {
      case 'text':
        return replyOf(replyWords(textOf(part.text)))
      case 'tool_use':
        return called(id, part)
      case 'turn_ended':
        return ended(part)
      case 'tool_result':
      case 'thinking':
        return []
      default:
        return null
    }
  }

  function prompt(parts: Fields[]): Draft[] {
    const text = parts.map((part) => textOf(part.text)).join('\n')
    if (text.trim() === '') return []
    at = promptTime(text)
    // What a subagent is asked are the words of the agent, which its call told.
    return sub === null ? promptOf(promptWords(text)) : []
  }

  function ended({ status, error }: Fields): Draft[] {
    const said = textOf(error)
    if (sub !== null || (status !== 'aborted' && status !== 'error')) return []
    return status === 'aborted' || /^User (?:aborted|interrupted)/i.test(said)
      ? [{ kind: 'interrupt' }]
      : [{ kind: 'failure', text: said || 'The turn failed.' }]
  }

  function drafts(record: Fields, index: number): Draft[] | null {
    if (record.type === 'turn_ended') return ended(record)
    const { content } = fieldsOf(record.message)
    const parts = blocksOf(content)
    if (record.role === 'user') return prompt(parts)
    if (record.role !== 'assistant') return null
    const told = parts.map((part, place) => partDrafts(part, `${owner}${index}:${place}`))
    return parts.length > 0 && told.every((one) => one === null) ? null : told.flatMap((one) => one ?? [])
  }

  return {
    add: (record, { index }) =>
      drafts(record, index)?.map((draft) => stamped(draft, { at, sub, cwd })) ?? null,
  }
}

/** Tools of Cursor, in the names of today and of 2025 (docs of relayhistory, pi-cursor-sdk, 2026). */
const TOOLS = toolsBy({ update: 'Write' })

/** The name of a tool; some models see all of them in a namespace. */
const plainName = (tool: string): string => tool.replace(/^functions\./, '')

const fieldsIn = (given: unknown): Fields => (typeof given === 'string' ? { input: given } : fieldsOf(given))

function actionOf(tool: string, input: Fields): Action {
  const paths = pathsUnder(input)
  if (tool === 'Delete' || tool === 'delete_file')
    return { type: 'edit', files: paths.map((path) => ({ path, change: 'delete' })) }
  return actionBy(TOOLS.get(tool), input, paths)
}

function createCursorCalls() {
  let plan: PlanItem[] = []

  /** A list that is merged names its items by id, with the fields that change. */
  function planned({ todos, merge }: Fields): Draft[] {
    const given = itemsOf(todos)
    if (given.length === 0) return []
    const news = planItems(given, 'content', ({ id }) => ({ id: textOf(id) }))
    if (merge !== true) plan = news
    else {
      const changed = (item: PlanItem): PlanItem => {
        const found = given.find(({ id }) => textOf(id) !== '' && id === item.id)
        if (!found) return item
        return {
          ...item,
          text: textOf(found.content).trim() || item.text,
          status: found.status === undefined ? item.status : planStatus(found.status),
        }
      }
      const known = new Set(plan.map(({ id }) => id))
      plan = [...plan.map(changed), ...news.filter(({ id }) => !known.has(id))]
    }
    return [{ kind: 'plan', items: plan }]
  }

  /** No record tells what came of a call, so the result says only that. */
  return (id: string, { name, input: given }: Fields): Draft[] => {
    const input = fieldsIn(given)
    const tool = plainName(textOf(name))
    const folder = textOf(input.working_directory)
    const cwd = folder.startsWith('/') ? folder : null
    const drafts: Draft[] = [callOf(id, textOf(name), actionOf(tool, input), { cwd })]
    if (tool === 'TodoWrite') drafts.push(...planned(input))
    if (tool === 'AskQuestion')
      for (const [index, asked] of itemsOf(input.questions).entries())
        drafts.push({
          kind: 'question',
          id: numbered(id, index),
          text: textOf(asked.prompt),
          options: labelsOf(asked.options),
        })
    return [...drafts, endOf(id, true, '', { unsure: true, cwd })]
  }
}

const TRANSCRIPTS = 'agent-transcripts'
/** Where the name of a project is cut off; a hash follows. */
const LONGEST = 84

/** A directory as Cursor names the folder of a project (the CLI of October 2026). Other directories may have the same name. */
const named = (directory: string): string =>
  ofDrive(directory.replace(/[^a-zA-Z0-9]+/g, '-').replace(/^-|-$/g, ''))
/** The drive of Windows stands in the name in either case. */
const ofDrive = (name: string): string => name.replace(/^[A-Z]-/, (drive) => drive.toLowerCase())

/** Sessions of the workspaces inside one of `roots`, newest first. */
async function findCursorSessions(
  ...[{ home, env }, roots, onUnread]: Parameters<Adapter['find']>
): Promise<SessionRef[]> {
  const folder = join(env.CURSOR_DATA_DIR || join(home, '.cursor'), 'projects')
  const found = namesIn(folder, onUnread).flatMap((name) => {
    const near = roots.filter((root) => isNear(ofDrive(name), named(root)))
    return near.length === 0 ? [] : sessionsOf(join(folder, name), near, onUnread)
  })
  return sessionsIn(found, roots)
}

const isNear = (name: string, root: string): boolean =>
  name === root || name.startsWith(`${root.slice(0, LONGEST)}-`)

function sessionsOf(
  project: string,
  roots: readonly string[],
  onUnread: OnUnread | undefined,
): (SessionRef | null)[] {
  const stated = workspaceOf(project)
  if (stated !== null && !isWithin(stated, roots)) return []
  const alike = roots.find((root) => named(root) === ofDrive(basename(project))) ?? null
  const folder = join(project, TRANSCRIPTS)
  return namesIn(folder, onUnread).map((name) =>
    refAt(
      join(folder, name.endsWith('.jsonl') ? name : join(name, `${name}.jsonl`)),
      (path) => readCursorRef(path, stated, alike),
      onUnread,
    ),
  )
}

/** The workspace of a project, as the file of its trust or its log says; null where neither is there. */
function workspaceOf(project: string): string | null {
  const read = (name: string): string =>
    withFileIfThere(join(project, name), (file) => file.at(0, 64 * 1024).toString('utf8')) ?? ''
  const stated = textOf(recordOf(read('.workspace-trusted')).workspacePath)
  return stated || (/workspacePath=(.*)$/m.exec(read('worker.log'))?.[1]?.trim() ?? '') || null
}

const RAN_IN = /"working_directory":"(\/[^"\\]*)"/g

/** Null when the file is none, or empty. `alike`: its directory unless a command ran in another one of the same name. */
export function readCursorRef(
  path: string,
  stated: string | null = null,
  alike: string | null = null,
): SessionRef | null {
  const ends = readEnds(path)
  const first = firstRecord(ends)
  const isOurs = /^(?:user|assistant)$/.test(textOf(first.role)) && 'content' in fieldsOf(first.message)
  if (!ends || !isOurs || 'type' in first || 'uuid' in first) return null
  const project = projectOf(path)
  const ran = [...ends.head.matchAll(RAN_IN)].map(([, directory = '']) => directory)
  const own = ran.find((directory) => project === null || named(directory) === ofDrive(basename(project)))
  return fileRef('cursor', path, ends, {
    id: basename(path, '.jsonl'),
    cwd: stated ?? (project && workspaceOf(project)) ?? own ?? alike ?? ran[0],
    from: promptTime(partTexts(fieldsOf(first.message).content).join('\n')),
  })
}

/** The folder of the project in which a transcript lies, in a folder of its own or not; null elsewhere. */
function projectOf(path: string): string | null {
  const folder = [dirname(path), dirname(dirname(path))].find((one) => basename(one) === TRANSCRIPTS)
  return folder === undefined ? null : dirname(folder)
}

/** The files of the subagents of a session, with the time of their last change: they tell no other. */
function cursorSubagents(path: string): Side[] {
  const changed = (side: string) => withFileIfThere(side, ({ mtime }) => mtime.toISOString())
  if (basename(dirname(path)) === TRANSCRIPTS) return []
  return sidesIn(join(dirname(path), 'subagents'), /^(.*)\.jsonl$/, changed)
}

/** How the client writes the time of a prompt: `Wednesday, Sep 16, 2026, 3:37 PM (UTC-4)`. */
const TIME = /^\s*<timestamp>\s*\w+, (.+) \((UTC.*)\)\s*<\/timestamp>/

/** The time at the start of a prompt, ISO 8601; null when there is none. */
export function promptTime(text: string): string | null {
  const [, time, zone] = TIME.exec(text) ?? []
  return timeOf(time && `${time} ${zone}`)
}

const QUERY = /<user_query>([\s\S]*?)(?:<\/user_query>|$)/g

/** The person's own words: what is inside the tags of a query, or what stands behind all others in a record without such tags. */
export function promptWords(text: string): string {
  const said = [...text.matchAll(QUERY)].map(([, words = '']) => words.trim())
  return said.length > 0 ? said.join('\n') : withoutLeadingBlocks(text)
}

/** A reply without the mark that stands for what the model thought. */
export const replyWords = (text: string): string => text.replace(/(?<!\s)\s*\[REDACTED\]\s*$/, '')
