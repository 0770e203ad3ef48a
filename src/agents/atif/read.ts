import type { Action, FileTouch, ReadOptions, SessionEvent } from '../../types/session.ts'
import { partTexts, pathsUnder } from '../content.ts'
import { type Draft, endOf, promptOf, replyOf, type Stamp, stamped, usageOf } from '../draft.ts'
import { type Fields, fieldsOf, itemsOf, listOf, numberOf, sumOf, textOf, timeOf } from '../fields.ts'
import { actionBy, planItems, skillOf, toolsBy } from '../tools.ts'

/** Where handoff keeps what the format has no field for: a member of `extra`. */
export const OWN = 'handoff'

const ownOf = ({ extra }: Fields): Fields => fieldsOf(fieldsOf(extra)[OWN])

export const eventsOf = (
  steps: readonly Fields[],
  stamp: Stamp,
  { onSkip }: Pick<ReadOptions, 'onSkip'>,
): SessionEvent[] => {
  const events = steps.flatMap((step, index) => {
    const { sub, cwd } = ownOf(step)
    const here = { at: timeOf(step.timestamp), sub: textOf(sub) || stamp.sub, cwd: textOf(cwd) || stamp.cwd }
    const drafts = draftsOf(step, index)
    if (drafts === null) onSkip?.('unknown')
    return (drafts ?? []).map((draft) => stamped(draft, here))
  })
  return withResultsInTime(events)
}

/** The format keeps a result with its call; of calls that ran at the same time, later ones stood before it. */
function withResultsInTime(events: readonly SessionEvent[]): SessionEvent[] {
  const ordered: SessionEvent[] = []
  let waiting: SessionEvent[] = []
  for (const event of events) {
    if (event.kind === 'result' && event.at !== null) {
      waiting.push(event)
      continue
    }
    const isDue = ({ at }: SessionEvent): boolean => event.at === null || (at ?? '') <= event.at
    ordered.push(...waiting.filter(isDue).sort(byTime), event)
    waiting = waiting.filter((one) => !isDue(one))
  }
  return [...ordered, ...waiting.sort(byTime)]
}

const byTime = (a: SessionEvent, b: SessionEvent): number =>
  (a.at ?? '') < (b.at ?? '') ? -1 : Number((a.at ?? '') > (b.at ?? ''))

function draftsOf(step: Fields, index: number): Draft[] | null {
  const text = partTexts(step.message)
    .filter((part) => part !== '')
    .join('\n')
  const own = ownOf(step)
  switch (step.source) {
    case 'user':
      return promptOf(text)
    case 'system':
      // The prompt of the system is nobody's word.
      return toldBy(textOf(own.kind))?.(own, text) ?? []
    case 'agent': {
      const { prompt_tokens, completion_tokens } = fieldsOf(step.metrics)
      const [input, output] = [sumOf(prompt_tokens), sumOf(completion_tokens)]
      const context = numberOf(own.contextTokens) ?? undefined
      return [
        ...replyOf(text),
        ...callsOf(step, index),
        ...usageOf(input, output, context, numberOf(own.contextWindow)),
      ]
    }
    default:
      return null
  }
}

const isTrue = (value: unknown): boolean => value === true

/** Events that the format has no step for, as `write.ts` keeps them. */
const TOLD: Readonly<Record<string, (own: Fields, text: string) => Draft[]>> = {
  prompt: (_, text) => promptOf(text),
  plan: ({ items }) => [
    {
      kind: 'plan',
      items: planItems(items, 'text', ({ id, blockedBy }) => ({
        ...(textOf(id) && { id: textOf(id) }),
        ...(Array.isArray(blockedBy) ? { blockedBy: blockedBy.map(textOf) } : {}),
      })),
    },
  ],
  question: ({ id, options }, text) => [
    { kind: 'question', id: textOf(id), text, options: listOf(options).map(textOf) },
  ],
  answer: ({ id }, text) => [{ kind: 'answer', id: textOf(id), text }],
  proposal: ({ accepted }, text) => [
    { kind: 'proposal', text, accepted: typeof accepted === 'boolean' ? accepted : null },
  ],
  compaction: (_, summary) => [{ kind: 'compaction', summary }],
  skill: (_, name) => skillOf(name),
  setting: ({ kind: _, tools, ...rest }) => {
    const texts = ['model', 'thinking', 'version', 'branch', 'title'].flatMap((key) =>
      typeof rest[key] === 'string' ? [[key, rest[key]]] : [],
    )
    return [
      {
        kind: 'setting',
        ...Object.fromEntries(texts),
        ...(Array.isArray(tools) ? { tools: tools.map(textOf) } : {}),
      },
    ]
  },
  failure: (_, text) => [{ kind: 'failure', text }],
  interrupt: () => [{ kind: 'interrupt' }],
}

