import { join } from 'node:path'
import type { Adapter } from '../../types/agent.ts'
import type { Batches, ReadOptions, SessionRef } from '../../types/session.ts'
import { contentText, wordSet } from '../content.ts'
import { createSettings, type Draft, promptOf, replyOf, stamped, usageOf } from '../draft.ts'
import { type Fields, fieldsOf, itemsOf, sumOf, textOf, timeOf } from '../fields.ts'
import { mergeByTime } from '../merge-by-time.ts'
import { skillIn, usualLaunch } from '../setup.ts'
import { readByUser } from '../tools.ts'
import { readRecords } from '../whole-json.ts'
import { type ClineCall, clineAttempt, clineCall, clineResult } from './calls.ts'
import {
  type Compaction,
  clineFolder,
  clineSubagents,
  findClineFiles,
  identifyCline,
  readClineCompaction,
} from './files.ts'

/** Cline 3.0.65 (`cline`, and its extension since it keeps sessions in the same place): one JSON file of messages per session. */
export const cline: Adapter = {
  id: 'cline',
  label: 'Cline',
  basis: { is: 'recorded', of: 'cline 3.0.65' },
  // The CLI sets the first for itself, and its commands inherit it (seen in 3.0.65). The terminals of the extension have the other one
  // (apps/vscode/src/hosts/vscode/terminal/VscodeTerminalRegistry.ts of 4.1.13).
  marks: ['CLINE_CONNECTOR_CLI_LAUNCH', 'CLINE_ACTIVE'],
  find: findClineFiles,
  identify: async (path, head) => identifyCline(path, head),
  read: readClineSession,
  // Its MCP servers stand at the person's home. A project may bring hooks (`.cline/hooks`), but in the CLI only those around a tool reach
  // the model: those of the start and of a prompt run beside (`hook-file-hooks.ts`, August 2026). The extension hears all, but each
  // event is one script, which people write by hand: two answers in it would be none.
  setup: (place) => [skillIn(place, '.cline')],
  traces: ({ root, ...place }) => ({
    project: [join(root, '.cline'), join(root, '.clinerules')],
    home: [clineFolder(place)],
  }),
  // The CLI approves every tool by itself unless it is told to ask; in a turn without a person it would then do nothing.
  launch: {
    ...usualLaunch,
    program: 'cline',
    interactive: (prompt) => ({ args: ['--tui', '--auto-approve', 'false', prompt] }),
    headless: (prompt) => ({ args: [prompt] }),
    passEnv: ['CLINE_*'],
  },
}

/**
 * The conversation of one session, subagents merged in by time; a compaction leaves its messages on file. Throws `sessionUnreadable`,
 * and `sessionFormat` when the file holds no messages.
 */
async function* readClineSession(ref: SessionRef, options: ReadOptions): Batches {
  const main = readFile(ref, null, readClineCompaction(ref.path), options)
  yield* mergeByTime(main, clineSubagents(ref), ({ path, label }) =>
    readFile({ ...ref, path }, label, null, options),
  )
}

async function* readFile(
  { path, cwd, branch = '', title = '' }: SessionRef,
  sub: string | null,
  compaction: Compaction | null,
  options: ReadOptions,
): Batches {
  const { header, records } = await readRecords(path, 'messages', options)
  const settings = createSettings(sub)
  const translate = createClineTranslator(settings, sub === null)
  const version = textOf(fieldsOf(header.origin).version)
  const told = settings({ version, branch, title }).map((draft) => stamped(draft, { at: null, sub, cwd }))
  records.forEach((message, index) => {
    const found = translate(message)
    if (found === null) options.onSkip?.('unknown')
    const at = timeOf(message.ts)
    for (const draft of found ?? []) told.push(stamped(draft, { at, sub, cwd }))
    if (compaction?.count === index + 1)
      told.push({ kind: 'compaction', summary: compaction.summary, at: compaction.at, sub, cwd })
  })
  yield told
}

