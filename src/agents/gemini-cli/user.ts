import { partTexts, withoutElements } from '../content.ts'
import { type Draft, promptOf } from '../draft.ts'
import { type Fields, fieldsOf, listOf, textOf } from '../fields.ts'
import { readByUser, shellByUser } from '../tools.ts'

interface GeminiUser {
  said: Draft[]
  /** What the row holds without what the client put there; the client may record it again with another id. */
  text: string
  /** The client tells its model all over again: rows that follow may be copies. */
  isRetold: boolean
}

/**
 * The person's words in a user row of Gemini CLI 0.61. Not theirs: the context the client opens with, hook output, tool results,
 * what `@file` drew in, and lines by which the client keeps its model going. A custom command is told by its name and arguments.
 */
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
  const exitCode = ended ? (ended[1] === undefined ? null : Number(ended[1])) : 0
  return shellByUser(id, unescaped(command), {
    ok: exitCode === 0,
    exitCode,
    text: ended ? told.slice(ended[0].length) : told,
    ...(ended?.[2] ? { refused: true } : {}),
    ...(ended?.[3] ? { unsure: true } : {}),
  })
}

const unescaped = (text: string): string => text.replace(/\\([\\`])/g, '$1')
