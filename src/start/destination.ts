import { basename, isAbsolute, resolve } from 'node:path'
import { acpCommand, type OwnAcp } from '../agents/acp/acp-command.ts'
import { adapters, byProtocol } from '../agents/table.ts'
import type { Invocation } from '../command.ts'
import { noDestination } from '../errors/cycle.ts'
import { usage } from '../errors/usage.ts'
import { openRepo, type Repo } from '../git/open-repo.ts'
import { readWorktrees } from '../git/refs.ts'
import { visible } from '../text/safe-text.ts'
import type { Adapter, Launch } from '../types/agent.ts'
import type { FrontMatter } from '../types/brief.ts'
import type { RepoWorkspace } from '../workspace/workspace.ts'

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
 * What `to` means (R062): an agent by its id or program, a persona of the person's configuration, else a repository by its alias, a
 * worktree by its branch or folder, or a path; there the agent of the brief goes on. Throws `noDestination` naming every place looked in,
 * `usage`.
 */
export async function findDestination(
  invocation: Invocation,
  { repo, loaded }: RepoWorkspace,
  meta: Pick<FrontMatter, 'agent' | 'persona' | 'skills'>,
  to: string,
): Promise<Destination> {
  const { config, own } = loaded
  if (to.startsWith('acp:')) return acpDestination(to, own, repo.root)
  const named = agentCalled(to)
  const persona = Object.hasOwn(config.personas, to) ? config.personas[to] : undefined
  if (named !== null && persona !== undefined)
    throw usage(`Persona ${to} has the name of an agent.`, `Give personas.${to} another name.`)
  const cwd =
    named !== null || persona !== undefined
      ? repo.root
      : await findPlace(invocation, repo, own.repositories, to)
  if (cwd === null)
    throw noDestination(to, [
      `personas of your own configuration (${names(Object.keys(config.personas))})`,
      `agents (${ids()})`,
      `repositories of your own configuration (${names(Object.keys(own.repositories))}), worktrees and paths`,
    ])
  const adapter = named ?? agentCalled(persona?.agent ?? meta.agent.id)
  if (adapter === null)
    throw persona === undefined
      ? usage(
          `${meta.agent.label} wrote the brief and cannot be started there.`,
          `Name the agent: --to ${ids()}.`,
        )
      : usage(
          `Persona ${to} names no agent that can be started.`,
          `Set personas.${to}.agent to one of: ${ids()}.`,
        )
  const role = persona === undefined ? meta.persona : to
  const { start } =
    role !== undefined && Object.hasOwn(config.personas, role) ? (config.personas[role] ?? {}) : {}
  const skills = (persona === undefined ? meta.skills : persona.skills) ?? []
  const lines = [...(start === undefined ? [] : [start]), ...skills.map(adapter.launch.skillLine)]
  for (const line of lines) checkLine(line)
  return {
    to: named === null && persona === undefined ? cwd : to,
    adapter,
    cwd,
    start: lines.map((line) => line.trim()),
  }
}

/** Where it is one that we know besides, a person may start it by hand in its usual form. */
function acpDestination(to: string, own: OwnAcp, cwd: string): Destination {
  const acp = to.slice('acp:'.length)
  const [program = '', ...args] = acpCommand(acp, own)
  const known = launchable().find(({ id }) => id === acp)
  const launch = { program, interactive: () => ({ args }), headless: () => ({ args }), passEnv: [] }
  const plain = { ...launch, skillLine: (name: string) => name, ready: /^/ }
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

/** It becomes the first line of an argument or of a prompt: never an option, nor what an agent runs in a shell. Throws `usage`. */
function checkLine(line: string): void {
  if (['-', '!'].includes(line.trimStart().charAt(0)) || /\p{Cc}/u.test(line))
    throw usage(
      `\`${visible(line)}\` is not a line that can be sent: it begins with "-" or "!", or holds control characters.`,
      'Write one line such as `/skill-name` or a sentence.',
    )
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
