import { basename, dirname, join } from 'node:path'
import type { Adapter } from '../types/agent.ts'
import type { Home } from '../types/config.ts'
import type { Batches, FileTouch, ReadOptions, SessionRef } from '../types/session.ts'
import { firstText, translate, wordSet } from './content.ts'
import {
  callOf,
  clip,
  type Draft,
  type DraftOf,
  endOf,
  promptOf,
  replyOf,
  stamped,
  usageOf,
} from './draft.ts'
import {
  type Fields,
  fieldsOf,
  itemsOf,
  listOf,
  numberOf,
  recordOf,
  sumOf,
  textOf,
  timeOf,
} from './fields.ts'
import { fileRef, firstRecord, pathsIn, readEnds, sessionsAt, textIfThere } from './session-files.ts'
import { mcpServer, skillIn, usualLaunch } from './setup.ts'
import { planItems } from './tools.ts'

/**
 * Junie, CLI and IDE: a log of events per session, and one list of all. Source: deja (CLI 3110.7, October 2026), agentsview `junie.go`; plans,
 * choices and tests after a viewer's list of the events in its author's logs (July 2026) and a second reader's tests.
 */
export const junie: Adapter = {
  id: 'junie',
  label: 'Junie',
  basis: { is: 'documented', of: 'Junie CLI 3110', source: 'deja, agentsview' },
  marks: [],
  async find({ home, env }, roots, onUnread) {
    const folder = join(folderOf({ home, env }), 'sessions')
    const paths = pathsIn(folder, onUnread).map((path) => join(path, 'events.jsonl'))
    return sessionsAt(paths, roots, onUnread, refOf)
  },
  identify: async (path, head) => (isLog(head) ? refOf(path) : null),
  read,
  // It ignores hooks of a project (its documentation of September 2026, rulesync of August 2026).
  setup: (place) => [skillIn(place, '.junie'), mcpServer(place, '.junie', 'mcp', 'mcp.json')],
  traces: ({ root, ...place }) => ({ project: [join(root, '.junie')], home: [folderOf(place)] }),
  // `--prompt` goes on after the turn, `--task` ends (its documentation, and Orca, of 2026).
  launch: {
    ...usualLaunch,
    program: 'junie',
    interactive: (prompt) => ({ args: ['--prompt', prompt] }),
    headless: (prompt) => ({ args: ['--task', prompt] }),
    passEnv: ['JUNIE_*'],
  },
}

const folderOf = ({ home, env }: Home): string => env.JUNIE_HOME || join(home, '.junie')

const EVENT = /^\s*\{[^\n]*"kind"\s*:\s*"(?:\w+Event|TaskState|UserMessages\w+)"/
/** Logs of May 2026 have no times in their records. */
const isLog = (head: string): boolean =>
  EVENT.test(head) && (head.includes('"timestampMs"') || /"kind"\s*:\s*"SessionA2uxEvent"/.test(head))

function refOf(path: string): SessionRef | null {
  const ends = readEnds(path)
  if (!ends || !isLog(ends.head)) return null
  const id = basename(dirname(path))
  const list = textIfThere(join(dirname(dirname(path)), 'index.jsonl')) ?? ''
  const row = list
    .split('\n')
    .filter((line) => line.includes(`"${id}"`))
    .map(recordOf)
    .at(-1)
  const { projectDir, taskName, createdAt } = row ?? {}
  const moved = /"currentDirectory"\s*:\s*("(?:[^"\\]|\\.)*")/.exec(ends.head)?.[1]
  const cwd = textOf(projectDir) || recordOf(`{"cwd":${moved ?? '""'}}`).cwd
  const from = timeOf(createdAt) ?? firstRecord(ends).timestampMs
  return fileRef('junie', path, ends, { id, cwd, from, title: taskName })
}

