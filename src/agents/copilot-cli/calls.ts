import type { Action, FileTouch } from '../../types/session.ts'
import { pathsUnder, wordSet } from '../content.ts'
import { type Draft, endOf, promptOf } from '../draft.ts'
import { type Fields, fieldsOf, itemsOf, listOf, numberOf, textOf } from '../fields.ts'
import { actionBy, TOOLS } from '../tools.ts'
import { createTodos } from './todos.ts'

interface Open {
  tool: string
  input: Fields
  sub: string | null
  /** The name of its shell, when it goes on in the background. */
  shell?: string
}

/** What the client adds to the output of a command that ended, and says instead of one that goes on (1.0.102). */
const ENDED = /\n?<(?:shellId: (\S+) completed|exited) with exit code (-?\d+)>\s*$/
const GOES_ON =
  /^<command (?:started in background )?with shellId: ([^\s>]+)|<command with shellId: (\S+) is still running/m

/** Tools that only look after commands in the background: what they find is told as the end of the command. */
const KEEPERS = wordSet('read_bash stop_bash list_bash read_powershell stop_powershell list_powershell')

/** How the client words what the person chose (1.0.102). */
const ANSWERED = /^User (?:responded|selected):\s*([\s\S]*)$/

/** Keeps the calls of one session, so that each is told once and gets one result; `actionOf` knows the tools. */
export function createCopilotCalls(actionOf = copilotAction) {
  const open = new Map<string, Open>()
  const seen = new Set<string>()
  /** What the person said to a call: words of a refusal, or null for one without. */
  const refusals = new Map<string, string | null>()
  const proposals = new Map<string, string>()
  const answered = new Set<string>()
  const apply = createTodos()

  function call(id: string, tool: string, given: unknown, by: 'agent' | 'user', sub: string | null): Draft[] {
    // Some providers count calls anew in every reply.
    if (id === '' || open.has(id)) return []
    seen.add(id)
    const input = fieldsOf(given)
    open.set(id, { tool, input, sub })
    if (KEEPERS.has(tool)) return []
    const drafts: Draft[] = [
      { kind: 'call', id, tool: by === 'user' ? '!' : tool, action: actionOf(tool, given), by },
    ]
    const question = tool === 'ask_user' ? textOf(input.message) || textOf(input.question) : ''
    if (question !== '') drafts.push({ kind: 'question', id, text: question, options: optionsOf(input) })
    if (tool === 'exit_plan_mode' && textOf(input.summary) !== '') proposals.set(id, textOf(input.summary))
    return drafts
  }

  function result(id: string, data: Fields): Draft[] {
    const made = open.get(id)
    const { success, result, error, shellExecution, fileEdits } = data
    const whole = textOf(fieldsOf(result).content) || textOf(fieldsOf(error).message)
    if (made && KEEPERS.has(made.tool)) return poll(id, whole)
    const going = success === true && made?.tool !== undefined ? GOES_ON.exec(whole) : null
    const exit = numberOf(fieldsOf(shellExecution).exitCode) ?? exitOf(whole)
    if (made && going && exit === null) {
      made.shell = going[1] ?? going[2] ?? ''
      return []
    }
    open.delete(id)
    const files = editedFiles(fileEdits)
    const refused = refusals.has(id)
    const denied = !refused && fieldsOf(error).code === 'denied'
    // What the person said when refusing is told as their words.
    const text = refused ? '' : whole.replace(ENDED, '')
    const told = endOf(id, success === true && (exit ?? 0) === 0, text, { exitCode: exit })
    if (files) told.files = files
    if (refused || denied) told.refused = true
    if (denied) told.byClient = true
    return [
      told,
      ...refusalOf(id),
      ...(made && success === true ? succeeded(id, made, whole) : []),
      ...proposed(id, null),
    ]
  }

  function succeeded(id: string, { tool, input }: Open, whole: string): Draft[] {
    if (tool === 'sql') {
      const items = apply(textOf(input.query), whole)
      return items ? [{ kind: 'plan', items }] : []
    }
    const answer = tool === 'ask_user' && !answered.has(id) ? ANSWERED.exec(whole)?.[1]?.trim() : undefined
    return answer ? [{ kind: 'answer', id, text: answer }] : []
  }

  function refusalOf(id: string): Draft[] {
    const words = refusals.get(id) ?? null
    refusals.delete(id)
    return words === null ? [] : [{ kind: 'prompt', text: words }]
  }

  function proposed(id: string, accepted: boolean | null): Draft[] {
    const text = proposals.get(id)
    proposals.delete(id)
    return text === undefined ? [] : [{ kind: 'proposal', text, accepted }]
  }

  /** The end of a command in the background, as the agent or the client looks after it. */
  function poll(id: string, whole: string): Draft[] {
    open.delete(id)
    const [, shell = '', exit] = ENDED.exec(whole) ?? []
    return exit === undefined ? [] : finished(shell, Number(exit), whole.replace(ENDED, ''))
  }

  function finished(shell: string, exitCode: number, text: string): Draft[] {
    const [id] = [...open].find(([, made]) => made.shell !== undefined && made.shell === shell) ?? []
    if (id === undefined) return []
    open.delete(id)
    return [endOf(id, exitCode === 0, text, { exitCode })]
  }

  return {
    seen: (id: string): boolean => seen.has(id),
    call,
    result,
    refuse: (id: string, words: string): void => void refusals.set(id, words === '' ? null : words),
    respond(id: string, response: Fields): Draft[] {
      if (response.responseKind === 'exit_plan_mode') {
        if (textOf(response.planContent) !== '') proposals.set(id, textOf(response.planContent))
        return [...proposed(id, response.approved === true), ...promptOf(textOf(response.feedback))]
      }
      const text = textOf(response.answer) || Object.values(fieldsOf(response.content)).map(shown).join('\n')
      if (text === '') return []
      answered.add(id)
      return [{ kind: 'answer', id, text }]
    },
    /** The person stopped the agent: what was running came to nothing. */
    abort(sub: string | null): Draft[] {
      const stopped = [...open].filter(([, made]) => made.sub === sub && made.shell === undefined)
      return stopped.flatMap(([id, { tool }]): Draft[] => {
        open.delete(id)
        return KEEPERS.has(tool) ? [] : [endOf(id, false, '', { refused: true })]
      })
    },
    /** At the end of the file: plans without an answer, and commands that went on. */
    end(): Draft[] {
      const left = [...proposals.keys()].flatMap((id) => proposed(id, null))
      const going = [...open].filter(([, { shell }]) => shell !== undefined)
      return [...left, ...going.map(([id]) => endOf(id, true, '', { unsure: true }))]
    },
  }
}

