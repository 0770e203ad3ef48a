import { basename } from 'node:path'
import { sessionTorn } from '../../errors/session.ts'
import type { Batches, FileTouch, ReadOptions, SessionEvent, SessionRef } from '../../types/session.ts'
import { labelsOf, numbered, parseLine, pathOf, readLineBatches } from '../content.ts'
import {
  callOf,
  createSettings,
  type Draft,
  type DraftOf,
  endOf,
  promptOf,
  replyOf,
  stamped,
  usageOf,
} from '../draft.ts'
import { type Fields, fieldsOf, itemsOf, listOf, numberOf, sumOf, textOf, timeOf } from '../fields.ts'
import { readByUser } from '../tools.ts'
import { readRecords } from '../whole-json.ts'
import { isJournal } from './files.ts'
import { EDITOR_TOOLS, editorAction, editorInput, editorPlan } from './transcript.ts'

/** A chat as VS Code keeps it: a journal of changes to one object since 1.109, before that the object. */
export async function* readChat(ref: SessionRef, options: ReadOptions): Batches {
  const { header, records } = isJournal(ref.path)
    ? await replayJournal(ref.path, options)
    : await readRecords(ref.path, 'requests', options)
  const settings = createSettings()
  const title = textOf(header.customTitle) || textOf(header.computedTitle)
  yield settings({ title }).map((draft) => stamped(draft, { at: ref.startedAt, sub: null, cwd: ref.cwd }))
  for (const request of records) yield turnOf(request, ref.cwd, settings)
}

/** States of a response (`chat/common/chatService/chatService.ts`); nothing is told of one that is under way. */
const [CANCELLED, FAILED] = [2, 3]