const toldBy = (kind: string) => (Object.hasOwn(TOLD, kind) ? TOLD[kind] : undefined)

/** Tools by the names that common agents give them: the format has none of its own. */
const TOOLS = toolsBy({
  create: 'write write_file WriteFile',
  update: 'apply_diff developer__text_editor file_editor',
  run: 'developer__shell exec execute_command',
  task: 'run_subagent',
})
/** Editors that take what to do as their first argument. */
const ORDERS = new Map<unknown, 'read' | 'create'>([
  ['view', 'read'],
  ['create', 'create'],
])

function actionOf(tool: string, input: Fields, deed: string): Action {
  // Ours: the arguments are the action.
  if (deed === 'edit') return { type: 'edit', files: filesOf(input.files) }
  if (deed === 'run' || deed === 'read' || deed === 'search' || deed === 'task')
    return actionBy(deed, input, pathsUnder(input, ['paths']))
  if (deed === 'other') return { type: 'other', paths: pathsUnder(input, ['paths']) }
  const words = listOf(input.command).map(textOf)
  const command = [input.command, input.cmd, input.keystrokes].map(textOf).find((text) => text !== '')
  const kind = TOOLS.get(tool)
  return actionBy(kind === 'update' ? (ORDERS.get(input.command) ?? kind) : kind, {
    ...input,
    command: command?.trim() ?? words.at(-1) ?? '',
  })
}

const CHANGES: ReadonlySet<unknown> = new Set(['create', 'update', 'delete', 'rename'])

const filesOf = (value: unknown): FileTouch[] =>
  itemsOf(value)
    .filter(({ path, change }) => textOf(path) !== '' && CHANGES.has(change))
    .map(({ path, change, from }) => ({
      path: textOf(path),
      change: change as FileTouch['change'],
      ...(textOf(from) && { from: textOf(from) }),
    }))

/** Calls with what came of them. One whose end is not told, as by every other program, counts by its text alone. */
function callsOf(step: Fields, index: number): Draft[] {
  const results = itemsOf(fieldsOf(step.observation).results)
  // Harbor keeps so what Claude Code says of a result.
  const isFailed = isTrue(fieldsOf(step.extra).tool_result_is_error)
  return itemsOf(step.tool_calls).flatMap((call, at): Draft[] => {
    const own = ownOf(call)
    const id = textOf(call.tool_call_id) || `${index}:${at}`
    const tool = textOf(call.function_name)
    const action = actionOf(tool, fieldsOf(call.arguments), textOf(own.type))
    const isOnly = listOf(step.tool_calls).length === 1
    const ended = results.filter(
      ({ source_call_id }) => source_call_id === id || (isOnly && typeof source_call_id !== 'string'),
    )
    return [
      { kind: 'call', id, tool, by: own.by === 'user' ? 'user' : 'agent', action },
      ...ended.map((result) =>
        resultOf(id, isOnly && isFailed ? { ...result, is_error: true } : result, action),
      ),
    ]
  })
}

/** How shells and clients tell the exit status in words. */
const EXIT = /(?:^|\n)[^\S\n]*(?:exit code:?|exit_code=|exited with code|\[exit status:?)\s*(\d{1,3})\b/i

function resultOf(id: string, result: Fields, action: Action): Draft {
  const own = ownOf(result)
  const text = partTexts(result.content).join('\n')
  if (typeof own.ok === 'boolean')
    return endOf(id, own.ok, text, {
      exitCode: numberOf(own.exitCode),
      at: timeOf(own.at),
      files: Array.isArray(own.files) && filesOf(own.files),
      refused: isTrue(own.refused),
      reason: textOf(own.reason),
      byClient: isTrue(own.byClient),
      unsure: isTrue(own.unsure),
    })
  const told = action.type === 'run' ? EXIT.exec(text)?.[1] : undefined
  const exitCode = told === undefined ? null : Number(told)
  const isError = isTrue(result.is_error) || isTrue(fieldsOf(result.extra).is_error)
  const isKnown = exitCode !== null || isError || action.type !== 'run'
  // A read file and a list of matches are copies.
  const isCopy = !isError && ['read', 'edit', 'search'].includes(action.type)
  return endOf(id, !isError && (exitCode ?? 0) === 0, isCopy ? '' : text, { exitCode, unsure: !isKnown })
}
