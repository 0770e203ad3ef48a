import type { ContentBlock, SessionUpdate, ToolCall, ToolCallUpdate } from '@agentclientprotocol/sdk'
import type { Action, FileTouch, PlanItem, SessionEvent } from '../../types/session.ts'
import { numberIn } from '../fields.ts'

/** UTF-16 units of one text, and of all of them together, that are kept of what an agent replays. */
const MOST_TEXT = 1 << 20
const MOST_ALL = 64 << 20
const STAMP = { at: null, sub: null, cwd: null } as const

/** What an ACP agent replays of a session (ACP 1) as events; it tells no times. */
export function createReplay() {
  const events: SessionEvent[] = []
  const calls = new Map<string, Partial<ToolCall>>()
  const ended = new Set<string>()
  let open: { kind: 'prompt' | 'reply'; text: string } | null = null
  let size = 0

  const close = (): void => {
    if (open !== null && open.text.trim() !== '') events.push({ ...STAMP, ...open })
    open = null
  }
  const take = (text: string): string => {
    const kept = size > MOST_ALL ? '' : text.slice(0, MOST_TEXT)
    size += kept.length
    return kept
  }
  const say = (kind: 'prompt' | 'reply', content: ContentBlock): void => {
    if (open?.kind !== kind) close()
    open ??= { kind, text: '' }
    if (content.type === 'text') open.text += take(content.text)
  }
  const call = (update: ToolCall | ToolCallUpdate): void => {
    close()
    const { toolCallId: id } = update
    const given = Object.fromEntries(Object.entries(update).filter(([, value]) => value != null))
    const known = { ...calls.get(id), ...given } as Partial<ToolCall>
    const isNew = !calls.has(id)
    calls.set(id, known)
    const isOver = known.status === 'completed' || known.status === 'failed'
    // What is done stands in an update behind the call: only then it is whole.
    if (isNew && !isOver) return
    if (!isOver || ended.has(id)) return
    ended.add(id)
    const tool = known.name ?? known.kind ?? 'tool'
    const action = actionOf(known)
    events.push({ ...STAMP, kind: 'call', id, tool, action, by: 'agent' })
    const text = take(outputOf(known)).slice(-4000)
    const exitCode = exitOf(known.rawOutput) ?? (action.type === 'run' ? exitIn(text) : null)
    const ok = known.status === 'completed' && (exitCode ?? 0) === 0
    events.push({ ...STAMP, kind: 'result', id, ok, exitCode, text })
  }
  return {
    add(update: SessionUpdate): void {
      switch (update.sessionUpdate) {
        case 'user_message_chunk':
          say('prompt', update.content)
          return
        case 'agent_message_chunk':
          say('reply', update.content)
          return
        case 'tool_call':
        case 'tool_call_update':
          call(update)
          return
        case 'plan':
          close()
          events.push({
            ...STAMP,
            kind: 'plan',
            items: update.entries.map(
              ({ content, status }): PlanItem => ({
                text: take(content),
                status: status === 'completed' ? 'done' : status,
              }),
            ),
          })
      }
    },
    /** Everything, in order; UTF-16 units that were kept. */
    end(): { events: SessionEvent[]; size: number; isCut: boolean } {
      close()
      return { events, size, isCut: size > MOST_ALL }
    },
  }
}

function actionOf({ kind, title = '', locations = [], rawInput, content = [] }: Partial<ToolCall>): Action {
  const input = typeof rawInput === 'object' && rawInput !== null ? (rawInput as Record<string, unknown>) : {}
  const diffs = content.flatMap((part) => (part.type === 'diff' ? [part] : []))
  const paths = [...new Set([...diffs.map(({ path }) => path), ...locations.map(({ path }) => path)])]
  if (kind === 'execute') {
    const { command = input.cmd } = input
    return { type: 'run', command: Array.isArray(command) ? command.join(' ') : String(command ?? title) }
  }
  if (diffs.length > 0 || kind === 'edit' || kind === 'delete' || kind === 'move') {
    const change: FileTouch['change'] = kind === 'delete' ? 'delete' : 'update'
    return {
      type: 'edit',
      files: paths.map((path) => {
        const isNew = diffs.some((diff) => diff.path === path && diff.oldText == null)
        return { path, change: isNew && change === 'update' ? 'create' : change }
      }),
    }
  }
  if (kind === 'read') return { type: 'read', paths }
  return kind === 'search' ? { type: 'search', pattern: title, paths } : { type: 'other', paths }
}

function exitOf(output: unknown): number | null {
  if (typeof output !== 'object' || output === null) return null
  const { exitCode, exit_code, exit, metadata } = output as Record<string, unknown>
  const found = [exitCode, exit_code, exit].find((one) => Number.isInteger(one))
  // OpenCode has it one level below.
  return typeof found === 'number' ? found : exitOf(metadata)
}

/** Copilot CLI and Qwen Code tell it in the output: `<shellId: 0 completed with exit code 1>`, `Exit Code: 1`. */
const exitIn = (text: string): number | null =>
  numberIn(/\bexit code:? (\d+)(?!.*\bexit code\b)/is.exec(text.slice(-300))?.[1])

function outputOf({ content = [], rawOutput }: Partial<ToolCall>): string {
  const texts = content.flatMap((part) =>
    part.type === 'content' && part.content.type === 'text' ? [part.content.text] : [],
  )
  return texts.length > 0 || typeof rawOutput !== 'string' ? texts.join('\n') : rawOutput
}
