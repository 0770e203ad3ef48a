import { existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Adapter } from '../types/agent.ts'
import type { Home } from '../types/config.ts'
import type { Batches, ReadOptions, SessionEvent, SessionRef } from '../types/session.ts'
import { readClaudeRef } from './claude-code/files.ts'
import { appFolders } from './copilot-editors/files.ts'
import { listOf, textOf } from './fields.ts'
import { isWithin, pathsIn, recordAt, sessionsAt } from './session-files.ts'

/**
 * Cowork, the local agent of Claude's desktop app: Claude Code with a folder of its own for each task, and a record beside it. From the app's
 * code as others quote it (its validator of records, the paths of its virtual machine), not run here.
 */
export const cowork: Adapter = {
  id: 'cowork',
  label: 'Claude Cowork',
  basis: { is: 'documented', of: 'Claude desktop of 2026', source: 'txcript, agentsview' },
  marks: [],
  async find(place, roots, onUnread) {
    const below = (folder: string) => pathsIn(folder, onUnread)
    const accounts = sessionFolders(place).flatMap(below).flatMap(below)
    const records = accounts.flatMap((account) => [...below(account), ...below(join(account, 'agent'))])
    const paths = records.filter((path) => RECORD.test(path)).flatMap((path) => transcriptOf(path) ?? [])
    return sessionsAt(paths, roots, onUnread, (path) => refOf(path, roots))
  },
  identify: async (path) => refOf(path, []),
  read,
  traces: (place) => ({ project: [], home: sessionFolders(place) }),
}

const sessionFolders = (place: Home): string[] =>
  appFolders(place).map((folder) => join(folder, 'Claude', 'local-agent-mode-sessions'))

const RECORD = /[/\\]local_[^/\\]+\.json$/
const TRANSCRIPT = /^(.*[/\\]local_[^/\\]+)[/\\]\.claude[/\\]projects[/\\][^/\\]+[/\\][^/\\]+\.jsonl$/

function transcriptOf(record: string): string | null {
  const { cliSessionId } = recordAt(record)
  const projects = pathsIn(join(record.slice(0, -'.json'.length), '.claude', 'projects'))
  const paths = projects.map((project) => join(project, `${textOf(cliSessionId)}.jsonl`))
  return paths.find((path) => existsSync(path)) ?? null
}

/** The folder is the one of the person's that is asked for, or the first: the client's own is in a virtual machine or among its files. */
function refOf(path: string, roots: readonly string[]): SessionRef | null {
  const storage = TRANSCRIPT.exec(path)?.[1]
  const record = storage === undefined ? {} : recordAt(`${storage}.json`)
  const ref = textOf(record.sessionId) === '' ? null : readClaudeRef(path)
  if (ref === null) return null
  const folders = listOf(record.userSelectedFolders).map(textOf)
  const cwd = folders.find((folder) => isWithin(folder, roots)) ?? folders[0] ?? ref.cwd
  const title = textOf(record.title)
  return { ...ref, agent: 'cowork', id: textOf(record.sessionId), cwd, ...(title && { title }) }
}

/** Its virtual machine has the person's folder under `/sessions/<name>/mnt`. */
async function* read(ref: SessionRef, options: ReadOptions): Batches {
  const { readClaudeSession } = await import('./claude-code/read.ts')
  const [folder, name] = [JSON.stringify(ref.cwd ?? '').slice(1, -1), basename(ref.cwd ?? '')]
  const mounted = new RegExp(`/sessions/[a-z-]+/mnt/${name.replace(/\W/g, '\\$&')}(?![\\w.-])`, 'g')
  const own = { ...ref, id: basename(ref.path, '.jsonl') }
  for await (const batch of readClaudeSession(own, options))
    yield batch.map((event): SessionEvent => {
      const text = JSON.stringify(event)
      return text.includes('/sessions/') ? JSON.parse(text.replace(mounted, () => folder)) : event
    })
}
