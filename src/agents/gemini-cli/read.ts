import { basename, isAbsolute, resolve } from 'node:path'
import type { Batches, ReadOptions, SessionEvent, SessionRef } from '../../types/session.ts'
import { partTexts, recordsIn, type Translator, translate, withoutElements } from '../content.ts'
import { callOf, createSettings, type Draft, promptOf, stamped, usageOf } from '../draft.ts'
import { type Fields, fieldsOf, itemsOf, listOf, numberIn, sumOf, textOf, timeOf } from '../fields.ts'
import { mergeByTime } from '../merge-by-time.ts'
import { readByUser, shellByUser, skillOf } from '../tools.ts'
import {
  geminiAction,
  geminiAnswers,
  geminiPlan,
  geminiProposal,
  geminiQuestions,
  geminiResult,
} from './calls.ts'
import { geminiSubagents, geminiWindow } from './files.ts'

/**
 * The conversation with its subagents. Replayed, the log has lost what was compacted and failed prompts, so each line is told once.
 * Throws `sessionUnreadable`, and `sessionFormat` when no line of the file is a record.
 */
export async function* readGeminiSession(ref: SessionRef, options: ReadOptions): Batches {
  const rewound = await findRewound(ref.path, options)
  const read = (path: string, sub: string | null, leftOut: Rewound) =>
    translate(path, options, translatorOf(sub, ref.cwd, leftOut), { mustHold: sub === null })
  yield* mergeByTime(read(ref.path, null, rewound), geminiSubagents(ref), ({ path, label }) =>
    read(path, label, []),
  )
}

const translatorOf = (sub: string | null, cwd: string | null, leftOut: Rewound): Translator => ({
  add: createGeminiTranslator(sub, cwd),
  wants: ({ index }) => !leftOut.some(([from, to]) => index >= from && index < to),
})

/** Lines, by their 0-based numbers, that the person took back: from the first up to, not including, the second. */
type Rewound = readonly (readonly [from: number, to: number])[]

/** Each `$rewindTo` takes back the record it names and all after it, or what stands behind the copy that alone holds that record. */
async function findRewound(path: string, options: Pick<ReadOptions, 'signal'>): Promise<Rewound> {
  const first = new Map<string, number>()
  const copies: { index: number; ids: ReadonlySet<string> }[] = []
  const found: [number, number][] = []
  for await (const { record, index } of recordsIn(path, options)) {
    const { messages } = fieldsOf(record.$set)
    const id = textOf(record.id)
    if (id !== '' && !first.has(id)) first.set(id, index)
    if (Array.isArray(messages))
      copies.push({ index, ids: new Set(messages.map((message) => textOf(fieldsOf(message).id))) })
    const to = textOf(record.$rewindTo)
    const from = first.get(to) ?? copies.find(({ ids }) => ids.has(to))?.index
    if (to !== '' && from !== undefined) found.push([from, index])
  }
  return found
}

/**
 * A record comes again when its tools are done, so each part is told once. After a refusal the client records its whole history
 * under other ids (0.61.0): of such copies only words that were never told count.
 */