/** `isMain`: a person speaks in it; what a subagent is told is the agent's. */
function createClineTranslator(
  settings: ReturnType<typeof createSettings>,
  isMain: boolean,
): (message: Fields) => Draft[] | null {
  const calls = new Map<string, ClineCall>()
  let mode = ''
  /** The last reply in the mode that plans, and what of it the person has answered to. */
  let plan = { text: '', answered: '' }

  function said(message: Fields): Draft[] {
    const ended = blocksOf(message, 'tool_result').flatMap((block) =>
      finished(textOf(block.tool_use_id), block),
    )
    const { kind, displayRole, summary } = fieldsOf(message.metadata)
    if (kind === 'compaction_summary') return [{ kind: 'compaction', summary: textOf(summary) }]
    if (!isMain || NOTICES.has(textOf(kind)) || NOBODY.has(textOf(displayRole))) return ended
    const text = contentText(message.content)
    const words = typedText(text)
    if (words.trim() !== '') plan.answered = plan.text
    mode = OPENS.exec(text)?.[1] ?? mode
    const files = blocksOf(message, 'file').flatMap(({ path }, index) =>
      readByUser(`${textOf(message.id)}:${index}`, textOf(path)),
    )
    return [...ended, ...promptOf(words), ...files]
  }

  function replied(message: Fields): Draft[] {
    const text = contentText(message.content)
    if (mode === 'plan' && text.trim() !== '') plan.text = text
    // The tokens of the cache are among those of the input (llms/src/providers/ai-sdk.ts of 3.0.56).
    const { inputTokens, outputTokens } = fieldsOf(message.metrics)
    const input = sumOf(inputTokens)
    return [
      ...settings({ model: textOf(fieldsOf(message.modelInfo).id) }),
      ...replyOf(text),
      ...usageOf(input, sumOf(outputTokens), input),
      ...blocksOf(message, 'tool_use').flatMap(({ id, name, input: given }) => {
        const call = clineCall(textOf(name), given)
        calls.set(textOf(id), call)
        return clineAttempt(textOf(id), call)
      }),
    ]
  }

  function finished(id: string, block: Fields): Draft[] {
    const call = calls.get(id) ?? clineCall(textOf(block.name), {})
    calls.delete(id)
    const drafts = clineResult(id, call, block)
    const isAccepted =
      call.tool === 'switch_to_act_mode' && drafts.some((one) => one.kind === 'result' && one.ok)
    const { answered } = plan
    if (!isAccepted) return drafts
    plan = { text: '', answered: '' }
    return answered === '' ? drafts : [...drafts, { kind: 'proposal', text: answered, accepted: true }]
  }

  return (message) =>
    message.role === 'user' ? said(message) : message.role === 'assistant' ? replied(message) : null
}

const blocksOf = ({ content }: Fields, type: string): Fields[] =>
  itemsOf(content).filter((block) => block.type === type)

/** Messages that the client wrote in the person's name (core/src/session/user-run-messages.ts of 3.0.56). */
const NOTICES =
  wordSet(`auto_compaction compaction_budget_emergency completion_reminder loop_detection_notice manual_compaction
  mistake_stop_notice recovery_notice`)
const NOBODY: ReadonlySet<string> = new Set(['system', 'status', 'error'])
/** The same where nothing but the words tells it; the last are those of agents/src/agent-runtime.ts. */
const SYNTHETIC =
  /^(?:\[TASK RESUMPTION\]|The user approved switching to act mode\. Continue with the approved plan now\.$|\[SYSTEM\] This run is not complete until )/

/** Frames around what the person typed (shared/src/prompt/format.ts of 3.0.56). */
const OPENS = /<user_input mode="(act|plan|yolo)">/
const CLOSES = '</user_input>'
const NOTICE = /<mode_notice>[^<]*<\/mode_notice>/g
const COMMAND = /^<user_command slash="([^"]+)">([\s\S]*)<\/user_command>$/
const TEAM = /^spawn a team of agents for the following task:\s*/i

function typedText(text: string): string {
  const words = unframed(text).replace(NOTICE, '').trim()
  const [, slash, content = ''] = COMMAND.exec(words) ?? []
  if (slash !== undefined) return `/${slash} ${content.trim().replace(TEAM, '')}`.trim()
  return SYNTHETIC.test(words) ? '' : words
}

/** What stands around the frame is the client's: files and notices. */
function unframed(text: string): string {
  const opens = OPENS.exec(text)
  const end = text.lastIndexOf(CLOSES)
  return opens && end > opens.index ? text.slice(opens.index + opens[0].length, end) : text
}
