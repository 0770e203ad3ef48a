import { isAbsolute, resolve } from 'node:path'
import { sessionFormat } from '../../errors/session.ts'
import type { Place } from '../../types/config.ts'
import type { Batches, ReadOptions, SessionEvent, SessionRef } from '../../types/session.ts'
import { contentText, type Line, parseLine, readLineBatches, translate, wordSet } from '../content.ts'
import { callOf, createSettings, type Draft, endOf, promptOf, stamped, usageOf } from '../draft.ts'
import {
  type Fields,
  fieldsOf,
  itemsOf,
  listOf,
  numberOf,
  recordOf,
  sumOf,
  textOf,
  timeOf,
} from '../fields.ts'
import { mergeByTime, type Side, sidesIn } from '../merge-by-time.ts'
import { readByUser } from '../tools.ts'
import { createPiResults, mentioned, piAction, piPlan, piQuestions, userShell } from './calls.ts'
import { readPiRef } from './files.ts'

/** A conversation with its helpers, files of a folder named after it (oh-my-pi 18.2.3). Forks hold copies: `parentSession` is not followed. */
export async function* readPiConversation(ref: SessionRef, options: ReadOptions): Batches {
  yield* mergeByTime(readFile(ref.path, null, options), helpersOf(ref.path), ({ path, label }) =>
    readFile(path, label, options),
  )
  yield activeTools(options.place?.env)
}

/** The tools that our extension says the model is given now: no record tells them. */
function activeTools(env: Place['env'] = {}): SessionEvent[] {
  const tools = (env.HANDOFF_ACTIVE_TOOLS ?? '').split(',').filter((name) => /^[\w.:-]{1,64}$/.test(name))
  return tools.length === 0 ? [] : [{ kind: 'setting', tools, at: null, sub: null, cwd: null }]
}

function helpersOf(session: string): Side[] {
  const folder = session.replace(/\.jsonl$/, '')
  if (folder === session) return []
  return sidesIn(folder, /^(.*)\.jsonl$/, (path) => readPiRef(path)?.startedAt ?? null, true)
}

/** Two passes: the first finds the current conversation, the second reads only its lines, so memory stays flat. */
async function* readFile(path: string, sub: string | null, options: ReadOptions): Batches {
  const tree = await readPiTree(path, options)
  const add = createPiTranslator(textOf(tree.header.cwd) || null, tree.omitted, sub)
  // The first pass has shown the bytes and said what cannot be used.
  const { onRaw: _, ...second } = options
  yield* translate(
    path,
    { ...second, end: tree.end },
    {
      wants: ({ index }) => tree.active.has(index),
      add,
      parse: parseRecord,
    },
  )
}

/** What one pass over a Pi file tells before any conversation is read. */
interface PiTree {
  header: Fields
  /** 0-based numbers of the lines of the current conversation. */
  active: ReadonlySet<number>
  /** Ids of entries whose words were taken out of the conversation by `context_edit`. */
  omitted: ReadonlySet<string>
  /** Byte offset behind the last line seen, so that a second pass over a growing file sees the same lines. */
  end: number
}

interface Entry {
  line: number
  /** Undefined in files of version 1, which are linear; null where a conversation begins. */
  parent: string | null | undefined
}

/**
 * Finds the conversation from the last line up `parentId`; other lines are abandoned branches. A second pass reads the lines again.
 * Format: Pi's session-format.md, versions 1 to 3. Throws `sessionUnreadable`, and `sessionFormat` without a session header.
 */
async function readPiTree(path: string, options: ReadOptions): Promise<PiTree> {
  const entries: Entry[] = []
  const byId = new Map<string, number>()
  const edits: { entry: number; target: string; omit: boolean }[] = []
  let header: Fields | null = null
  let end = 0

  const take = (line: Line): void => {
    const record = parseRecord(line, options)
    if (!record) return
    const { type } = record
    if (type === 'session') header ??= record
    if (type === 'session' || type === 'title') return
    const id = textOf(record.id) || undefined
    const parent = record.parentId === null ? null : textOf(record.parentId) || undefined
    if (type === 'context_edit')
      edits.push({
        entry: entries.length,
        target: textOf(record.targetId),
        omit: record.replacement === null,
      })
    if (id !== undefined) byId.set(id, entries.length)
    // Behind oh-my-pi's `/clear` a new conversation begins in the same file (18.2.3).
    entries.push({ line: line.index, parent: type === 'reset_boundary' ? null : parent })
  }

  for await (const batch of readLineBatches(path, options)) {
    for (const line of batch) {
      end = line.offset + line.bytes.length + (line.torn ? 0 : 1)
      if (line.bytes.length > 0) take(line)
    }
  }
  if (!header) throw sessionFormat(path, 'it has no Pi session header')

  const walked = walk(entries, byId)
  const omitted = new Set<string>()
  for (const edit of edits) {
    if (!walked.has(edit.entry)) continue
    if (edit.omit) omitted.add(edit.target)
    else omitted.delete(edit.target)
  }
  const active = new Set<number>()
  for (const at of walked) active.add(entries[at]?.line ?? -1)
  return { header, active, omitted, end }
}

