import { basename, dirname, join } from 'node:path'
import type { Adapter } from '../types/agent.ts'
import type { ReadOptions, SessionEvent, SessionRef } from '../types/session.ts'
import { aiderLaunch, aiderSetup, aiderTraces } from './aider-setup.ts'
import { type Draft, type DraftOf, promptOf, replyOf, stamped } from './draft.ts'
import { timeOf } from './fields.ts'
import { sessionsIn, withFileIfThere } from './session-files.ts'
import { readByUser, shellByUser } from './tools.ts'
import { readWhole } from './whole-json.ts'

/**
 * Aider: one markdown file at the top of the repository, which holds all its sessions. From documents, not recorded: the session
 * registry of deja (histories of aider 0.86.2, July 2026) and the parser of agentsview (`internal/parser/aider.go`, August 2026).
 */
export const aider: Adapter = {
  id: 'aider',
  label: 'Aider',
  basis: { is: 'documented', of: 'histories of aider 0.86' },
  marks: [],
  caller: () => null,
  find: async ({ env }, roots) => {
    const named = env.AIDER_CHAT_HISTORY_FILE
    const files = named ? [named] : roots.map((root) => join(root, HISTORY))
    return sessionsIn(files.flatMap(refsIn), roots)
  },
  identify: async (path, head) =>
    /^\s*# aider chat started at /.test(head) ? (refsIn(path).at(-1) ?? null) : null,
  read,
  setup: aiderSetup,
  traces: aiderTraces,
  launch: aiderLaunch,
}

const HISTORY = '.aider.chat.history.md'
/** How each session begins, with its local time. */
const START = /^# aider chat started at (.*?)\r?$/gm

/** Sessions of one file, oldest first; each goes by its number in the file. */
function refsIn(path: string): SessionRef[] {
  const file = withFileIfThere(path, ({ size, mtime, at }) => ({ text: at(0, size).toString('utf8'), mtime }))
  if (file === null) return []
  const starts = [...file.text.matchAll(START)]
  const times = starts.map(([, time = '']) => timeOf(time.replace(' ', 'T')))
  return starts.map(({ index }, at) => ({
    agent: 'aider',
    id: `${(times[at] ?? '').slice(0, 19).replaceAll(':', '-')}-${at + 1}`,
    path: `${path}#${at + 1}`,
    cwd: basename(path) === HISTORY ? dirname(path) : null,
    startedAt: times[at] ?? null,
    // Only the next session tells when one was over.
    updatedAt: times[at + 1] ?? file.mtime.toISOString(),
    bytes: Buffer.byteLength(file.text.slice(index, starts[at + 1]?.index)),
  }))
}

async function* read(ref: SessionRef, options: ReadOptions): AsyncGenerator<SessionEvent[]> {
  const [, path = ref.path, number = '1'] = /^(.+)#(\d+)$/s.exec(ref.path) ?? []
  const text = await readWhole(path, options)
  const starts = [...text.matchAll(START)].map(({ index }) => index)
  const at = Number(number) - 1
  const parts = partsOf(text.slice(starts[at], starts[at + 1]))
  const drafts = parts.flatMap((part, index) => draftsOf(part, parts[index + 1], String(index)))
  yield drafts.map((draft) => stamped(draft, { at: null, sub: null, cwd: ref.cwd }))
}

interface Part {
  by: 'user' | 'agent' | 'aider'
  text: string
}

/** Words of the person (`####`), of the client (`>`, and what stands directly below), and of the model, in turn. */
function partsOf(session: string): Part[] {
  const parts: Part[] = []
  let isFenced = false
  let isBlank = true
  for (const line of session.split(/\r?\n/).slice(1)) {
    const last = parts.at(-1)
    const [, mark, marked = ''] = (isFenced ? null : /^(####|>)(?: (.*?))?\s*$/.exec(line)) ?? []
    const isBelow = last?.by === 'aider' && (line === '' || !isBlank)
    const by = mark === '####' ? 'user' : mark === '>' || isBelow ? 'aider' : line === '' ? last?.by : 'agent'
    if (by === 'agent' && line.startsWith('```')) isFenced = !isFenced
    isBlank = line === ''
    const text = mark === undefined ? line : marked
    if (by !== undefined && last?.by === by) last.text += `\n${text}`
    else if (by !== undefined) parts.push({ by, text })
  }
  return parts.map(({ by, text }) => ({ by, text: text.trim() }))
}

function draftsOf({ by, text }: Part, next: Part | undefined, id: string): Draft[] {
  if (by === 'agent') return replyOf(text)
  if (by === 'aider') return text.split('\n').flatMap((line, at) => deedOf(line, `${id}:${at}`))
  const [, word, rest = ''] = /^(?:[/](\S+)|!)\s*([\s\S]*)$/.exec(text) ?? []
  const command = text.startsWith('!') ? 'run' : (word ?? '')
  if (command === '') return promptOf(text.replace(/^<blank>$/gm, ''))
  const paths = command === 'add' || command === 'read-only' ? rest.split(/\s+/) : []
  if (paths.length > 0) return paths.flatMap((path, at) => readByUser(`${id}:${at}`, path))
  if (rest === '' || !['run', 'test', 'git'].includes(command)) return []
  const said = next?.by === 'aider' ? next.text : ''
  const end = { ok: true, exitCode: null, text: said, unsure: true }
  return shellByUser(id, command === 'git' ? `git ${rest}` : rest, end)
}

/** What a line of the client tells of its own doings. */
function deedOf(line: string, id: string): Draft[] {
  const [, model] = /^(?:Main )?[Mm]odel: (\S+) with/.exec(line) ?? []
  if (model !== undefined) return [{ kind: 'setting', model }]
  const [, version] = /^Aider v(\S+)$/.exec(line) ?? []
  if (version !== undefined) return [{ kind: 'setting', version }]
  const [, did = '', what = ''] = /^(Applied edit to|Creating empty file|Running) (.+)$/.exec(line) ?? []
  if (did === '') return []
  const result: DraftOf<'result'> = { kind: 'result', id, ok: true, exitCode: null, text: '' }
  if (did === 'Running')
    return [
      { kind: 'call', id, tool: 'run', by: 'agent', action: { type: 'run', command: what } },
      { ...result, unsure: true },
    ]
  const change = did.startsWith('Creating') ? 'create' : 'update'
  return [
    {
      kind: 'call',
      id,
      tool: 'edit',
      by: 'agent',
      action: { type: 'edit', files: [{ path: what, change }] },
    },
    result,
  ]
}
