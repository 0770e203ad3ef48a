import { basename, dirname, join } from 'node:path'
import type { Adapter } from '../types/agent.ts'
import type { Home } from '../types/config.ts'
import type { Batches, PlanItem, ReadOptions, SessionRef } from '../types/session.ts'
import { labelsOf, partTexts, pathOf, pathsUnder } from './content.ts'
import {
  callOf,
  clip,
  createSettings,
  type Draft,
  type DraftOf,
  endOf,
  promptOf,
  replyOf,
  stamped,
  usageOf,
} from './draft.ts'
import { type Fields, fieldsOf, itemsOf, listOf, recordOf, sumOf, textOf, timeOf } from './fields.ts'
import { fileRef, pathsIn, readEnds, sessionsAt, textIfThere } from './session-files.ts'
import { mcpServer, skillIn, usualLaunch } from './setup.ts'
import { actionBy, isCopy, readByUser, skillOf, toolsBy } from './tools.ts'
import { headerIn, readRecords } from './whole-json.ts'

/** Continue (CLI 1.5.47, `@continuedev/cli`) and its extension: one JSON file per session, without times. It sets no mark. */
export const continueDev: Adapter = {
  id: 'continue',
  label: 'Continue',
  basis: { is: 'recorded', of: '@continuedev/cli 1.5.47' },
  marks: [],
  async find({ home, env }, roots, onUnread) {
    // core/util/paths.ts, read on 2026-06-18.
    const folder = join(folderOf({ home, env }), 'sessions')
    const paths = pathsIn(folder, onUnread).filter(
      (path) => path.endsWith('.json') && basename(path) !== LIST,
    )
    const created = paths.length === 0 ? {} : readCreated(folder)
    const read = (path: string) => readRef(path, created)
    return sessionsAt(paths, roots, onUnread, read, (head) => BEGUN.test(head))
  },
  identify: async (path, head) => (SIGN.test(head) ? readRef(path, readCreated(dirname(path))) : null),
  read,
  // A skill and a file for each MCP server (its documentation of 2026).
  setup: (place) => [
    skillIn(place, '.continue'),
    mcpServer(place, '.continue', 'mcpServers', 'handoff.json'),
  ],
  traces: ({ root, ...place }) => ({ project: [join(root, '.continue')], home: [folderOf(place)] }),
  launch: {
    ...usualLaunch,
    program: 'cn',
    headless: (prompt) => ({ args: ['-p', prompt] }),
    passEnv: ['CONTINUE_*', 'OPENAI_*', 'ANTHROPIC_*'],
  },
}

const folderOf = ({ home, env }: Home): string => env.CONTINUE_GLOBAL_DIR || join(home, '.continue')

/** How a session begins, in the order of its fields (core/util/history.ts, read on 2026-06-18); one without a message is none. */
const SIGN =
  /^\s*\{\s*"sessionId":\s*"[^"]+",\s*"title":\s*"(?:[^"\\]|\\.)*",\s*"workspaceDirectory":\s*"(?:[^"\\]|\\.)*",\s*"history":\s*\[\s*\{/

/** The same, also of a session without a message. */
const BEGUN = /^\s*\{\s*"sessionId":\s*"[^"]+",[\s\S]*"history":\s*\[/
const LIST = 'sessions.json'

/** What the clients call a session that has no title yet. */
const UNTITLED: ReadonlySet<string> = new Set(['', 'Untitled Session', 'New Session'])

function readRef(path: string, created: Readonly<Record<string, string | null>>): SessionRef | null {
  const ends = readEnds(path, true)
  if (!ends || !SIGN.test(ends.head)) return null
  const header = headerIn(ends.head, 'history')
  const id = textOf(header.sessionId)
  const title = textOf(header.title)
  return fileRef('continue', path, ends, {
    id,
    cwd: pathOf(textOf(header.workspaceDirectory)),
    from: created[id],
    title: UNTITLED.has(title) ? '' : title,
  })
}

/** When each session began, which only the list beside them tells, in ms as a text; empty where it is absent or torn. */
function readCreated(folder: string): Record<string, string | null> {
  const list = textIfThere(join(folder, LIST))
  const { all } = recordOf(`{"all":${list ?? '[]'}}`)
  const rows = itemsOf(all)
  return Object.fromEntries(
    rows.map(({ sessionId, dateCreated }) => [textOf(sessionId), timeOf(Number(dateCreated))]),
  )
}

/** The conversation. A compaction of the CLI takes what stood before it out of the file. */
async function* read(ref: SessionRef, options: ReadOptions): Batches {
  const { header, records } = await readRecords(ref.path, 'history', options)
  const settings = createSettings()
  let isCompacted = false

  function draftsOf(item: Fields, index: number): Draft[] | null {
    const message = fieldsOf(item.message)
    const text = partTexts(message.content).join('')
    switch (message.role) {
      case 'user': {
        // The client's own word behind a compaction in the middle of a turn (stream/streamChatResponse.ts).
        if (isCompacted && text === 'continue') return []
        isCompacted = false
        return [...promptOf(text), ...filesOf(item, index)]
      }
      case 'assistant': {
        const { model, prompt_tokens, completion_tokens } = fieldsOf(message.usage)
        return [
          ...settings({ model: textOf(model) }),
          ...(text === item.conversationSummary ? [] : replyOf(text)),
          ...usageOf(sumOf(prompt_tokens), sumOf(completion_tokens), sumOf(prompt_tokens)),
          ...itemsOf(item.toolCallStates).flatMap(called),
        ]
      }
      // Thoughts, and results that the calls tell as well.
      case 'system':
      case 'thinking':
      case 'tool':
        return []
      default:
        return null
    }
  }

  const title = ref.title ?? ''
  const told: Draft[] = settings({ title, model: textOf(header.chatModelTitle) })
  records.forEach((item, index) => {
    const found = draftsOf(item, index)
    if (found === null) options.onSkip?.('unknown')
    told.push(...(found ?? []))
    const summary = textOf(item.conversationSummary)
    if (summary === '') return
    isCompacted = true
    told.push({ kind: 'compaction', summary })
  })
  yield told.map((draft) => stamped(draft, { at: null, sub: null, cwd: ref.cwd }))
}

