import { existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import { zedUnreadable } from '../errors/session.ts'
import type { Adapter } from '../types/agent.ts'
import type { Home } from '../types/config.ts'
import type { Batches, ReadOptions, SessionRef } from '../types/session.ts'
import { firstText, pathsUnder } from './content.ts'
import { callOf, createSettings, type Draft, endOf, promptOf, replyOf, stamped } from './draft.ts'
import { type Fields, fieldsOf, itemsOf, recordOf, textOf } from './fields.ts'
import { unpack } from './packed.ts'
import { fileRef, isWithin, readEnds, refAt, sessionsIn } from './session-files.ts'
import { storedRefs, storedRows } from './sqlite.ts'
import { actionBy, isCopy, planItems, readByUser, toolsBy } from './tools.ts'
import { readWhole } from './whole-json.ts'

/**
 * Zed's own agent: an SQLite file of all threads, each one JSON value, packed. From its own code (zed-industries/zed of May 2026,
 * `crates/agent/src/db.rs`, `thread.rs` and `tools`), not run here: it is a desktop program. Agents that it runs by ACP have sessions of their own.
 */
export const zed: Adapter = {
  id: 'zed',
  label: 'Zed',
  basis: { is: 'documented', of: 'Zed 2026', source: 'its code' },
  marks: [],
  async find(place, roots, onUnread) {
    const database = join(dataFolder(place), 'threads', 'threads.db')
    if (!existsSync(database)) return []
    const refs = refAt(database, () => storedRefs('zed', zedUnreadable, database, THREADS), onUnread) ?? []
    // One window may have several folders: a thread is of the one that is asked for.
    const cwdOf = ({ cwd }: SessionRef) =>
      (cwd ?? '').split('\n').find((folder) => isWithin(folder, roots)) ?? null
    return sessionsIn(
      refs.map((ref) => ({ ...ref, cwd: cwdOf(ref) })),
      roots,
    )
  },
  identify: async (path, head) => (SIGN.test(head) ? fileOf(path) : null),
  read,
  traces: ({ root, ...place }) => ({ project: [join(root, '.zed')], home: [dataFolder(place)] }),
}

const dataFolder = ({ home, env }: Home): string =>
  process.platform === 'darwin'
    ? join(home, 'Library', 'Application Support', 'Zed')
    : join(env.XDG_DATA_HOME || join(home, '.local', 'share'), 'zed')

/** Those that a person began here; Zed names a thread that somebody shared by a link. */
const THREADS = `select json_object('id', id, 'title', summary, 'cwd', folder_paths, 'from', created_at, 'to', updated_at,
  'bytes', length(data)) from threads where parent_id is null and summary not like '🔗 %'`
const THREAD = (id: string): string =>
  `select json_object('type', data_type, 'data', hex(data)) from threads where id = ${id}`

const SIGN = /^\s*\{\s*"title":\s*"(?:[^"\\]|\\.)*",\s*"messages":\s*\[\s*\{\s*"User":/

function fileOf(path: string): SessionRef | null {
  const ends = readEnds(path)
  const to = /"updated_at":\s*"([^"]+)"/.exec(ends?.tail ?? '')?.[1]
  return ends && fileRef('zed', path, ends, { id: basename(path, '.json'), to })
}

async function* read(ref: SessionRef, options: ReadOptions): Batches {
  const rows = storedRows(zedUnreadable, ref, {}, THREAD)
  const thread = recordOf(
    rows === null ? await readWhole(ref.path, options) : unpacked(ref, [...rows][0], options),
  )
  // No message has a time.
  const stamp = (draft: Draft) => stamped(draft, { at: null, sub: null, cwd: ref.cwd })
  const model = Object.values(fieldsOf(thread.model)).map(textOf).join('/')
  yield createSettings()({ title: textOf(thread.title), model }).map(stamp)
  for (const { User, Agent, Compaction } of itemsOf(thread.messages)) {
    const summary = textOf(fieldsOf(Compaction).Summary)
    if (summary !== '') yield [stamp({ kind: 'compaction', summary })]
    yield userDrafts(fieldsOf(User)).map(stamp)
    yield agentDrafts(fieldsOf(Agent), basename(ref.cwd ?? '')).map(stamp)
  }
}

function unpacked({ path }: SessionRef, { type, data }: Fields = {}, { onRaw }: ReadOptions): string {
  const packed = Buffer.from(textOf(data), 'hex')
  const bytes = type === 'zstd' ? unpack(path, () => packed) : packed
  onRaw?.(bytes, { path, offset: 0 })
  return bytes.toString('utf8')
}

/** What was typed, and files that it names with `@`, of which the contents come along. */
function userDrafts({ id, content: parts }: Fields): Draft[] {
  const content = itemsOf(parts)
  const files = content.map(({ Mention }) => textOf(fieldsOf(fieldsOf(fieldsOf(Mention).uri).File).abs_path))
  const text = content
    .map(({ Text }, at) => textOf(Text) || (files[at] && `@${basename(files[at])}`) || '')
    .join('')
  return [...promptOf(text), ...files.flatMap((path, at) => readByUser(`${id}@${at}`, path))]
}

const TOOLS = toolsBy({ search: 'find_path' })

/** Words and calls in their order, then what came of the calls. Paths begin with the name of their folder, `root`. */
function agentDrafts({ content, tool_results }: Fields, root: string): Draft[] {
  const said = itemsOf(content).flatMap(({ Text, ToolUse }): Draft[] => {
    const { id, name, input: given } = fieldsOf(ToolUse)
    const [tool, input] = [textOf(name), fieldsOf(given)]
    if (ToolUse === undefined) return replyOf(textOf(Text))
    if (tool === 'update_plan')
      return [{ kind: 'plan', items: planItems(input.steps ?? input.plan, 'title') }]
    const paths = pathsUnder(input).map((path) =>
      path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path,
    )
    const deed = input.mode === 'create' ? 'create' : TOOLS.get(tool)
    const pattern = firstText(input.regex, input.glob)
    return [
      callOf(
        textOf(id),
        tool,
        actionBy(deed, { ...input, ...(pattern && { pattern }), prompt: input.message }, paths),
      ),
    ]
  })
  return [...said, ...itemsOf(Object.values(fieldsOf(tool_results))).flatMap(ended)]
}

function ended({ tool_use_id, tool_name, is_error, content }: Fields): Draft[] {
  const [id, tool] = [textOf(tool_use_id), textOf(tool_name)]
  const text = (Array.isArray(content) ? content : [content])
    .map((part) => firstText(part, fieldsOf(part).Text, fieldsOf(part).text))
    .join('\n')
  if (tool === 'update_plan') return []
  if (is_error === true && /^(?:Permission to run tool denied|Tool canceled) by user/.test(text))
    return [endOf(id, false, '', { refused: true })]
  const [failed, code] = /^Command ".*" failed with exit code (\d+)\.\s*/s.exec(text.slice(0, 9999)) ?? []
  const ok =
    is_error !== true &&
    failed === undefined &&
    !/^Command (?:".*" timed out|terminated)/s.test(text.slice(0, 9999))
  const shown = text.slice(failed?.length ?? 0).replace(/^```\n([\s\S]*)\n```$/, '$1')
  // A command that went well is told by its output alone.
  const exitCode = code !== undefined ? Number(code) : ok && tool === 'terminal' ? 0 : null
  return [endOf(id, ok, ok && isCopy(TOOLS.get(tool)) ? '' : shown, { exitCode })]
}