function walk(entries: readonly Entry[], byId: ReadonlyMap<string, number>): Set<number> {
  const walked = new Set<number>()
  let at = entries.length - 1
  while (at >= 0) {
    walked.add(at)
    const parent = entries[at]?.parent
    if (parent === null) break
    const up = parent === undefined ? undefined : byId.get(parent)
    // A parent always stands earlier; where it was lost, the line before is the nearest that is known.
    at = up !== undefined && up < at ? up : at - 1
  }
  return walked
}

/** Where a second record begins in a line that holds the torn end of a crashed process before it. */
const GLUED = /.\{"type":"[a-z_]+","id":"[^"\\]+","parentId":/g

/** The record of a line, or null after saying why it cannot be used. */
function parseRecord(line: Line, options: Pick<ReadOptions, 'onSkip'>): Fields | null {
  const record = parseLine(line, options) ?? gluedIn(line)
  if (record === null || typeof record.type === 'string') return record
  options.onSkip?.('unknown')
  return null
}

function gluedIn({ bytes }: Line): Fields | null {
  const text = bytes.toString('utf8')
  const glued = [...text.matchAll(GLUED)].at(-1)
  const record = glued ? recordOf(text.slice(glued.index + 1)) : {}
  return 'type' in record ? record : null
}

/** Messages that are not the person's: `hookMessage` is the name in version 2. Their own lines of Python are no commands of the work. */
const NOT_WORDS = wordSet('custom hookMessage developer pythonExecution branchSummary compactionSummary')
const IDLE =
  wordSet(`label model_usage mode_change reset_boundary ttsr_injection credential_pin context_edit usage
  service_tier_change session_init`)

/** Translates the records of one conversation, null for an unknown kind. `omitted`: ids whose words no longer count, unlike what they did. */
export function createPiTranslator(
  sessionCwd: string | null,
  omitted: ReadonlySet<string>,
  sub: string | null = null,
): (record: Fields) => SessionEvent[] | null {
  const results = createPiResults()
  const settings = createSettings()
  const tools = new Set<string>()

  const modelIs = (provider: unknown, id: unknown): Draft[] =>
    settings({ model: [textOf(provider), textOf(id)].filter((part) => part !== '').join('/') })
  const thinkingIs = (level: unknown): Draft[] => settings({ thinking: textOf(level) })
  const toolsAre = (message: Fields): Draft[] => {
    const before = [...tools].join()
    for (const tool of listOf(message.toolsAdded)) tools.add(textOf(fieldsOf(tool).name))
    for (const tool of listOf(message.toolsRemoved)) tools.delete(textOf(fieldsOf(tool).name))
    return [...tools].join() === before ? [] : [{ kind: 'setting', tools: [...tools].sort() }]
  }

  const ofMessage = (record: Fields): Draft[] | null => {
    const message = fieldsOf(record.message)
    const silent = omitted.has(textOf(record.id))
    switch (message.role) {
      case 'user':
        return silent || message.attribution === 'agent'
          ? []
          : piPrompt(contentText(message.content), textOf(record.id))
      case 'assistant':
        return [
          ...modelIs(message.provider, message.model),
          ...thinkingIs(message.thinkingLevel),
          ...assistant(message, silent),
        ]
      case 'toolResult':
        return results.ended(message)
      case 'bashExecution':
        return userShell(message, textOf(record.id) || `user-${textOf(record.timestamp)}`)
      case 'system':
        return toolsAre(message)
      case 'fileMention':
        return mentioned(listOf(message.files), textOf(record.id))
      default:
        return NOT_WORDS.has(textOf(message.role)) ? [] : null
    }
  }

  const drafts = (record: Fields): Draft[] | null => {
    switch (record.type) {
      case 'message':
        return ofMessage(record)
      case 'model_change':
        // oh-my-pi also records the models of its helpers.
        return textOf(record.role) === '' || record.role === 'default'
          ? modelIs(record.provider, record.modelId ?? record.model)
          : []
      case 'thinking_level_change':
        return thinkingIs(record.thinkingLevel)
      case 'session_info':
        return textOf(record.name) === '' ? [] : [{ kind: 'setting', title: textOf(record.name) }]
      case 'title_change':
        return textOf(record.title) === '' ? [] : [{ kind: 'setting', title: textOf(record.title) }]
      case 'custom': {
        const plan = record.customType === 'user_todo_edit' ? piPlan(fieldsOf(record.data)) : null
        return plan ? [{ kind: 'plan', items: plan }] : []
      }
      case 'compaction':
      case 'branch_summary':
        return textOf(record.summary) === '' ? [] : [{ kind: 'compaction', summary: textOf(record.summary) }]
      case 'custom_message':
        if (record.customType === 'skill-prompt') return skillPrompt(record)
        return record.customType === 'async-result' ? results.delivered(record) : []
      default:
        return IDLE.has(textOf(record.type)) ? [] : null
    }
  }

  return (record) => {
    const events = drafts(record)
    const at = timeOf(record.timestamp) ?? timeOf(fieldsOf(record.message).timestamp)
    // A helper's model and summaries are not the session's.
    const own =
      sub === null ? events : events?.filter(({ kind }) => kind !== 'setting' && kind !== 'compaction')
    return own?.map((draft) => stamped(inside(draft, sessionCwd), { at, sub, cwd: sessionCwd })) ?? null
  }
}