function turnOf(
  request: Fields,
  cwd: string | null,
  settings: ReturnType<typeof createSettings>,
): SessionEvent[] {
  const parts = partsOf(request)
  if (parts === null) return []
  const [result, state] = [fieldsOf(request.result), fieldsOf(request.modelState)]
  const [metadata, error] = [fieldsOf(result.metadata), fieldsOf(result.errorDetails)]
  const isStopped = state.value === CANCELLED || request.isCanceled === true || error.code === 'canceled'
  const requestId = textOf(request.requestId)
  const events: SessionEvent[] = []
  let at = timeOf(request.timestamp)
  const tell = (drafts: Draft[], sub: string | null = null): void =>
    void events.push(...drafts.map((draft) => stamped(draft, { at, sub, cwd })))

  tell(saidIn(request))
  const { id: auto } = fieldsOf(parts.findLast(({ kind }) => kind === 'autoModeResolution')?.resolved)
  const model = textOf(metadata.resolvedModel) || textOf(auto) || textOf(request.modelId)
  const version = textOf(fieldsOf(request.agent).extensionVersion)
  tell(settings({ model: model.replace(/^copilot\/(?:auto$)?/, ''), version }))

  const asked = callsIn(metadata)
  const edited = new Set(parts.flatMap(editsIn).map(({ path }) => path))
  const created = new Set<string>()
  let [text, isFenced] = ['', false]
  const flush = (): void => {
    if (!/^[\s`]*$/.test(text)) tell(replyOf(text.trim()))
    text = ''
  }
  for (const [index, part] of parts.entries()) {
    const prose = proseOf(part)
    // An edit is shown in a fence of its own, in which nothing stands.
    text += isFenced ? prose.replace(/^\s*`{3,}[ \t]*\n?/, '') : prose
    if (prose !== '') isFenced = false
    const files = editsIn(part)
    if (files.length > 0) {
      const open = openFence(text)
      isFenced = open.isOpen || (isFenced && text === '')
      text = text.slice(0, open.from)
      flush()
      for (const file of files) if (created.has(file.path)) file.change = 'create'
      const id = `${requestId}:${index}`
      tell([callOf(id, textOf(part.kind), { type: 'edit', files }), endOf(id, true)])
    } else if (part.kind === 'toolInvocationSerialized') {
      flush()
      const call = asked.get(textOf(part.toolCallId)) ?? {}
      const data = fieldsOf(part.toolSpecificData)
      const began = timeOf(call.timestamp) ?? timeOf(fieldsOf(data.terminalCommandState).timestamp)
      if (began !== null && began > (at ?? '')) at = began
      const [made, end] = callIn(part, data, call, isStopped)
      const { action } = made
      const paths = action.type === 'edit' ? action.files.map(({ path }) => path) : []
      if (EDITOR_TOOLS.get(made.tool) === 'create') for (const path of paths) created.add(path)
      // What was changed is told by the edit itself, which follows.
      const isTold = action.type === 'edit' && !paths.some((path) => !edited.has(path))
      tell(isTold ? [] : [made, end], textOf(part.subAgentInvocationId) || null)
      tell(editorPlan(data.todoList))
    } else if (part.kind === 'questionCarousel' || part.kind === 'planReview') {
      flush()
      tell(part.kind === 'planReview' ? proposalIn(part) : questionsOf(part, requestId))
    }
  }
  const took = numberOf(fieldsOf(result.timings).totalElapsed)
  at = timeOf(state.completedAt) ?? (took === null ? at : timeOf(sumOf(request.timestamp, took)))
  flush()
  const summaries = [metadata.summary, ...listOf(metadata.summaries)].map((one) => textOf(fieldsOf(one).text))
  tell(summaries.filter(Boolean).map((summary) => ({ kind: 'compaction', summary })))
  const [read, written] = [
    request.promptTokens ?? metadata.promptTokens,
    request.completionTokens ?? metadata.outputTokens,
  ]
  tell(usageOf(sumOf(read), sumOf(written)))
  if (isStopped) tell([{ kind: 'interrupt' }])
  else if (state.value === FAILED || textOf(error.message) !== '')
    tell([{ kind: 'failure', text: textOf(error.message) || 'The model request failed.' }])
  return events
}

/** The parts of a response; null where the person took the turn back. One that was taken back in its middle ends there. */
function partsOf({ response, shouldBeRemovedOnSend: removed, isHidden }: Fields): Fields[] | null {
  const parts = listOf(response).map((part) => (typeof part === 'string' ? { value: part } : fieldsOf(part)))
  const stop = textOf(fieldsOf(removed).afterUndoStop)
  const end = parts.findIndex(({ kind, id }) => kind === 'undoStop' && id === stop)
  if (stop !== '') return end === -1 ? parts : parts.slice(0, end)
  return isHidden === true || fieldsOf(removed) === removed ? null : parts
}

/** The words of the person and the files they named; the client has requests of its own, and some of a button. */
function saidIn({ requestId, message, variableData, isSystemInitiated, confirmation }: Fields): Draft[] {
  if (isSystemInitiated === true || textOf(confirmation) !== '') return []
  const files = itemsOf(fieldsOf(variableData).variables).filter(
    ({ kind, id }) => kind === 'file' && !textOf(id).startsWith('vscode.'),
  )
  return [
    ...files.flatMap(({ value }, index) => readByUser(`${textOf(requestId)}@${index}`, placeOf(value))),
    ...promptOf(textOf(message) || textOf(fieldsOf(message).text)),
  ]
}

/** Where the fences at the end of a text begin, and whether the last one is open. */
function openFence(text: string): { from: number; isOpen: boolean } {
  let end = text.length
  while (end > 0 && /[\s`]/.test(text.charAt(end - 1))) end--
  const fences = [...text.slice(end).matchAll(/`{3,}/g)]
  return { from: end + (fences[0]?.index ?? text.length), isOpen: fences.length % 2 === 1 }
}

const markdown = (text: unknown): string => textOf(text) || textOf(fieldsOf(text).value)

/** What stands on the screen as words of the agent. */
function proseOf({ kind, value, content, inlineReference, name }: Fields): string {
  if (kind === undefined) return textOf(value)
  if (kind === 'markdownContent' || kind === 'markdownVuln') return markdown(content)
  const shown = textOf(name) || textOf(fieldsOf(inlineReference).name) || basename(placeOf(inlineReference))
  return kind === 'inlineReference' && shown !== '' ? `\`${shown}\`` : ''
}

/** The path of a file, or of a place in one; empty for what is no file of this machine. */
function placeOf(given: unknown): string {
  const { uri, scheme, fsPath, path } = fieldsOf(given)
  if (uri !== undefined) return placeOf(uri)
  if (scheme !== undefined && scheme !== 'file' && scheme !== 'vscode-remote') return ''
  return pathOf(textOf(given)) || textOf(fsPath) || textOf(path).replace(/^\/(?=[a-z]:)/i, '')
}

function editsIn({ kind, uri, edits, isExternalEdit }: Fields): FileTouch[] {
  const path = placeOf(uri)
  if (kind === 'textEditGroup' || kind === 'notebookEditGroup')
    return path !== '' && (isExternalEdit === true || listOf(edits).flat().length > 0)
      ? [{ path, change: 'update' }]
      : []
  return (kind === 'workspaceEdit' ? listOf(edits) : []).map(fieldsOf).map(({ oldResource, newResource }) => {
    const [from, to] = [placeOf(oldResource), placeOf(newResource)]
    if (from !== '' && to !== '') return { path: to, change: 'rename', from }
    return from === '' ? { path: to, change: 'create' } : { path: from, change: 'delete' }
  })
}

/** The calls as the model asked for them, by the id without what Copilot appends to it; on file once the turn is over. */
function callsIn({ toolCallRounds, toolCallResults }: Fields): Map<string, Fields> {
  const calls = new Map<string, Fields>()
  for (const { timestamp, toolCalls } of itemsOf(toolCallRounds))
    for (const call of itemsOf(toolCalls)) {
      const { content } = fieldsOf(fieldsOf(toolCallResults)[textOf(call.id)])
      calls.set(textOf(call.id).replace(/__vscode-.*/, ''), { ...call, timestamp, said: valuesOf(content) })
    }
  return calls
}

/** The texts of what a tool gave back; what is shaped for the prompt is none. */
const valuesOf = (blocks: unknown): string =>
  listOf(blocks)
    .map((block) => textOf(fieldsOf(block).value))
    .join('\n')
    .trim()

/** Refused by the person or a rule, and passed over. Before 1.104 it was a plain no. */
const REFUSED: readonly unknown[] = [0, 5]

/** A call and its end. Where the model's own input is not on file, the message on the screen names files and pattern. */
function callIn(
  part: Fields,
  data: Fields,
  asked: Fields,
  isStopped: boolean,
): [DraftOf<'call'>, DraftOf<'result'>] {
  const { userEdited, original } = fieldsOf(data.commandLine)
  const command =
    textOf(userEdited) || textOf(original) || (data.kind === 'terminal' ? textOf(data.command) : '')
  const message = markdown(part.pastTenseMessage) || markdown(part.invocationMessage)
  const filePaths = [...message.matchAll(/\]\((file:[^)#\s]+)/g)].map(([, uri = '']) => pathOf(uri))
  const shown = { ...data, filePaths, query: /`([^`]+)`/.exec(message)?.[1] }
  const name = textOf(asked.name) || textOf(part.toolId)
  const input = asked.arguments === undefined ? shown : editorInput(asked.arguments)
  const action = command === '' ? editorAction(name, input) : { type: 'run' as const, command }

  const { isConfirmed, resultError } = part
  const exitCode = numberOf(fieldsOf(data.terminalCommandState).exitCode)
  const { output, isError } = fieldsOf(part.resultDetails)
  const refused =
    isConfirmed === false ||
    REFUSED.includes(fieldsOf(isConfirmed).type) ||
    (isStopped && isConfirmed === undefined && exitCode === null)
  const said = textOf(asked.said)
  const failed = isError === true || Boolean(resultError) || said.startsWith('ERROR while calling tool')
  const ok = !refused && !failed && (exitCode ?? 0) === 0
  const unsure = ok && exitCode === null && (action.type === 'run' || action.type === 'edit')
  const text = textOf(fieldsOf(data.terminalCommandOutput).text) || textOf(data.result) || valuesOf(output)
  const id = textOf(part.toolCallId)
  return [
    { ...callOf(id, name, action), cwd: placeOf(data.cwd) || null },
    endOf(id, ok, text || textOf(resultError) || said, {
      exitCode,
      ...(refused && { refused }),
      ...(unsure && { unsure }),
    }),
  ]
}

function questionsOf({ questions, data, resolveId }: Fields, requestId: string): Draft[] {
  const asked = itemsOf(questions)
  return asked.flatMap(({ id: key, title, message, options }, index): Draft[] => {
    const id = numbered(textOf(resolveId) || requestId, index)
    const given = fieldsOf(data)[textOf(key)]
    const { selectedValue, selectedValues, freeformValue } = fieldsOf(given)
    const chosen = [given, selectedValue, ...listOf(selectedValues), freeformValue]
      .map(textOf)
      .filter(Boolean)
    const question = { id, text: markdown(message) || textOf(title), options: labelsOf(options) }
    const answer: Draft[] = chosen.length === 0 ? [] : [{ kind: 'answer', id, text: chosen.join(', ') }]
    return question.text === '' ? [] : [{ kind: 'question', ...question }, ...answer]
  })
}

function proposalIn({ content, data }: Fields): Draft[] {
  const { rejected, feedback } = fieldsOf(data)
  const accepted = typeof rejected === 'boolean' ? !rejected : null
  return [{ kind: 'proposal', text: textOf(content), accepted }, ...promptOf(textOf(feedback))]
}

/** What is typed and not sent, of which there are many entries. */
const DRAFT = '{"kind":1,"k":["inputState"'

/** The object that a journal of VS Code comes to, entry by entry (`chat/common/model/objectMutationLog.ts`). Throws `sessionTorn`. */
export async function replayJournal(
  path: string,
  options: ReadOptions,
): Promise<{ header: Fields; records: Fields[] }> {
  const root: { v?: unknown } = {}
  for await (const batch of readLineBatches(path, options))
    for (const line of batch) {
      if (line.bytes.toString('latin1', 0, DRAFT.length) === DRAFT) continue
      const entry = parseLine(line, options)
      if (entry !== null && !change(root, entry)) options.onSkip?.('unknown')
    }
  const header = fieldsOf(root.v)
  if (!Array.isArray(header.requests)) throw sessionTorn(path, 'its first entry is cut off or damaged')
  return { header, records: header.requests.map(fieldsOf) }
}

/** 0 is the whole, 1 sets what stands at `k`, 2 cuts a list at `i` and appends to it, 3 deletes. False for what fits nowhere. */
function change(root: { v?: unknown }, { kind, k, v, i }: Fields): boolean {
  if (kind === 0) {
    root.v = v
    return true
  }
  const keys = listOf(k) as Key[]
  const holder = keys.slice(0, -1).reduce<unknown>((at, key) => (has(at, key) ? at[key] : undefined), root.v)
  const key = keys.at(-1)
  if (key === undefined || !takes(holder, key)) return false
  if (kind === 1 || kind === 3) holder[key] = kind === 1 ? v : undefined
  else if (kind !== 2) return false
  else {
    const list = listOf(holder[key])
    if (typeof i === 'number' && i >= 0 && i < list.length) list.length = Math.floor(i)
    for (const one of listOf(v)) list.push(one)
    holder[key] = list
  }
  return true
}

type Key = string | number
type Holder = Record<Key, unknown>

const has = (at: unknown, key: Key): at is Holder =>
  typeof at === 'object' && at !== null && Object.hasOwn(at, key)

/** Whether something may stand there: not far behind the end of a list, nor where every object would have it. */
function takes(at: unknown, key: Key): at is Holder {
  if (Array.isArray(at))
    return typeof key === 'number' && key >= 0 && key <= at.length && Number.isInteger(key)
  return fieldsOf(at) === at && typeof key === 'string' && key !== '__proto__'
}