export function createGeminiTranslator(
  sub: string | null,
  cwd: string | null,
): (record: Fields) => SessionEvent[] | null {
  const told = new Set<string>()
  const words = new Set<string>()
  const plans = new Map<string, string>()
  let copying = false
  const settings = createSettings()
  let model = ''
  const once = (key: string): boolean => told.size < told.add(key).size

  const drafts = (record: Fields): Draft[] | null => {
    if ('$rewindTo' in record) return []
    const set = fieldsOf(record.$set)
    if (set === record.$set) {
      if (Array.isArray(set.messages)) copying = false
      return ofSet(set)
    }
    switch (record.type) {
      case 'user':
        return ofUser(record)
      case 'gemini':
        return ofGemini(record)
      case 'error':
        return [{ kind: 'failure', text: contentOf(record) }]
      case 'info':
      case 'warning':
        return []
      default:
        // The header; a client that resumes within a minute writes it again.
        return textOf(record.sessionId) === '' ? null : []
    }
  }

  const ofSet = (set: Fields): Draft[] => {
    const title = textOf(set.summary)
    // That of a subagent is its report.
    if (title !== '') return sub === null ? [{ kind: 'setting', title }] : []
    return itemsOf(set.messages).flatMap((message): Draft[] => {
      const text = contentOf(message)
      if (!text.startsWith(SNAPSHOT) || !once(text)) return []
      return [{ kind: 'compaction', summary: snapshotText(text), at: timeOf(message.timestamp) }]
    })
  }

  const ofUser = (record: Fields): Draft[] => {
    const user = geminiUser(record)
    copying ||= user.isRetold
    const isKnown = words.has(user.text)
    words.add(user.text)
    // In a subagent the client speaks: the task it was given stands in the call.
    return sub !== null || (copying && isKnown) ? [] : user.said
  }

  const ofGemini = (record: Fields): Draft[] => {
    const id = textOf(record.id)
    const out: Draft[] = []
    // A reply as it came is a text; parts are the client's own copy of it, or words it put into the model's mouth.
    const text = textOf(record.content)
    const isCopy = Array.isArray(record.content)
    if (!isCopy) copying = false
    if (text.trim() !== '' && once(id)) out.push({ kind: 'reply', text })
    model = textOf(record.model) || model
    out.unshift(...settings({ model }))
    const [usage] = usageIn(fieldsOf(record.tokens), model)
    if (usage && once(`${id} tokens`)) out.push(usage)
    const calls = isCopy && copying ? [] : itemsOf(record.toolCalls)
    for (const call of calls) if (once(`${id} ${textOf(call.id)}`)) out.push(...called(call))
    for (const call of calls) out.push(...ended(call, id))
    return out
  }

  const called = (call: Fields): Draft[] => {
    const [id, tool, args] = [textOf(call.id), textOf(call.name), fieldsOf(call.args)]
    const made = callOf(id, tool, geminiAction(tool, args))
    const folder = tool === 'run_shell_command' ? textOf(args.dir_path) : ''
    if (folder !== '') made.cwd = isAbsolute(folder) || cwd === null ? folder : resolve(cwd, folder)
    return [made, ...(tool === 'ask_user' ? geminiQuestions(id, args) : [])]
  }

  const ended = (call: Fields, record: string): Draft[] => {
    const result = geminiResult(call)
    const [id, tool] = [textOf(call.id), textOf(call.name)]
    if (!result || !once(`${record} ${id} result`)) return []
    const { output, ...outcome } = result
    const out: Draft[] = [{ kind: 'result', id, ...outcome }]
    if (result.ok) out.push(...follows(call, tool, result))
    const at = timeOf(call.timestamp)
    for (const draft of out) draft.at = at
    return out
  }

  const follows = (
    call: Fields,
    tool: string,
    result: NonNullable<ReturnType<typeof geminiResult>>,
  ): Draft[] => {
    const args = fieldsOf(call.args)
    const items = geminiPlan(call)
    if (items) return [{ kind: 'plan', items }]
    if (tool === 'ask_user') return geminiAnswers(textOf(call.id), result)
    if (tool === 'exit_plan_mode')
      return geminiProposal(
        plans.get(basename(textOf(args.plan_filename) || textOf(args.plan_path))) ?? '',
        result,
      )
    if (tool === 'activate_skill') return skillOf(textOf(args.name))
    const written = fieldsOf(call.resultDisplay)
    const path = textOf(written.filePath)
    if (/[/\\]plans[/\\][^/\\]+\.md$/.test(path)) plans.set(basename(path), textOf(written.newContent))
    return []
  }

  return (record: Fields): SessionEvent[] | null => {
    const at = timeOf(record.timestamp)
    return drafts(record)?.map((draft) => stamped(draft, { at, sub, cwd })) ?? null
  }
}

/** How the summary begins that `/compress`, or the client by itself, puts in place of the history. */
const SNAPSHOT = '<state_snapshot>'

const contentOf = ({ content }: Fields): string => partTexts(content).join('\n')

/** The summary with its sections under headings, the form that agents write them in elsewhere. */
export const snapshotText = (text: string): string =>
  text
    .replace(/^[^\S\n]*<\/?state_snapshot>\s*$/gm, '')
    .replace(/^[^\S\n]*<\/[a-z_]+>\s*$/gm, '')
    .replace(/(?<!\n)\n*^[^\S\n]*<([a-z_]+)>\s*$/gm, (_, tag: string) => `\n## ${tag.replaceAll('_', ' ')}`)
    .replace(/^ {4,8}/gm, '')
    .trim()

/** `input` includes what came from the cache. */
const usageIn = ({ input, output, thoughts }: Fields, model: string): Draft[] =>
  usageOf(sumOf(input), sumOf(output, thoughts), sumOf(input), geminiWindow(model))

