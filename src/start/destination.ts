import { basename, isAbsolute, resolve } from 'node:path'
import { acpCommand, type OwnAcp } from '../agents/acp/acp-command.ts'
import { unreadableMarks } from '../agents/caller.ts'
import { adapters, byProtocol } from '../agents/table.ts'
import type { Invocation } from '../command.ts'
import { noDestination } from '../errors/start.ts'
import { usage } from '../errors/usage.ts'
import { openRepo, type Repo } from '../git/open-repo.ts'
import { readWorktrees } from '../git/worktrees.ts'
import type { Adapter, Launch } from '../types/agent.ts'
import type { FrontMatter } from '../types/brief.ts'
import type { RepoWorkspace, Workspace } from '../workspace/workspace.ts'

/** An agent that can be started. */
export type Launchable = Adapter & { launch: Launch }

/** Who goes on, and where. */
export interface Destination {
  /** What names it from anywhere on this machine. */
  to: string
  adapter: Launchable
  /** Absolute directory it is started in. */
  cwd: string
  /** Lines that come before the pointer, in the agent's own syntax. */
  start: string[]
  /** The name of an agent that is spoken to by ACP. */
  acp?: string
}

/** Every agent that can be started. */
export const launchable = (): Launchable[] =>
  adapters.filter((adapter): adapter is Launchable => adapter.launch !== undefined)

/**
 * What `to` means (R062): a persona of the configuration, else an agent by its id or program, else a
 * repository by its alias, a worktree by its branch or folder, or a path; there the agent of the brief goes on. Throws `noDestination` naming every
 * place looked in, `usage`.
 */
export async function findDestination(
  invocation: Invocation,
  { repo, loaded }: RepoWorkspace,
  meta: Pick<FrontMatter, 'agent' | 'persona' | 'skills'>,
  to: string,
): Promise<Destination> {
  const { config, own } = loaded
  if (to.startsWith('acp:')) return acpDestination(to, own, repo.root)
  const skillsOf = (adapter: Launchable, names: readonly string[]) => names.map(adapter.launch.skillLine)
  const persona = Object.hasOwn(config.personas, to) ? config.personas[to] : undefined
  if (persona !== undefined) {
    const adapter = agentCalled(persona.agent ?? meta.agent.id)
    if (adapter === null)
      throw usage(
        `Persona ${to} names no agent that can be started.`,
        `Set personas.${to}.agent to one of: ${ids()}.`,
      )
    const start = persona.start === undefined ? [] : [startLine(to, persona.start)]
    return { to, adapter, cwd: repo.root, start: [...start, ...skillsOf(adapter, persona.skills ?? [])] }
  }
  const inherited = personaStart(config.personas, meta.persona)
  const skills = meta.skills ?? []
  const agent = agentCalled(to)
  if (agent !== null)
    return { to, adapter: agent, cwd: repo.root, start: [...inherited, ...skillsOf(agent, skills)] }
  const cwd = await findPlace(invocation, repo, own.repositories, to)
  if (cwd !== null) {
    const adapter = agentCalled(meta.agent.id)
    if (adapter === null)
      throw usage(
        `${meta.agent.label} wrote the brief and cannot be started there.`,
        `Name the agent: --to ${ids()}.`,
      )
    return { to: cwd, adapter, cwd, start: [...inherited, ...skillsOf(adapter, skills)] }
  }
  throw noDestination(to, [
    `personas of the configuration (${names(Object.keys(config.personas))})`,
    `agents (${ids()})`,
    `repositories of your own configuration (${names(Object.keys(own.repositories))}), worktrees and paths`,
  ])
}

/** Where it is one that we know besides, a person may start it by hand in its usual form. */
function acpDestination(to: string, own: OwnAcp, cwd: string): Destination {
  const acp = to.slice('acp:'.length)
  const [program = '', ...args] = acpCommand(acp, own)
  const known = launchable().find(({ id }) => id === acp)
  const launch = { program, interactive: () => ({ args }), headless: () => ({ args }), passEnv: [] }
  const plain = { ...launch, skillLine: (name: string) => name, ready: /^/, exitLine: '' }
  const adapter = known ?? { ...byProtocol, id: acp, label: acp, async *read() {}, launch: plain }
  return { to, adapter, cwd, start: [], acp }
}

const names = (list: readonly string[]): string => (list.length === 0 ? 'none' : list.join(', '))
const ids = (): string =>
  launchable()
    .map(({ id }) => id)
    .join(', ')

/** The agent of that id or program, if it can be started. */
export function agentCalled(name: string): Launchable | null {
  const found = adapters.find(({ id, launch }) => id === name || launch?.program === name)
  return found?.launch === undefined ? null : (found as Launchable)
}

function personaStart(
  personas: Workspace['loaded']['config']['personas'],
  name: string | undefined,
): string[] {
  const start = name !== undefined && Object.hasOwn(personas, name) ? personas[name]?.start : undefined
  return name === undefined || start === undefined ? [] : [startLine(name, start)]
}

/** A line of a repository's configuration becomes input of an agent: it must not be one that the agent would run in a shell. */
function startLine(name: string, line: string): string {
  if (/^\s*!/.test(line) || /[\p{Cc}]/u.test(line))
    throw usage(
      `personas.${name}.start is not a line that can be sent: it begins with "!" or holds control characters.`,
      'Write one line such as `/skill-name` or a sentence.',
    )
  return line.trim()
}

async function findPlace(
  { place }: Invocation,
  repo: Repo,
  aliases: Readonly<Record<string, string>>,
  to: string,
): Promise<string | null> {
  const named = Object.hasOwn(aliases, to) ? aliases[to] : undefined
  const worktree = (await readWorktrees(repo)).find(
    ({ path, branch }) => branch === to || basename(path) === to,
  )
  const path = named ?? worktree?.path ?? (to.includes('/') || to === '.' || to === '..' ? to : null)
  if (path === null) return null
  const full = isAbsolute(path) ? path : resolve(place.root, path)
  // What is no repository says so itself.
  return (await openRepo(full, { env: place.env })).root
}

/** The agent that calls is the one that goes, so a mark of it in the environment does not make it the successor's. */
export const callerMarks = (): string[] => [
  ...adapters.flatMap(({ marks }) => marks),
  ...unreadableMarks,
  ...CALLER_EXTRAS,
]

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
