import { basename, dirname, join } from 'node:path'
import type { Adapter } from '../types/agent.ts'
import type { Home } from '../types/config.ts'
import type { Action, Batches, PlanItem, ReadOptions, SessionRef } from '../types/session.ts'
import { contentText, pathsUnder, withoutElements } from './content.ts'
import { userFolders } from './copilot-editors/files.ts'
import { callOf, type Draft, endOf, promptOf, replyOf, stamped } from './draft.ts'
import { type Fields, fieldsOf, listOf, numberOf, recordOf, textOf, timeOf } from './fields.ts'
import { fileRef, pathsIn, readEnds, recordAt, sessionsAt } from './session-files.ts'
import { actionBy, isCopy, patchFiles, skillOf, toolsBy } from './tools.ts'
import { readRecords } from './whole-json.ts'

/**
 * Roo Code, an extension of VS Code: a folder per task, with the messages as its model gets them. From its own code, not recorded:
 * RooCodeInc/Roo-Code at cb836567 (April 2026), `core/task-persistence`, `core/prompts/responses.ts` and `core/tools`. Tasks of its older
 * versions, which wrote calls as XML into the text, are read for their words alone.
 */
export const rooCode: Adapter = {
  id: 'roo-code',
  label: 'Roo Code',
  basis: { is: 'documented', of: 'Roo Code of April 2026', source: 'its code' },
  marks: [],
  async find(place, roots, onUnread) {
    const paths = storages(place).flatMap((folder) =>
      // What a task began for itself is its own.
      pathsIn(join(folder, 'tasks'), onUnread).flatMap((task) =>
        textOf(itemIn(task).parentTaskId) === '' ? [join(task, MESSAGES)] : [],
      ),
    )
    return sessionsAt(paths, roots, onUnread, refOf)
  },
  identify: async (path, head) => (SIGN.test(head) ? refOf(path) : null),
  read,
  traces: ({ root, ...place }) => ({ project: [join(root, '.roo')], home: storages(place) }),
}