/** A block is written anew as its step goes on, and once more at the end of the task: each stands where it began, as it was last. */
async function* read(ref: SessionRef, options: ReadOptions): Batches {
  const entries = new Map<string, { at: string | null; drafts: Draft[] }>()
  const prompts = new Map<string, string>()
  const told = createAnswers()
  const nothing = translate(ref.path, options, {
    add(record, { index }) {
      const agentEvent = fieldsOf(fieldsOf(record.event).agentEvent)
      const key = textOf(record.requestId) || textOf(agentEvent.stepId) || String(index)
      const isBlock = record.kind === 'SessionA2uxEvent'
      const drafts =
        told(isBlock ? agentEvent : record, key) ??
        (isBlock ? blockDrafts(agentEvent, key) : draftsOf(record))
      if (drafts === null) return null
      if (record.kind === 'UserPromptEvent') prompts.set(textOf(record.userMessageId) || key, key)
      // What the person took back was not said.
      if (record.kind === 'UserMessagesDroppedFromHistory')
        for (const id of listOf(record.userMessageIds)) entries.delete(prompts.get(textOf(id)) ?? '')
      const at = entries.get(key)?.at ?? timeOf(record.timestampMs)
      if (drafts.length > 0) entries.set(key, { at, drafts })
      return []
    },
  })
  for await (const _ of nothing);
  for (const { at, drafts } of entries.values())
    yield drafts.map((draft) => stamped(draft, { at, sub: null, cwd: ref.cwd }))
}

/** What the agent plans and asks, and what the person chooses; null for other events. The plan is written anew with every step. */
function createAnswers(): (event: Fields, id: string) => Draft[] | null {
  let asked: { id: string; options: Fields[] } | null = null
  let [proposed, suggested, shown] = ['', '', '']
  return (event, id) => {
    switch (event.kind) {
      case 'AgentPlanUpdatedEvent': {
        const items = planItems(event.items, 'description')
        const isNew = items.length > 0 && shown !== JSON.stringify(items)
        shown = isNew ? JSON.stringify(items) : shown
        return isNew ? [{ kind: 'plan', items }] : []
      }
      case 'SuggestPlanEvent': {
        const text = planText(event)
        // All of it stands there once more at the end of the task.
        if (text === '' || text === suggested) return []
        suggested = text
        proposed = text
        return [{ kind: 'proposal', text, accepted: null }]
      }
      case 'AskRequestUpdatedEvent':
      case 'ChoiceRequestUpdatedEvent': {
        const { question, options } = fieldsOf(event.askRequest ?? event.choiceRequest)
        if (event.status === 'IN_PROGRESS') asked = { id, options: itemsOf(options) }
        const labels = itemsOf(options).map(({ description }) => textOf(description))
        return [{ kind: 'question', id, text: firstText(question, event.title), options: labels }]
      }
      case 'UserResponseEvent': {
        const text = textOf(event.prompt)
        const [question, plan] = [asked, proposed]
        if (question === null || text === '') return null
        asked = null
        proposed = ''
        const choice = question.options.find(({ description }) => description === text)
        const answer: Draft[] = [{ kind: 'answer', id: question.id, text }]
        if (choice === undefined || plan === '') return answer
        return [...answer, { kind: 'proposal', text: plan, accepted: /^Agree/.test(textOf(choice.id)) }]
      }
      default:
        return null
    }
  }
}

const planText = ({ plan, sections, deliveryPlan }: Fields): string =>
  [
    textOf(plan),
    ...itemsOf(sections).map(({ name, content }) => `## ${textOf(name)}\n\n${textOf(content)}`),
    ...itemsOf(deliveryPlan).map(({ name, description }) => `- ${textOf(name)}: ${textOf(description)}`),
  ]
    .filter((part) => part !== '')
    .join('\n')

function draftsOf(record: Fields): Draft[] | null {
  switch (record.kind) {
    case 'UserPromptEvent':
      return record.delivery === 'Failed'
        ? []
        : promptOf(textOf(record.presentablePrompt) || textOf(record.prompt))
    case 'UserResponseEvent':
      return promptOf(textOf(record.prompt))
    case 'CancelAgentEvent':
      return [{ kind: 'interrupt' }]
    case 'SessionTitleSetEvent':
      return [{ kind: 'setting', title: textOf(record.name) }]
    case 'AgentTaskFailedEvent':
      return [{ kind: 'failure', text: textOf(record.message) || 'The task failed.' }]
    case 'UserAsyncResponseEvent':
      return itemsOf(record.entries).flatMap(({ question, answer }, index): Draft[] => {
        const id = `${textOf(record.requestId)}#${index + 1}`
        return [
          { kind: 'question', id, text: textOf(question), options: [] },
          { kind: 'answer', id, text: textOf(answer) },
        ]
      })
    default:
      return IDLE.has(textOf(record.kind)) ? [] : null
  }
}