const exitOf = (text: string): number | null => {
  const told = ENDED.exec(text)?.[2]
  return told === undefined ? null : Number(told)
}

const shown = (value: unknown): string =>
  typeof value === 'string'
    ? value
    : Array.isArray(value)
      ? value.map(shown).join(', ')
      : JSON.stringify(value)

/** The choices of a form, or of the plain question before it. */
function optionsOf(input: Fields): string[] {
  const fields = Object.values(fieldsOf(fieldsOf(input.requestedSchema).properties)).map(fieldsOf)
  const choices = fields.flatMap((field) => [...listOf(field.enum), ...listOf(fieldsOf(field.items).enum)])
  return [...listOf(input.choices), ...choices].map(textOf).filter((choice) => choice !== '')
}

/** What a call attempts; `given` is a bare text for `apply_patch`. */
export function copilotAction(tool: string, given: unknown): Action {
  const input = typeof given === 'string' ? { input: given } : fieldsOf(given)
  const prompt = textOf(input.prompt) || textOf(input.description)
  return actionBy(TOOLS.get(tool), { ...input, prompt }, pathsUnder(input, ['path', 'paths']))
}

const CHANGES: Readonly<Record<string, FileTouch['change']>> = {
  create: 'create',
  edit: 'update',
  delete: 'delete',
}

/** The files a call did change, as the client recorded them; undefined when it recorded none. */
function editedFiles(edits: unknown): FileTouch[] | undefined {
  const files = itemsOf(edits)
    .map((edit): FileTouch => ({ path: textOf(edit.path), change: CHANGES[textOf(edit.kind)] ?? 'update' }))
    .filter(({ path }) => path !== '')
  return files.length === 0 ? undefined : files
}