interface GeminiUser {
  said: Draft[]
  /** What the row holds without what the client put there; the client may record it again with another id. */
  text: string
  /** The client tells its model all over again: rows that follow may be copies. */
  isRetold: boolean
}

/** The person's words in a user row (0.61): not the client's context, hooks, results, or files drawn in by `@`. */
export function geminiUser(record: Fields): GeminiUser {
  const parts = partTexts(record.content)
  const own = ownTexts(parts)
  const text = own.join('\n').trim()
  const isRetold = (parts[0] ?? '').startsWith('<session_context>')
  const id = textOf(record.id)
  if (listOf(record.content).some((part) => 'functionResponse' in fieldsOf(part)))
    return { said: words(own.map(hint).join('\n')), text: '', isRetold: false }
  const shell = SHELL.exec(text)
  if (shell) return { said: shellRow(shell, id), text, isRetold }
  const shown = ownTexts(partTexts(record.displayContent)).join('\n').trim()
  return { said: [...attached(parts, id), ...typed(shown || text)], text, isRetold }
}

/** What stands behind this is the text of the files named with `@`. */
export const ATTACHED = '\n--- Content from referenced files ---'

/** Parts that the person may have written, without the blocks of hooks. */
function ownTexts(parts: readonly string[]): string[] {
  const end = parts.findIndex((part) => part.startsWith(ATTACHED))
  return parts
    .slice(0, end === -1 ? parts.length : end)
    .map((part) => withoutElements(part, 'hook_context', ''))
    .filter((part) => part.trim() !== '' && !INJECTED.test(part))
}

/** Rows and parts of the client's own (client.js, geminiChat.js and useGeminiStream.js of 0.61.0). */
const INJECTED = new RegExp(
  [
    '^\\s*(?:<session_context>|<state_snapshot>|<background_output>|Background execution update:\\n)',
    "|^Here is (?:the user's editor context as a JSON object|a summary of changes in the user's editor context)",
    '|^(?:System: )?Please continue\\.$',
    '|^System: Potential loop detected\\.',
    '|^(?:User has manually exited Plan Mode|Plan approved)\\. Switching to ',
  ].join(''),
)

/** Words typed while the agent works travel in front of a tool's result (model steering). */
const HINT = /^User steering update:\n<user_input>\n([\s\S]*?)\n<\/user_input>/
const hint = (text: string): string => HINT.exec(text)?.[1] ?? ''

const words = (text: string): Draft[] => promptOf(text.trim())

/** Words as they were typed: a custom command is told by its name and arguments. */
export function typed(text: string): Draft[] {
  const command = /^\/([\w:.-]+)(?:\s+([\s\S]*))?$/.exec(text)
  if (!command) return words(text)
  const name = command[1] ?? ''
  // As it was typed: what follows belongs to the handoff, which is told apart later.
  if (/(?:^|[:.])handoff$/.test(name)) return words(`/handoff ${command[2] ?? ''}`)
  return [{ kind: 'skill', name }, ...words(command[2] ?? '')]
}

/** Each file that `@` drew in was read by the person. */
function attached(parts: readonly string[], row: string): Draft[] {
  const from = parts.findIndex((part) => part.startsWith(ATTACHED))
  const paths = parts.slice(from === -1 ? parts.length : from).flatMap((part) => {
    const path = /^\nContent from @(.+):\n$/.exec(part)?.[1]
    return path === undefined ? [] : [path]
  })
  return paths.flatMap((path, index) => readByUser(`${row}:${index}`, path))
}

/** A command of the person's own (`!`), as the client words it (shellCommandProcessor of 0.61.0). */
const SHELL =
  /^I ran the following shell command:\n```sh\n([\s\S]*?)\n```\n\nThis produced the following result:\n```\n([\s\S]*?)\n?```$/
const MOVED = /^WARNING: shell mode is stateless; .*\n\n/
const ENDED =
  /^Command (?:exited with code (\d+)|terminated by signal: .+|(was cancelled)|(moved to background) .+)\.?(?:\n|$)/

function shellRow([, command = '', output = '']: RegExpExecArray, id: string): Draft[] {
  const told = unescaped(output).replace(MOVED, '')
  const ended = ENDED.exec(told)
  const exitCode = ended ? numberIn(ended[1]) : 0
  const text = ended ? told.slice(ended[0].length) : told
  const [, , refused, unsure] = (ended ?? []).map(Boolean)
  return shellByUser(id, unescaped(command), { ok: exitCode === 0, exitCode, text, refused, unsure })
}

const unescaped = (text: string): string => text.replace(/\\([\\`])/g, '$1')