function blockDrafts(block: Fields, id: string): Draft[] | null {
  const { kind, status } = block
  const refused = status === 'REJECTED' || status === 'CANCELED'
  const result = (more: Partial<DraftOf<'result'>> = {}): DraftOf<'result'>[] =>
    status === 'IN_PROGRESS' ? [] : [endOf(id, status !== 'FAILED' && !refused, '', { refused, ...more })]
  switch (kind) {
    case 'MarkdownBlockUpdatedEvent':
      return replyOf(textOf(block.text))
    case 'ResultBlockUpdatedEvent':
      return block.cancelled === true
        ? [{ kind: 'interrupt' }]
        : replyOf(textOf(block.result).replace(/^<!-- ANSWER -->/, ''))
    case 'TerminalBlockUpdatedEvent': {
      const text = clip(firstText(block.output, block.details))
      const call = callOf(id, 'terminal', { type: 'run', command: textOf(block.command) })
      return [call, ...result({ exitCode: numberOf(block.exitCode), text })]
    }
    case 'ViewFilesBlockUpdatedEvent': {
      const paths = listOf(block.files).map((file) => textOf(fieldsOf(file).relativePath))
      return [callOf(id, 'view', { type: 'read', paths }), ...result()]
    }
    case 'FileChangesBlockUpdatedEvent': {
      const files = listOf(block.changes).map((change) => touched(fieldsOf(change)))
      return [callOf(id, 'edit', { type: 'edit', files }), ...result()]
    }
    // Its status does not tell whether the tests passed.
    case 'TestRunBlockUpdatedEvent':
      return [
        callOf(id, firstText(block.name, 'test'), { type: 'other', paths: [] }),
        ...result({ unsure: true }),
      ]
    case 'McpBlockUpdatedEvent': {
      const text = clip(textOf(block.details))
      return [callOf(id, textOf(block.toolName), { type: 'other', paths: [] }), ...result({ text })]
    }
    case 'CustomAgentBlockUpdatedEvent': {
      const end = status === 'STARTED' ? [] : result()
      return [callOf(id, 'agent', { type: 'task', prompt: textOf(block.name) }), ...end]
    }
    case 'LlmResponseMetadataEvent':
      return itemsOf(block.modelUsage).flatMap(used)
    case 'AgentFailureEvent':
      return [{ kind: 'failure', text: textOf(block.message) || 'The agent failed.' }]
    default:
      return IDLE.has(textOf(kind)) ? [] : null
  }
}

/** Kinds that say nothing the events need; the agent's own state is the largest part of the file. */
const IDLE =
  wordSet(`TaskStartedEvent TaskState SystemMessageEvent UserMessagesCommittedToHistory UserMessagesDroppedFromHistory
  SendToAgentEvent SkillsStatusEvent TaskContinueStopped AgentStateUpdatedEvent ToolBlockUpdatedEvent AgentThoughtBlockUpdatedEvent
  AgentCurrentStatusUpdatedEvent CurrentDirectoryUpdatedEvent EnvironmentVariablesUpdatedEvent AgentTaskNameUpdatedEvent
  ContextWindowReportEvent AgentPatchCreatedEvent AvailablePullRequestsEvent TipSuggestionCreatedEvent ShowPlanProgressEvent
  NextPromptSuggestionEvent AuthorizationAvailabilityEvent AgentStartedEvent SubagentSpawnedEvent AskAsyncRequestUpdatedEvent`)

function touched({ beforeRelativePath, afterRelativePath, beforeContent, afterContent }: Fields): FileTouch {
  const [from, to] = [textOf(beforeRelativePath), textOf(afterRelativePath)]
  if (to === '' || afterContent === null) return { path: from || to, change: 'delete' }
  if (from === '' || beforeContent === null) return { path: to, change: 'create' }
  return from === to ? { path: to, change: 'update' } : { path: to, change: 'rename', from }
}

function used({ model, inputTokens, outputTokens, cacheInputTokens, cacheCreateTokens }: Fields): Draft[] {
  const input = sumOf(inputTokens, cacheInputTokens, cacheCreateTokens)
  const name = textOf(model)
  return [
    ...(name === '' ? [] : [{ kind: 'setting', model: name } as const]),
    ...usageOf(input, sumOf(outputTokens)),
  ]
}