/** A directory that a call names is told from that of the session. */
function inside(draft: Draft, sessionCwd: string | null): Draft {
  const { cwd } = draft
  if (cwd && !isAbsolute(cwd)) draft.cwd = sessionCwd && resolve(sessionCwd, cwd)
  return draft
}

function assistant(message: Fields, silent: boolean): Draft[] {
  const drafts: Draft[] = []
  for (const block of itemsOf(message.content)) {
    if (block.type === 'text' && !silent && textOf(block.text).trim() !== '')
      drafts.push({ kind: 'reply', text: textOf(block.text) })
    if (block.type === 'toolCall') drafts.push(...toolCall(block, textOf(message.stopReason)))
  }
  drafts.push(...usageIn(fieldsOf(message.usage)))
  if (message.stopReason === 'error')
    drafts.push({ kind: 'failure', text: textOf(message.errorMessage) || 'The model request failed.' })
  if (message.stopReason === 'aborted') drafts.push({ kind: 'interrupt' })
  return drafts
}

/** `/skill:name words`, or such a word amid the person's own, as oh-my-pi keeps it (session/messages.ts of 18.2.3). */
function skillPrompt(record: Fields): Draft[] {
  const { name, args } = fieldsOf(record.details)
  if (record.attribution !== 'user' || textOf(name) === '') return []
  return piPrompt(`/skill:${textOf(name)} ${textOf(args)}`.trim(), textOf(record.id))
}

function toolCall(block: Fields, stopReason: string): Draft[] {
  const id = textOf(block.id)
  const tool = textOf(block.name)
  const input = fieldsOf(block.arguments)
  const cwd = tool === 'bash' ? textOf(input.cwd) : ''
  const call: Draft = { ...callOf(id, tool, piAction(tool, input)), ...(cwd ? { cwd } : {}) }
  // Pi runs no tool of a reply that broke off (agent-loop.js of 0.74.2). A text would be taken for the words of a refusal.
  if (stopReason === 'aborted') return [call, endOf(id, false, '', { refused: true })]
  if (stopReason === 'error') return [call, endOf(id, false)]
  return [call, ...piQuestions(id, tool, input)]
}

/** `input` leaves out what came from the cache. */
const usageIn = ({ input, cacheRead, cacheWrite, output, totalTokens }: Fields): Draft[] =>
  usageOf(sumOf(input, cacheRead, cacheWrite), sumOf(output), numberOf(totalTokens) ?? undefined)

/** A file given as `pi @file`, put before the prompt (cli/file-processor.js of 0.74.2). */
const ATTACHED = /^<file name="([^"\n]+)">(?:\n[\s\S]*?\n|[^\n]*?)<\/file>\n?/
/** A skill as Pi expands it (agent-session.js of 0.74.2 and 1.5.2). */
const EXPANDED = /^<skill name="([^"]+)" location="[^"]*">\n[\s\S]*?\n<\/skill>(?:\n\n([\s\S]+))?$/
/** A skill as it was typed, kept that way when Pi did not find it. */
const TYPED = /^\/skill:(\S+)(?:\s+([\s\S]*))?$/

/** Takes a user row apart: Pi put attached files and skill texts there. A call of our own skill stays as it was typed. */
export function piPrompt(row: string, id: string): Draft[] {
  const said: Draft[] = []
  let rest = row
  for (let file = ATTACHED.exec(rest); file; file = ATTACHED.exec(rest)) {
    said.push(...readByUser(`${id}:${said.length / 2}`, file[1] ?? ''))
    rest = rest.slice(file[0].length)
  }
  const skill = EXPANDED.exec(rest) ?? TYPED.exec(rest)
  const name = skill?.[1] ?? ''
  if (name === 'handoff') rest = `/skill:handoff ${skill?.[2] ?? ''}`.trim()
  else if (skill) {
    said.push({ kind: 'skill', name })
    rest = skill[2] ?? ''
  }
  return [...said, ...promptOf(rest)]
}
