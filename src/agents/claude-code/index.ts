import { basename, join } from 'node:path'
import type { Adapter, Fullness } from '../../types/agent.ts'
import type { Home, Place } from '../../types/config.ts'
import type { SessionRef } from '../../types/session.ts'
import { loaded, textBlocks, wordsIn } from '../content.ts'
import { type Fields, fieldsOf, listOf, sumOf, textOf } from '../fields.ts'
import { lastRecord } from '../fullness.ts'
import { claudeHooks } from '../hooks.ts'
import { dashed, isWithin, namesIn, onlyNotes, pathsIn, sessionsAt } from '../session-files.ts'
import {
  ancestorsOf,
  claudeEvents,
  hookGroups,
  mcpServer,
  modelArgs,
  otherNamed,
  printedRecords,
  readSettings,
  shadowAmong,
  skillIn,
  usualLaunch,
} from '../setup.ts'
import { claudeFolder, isClaudeRecord, readClaudeRef } from './files.ts'

/** Claude Code 2.1.5 to 2.1.332: one JSONL file per session in a folder per start directory. */
export const claudeCode: Adapter = {
  id: 'claude-code',
  label: 'Claude Code',
  basis: { is: 'recorded', of: '@anthropic-ai/claude-code 2.1.5 to 2.1.332' },
  marks: ['CLAUDECODE', 'CLAUDE_CODE_SESSION_ID'],
  sessionMarks: ['CLAUDE_CODE_SESSION_ID'],
  find,
  identify: async (path, head) => (SIGNS.test(head) ? readClaudeRef(path) : null),
  read: loaded(async () => (await import('./read.ts')).readClaudeSession),
  fullness,
  hooks: claudeHooks,
  // The client lists skills in its menu and to the model. Without a time limit of its own SessionEnd is cut at 1.5 s.
  setup: (place) => [
    ...hookGroups(join(place.root, '.claude', 'settings.json'), place, claudeEvents(10)),
    skillIn(place, '.claude'),
    // Colleagues have no skill of that name.
    ...(shadow(place) === null ? [] : [otherNamed(skillIn(place, '.claude')) ?? []].flat()),
    mcpServer(place, '.mcp.json'),
  ],
  traces: ({ root, ...place }) => ({
    project: [join(root, '.claude'), join(root, 'CLAUDE.md')],
    home: [claudeFolder(place)],
  }),
  shadow,
  afterSetup: ['At its next start it asks about this folder and the server in .mcp.json. Answer yes.'],
  // `projects` of `.claude.json` says of each folder whether its person accepted the dialog; one above counts.
  async trust({ root, home, env }) {
    const where = join(env.CLAUDE_CONFIG_DIR || home, '.claude.json')
    const projects = fieldsOf(fieldsOf(readSettings(where)).projects)
    const folder = ancestorsOf(root).some((path) => fieldsOf(projects[path]).hasTrustDialogAccepted === true)
    return { folder, waiting: [], where }
  },
  // A prompt stands before any flag that takes several values.
  launch: {
    ...usualLaunch,
    program: 'claude',
    headless: (prompt) => ({ args: ['-p'], stdin: prompt }),
    passEnv: wordsIn(`ANTHROPIC_* CLAUDE_CONFIG_DIR CLAUDE_CODE_OAUTH_TOKEN CLAUDE_CODE_USE_BEDROCK
      CLAUDE_CODE_USE_VERTEX CLAUDE_CODE_SKIP_BEDROCK_AUTH CLAUDE_CODE_SKIP_VERTEX_AUTH
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC CLAUDE_CODE_AUTO_COMPACT_WINDOW CLOUD_ML_REGION AWS_*
      DISABLE_* IS_SANDBOX`),
    // The first in manual mode, the second in every other; neither while it asks for a permission.
    ready: /\? for shortcuts|shift\+tab to cycle/,
    busy: /esc to interrupt/,
    fork: {
      args: ({ id }, model) => [...ASKED, '--resume', id, '--fork-session', ...modelArgs(model)],
      inPlace: true,
    },
    ask: {
      args: (model) => [...ASKED, ...modelArgs(model)],
      provider: 'anthropic',
      // A file behind it is read into the prompt.
      expands: '@',
      // A refused login or a spent limit is a message with an error, or the last record calls it one; other messages belong to an answer.
      failure: ({ stdout }) => {
        const records = printedRecords(stdout)
        const failed = records.find(({ type, is_error }) => type === 'result' && is_error === true)
        const messages = records.filter(({ type }) => type === 'assistant')
        const wrong = messages.findLast(({ error }) => textOf(error) !== '')
        const wordsOf = (record: Fields | undefined): string =>
          textBlocks(fieldsOf(record?.message).content).join(' ')
        const said =
          textOf(failed?.result) ||
          wordsOf(wrong) ||
          listOf(failed?.errors).map(textOf).join(' ').trim() ||
          (failed === undefined ? '' : wordsOf(messages.at(-1)))
        return said === '' ? null : { said, isUnknownModel: wrong?.error === 'model_not_found' }
      },
      blocks: (stdout) => {
        const records = printedRecords(stdout)
        if (records.some(({ type, is_error }) => type === 'result' && is_error === true)) return []
        return records
          .filter(
            ({ type, parent_tool_use_id }) => type === 'assistant' && (parent_tool_use_id ?? null) === null,
          )
          .flatMap(({ message }) => textBlocks(fieldsOf(message).content))
      },
    },
  },
}

