import { dirname, join } from 'node:path'
import type { Adapter } from '../types/agent.ts'
import type { Home } from '../types/config.ts'
import type { Batches, ReadOptions, SessionRef } from '../types/session.ts'
import { eachRecord, translate } from './content.ts'
import { callOf, createSettings, type Draft, endOf, promptOf, replyOf, stamped } from './draft.ts'
import { type Fields, fieldsOf, itemsOf, numberIn, recordOf, textOf } from './fields.ts'
import { fileRef, pathsIn, readEnds, recordAt, sessionsAt } from './session-files.ts'
import { actionBy, isCopy, planItems, TOOLS } from './tools.ts'

/**
 * Mistral Vibe: a folder per session with its messages, which have no times, and what is known of it in `meta.json`. From its own code
 * (mistralai/mistral-vibe at 025ba238, `core/session`, `core/types.py`, `core/agent_loop.py`), not run here: it comes as a Python package.
 */
export const mistralVibe: Adapter = {
  id: 'mistral-vibe',
  label: 'Mistral Vibe',
  basis: { is: 'documented', of: 'Mistral Vibe 2', source: 'its code' },
  marks: [],
  async find(place, roots, onUnread) {
    const paths = pathsIn(join(folderOf(place), 'logs', 'session'), onUnread)
    const sessions = paths.filter((path) => /[/\\]\w+_\d{8}_\d{6}_[^/\\]+$/.test(path))
    return sessionsAt(
      sessions.map((path) => join(path, 'messages.jsonl')),
      roots,
      onUnread,
      refOf,
    )
  },
  identify: async (path, head) => (SIGN.test(head) ? refOf(path) : null),
  read,
  traces: ({ root, ...place }) => ({ project: [join(root, '.vibe')], home: [folderOf(place)] }),
}

const folderOf = ({ home, env }: Home): string => env.VIBE_HOME || join(home, '.vibe')

/** Every message begins so; that of a tool, which has no id, is never the first. */
const SIGN = /^\{"role": "(?:user|assistant)", "content": .*"injected": (?:true|false)/

const metaOf = (path: string): Fields => recordAt(join(dirname(path), 'meta.json'))

function refOf(path: string): SessionRef | null {
  const ends = readEnds(path)
  const meta = metaOf(path)
  if (ends === null || !SIGN.test(ends.head) || textOf(meta.session_id) === '') return null
  const { session_id, start_time: from, end_time: to, title, git_branch: branch, environment } = meta
  const { working_directory: cwd } = fieldsOf(environment)
  return fileRef('mistral-vibe', path, ends, { id: textOf(session_id), cwd, from, to, title, branch })
}

async function* read(ref: SessionRef, options: ReadOptions): Batches {
  const stamp = { at: null, sub: null, cwd: ref.cwd }
  const model = textOf(fieldsOf(metaOf(ref.path).config).active_model)
  yield createSettings()({ model, branch: ref.branch ?? '' }).map((draft) => stamped(draft, stamp))
  yield* translate(
    ref.path,
    options,
    eachRecord(createDrafts(), () => stamp),
  )
}

function createDrafts(): (message: Fields) => Draft[] | null {
  const tools = new Map<string, string>()
  return (message) => {
    const text = textOf(message.content)
    switch (message.role) {
      case 'user':
        return message.injected === true ? [] : promptOf(text)
      case 'assistant':
        return [...replyOf(text), ...itemsOf(message.tool_calls).flatMap(called)]
      case 'tool':
        return [ended(textOf(message.tool_call_id), text)]
      default:
        return null
    }
  }

  function called({ id: own, function: given }: Fields): Draft[] {
    const { name, arguments: written } = fieldsOf(given)
    const [id, tool, args] = [textOf(own), textOf(name), recordOf(textOf(written))]
    tools.set(id, tool)
    const items = planItems(args.todos, 'content')
    const plan: Draft[] = tool === 'todo' && items.length > 0 ? [{ kind: 'plan', items }] : []
    return [callOf(id, tool, actionBy(TOOLS.get(tool), args)), ...plan]
  }

  /** What went well is `name: value` by lines; what failed, or was not allowed, stands in a tag. */
  function ended(id: string, text: string): Draft {
    const failed = /^<tool_error>([\s\S]*?)(?:<\/tool_error>|$)/.exec(text)
    const deed = TOOLS.get(tools.get(id) ?? '')
    if (text.startsWith('<user_cancellation>')) return endOf(id, false, '', { refused: true })
    if (failed === null && isCopy(deed)) return endOf(id, true)
    const code = (failed === null ? /^returncode: (\d+)$/m : /^Return code: (\d+)$/m).exec(text)?.[1]
    const printed = /^command: [\s\S]*?\nstdout: ([\s\S]*?)\nstderr: ([\s\S]*)\nreturncode: /.exec(text)
    const shown = failed?.[1] ?? (printed ? printed.slice(1).filter(Boolean).join('\n') : text)
    return endOf(id, failed === null, shown, { exitCode: numberIn(code) })
  }
}