const filesOf = (item: Fields, index: number): Draft[] =>
  listOf(item.contextItems)
    .map((one) => fieldsOf(fieldsOf(one).uri))
    .flatMap(({ type, value }, at) =>
      type === 'file' ? readByUser(`file:${index}:${at}`, pathOf(textOf(value))) : [],
    )

/** Tools of the CLI (extensions/cli/src/tools) and of the extension (core/tools/builtIn.ts, both read on 2026-06-18). */
const TOOLS = toolsBy({ update: 'Write' })

function called(state: Fields): Draft[] {
  const id = textOf(state.toolCallId)
  const { name, arguments: given } = fieldsOf(fieldsOf(state.toolCall).function)
  const tool = textOf(name)
  const args = { ...recordOf(textOf(given)), ...fieldsOf(state.parsedArgs) }
  const deed = TOOLS.get(tool)
  // The CLI keeps what the person runs with `!` as a call of this name (ui/hooks/useChat.shellMode.ts).
  const isOwn = deed === 'run' && id.startsWith('shell-')
  return [
    callOf(id, isOwn ? '!' : tool, actionBy(deed, args), { by: isOwn ? 'user' : 'agent' }),
    ...(tool === 'AskQuestion' ? [question(id, args)] : []),
    ...ended(id, tool, args, state),
  ]
}

const question = (id: string, { question, options }: Fields): DraftOf<'question'> => ({
  kind: 'question',
  id,
  text: textOf(question),
  options: labelsOf(options),
})

/** The client's own refusal (stream/streamChatResponse.helpers.ts); for that of the person it has no words of theirs. */
const BY_CLIENT = 'Command blocked by security policy'
const CREATED = /^Successfully created file: /

function ended(id: string, tool: string, args: Fields, { status, output }: Fields): Draft[] {
  const parts = itemsOf(output)
  const text = parts.map(({ content }) => textOf(content)).join('\n')
  if (status === 'canceled') return [endOf(id, false, '', { refused: true, byClient: text === BY_CLIENT })]
  const result = endOf(id, status === 'done', text)
  // Others wait or run still.
  if (status !== 'done' && status !== 'errored') return []
  const deed = TOOLS.get(tool)
  if (deed === 'run') return [{ ...result, ...ofShell(result.ok, text, textOf(parts[0]?.status)) }]
  if (!result.ok) return [result]
  const [path] = pathsUnder(args)
  if (tool === 'Write' && path !== undefined && CREATED.test(text))
    result.files = [{ path, change: 'create' }]
  if (isCopy(deed)) result.text = ''
  return [result, ...followUps(id, tool, args, text)]
}

const ANSWER = /^User (?:selected option \d+|provided custom answer|answered): "([\s\S]*)"$/

function followUps(id: string, tool: string, args: Fields, text: string): Draft[] {
  switch (tool) {
    case 'Checklist':
      return [{ kind: 'plan', items: checklist(textOf(args.checklist)) }]
    case 'Skills':
    case 'read_skill':
      return skillOf(textOf(args.skill_name) || textOf(args.skillName))
    case 'AskQuestion': {
      const said = ANSWER.exec(text)?.[1] ?? ''
      return said === '' ? [] : [{ kind: 'answer', id, text: said }]
    }
    default:
      return []
  }
}

const checklist = (markdown: string): PlanItem[] =>
  [...markdown.matchAll(/^[ \t]*[-*] \[([ xX])\] (\S.*)$/gm)].map(([, mark, text = '']) => ({
    text: text.trim(),
    status: mark === ' ' ? 'pending' : 'done',
  }))

/** How the CLI tells a command that failed with words on standard error (tools/runTerminalCommand.ts). */
const FAILED = /\bError \(exit code (\d+)\): /
const TIMED_OUT = /\[Command timed out after \d+ seconds of no output\]/

/** `told`: what the extension says of the end (runTerminalCommand.ts). The CLI calls a silent failure done, so its `done` means nothing. */
function ofShell(ok: boolean, text: string, told: string): Partial<DraftOf<'result'>> {
  if (told === 'Command completed') return { exitCode: 0 }
  if (told.startsWith('Command failed') || told === 'Command timed out') {
    const code = /exit code (\d+)$/.exec(told)?.[1]
    return { ok: false, exitCode: code === undefined ? null : Number(code) }
  }
  if (!ok) {
    const failed = FAILED.exec(text)
    return failed
      ? { exitCode: Number(failed[1]), text: clip(text.slice(failed.index + failed[0].length)) }
      : {}
  }
  if (TIMED_OUT.test(text)) return { ok: false }
  return text.startsWith('Command moved to background. ') ? { text: '', unsure: true } : { unsure: true }
}
