import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { crushUnreadable } from '../errors/session.ts'
import type { Adapter } from '../types/agent.ts'
import type { Home } from '../types/config.ts'
import type { Batches, ReadOptions, SessionRef } from '../types/session.ts'
import { numbered, pathsUnder } from './content.ts'
import { callOf, createSettings, type Draft, endOf, promptOf, replyOf, stamped } from './draft.ts'
import {
  type Fields,
  fieldsOf,
  itemsOf,
  jsonOf,
  listOf,
  numberIn,
  numberOf,
  recordOf,
  textOf,
  timeOf,
} from './fields.ts'
import { fileRef, isWithin, readEnds, recordAt, refAt, sessionsIn } from './session-files.ts'
import { xdgFolders } from './setup.ts'
import { jsonIn, storedRefs, storedRows } from './sqlite.ts'
import { actionBy, isCopy, planItems, questionsIn, shellByUser, TOOLS } from './tools.ts'
import { headerIn, readRecords } from './whole-json.ts'

/**
 * Crush: an SQLite file per project, and the output of `crush session show --json`. From its own code (charmbracelet/crush at 37f36e93,
 * `internal/db`, `internal/message`, `internal/projects`, `internal/agent/tools`), not run here: its package downloads a binary.
 */
export const crush: Adapter = {
  id: 'crush',
  label: 'Crush',
  basis: { is: 'documented', of: 'Crush 2026', source: 'its code' },
  marks: ['CRUSH'],
  async find(place, roots, onUnread) {
    const refs = projectsIn(place, roots).flatMap(([database, cwd]) => {
      const stored = refAt(database, () => storedRefs('crush', crushUnreadable, database, SESSIONS), onUnread)
      return (stored ?? []).map((ref) => ({ ...ref, cwd }))
    })
    return sessionsIn(refs, roots)
  },
  identify: async (path, head) => (SIGN.test(head) ? exportRef(path) : null),
  read,
  traces: ({ root, ...place }) => ({
    project: ['.crush', '.crush.json', 'crush.json'].map((name) => join(root, name)),
    home: [xdgFolders(place, 'crush')[0], dataFolder(place)],
  }),
}

const dataFolder = ({ home, env }: Home): string =>
  env.CRUSH_GLOBAL_DATA || join(env.XDG_DATA_HOME || join(home, '.local', 'share'), 'crush')

/** Databases and the folders they are of. A branch can bring one: only projects that Crush has noted at home count. */
function projectsIn(place: Home, roots: readonly string[]): [string, string][] {
  const noted = itemsOf(recordAt(join(dataFolder(place), 'projects.json')).projects)
    .map(({ path, data_dir }): [string, string] => [join(textOf(data_dir), 'crush.db'), textOf(path)])
    .filter(([database, cwd]) => isWithin(cwd, roots) && existsSync(database))
  // What was begun in a folder below has the database of the one above.
  return [...new Map(noted.sort(([, one], [, other]) => other.length - one.length))]
}

/** What a person began; titles and tasks are made by sessions of their own. */
const SESSIONS = `select json_object('id', s.id, 'title', s.title, 'from', s.created_at * 1000, 'to', s.updated_at * 1000,
  'bytes', (select sum(length(parts)) from messages m where m.session_id = s.id)) from sessions s
  where s.parent_session_id is null and s.message_count > 0`
const MESSAGES = (
  id: string,
): string => `select json_object('role', role, 'model', model, 'created', created_at * 1000,
  'summary', is_summary_message, 'parts', ${jsonIn('parts')}) from messages where session_id = ${id}
  order by created_at, rowid`

