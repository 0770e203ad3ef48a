import { existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Adapter } from '../types/agent.ts'
import type { Batches, ReadOptions, SessionRef } from '../types/session.ts'
import { firstText, pathOf } from './content.ts'
import { callOf, createSettings, type Draft, endOf, promptOf, replyOf, stamped, usageOf } from './draft.ts'
import { type Fields, fieldsOf, itemsOf, numberOf, recordOf, sumOf, textOf, timeOf } from './fields.ts'
import { fileRef, pathsIn, readEnds, sessionsAt } from './session-files.ts'
import { jsonValue, skillIn, usualLaunch, xdgFolders } from './setup.ts'
import { actionBy, planItems, TOOLS } from './tools.ts'
import { readRecords } from './whole-json.ts'

/** Amp: one JSON file per thread, also from `amp threads export`; builds since April 2026 keep them on the server. Source: deja, agentsview. */
export const amp: Adapter = {
  id: 'amp',
  label: 'Amp',
  basis: { is: 'documented', of: 'threads of 2025 and 2026', source: 'deja, agentsview' },
  marks: ['AMP_CURRENT_THREAD_ID'],
  sessionMarks: ['AMP_CURRENT_THREAD_ID'],
  async find({ home, env }, roots, onUnread) {
    const folder = join(xdgFolders({ home, env }, 'amp')[1], 'threads')
    const paths = pathsIn(folder, onUnread).filter((path) => path.endsWith('.json'))
    return sessionsAt(paths, roots, onUnread, wholeRef)
  },
  identify: async (path, head) => (THREAD.test(head) ? refOf(path) : null),
  read,
  // `amp mcp add --workspace` prefers an existing `settings.jsonc` (September 2026). Amp has no hooks; its plugins are code.
  setup: (place) => {
    const file = (name: string): string => join(place.root, '.amp', name)
    const commented = file('settings.jsonc')
    const path = existsSync(commented) ? commented : file('settings.json')
    return [skillIn(place, '.agents'), jsonValue(path, ['amp.mcpServers', 'handoff'], place.mcp)]
  },
  traces: ({ root, ...place }) => ({ project: [join(root, '.amp')], home: xdgFolders(place, 'amp') }),
  // `amp mcp approve --help`, September 2026.
  afterSetup: ['Approve the MCP server of this project once: `amp mcp approve handoff`.'],
  // As its own help says (September 2026): a prompt on standard input begins a session on the screen.
  launch: {
    ...usualLaunch,
    program: 'amp',
    interactive: (prompt) => ({ args: [], stdin: prompt }),
    headless: (prompt) => ({ args: ['-x'], stdin: prompt }),
    passEnv: ['AMP_*'],
  },
}

const THREAD = /"id"\s*:\s*"(T-[\w-]+)"/
const TREE = /"trees"\s*:\s*\[\s*\{[^\]]*?"uri"\s*:\s*"(file:[^"]+)"/
const TITLE = /"title"\s*:\s*("(?:[^"\\]|\\.)*")/

/** Of a file that is cut off the directory is lost: it is told, not passed over. */
function wholeRef(path: string): SessionRef | null {
  const ref = refOf(path)
  return ref?.cwd === null && !/\}\s*$/.test(readEnds(path, true)?.tail ?? '') ? null : ref
}

/** Its fields stand before and behind the messages. */
function refOf(path: string): SessionRef | null {
  const ends = readEnds(path, true)
  if (!ends || !/^\s*\{/.test(ends.head) || !/"messages"\s*:/.test(ends.head)) return null
  const found = (sign: RegExp) => sign.exec(ends.head)?.[1] ?? sign.exec(ends.tail)?.[1]
  const id = found(THREAD)
  if (id === undefined) return null
  return fileRef('amp', path, ends, {
    id: /^T-/.test(basename(path)) ? basename(path, '.json') : id,
    cwd: pathOf(found(TREE) ?? ''),
    from: Number(found(/"created"\s*:\s*(\d+)/)),
    title: recordOf(`{"title":${found(TITLE) ?? '""'}}`).title,
  })
}

async function* read(ref: SessionRef, options: ReadOptions): Batches {
  const { header, records } = await readRecords(ref.path, 'messages', options)
  const settings = createSettings()
  let at = ref.startedAt
  yield settings({ title: textOf(header.title) }).map((draft) =>
    stamped(draft, { at, sub: null, cwd: ref.cwd }),
  )
  for (const { role, content, meta, usage } of records) {
    const told = fieldsOf(usage)
    at = timeOf(fieldsOf(meta).sentAt) ?? timeOf(told.timestamp) ?? at
    const { inputTokens, outputTokens, cacheCreationInputTokens, cacheReadInputTokens, maxInputTokens } = told
    const input = sumOf(inputTokens, cacheCreationInputTokens, cacheReadInputTokens)
    const output = sumOf(outputTokens)
    const drafts: Draft[] = [
      ...settings({ model: textOf(told.model) }),
      ...itemsOf(content).flatMap((block) => blockDrafts(block, role)),
      ...usageOf(input, output, input + output, numberOf(maxInputTokens)),
    ]
    yield drafts.map((draft) => stamped(draft, { at, sub: null, cwd: ref.cwd }))
  }
}

function blockDrafts(block: Fields, role: unknown): Draft[] {
  switch (block.type) {
    case 'text':
      return role === 'user' ? promptOf(textOf(block.text)) : replyOf(textOf(block.text))
    case 'tool_use':
      return called(block)
    case 'tool_result':
      return ended(block)
    default:
      return []
  }
}

function called({ id, name, input: given }: Fields): Draft[] {
  const [tool, input] = [textOf(name), fieldsOf(given)]
  const folder = firstText(input.cwd, input.workdir)
  const cwd = folder.startsWith('/') ? folder : null
  const call = callOf(textOf(id), tool, actionBy(TOOLS.get(tool), input), { cwd })
  return tool === 'todo_write' ? [call, { kind: 'plan', items: planItems(input.todos, 'content') }] : [call]
}

/** What came of a call: `run` has its status, and the result of a command its exit code. */
function ended({ toolUseID, run }: Fields): Draft[] {
  const { status, result, error, reason } = fieldsOf(run)
  const told = fieldsOf(result)
  const { output = told.content ?? told.diff } = told
  const exitCode = numberOf(told.exitCode)
  const ok = status === 'done' && (exitCode ?? 0) === 0 && told.success !== false
  const id = textOf(toolUseID)
  if (status === 'done' || status === 'error')
    return [endOf(id, ok, firstText(result, output, fieldsOf(error).message), { exitCode })]
  const isRefused = status === 'rejected-by-user' || status === 'cancelled'
  return isRefused ? [endOf(id, ok, '', { exitCode, refused: true, reason: textOf(reason) })] : []
}
