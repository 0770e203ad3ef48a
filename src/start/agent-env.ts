import { unreadableMarks } from '../agents/caller.ts'
import { adapters } from '../agents/table.ts'
import { isSecretVariable } from '../secrets/find.ts'

type Env = Readonly<Record<string, string | undefined>>

/** What agents hand to their children besides their marks (Claude Code 2.1, Codex 0.169, Pi 1.5, Gemini CLI 0.61). */
const CALLER_EXTRAS = [
  'AI_AGENT',
  'AGENT',
  'CLAUDE_CODE_ENTRYPOINT',
  'CLAUDE_CODE_MESSAGING_TOKEN',
  'CLAUDE_ENV_FILE',
  'CLAUDE_PID',
  'CLAUDE_PROJECT_DIR',
  'CODEX_TOOL_CALL_ID',
  'CODEX_VERSION',
  'GEMINI_SESSION_ID',
  'OPENCODE_PID',
]
/** The agent that calls is the one that goes: with its marks the next one would take itself for a part of it. */
const MARKS: readonly string[] = [
  ...adapters.flatMap(({ marks }) => marks),
  ...unreadableMarks,
  ...CALLER_EXTRAS,
]
/** What binds git to the repository of a hook that called us (`git rev-parse --local-env-vars`); `GIT_SSH_COMMAND` and others are the person's. */
const BINDS_GIT = [
  ...[
    'GIT_DIR',
    'GIT_WORK_TREE',
    'GIT_INDEX_FILE',
    'GIT_COMMON_DIR',
    'GIT_PREFIX',
    'GIT_CONFIG',
    'GIT_CONFIG_PARAMETERS',
  ],
  ...['GIT_OBJECT_DIRECTORY', 'GIT_ALTERNATE_OBJECT_DIRECTORIES', 'GIT_GRAFT_FILE', 'GIT_SHALLOW_FILE'],
  ...['GIT_NO_REPLACE_OBJECTS', 'GIT_REPLACE_REF_BASE', 'GIT_IMPLICIT_WORK_TREE'],
]

/** The environment that the agent would have if its person typed its name here. */
export function personEnv(env: Env): Record<string, string> {
  const isMark = matcher([...MARKS, ...BINDS_GIT])
  return kept(env, (name) => !isMark(name))
}

/**
 * The environment of an agent that nobody watches: what a brief makes it run must find no login but its own. `printenv` in `codex exec`
 * (0.169, defaults) gave its model 4 of 4 secrets without a question, Claude Code (2.1.330) where `npm test` is allowed. Without secrets and what is
 * git's or our Node's, but with what `pass` names, where a trailing `*` stands for any ending. `withheld`: names of the secrets.
 */
export function unattendedEnv(
  env: Env,
  pass: readonly string[],
): { env: Record<string, string>; withheld: string[] } {
  const isPassed = matcher(pass)
  const withheld: string[] = []
  const own = kept(personEnv(env), (name, value) => {
    if (isPassed(name)) return true
    if (/^(?:GIT_|NODE_OPTIONS$)/i.test(name)) return false
    if (!isSecretVariable(name, value)) return true
    withheld.push(name)
    return false
  })
  return { env: own, withheld: withheld.sort() }
}

function kept(env: Env, isKept: (name: string, value: string) => boolean): Record<string, string> {
  const entries = Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return Object.fromEntries(entries.filter(([name, value]) => isKept(name, value)))
}

function matcher(patterns: readonly string[]): (name: string) => boolean {
  const names = new Set(patterns)
  const beginnings = patterns.filter((one) => one.endsWith('*')).map((one) => one.slice(0, -1))
  return (name) => names.has(name) || beginnings.some((beginning) => name.startsWith(beginning))
}