const SIGN = /^\s*\{\s*"meta":\s*\{\s*"id":\s*"[^"]*",\s*"uuid":\s*"/

function exportRef(path: string): SessionRef | null {
  const ends = readEnds(path)
  const { uuid, title, created, modified } = fieldsOf(headerIn(ends?.head ?? '', 'messages').meta)
  if (ends === null || textOf(uuid) === '') return null
  return fileRef('crush', path, ends, { id: textOf(uuid), title, from: created, to: modified })
}

async function* read(ref: SessionRef, options: ReadOptions): Batches {
  const stored = storedRows(crushUnreadable, ref, options, MESSAGES)
  const messages = stored ?? (await readRecords(ref.path, 'messages', options)).records
  const draftsOf = createDrafts()
  for (const { created, ...message } of messages) {
    if (message.parts === null) options.onSkip?.('not-json')
    yield draftsOf(message).map((draft) => stamped(draft, { at: timeOf(created), sub: null, cwd: ref.cwd }))
  }
}

function createDrafts(): (message: Fields) => Draft[] {
  const settings = createSettings()
  const calls = new Map<string, { tool: string; input: Fields }>()
  return ({ role, model, summary, parts }) => {
    const drafts = itemsOf(parts).flatMap((part) => partDrafts(part, role))
    const said = drafts.flatMap((draft) => (draft.kind === 'reply' ? [draft.text] : []))
    if (summary === 1) return said.map((text) => ({ kind: 'compaction', summary: text }))
    return [...(role === 'assistant' ? settings({ model: textOf(model) }) : []), ...drafts]
  }

  /** In the database what a part holds stands under `data`, in an export beside its type. */
  function partDrafts({ type, data, ...beside }: Fields, role: unknown): Draft[] {
    const part = { ...beside, ...fieldsOf(data) }
    const id = textOf(part.tool_call_id ?? part.id)
    switch (type) {
      case 'text':
        return role === 'user' ? promptOf(textOf(part.text)) : replyOf(textOf(part.text))
      case 'shell_command': {
        const [exitCode, text] = [numberOf(part.exit_code), textOf(part.output)]
        return shellByUser(`!${calls.size}`, textOf(part.command), { ok: exitCode === 0, text, exitCode })
      }
      case 'tool_call':
        return called(id, textOf(part.name), recordOf(textOf(part.input)))
      case 'tool_result':
        return ended(id, textOf(part.content), part)
      case 'finish':
        return part.reason === 'canceled' ? [{ kind: 'interrupt' }] : []
      default:
        return []
    }
  }

  function called(id: string, tool: string, input: Fields): Draft[] {
    calls.set(id, { tool, input })
    if (tool === 'todos') return [{ kind: 'plan', items: planItems(input.todos, 'content') }]
    const questions = itemsOf(input.questions).map((one) => ({ ...one, options: one.choices ?? one.options }))
    const cwd = textOf(input.working_dir) || null
    return [
      callOf(id, tool, actionBy(TOOLS.get(tool), input), { cwd }),
      ...(tool === 'question' ? questionsIn(questions, (index) => numbered(id, index)) : []),
    ]
  }

  function ended(id: string, content: string, { is_error, metadata }: Fields): Draft[] {
    const { tool = '', input = {} } = calls.get(id) ?? {}
    if (tool === 'todos') return []
    const isError = is_error === true
    if (isError && /^(?:User denied permission|Error: user cancelled)/.test(content))
      return [endOf(id, false, '', { refused: true })]
    const [, text = '', code] = OUTPUT.exec(content) ?? []
    const ok = !isError && code === undefined && !text.endsWith('Command was aborted before completion')
    const isNew =
      /^(?:<result>\n)?File created: /.test(text) ||
      /^@@ -0,0 /m.test(textOf(recordOf(textOf(metadata)).diff))
    const [, given = ''] =
      (tool === 'question' && /^User (?:answered|selected|provided): (.+)/s.exec(text)) || []
    const answer = listOf(jsonOf(given)).map(textOf).join(', ') || given
    const end = endOf(id, ok, ok && isCopy(TOOLS.get(tool)) ? '' : text, {
      exitCode: numberIn(code),
      unsure: /^(?:Background shell started|Command is taking longer)/.test(text),
      files: ok && isNew && pathsUnder(input).map((path) => ({ path, change: 'create' as const })),
    })
    return answer === '' ? [end] : [end, { kind: 'answer', id, text: answer }]
  }
}

const OUTPUT = /^([\s\S]*?)(?:\n?Exit code (\d+))?(?:\n\n<cwd>.*<\/cwd>)?$/
