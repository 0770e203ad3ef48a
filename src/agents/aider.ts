import { basename, dirname, isAbsolute, join, resolve } from 'node:path'
import type { Adapter, LaunchArgs } from '../types/agent.ts'
import type { Batches, ReadOptions, SessionRef } from '../types/session.ts'
import { decoded, readBlocks } from './content.ts'
import { callOf, type Draft, endOf, promptOf, replyOf, stamped } from './draft.ts'
import { timeOf } from './fields.ts'
import { atEnd, isWithin, refAt, type SessionFile, sessionsIn, withFileIfThere } from './session-files.ts'
import { usualLaunch } from './setup.ts'
import { readByUser, shellByUser } from './tools.ts'

/** Aider keeps all sessions of a repository in one markdown file. Source: deja (July 2026), agentsview `aider.go` (August 2026). */
export const aider: Adapter = {
  id: 'aider',
  label: 'Aider',
  basis: { is: 'documented', of: 'aider 0.86', source: 'deja, agentsview' },
  marks: [],
  async find({ env }, roots, onUnread) {
    const name = env.AIDER_CHAT_HISTORY_FILE || HISTORY
    const around = roots.filter((root) => isWithin(name, [root]))
    // One file for all worktrees is that of the one it lies in, else of the first.
    const owners = isAbsolute(name) ? [...around, ...roots].slice(0, 1) : roots
    const found = owners.map((root) => refAt(resolve(root, name), (path) => refsIn(path, root), onUnread))
    return sessionsIn(
      found.flatMap((refs) => refs ?? []),
      roots,
    )
  },
  identify: async (path, head) =>
    /^\s*# aider chat started at /.test(head)
      ? (refsIn(path, basename(path) === HISTORY ? dirname(path) : null)?.at(-1) ?? null)
      : null,
  read,
  // It has no skills, hooks or MCP servers: it reads the rules of the repository as conventions (its documentation, May 2026).
  setup: ({ root }) => [
    { type: 'yaml-item', path: join(root, '.aider.conf.yml'), at: ['read'], value: 'AGENTS.md' },
  ],
  traces: ({ root, home }) => ({
    project: ['.aider.conf.yml', HISTORY].map((name) => join(root, name)),
    home: ['.aider.conf.yml', '.aider'].map((name) => join(home, name)),
  }),
  launch: {
    ...usualLaunch,
    program: 'aider',
    interactive: once,
    headless: once,
    passEnv: [
      ...['AIDER_*', 'OPENAI_*', 'ANTHROPIC_*', 'GEMINI_API_KEY', 'OPENROUTER_API_KEY'],
      'DEEPSEEK_API_KEY',
    ],
    skillLine: (name) => name,
  },
}

/** A message, and it ends (`aider/args.py`, May 2026): no option leaves a prompt and the screen. */
function once(prompt: string): LaunchArgs {
  return { args: ['--read', '.handoff/latest.md', '--message', prompt] }
}

const HISTORY = '.aider.chat.history.md'
/** How each session begins, with its local time. */
const START = '# aider chat started at '
const NEWLINE = 10
/** Bytes at the end of a file in which sessions are looked for, and those for one that began before. */
const LISTED = [1 << 22, 1 << 27] as const

/** The last sessions of one file, oldest first; null when it holds none. Throws `sessionUnreadable`. */
function refsIn(path: string, cwd: string | null): SessionRef[] | null {
  return withFileIfThere(path, (file) => {
    const refs = atEnd(file, LISTED, (bytes) => refsOf(path, cwd, file, bytes))
    if (refs === null && file.size > LISTED[1] && file.at(0, 99).includes(START))
      throw new Error('its last session has more than 128 MB')
    return refs
  })
}