/** Fields that every record of a conversation, or the schema record before the first one, carries. */
const SIGNS = /^\{.*"(?:sessionId|parentUuid|leafUuid)":/m

async function find(...[place, roots, onUnread]: Parameters<Adapter['find']>): Promise<SessionRef[]> {
  const projects = join(claudeFolder(place), 'projects')
  const folders = namesIn(projects, onUnread).filter((name) =>
    roots.some((root) => name.startsWith(slug(root))),
  )
  const paths = folders
    .flatMap((folder) => pathsIn(join(projects, folder), onUnread))
    .filter((path) => path.endsWith('.jsonl') && !basename(path).startsWith('agent-'))
  const isOurs = (cwd: string | null) => isWithin(cwd, roots)
  const read = (path: string) => readClaudeRef(path, isOurs)
  return sessionsAt(paths, roots, onUnread, read, onlyNotes(isClaudeRecord, 'message'))
}

/** How the folder of a directory's sessions begins: the client cuts a name at 200 characters and adds a hash (2.1.330). */
const slug = (directory: string): string => dashed(directory).slice(0, 200)

/** Windows of Claude models: the usual one, and the larger one that some offer (platform.claude.com, context windows). */
const WINDOW = 200_000
const LARGE = 1_000_000

/** Tokens of the last request. The window is `CLAUDE_CODE_AUTO_COMPACT_WINDOW` or that of the model; null for models of others. */
async function fullness(
  { path }: Pick<SessionRef, 'path'>,
  { env }: Pick<Place, 'env'>,
): Promise<Fullness | null> {
  const last = lastRecord(path, '"usage":{', (record) => {
    const message = fieldsOf(record.message)
    const model = textOf(message.model)
    // What subagents and failed requests used is not what the conversation holds.
    if (record.type !== 'assistant' || record.isSidechain === true || model === '<synthetic>') return null
    const usage = fieldsOf(message.usage)
    const { input_tokens, cache_creation_input_tokens, cache_read_input_tokens, output_tokens } = usage
    const cached = sumOf(cache_creation_input_tokens, cache_read_input_tokens)
    return { model, tokens: sumOf(input_tokens, output_tokens, cached) }
  })
  if (last === null || last.tokens === 0) return null
  const window = windowOf(last.model, last.tokens, env)
  return window === null ? null : { tokens: last.tokens, window, ...compaction(window, env) }
}

/** Tokens of the window that the client keeps for a reply, and those that it leaves before it compacts: 167,000 of 200,000 (2.1). */
const FOR_REPLY = 20_000
const LEFT = 13_000

/** A percentage set by the person counts only below that point. */
function compaction(window: number, env: Place['env']): { compactsAt?: number } {
  if (env.DISABLE_COMPACT || env.DISABLE_AUTO_COMPACT) return {}
  const percent = Number(env.CLAUDE_AUTOCOMPACT_PCT_OVERRIDE)
  const usable = window - FOR_REPLY
  const at = percent > 0 ? Math.min((usable * percent) / 100, usable - LEFT) : usable - LEFT
  return at > 0 ? { compactsAt: Math.floor(at) } : {}
}

function windowOf(model: string, tokens: number, env: Place['env']): number | null {
  const told = Number(env.CLAUDE_CODE_AUTO_COMPACT_WINDOW)
  if (Number.isInteger(told) && told > 0) return told
  if (!model.startsWith('claude-')) return null
  // The mark is taken off the name before it is recorded; a request larger than the usual window shows it too.
  return tokens > WINDOW || env.ANTHROPIC_MODEL?.includes('[1m]') === true ? LARGE : WINDOW
}

/** Personal skills and commands go before those of the project (2.1.330). */
function shadow(place: Home): string | null {
  const folder = claudeFolder(place)
  return shadowAmong([join(folder, 'skills', 'handoff', 'SKILL.md'), join(folder, 'commands', 'handoff.md')])
}

/** One answer, nothing kept, no tool. */
const ASKED = [
  ...['-p', '--output-format', 'stream-json', '--verbose', '--no-session-persistence'],
  ...['--tools', '', '--strict-mcp-config', '--disable-slash-commands'],
]
