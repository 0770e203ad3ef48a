import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { orNull } from '../errors/handoff-error.ts'
import type { Adapter, HookEvent, LaunchArgs, SetupEdit, SetupPlace } from '../types/agent.ts'
import type { Home } from '../types/config.ts'
import { wordsIn } from './content.ts'
import { type Fields, fieldsOf, recordOf, textOf } from './fields.ts'

/**
 * The hooks of an agent in the shape that Claude Code began and others took over: under `hooks` a list per event, in it groups,
 * in them commands. `events`: the agent's own name, ours, the time limit in the unit of the agent, and what else the group says.
 * `under`: where the lists stand. `named`: begins each command. The order of the members is part of what Codex asks to be trusted.
 */
export const hookGroups = (
  path: string,
  place: Pick<SetupPlace, 'hookCommand' | 'notSetUp'>,
  events: readonly (readonly [string, HookEvent, number, object?])[],
  under: readonly string[] = ['hooks'],
  named: { name?: string } = {},
): SetupEdit[] =>
  events.flatMap(([name, event, timeout, more]) => {
    const group = (command: string, when?: object): SetupEdit => ({
      type: 'json-item',
      path,
      at: [...under, name],
      value: { ...more, ...when, hooks: [{ ...named, type: 'command', command, timeout }] },
    })
    const { hookCommand, notSetUp } = place
    return event === 'session-start' && notSetUp !== undefined
      ? [group(hookCommand(event)), group(notSetUp, { matcher: 'startup' })]
      : [group(hookCommand(event))]
  })

/** Where a hook has no name, Gemini CLI and Qwen Code show the whole line of shell with every message of it. */
export const NAMED = { name: 'handoff' }

/** The events of Claude Code, which others took over by name; `limit`: the time of each, in the unit of the agent. */
export const claudeEvents = (limit: number): [string, HookEvent, number][] => [
  ['SessionStart', 'session-start', limit],
  ['UserPromptSubmit', 'prompt', limit],
  ['Stop', 'stop', limit],
  ['PreCompact', 'pre-compact', limit],
  ['SessionEnd', 'session-end', limit],
]

/** A file of ours at a path below the top of the repository, from a template. */
export const fileFrom = (place: SetupPlace, template: string, ...path: string[]): SetupEdit => ({
  type: 'file',
  path: join(place.root, ...path),
  content: place.template(template),
})

export const skillIn = (place: SetupPlace, folder: string): SetupEdit =>
  fileFrom(place, 'SKILL.md', folder, 'skills', 'handoff', 'SKILL.md')

export const jsonValue = (path: string, at: string[], value: unknown): SetupEdit => {
  return { type: 'json-value', path, at, value }
}

/** The MCP server in a file that names servers as Claude Code began it. */
export const mcpServer = ({ root, mcp }: SetupPlace, ...path: string[]): SetupEdit =>
  jsonValue(join(root, ...path), ['mcpServers', 'handoff'], { command: mcp.command, args: mcp.args })

/** Configuration and data of a program that follows the XDG directories. */
export const xdgFolders = ({ home, env }: Home, name: string): [string, string] => [
  join(env.XDG_CONFIG_HOME || join(home, '.config'), name),
  join(env.XDG_DATA_HOME || join(home, '.local', 'share'), name),
]

/** What ours is called where something else is called `handoff`. */
export const OTHER_NAME = 'git-handoff'

/** A skill of ours stands under the other name here. */
export function hasOtherName({ shadow, traces }: Adapter, place: Home & { root: string }): boolean {
  const folders = [join(place.root, '.agents'), ...(traces?.(place).project ?? [])]
  return (
    (shadow?.(place) ?? null) !== null ||
    folders.some((folder) => existsSync(join(folder, 'skills', OTHER_NAME, 'SKILL.md')))
  )
}

/** The first of these files that is there: a skill or command of the person's own. */
export const shadowAmong = (paths: readonly string[]): string | null =>
  paths.find((path) => existsSync(path)) ?? null

/** The same edit under the other name; null for what has no name that a person or a model says, such as hooks. */
export function otherNamed(edit: SetupEdit): SetupEdit | null {
  if (edit.type === 'json-value' && edit.at.length > 1 && edit.at.at(-1) === 'handoff')
    return { ...edit, at: [...edit.at.slice(0, -1), OTHER_NAME] }
  if (edit.type === 'block' && edit.text.includes('[mcp_servers.handoff]'))
    return { ...edit, text: edit.text.replace('[mcp_servers.handoff]', `[mcp_servers.${OTHER_NAME}]`) }
  const path = edit.path.replace(NAMED_FILE, `$1${OTHER_NAME}$2`)
  if (edit.type !== 'file' || path === edit.path) return null
  const content = edit.content
    .replace(/^name: handoff$/m, `name: ${OTHER_NAME}`)
    .replace("const COMMAND = 'handoff'", `const COMMAND = '${OTHER_NAME}'`)
  return { ...edit, path, content }
}
const NAMED_FILE = /([/\\](?:skills|commands|extensions)[/\\])handoff([/\\]SKILL\.md|\.\w+)$/

/** A file of JSON at a person's home; null when it is missing or cannot be read as that: the agent makes the same of it. */
export const readSettings = (path: string): unknown => orNull(() => JSON.parse(readFileSync(path, 'utf8')))

export function ancestorsOf(folder: string): string[] {
  const above = dirname(folder)
  return above === folder ? [folder] : [folder, ...ancestorsOf(above)]
}

/** The records among the lines that an agent printed; what is no JSON is an empty one. */
export const printedRecords = (stdout: string): Fields[] => stdout.split('\n').map(recordOf)

/** What a text says of a failure: where it carries the answer of a service as JSON, the message in there. */
export function sentenceIn(text: string): string {
  const at = text.indexOf('{')
  const inner = at === -1 ? {} : recordOf(text.slice(at))
  const said = textOf(fieldsOf(inner.error).message) || textOf(inner.message)
  return said === '' ? text.trim() : `${text.slice(0, at)}${said}`.trim()
}

/** What most agents have in common: a slash calls a skill, nobody has looked what stands on the screen, and `/exit` ends it. */
export const usualLaunch = {
  interactive: (prompt: string): LaunchArgs => ({ args: [prompt] }),
  skillLine: (name: string): string => `/${name}`,
  ready: /^/,
}

/** The option for a model; none where the agent takes its own. */
export const modelArgs = (model: string | null): string[] => (model === null ? [] : ['--model', model])

/** Variables with which agents that talk to any provider of models log in (Pi 1.5, OpenCode 1.18); a trailing `*` as in `Launch.passEnv`. */
export const PROVIDER_LOGINS: readonly string[] = wordsIn(`ANTHROPIC_* OPENAI_* GEMINI_API_KEY GOOGLE_*
  OPENROUTER_API_KEY GROQ_API_KEY MISTRAL_API_KEY XAI_API_KEY AWS_*`)
