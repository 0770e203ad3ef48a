import { join } from 'node:path'
import type { HookTrust, Launch, SetupEdit, SetupPlace } from '../../types/agent.ts'
import { type Fields, fieldsOf, listOf, textBlocks, textOf } from '../fields.ts'
import {
  ancestorsOf,
  claudeEvents,
  hookGroups,
  mcpServer,
  modelArgs,
  OTHER_NAME,
  printedRecords,
  readSettings,
  renamedSkill,
  shadowAmong,
  skillIn,
} from '../setup.ts'

/**
 * Claude Code 2.1.330: hooks in the project's settings, `/handoff` as a skill, which completes in the menu and is listed to
 * the model, and the MCP server of the project. Without a time limit of its own SessionEnd is cut at 1.5 s.
 */
export const claudeSetup = (place: SetupPlace): SetupEdit[] => [
  ...hookGroups(join(place.root, '.claude', 'settings.json'), place, claudeEvents(10)),
  skillIn(place, '.claude'),
  ...(claudeShadow(place) === null
    ? []
    : [
        {
          type: 'file' as const,
          path: join(place.root, '.claude', 'skills', OTHER_NAME, 'SKILL.md'),
          content: renamedSkill(place.template('SKILL.md')),
        },
      ]),
  mcpServer(place, '.mcp.json'),
]

/** Personal skills and commands go before those of the project (2.1.330). */
export function claudeShadow({ home, env }: Pick<SetupPlace, 'home' | 'env'>): string | null {
  const folder = env.CLAUDE_CONFIG_DIR || join(home, '.claude')
  return shadowAmong([join(folder, 'skills', 'handoff', 'SKILL.md'), join(folder, 'commands', 'handoff.md')])
}

export const claudeTraces = ({ root, home, env }: Pick<SetupPlace, 'root' | 'home' | 'env'>) => ({
  project: [join(root, '.claude'), join(root, 'CLAUDE.md')],
  home: [env.CLAUDE_CONFIG_DIR || join(home, '.claude')],
})

/** Claude Code 2.1.330: `projects` of `.claude.json` says of each folder whether its person accepted the dialog; one above counts. */
export async function claudeTrust({ root, home, env }: SetupPlace): Promise<HookTrust> {
  const where = join(env.CLAUDE_CONFIG_DIR || home, '.claude.json')
  const projects = fieldsOf(fieldsOf(readSettings(where)).projects)
  const folder = ancestorsOf(root).some((path) => fieldsOf(projects[path]).hasTrustDialogAccepted === true)
  return { folder, waiting: [], where }
}

/** One answer, nothing kept, no tool. */
const ASKED = [
  ...['-p', '--output-format', 'stream-json', '--verbose', '--no-session-persistence'],
  ...['--tools', '', '--strict-mcp-config', '--disable-slash-commands'],
]

/** How Claude Code 2.1.330 is started; a prompt stands before any flag that takes several values. */
export const claudeLaunch: Launch = {
  program: 'claude',
  interactive: (prompt) => ({ args: [prompt] }),
  headless: (prompt) => ({ args: ['-p'], stdin: prompt }),
  passEnv: [
    'ANTHROPIC_*',
    'CLAUDE_CONFIG_DIR',
    'CLAUDE_CODE_OAUTH_TOKEN',
    'CLAUDE_CODE_USE_BEDROCK',
    'CLAUDE_CODE_USE_VERTEX',
    'CLAUDE_CODE_SKIP_BEDROCK_AUTH',
    'CLAUDE_CODE_SKIP_VERTEX_AUTH',
    'CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC',
    'CLAUDE_CODE_AUTO_COMPACT_WINDOW',
    'CLOUD_ML_REGION',
    'AWS_*',
    'DISABLE_*',
    'IS_SANDBOX',
  ],
  skillLine: (name) => `/${name}`,
  // The first in manual mode, the second in every other; neither while it asks for a permission.
  ready: /\? for shortcuts|shift\+tab to cycle/,
  busy: /esc to interrupt/,
  exitLine: '/exit',
  fork: {
    args: ({ id }, model) => [...ASKED, '--resume', id, '--fork-session', ...modelArgs(model)],
    inPlace: true,
  },
  ask: {
    args: (model) => [...ASKED, ...modelArgs(model)],
    provider: 'anthropic',
    // A file behind it is read into the prompt.
    expands: '@',
    // What a refused login or a spent limit says is a message as well, which carries the error, or the last record calls it one; any
    // other message is a part of an answer.
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
}