/** Those that begin in the last bytes of a file; each goes by its time, and its path by its place. */
function refsOf(path: string, cwd: string | null, file: SessionFile, bytes: Buffer): SessionRef[] | null {
  const from = file.size - bytes.length
  const starts: { at: number; time: string | null }[] = []
  for (let at = bytes.indexOf(START); at !== -1; at = bytes.indexOf(START, at + 1)) {
    if (at > 0 && bytes[at - 1] !== NEWLINE) continue
    const [date, time] = bytes.toString('latin1', at + START.length, at + START.length + 40).split(/\s/)
    starts.push({ at, time: timeOf(`${date}T${time}`) })
  }
  const refs = starts.map(({ at, time }, index) => ({
    agent: 'aider',
    id: time?.slice(0, 19).replaceAll(':', '-') ?? String(from + at),
    path: `${path}#${from + at}`,
    cwd,
    startedAt: time,
    // Only the next session tells when one was over.
    updatedAt: starts[index + 1]?.time ?? file.mtime.toISOString(),
    bytes: (starts[index + 1]?.at ?? bytes.length) - at,
  }))
  return refs.length === 0 ? null : refs
}

async function* read(ref: SessionRef, options: ReadOptions): Batches {
  const [, path = ref.path, place = '0'] = /^(.+)#(\d+)$/s.exec(ref.path) ?? []
  const start = Number(place)
  let text = ''
  for await (const { bytes } of readBlocks(path, { ...options, start, end: start + ref.bytes }))
    text += decoded(bytes)
  const parts = partsOf(text)
  const drafts = parts.flatMap((part, index) => draftsOf(part, parts[index + 1], String(index)))
  yield drafts.map((draft) => stamped(draft, { at: null, sub: null, cwd: ref.cwd }))
}

interface Part {
  by: 'user' | 'agent' | 'aider'
  text: string
}

/** The person writes `####`, the client `>` and what is directly below; the client ends its lines with two blanks (`aider/io.py`). */
function partsOf(session: string): Part[] {
  const parts: Part[] = []
  let isFenced = false
  let isBlank = true
  for (const line of session.split(/\r?\n/).slice(1)) {
    const last = parts.at(-1)
    const [, mark, marked = ''] = (isFenced ? null : /^(####|>)(?: (.*?))? {2}$/.exec(line)) ?? []
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
  if (by === 'aider') return deedsOf(text.split('\n'), id)
  const [, word, rest = ''] = /^(?:[/](\S+)|!)\s*([\s\S]*)$/.exec(text) ?? []
  const command = text.startsWith('!') ? 'run' : (word ?? '')
  if (command === '') return promptOf(text.replace(/^<blank>$/gm, ''))
  const paths = command === 'add' || command === 'read-only' ? rest.split(/\s+/) : []
  if (paths.length > 0) return paths.flatMap((path, at) => readByUser(`${id}:${at}`, path))
  if (rest === '' || !['run', 'test', 'git'].includes(command)) return []
  const said = next?.by === 'aider' ? next.text : ''
  // What a test said is added only where it failed (`aider/commands.py`).
  const isTest = command === 'test'
  const ok = !(isTest && ADDED.test(said))
  const end = { ok, exitCode: null, text: said, ...(isTest ? {} : { unsure: true }) }
  return shellByUser(id, command === 'git' ? `git ${rest}` : rest, end)
}

const ADDED = /^Added \d+ lines? of output to the chat/m

/** The name of a new file stands in the line before the question. */
function deedsOf(lines: string[], id: string): Draft[] {
  const created = new Set(
    lines.flatMap((line, at) => (/^Create new file\? .*: *y(?:es)?$/i.test(line) ? [lines[at - 1]] : [])),
  )
  return lines.flatMap((line, at) => deedOf(line, `${id}:${at}`, created))
}

/** What a line of the client tells of its own doings. */
function deedOf(line: string, id: string, created: ReadonlySet<string | undefined>): Draft[] {
  const [, model] = /^(?:Main )?[Mm]odel: (\S+) with/.exec(line) ?? []
  if (model !== undefined) return [{ kind: 'setting', model }]
  const [, version] = /^Aider v(\S+)$/.exec(line) ?? []
  if (version !== undefined) return [{ kind: 'setting', version }]
  const [, did = '', what = ''] = /^(Applied edit to|Creating empty file|Running) (.+)$/.exec(line) ?? []
  if (did === '') return []
  if (did === 'Running')
    return [callOf(id, 'run', { type: 'run', command: what }), endOf(id, true, '', { unsure: true })]
  const change = did.startsWith('Creating') || created.has(what) ? 'create' : 'update'
  return [callOf(id, 'edit', { type: 'edit', files: [{ path: what, change }] }), endOf(id, true)]
}