/** How a task begins: with what the person typed. */
const SIGN =
  /^\s*\[\s*\{\s*"role":\s*"user",\s*"content":\s*\[\s*\{\s*"type":\s*"text",\s*"text":\s*"<(?:user_message|task)>/
const MESSAGES = 'api_conversation_history.json'

const storages = (place: Home): string[] =>
  userFolders(place).map((folder) => join(folder, 'globalStorage', 'rooveterinaryinc.roo-cline'))

/** Its item in the list of tasks, beside the messages; the folder is called as its id. */
const itemIn = (folder: string): Fields => recordAt(join(folder, 'history_item.json'))

function refOf(path: string): SessionRef | null {
  const ends = readEnds(path, true)
  if (ends === null || !SIGN.test(ends.head)) return null
  const { workspace, task, ts } = itemIn(dirname(path))
  const id = basename(dirname(path))
  const from = /"ts":\s*(\d{13})/.exec(ends.head)?.[1]
  const title = textOf(task).split('\n', 1)[0]?.slice(0, 200)
  return fileRef('roo-code', path, ends, { id, cwd: workspace, from: from && Number(from), to: ts, title })
}

async function* read(ref: SessionRef, options: ReadOptions): Batches {
  const { records } = await readRecords(ref.path, null, options)
  const calls = new Map<string, Fields>()
  for (const message of records) {
    const drafts =
      message.role === 'user'
        ? userDrafts(message, calls)
        : message.role === 'assistant'
          ? agentDrafts(message, calls)
          : []
    if (message.role === undefined && message.type !== 'reasoning') options.onSkip?.('unknown')
    yield drafts.map((draft) => stamped(draft, { at: timeOf(message.ts), sub: null, cwd: ref.cwd }))
  }
}

/** What the person typed stands in a tag, and what the client adds in others. */
const typed = (text: string): Draft[] =>
  ['user_message', 'task', 'feedback'].flatMap((name) => elementsOf(text, name).flatMap(promptOf))

function elementsOf(text: string, name: string): string[] {
  const [open, close] = [`<${name}>`, `</${name}>`]
  const found: string[] = []
  for (let at = text.indexOf(open); at !== -1; at = text.indexOf(open, at)) {
    const end = text.indexOf(close, at)
    if (end === -1) break
    found.push(text.slice(at + open.length, end).trim())
    at = end
  }
  return found
}

function userDrafts(message: Fields, calls: Map<string, Fields>): Draft[] {
  const text = contentText(message.content)
  // The messages before it stay on file.
  if (message.isSummary === true) return [{ kind: 'compaction', summary: text }]
  const results = listOf(message.content)
    .map(fieldsOf)
    .filter(({ type }) => type === 'tool_result')
  return [...results.flatMap((block) => resultDrafts(block, calls)), ...typed(text)]
}

const TOOLS = toolsBy({
  read: 'access_mcp_resource',
  update: 'apply_diff edit search_and_replace search_replace edit_file',
  create: 'write_to_file',
  run: 'execute_command',
  search: 'search_files',
  list: 'list_files',
  task: 'new_task',
})

function agentDrafts(message: Fields, calls: Map<string, Fields>): Draft[] {
  const said = withoutElements(contentText(message.content), 'thinking', '').trim()
  const uses = listOf(message.content)
    .map(fieldsOf)
    .filter(({ type }) => type === 'tool_use')
  return [
    ...replyOf(said),
    ...uses.flatMap((use): Draft[] => {
      const [id, name, input] = [textOf(use.id), textOf(use.name), fieldsOf(use.input)]
      calls.set(id, use)
      if (name === 'attempt_completion') return replyOf(textOf(input.result))
      if (name === 'update_todo_list') return [{ kind: 'plan', items: planIn(textOf(input.todos)) }]
      if (name === 'skill') return skillOf(textOf(input.skill))
      const asked: Draft[] =
        name === 'ask_followup_question'
          ? [{ kind: 'question', id, text: textOf(input.question), options: optionsOf(input.follow_up) }]
          : []
      return [callOf(id, name, actionOf(name, input)), ...asked]
    }),
  ]
}

const optionsOf = (given: unknown): string[] =>
  listOf(given).map((one) => textOf(fieldsOf(one).text) || textOf(one))

function actionOf(name: string, input: Fields): Action {
  const inside = listOf(input.files).map(fieldsOf)
  const paths = [input, ...inside].flatMap((one) => pathsUnder(one, ['path', 'file_path', 'uri']))
  if (name === 'apply_patch') return { type: 'edit', files: patchFiles(textOf(input.patch)) }
  return actionBy(
    TOOLS.get(name),
    { ...input, pattern: input.regex ?? input.query, prompt: input.message },
    paths,
  )
}

const planIn = (text: string): PlanItem[] =>
  [...text.matchAll(/^\s*(?:- )?\[(.)\] (.+)$/gm)].map(([, mark = '', words = '']) => ({
    text: words,
    status: mark === 'x' ? 'done' : mark === '-' ? 'in_progress' : 'pending',
  }))

const EXIT = /^Command executed in .*?Exit code: (\d+)(?:\nOutput:\n)?/s

function resultDrafts(block: Fields, calls: Map<string, Fields>): Draft[] {
  const id = textOf(block.tool_use_id)
  const name = textOf(calls.get(id)?.name)
  const text = contentText(block.content)
  const { status, feedback, path, operation } = recordOf(text)
  const reason = textOf(feedback)
  if (status === 'denied') return [endOf(id, false, '', { refused: true, ...(reason && { reason }) })]
  // An answer that was typed, or what the person said to a result or an end of the task.
  if (name === 'ask_followup_question') {
    const answer = typed(text)
      .flatMap((draft) => (draft.kind === 'prompt' ? [draft.text] : []))
      .join('\n')
    return [endOf(id, true, ''), ...(answer === '' ? [] : [{ kind: 'answer' as const, id, text: answer }])]
  }
  if (name === 'attempt_completion') return typed(text)
  const exit = EXIT.exec(text)
  const code = numberOf(exit === null ? undefined : Number(exit[1]))
  const ok = status !== 'error' && block.is_error !== true && (code === null || code === 0)
  const isRun = TOOLS.get(name) === 'run'
  const output = exit === null ? text : text.slice(exit[0].length)
  const files = operation === 'modified' ? [{ path: textOf(path), change: 'update' as const }] : undefined
  return [
    endOf(id, ok, ok && isCopy(TOOLS.get(name)) ? '' : output, {
      exitCode: code,
      ...(files && { files }),
      ...(isRun && ok && code === null ? { unsure: true } : {}),
    }),
    ...(status === 'approved' ? promptOf(reason) : []),
  ]
}
