import { dirname, join } from 'node:path'
import type { Adapter } from '../types/agent.ts'
import type { Home } from '../types/config.ts'
import type { SessionRef } from '../types/session.ts'
import { contentText, eachRecord, translate } from './content.ts'
import { callOf, createSettings, type Draft, endOf, promptOf, replyOf } from './draft.ts'
import { type Fields, fieldsOf, itemsOf, recordOf, textOf } from './fields.ts'
import { fileRef, pathsIn, readEnds, recordAt, sessionsAt } from './session-files.ts'
import { actionBy, isCopy, TOOLS } from './tools.ts'

/** Grok Build: a folder per session with its messages, without times, and a summary. From trimmed real sessions (jazzyalex/agent-sessions, July 2026). */
export const grokBuild: Adapter = {
  id: 'grok-build',
  label: 'Grok Build',
  basis: { is: 'documented', of: 'Grok Build of July 2026', source: 'real sessions' },
  marks: [],
  async find(place, roots, onUnread) {
    const sessions = pathsIn(join(folderOf(place), 'sessions'), onUnread).flatMap((folder) =>
      pathsIn(folder, onUnread)
        // What a session began for itself is its own.
        .filter((session) => summaryIn(session).session_kind !== 'subagent')
        .map((session) => join(session, 'chat_history.jsonl')),
    )
    return sessionsAt(sessions, roots, onUnread, refOf)
  },
  identify: async (path, head) => (SIGN.test(head) ? refOf(path) : null),
  read: (ref, options) =>
    translate(
      ref.path,
      options,
      eachRecord(createDrafts(), () => ({ at: null, sub: null, cwd: ref.cwd })),
    ),
  traces: ({ root, ...place }) => ({ project: [join(root, '.grok')], home: [folderOf(place)] }),
}

const folderOf = ({ home, env }: Home): string => env.GROK_HOME || join(home, '.grok')
const SIGN = /^\{"type":"system","content":"You are Grok\b/
const summaryIn = (folder: string): Fields => recordAt(join(folder, 'summary.json'))

function refOf(path: string): SessionRef | null {
  const ends = readEnds(path)
  const { info, created_at: from, updated_at: to, head_branch: branch, ...told } = summaryIn(dirname(path))
  const { id, cwd } = fieldsOf(info)
  if (ends === null || !SIGN.test(ends.head) || textOf(id) === '') return null
  return fileRef('grok-build', path, ends, {
    id: textOf(id),
    cwd,
    from,
    to,
    title: told.generated_title,
    branch,
  })
}

function createDrafts(): (message: Fields) => Draft[] | null {
  const settings = createSettings()
  const tools = new Map<string, string>()
  return (message) => {
    const text = contentText(message.content)
    switch (message.type) {
      case 'user': {
        if (message.synthetic_reason !== undefined) return []
        const stopped: Draft[] = message.prior_turn_interrupt === undefined ? [] : [{ kind: 'interrupt' }]
        return [...stopped, ...promptOf(text)]
      }
      case 'assistant':
        return [
          ...settings({ model: textOf(message.model_id) }),
          ...replyOf(text),
          ...itemsOf(message.tool_calls).map(({ id: own, name, arguments: written }) => {
            const [id, tool] = [textOf(own), textOf(name)]
            tools.set(id, tool)
            return callOf(id, tool, actionBy(TOOLS.get(tool), recordOf(textOf(written))))
          }),
        ]
      case 'tool_result': {
        const id = textOf(message.tool_call_id)
        const deed = TOOLS.get(tools.get(id) ?? '')
        // How a command ended is told in none of them.
        return [endOf(id, true, isCopy(deed) ? '' : text, { unsure: true })]
      }
      case 'system':
      case 'reasoning':
      case 'backend_tool_call':
        return []
      default:
        return null
    }
  }
}
