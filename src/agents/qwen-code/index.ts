import { join } from 'node:path'
import type { Adapter } from '../../types/agent.ts'
import type { SessionRef } from '../../types/session.ts'
import { loaded } from '../content.ts'
import { type Fields, fieldsOf, recordOf, textOf, timeOf } from '../fields.ts'
import { answerBy, readCall } from '../hooks.ts'
import {
  dashed,
  fileRef,
  firstRecord,
  namesIn,
  onlyNotes,
  pathsIn,
  readEnds,
  sessionsAt,
} from '../session-files.ts'
import { claudeEvents, hookGroups, mcpServer, NAMED, usualLaunch } from '../setup.ts'

/** Qwen Code 0.15.10 (`@qwen-code/qwen-code`): one JSONL file per session, messages of Gemini CLI in the envelope of Claude Code. */
export const qwenCode: Adapter = {
  id: 'qwen-code',
  label: 'Qwen Code',
  basis: { is: 'recorded', of: '@qwen-code/qwen-code 0.15.10 to 0.24.4' },
  // Commands of 0.15.10 see only the first (core/services/shellExecutionService.ts), later ones both (core/services/shellContextEnv.ts).
  marks: ['QWEN_CODE', 'QWEN_CODE_SESSION_ID'],
  sessionMarks: ['QWEN_CODE_SESSION_ID'],
  find: findQwenFiles,
  identify: async (path, head) => (SIGN.test(head) ? readQwenRef(path) : null),
  read: loaded(async () => (await import('./read.ts')).readQwenSession),
  // What a hook answers at the start of a session reaches nobody (seen in 0.15.10): the first prompt is the next chance.
  hooks: {
    read: (payload) => readCall(fieldsOf(payload)),
    answer: answerBy({ prompt: 'UserPromptSubmit' }),
    isHeard: (event) => event !== 'session-start',
    // With `-p` it calls no hook at its start (0.15.10).
    startsAttended: true,
  },
  // Hooks and MCP server in the project's settings as in Gemini CLI, `/handoff` as a command of the project.
  setup(place) {
    const path = join(place.root, '.qwen', 'settings.json')
    return [
      ...hookGroups(path, place, claudeEvents(TIMEOUT), ['hooks'], NAMED),
      {
        type: 'file',
        path: join(place.root, '.qwen', 'commands', 'handoff.md'),
        content: commandFrom(place.template('gemini-handoff.toml')),
      },
      mcpServer(place, '.qwen', 'settings.json'),
    ]
  },
  traces: ({ root, home, env }) => ({
    project: [join(root, '.qwen'), join(root, 'QWEN.md')],
    home: [env.QWEN_HOME || join(home, '.qwen')],
  }),
  // Headless reads standard input.
  launch: {
    ...usualLaunch,
    program: 'qwen',
    interactive: (prompt) => ({ args: ['-i', prompt] }),
    headless: (prompt) => ({ args: ['-p', ''], stdin: prompt }),
    passEnv: ['QWEN_*', 'OPENAI_*', 'ANTHROPIC_*', 'GEMINI_*', 'GOOGLE_*', 'DASHSCOPE_*'],
    ready: /Type your message/,
  },
}

/** A message in parts, in the order of the fields that the client writes (core/services/chatRecordingService.ts of 0.15.10). */
const SIGN = /^\{"uuid":"[^"]+","parentUuid":.*"message":\{"role":"[a-z]+","parts":\[/m

/** How long each may take, in milliseconds. */
const TIMEOUT = 10_000

/** The command of Gemini CLI as markdown: the client asks to convert files in its older form. */
function commandFrom(toml: string): string {
  const [, description = '', prompt = ''] =
    /^description = "(.*)"\nprompt = '''\n([\s\S]*)'''\n?$/.exec(toml) ?? []
  return `---\ndescription: ${JSON.stringify(description)}\n---\n\n${prompt}`
}

/** Sessions in `projects/<start directory>/chats` (core/config/storage.ts of 0.15.10); one in which nothing was said is none. */
async function findQwenFiles(
  ...[{ home, env }, roots, onUnread]: Parameters<Adapter['find']>
): Promise<SessionRef[]> {
  const projects = join(env.QWEN_RUNTIME_DIR || env.QWEN_HOME || join(home, '.qwen'), 'projects')
  const folders = namesIn(projects, onUnread).filter((name) =>
    roots.some((root) => name.startsWith(dashed(root))),
  )
  const all = folders.flatMap((name) => pathsIn(join(projects, name, 'chats'), onUnread))
  const paths = all.filter((path) => path.endsWith('.jsonl'))
  return sessionsAt(paths, roots, onUnread, readQwenRef, onlyNotes(isNote, 'message'))
}

const isNote = ({ type }: Fields): boolean => type === 'system'

/** A record that somebody said something, behind those of the client. */
const SAID = /^\{"uuid":.*"type":"(?:user|assistant)"/m

/** What the first and last records tell; null for a file that is gone or in which nothing was said. */
export function readQwenRef(path: string): SessionRef | null {
  const ends = readEnds(path)
  const first = firstRecord(ends)
  if (!ends || textOf(first.sessionId) === '' || !(SAID.test(ends.head) || SAID.test(ends.tail))) return null
  const records = ends.tail.split('\n').map(recordOf).reverse()
  const last = <T>(pick: (record: typeof first) => T | null | ''): T | undefined =>
    records.map(pick).find((found) => found !== null && found !== '') || undefined
  const branch = last((record) => textOf(record.gitBranch))
  // The client writes the title again at its end.
  const title = last((record) => textOf(fieldsOf(record.systemPayload).customTitle))
  return fileRef('qwen-code', path, ends, {
    id: textOf(first.sessionId),
    // `/cd` and `enter_worktree` change it (0.24.4).
    cwd: last((record) => textOf(record.cwd)) ?? first.cwd,
    from: first.timestamp,
    to: last((record) => timeOf(record.timestamp)),
    title,
    branch: branch === 'HEAD' ? '' : branch,
  })
}
