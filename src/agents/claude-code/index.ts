import { readdirSync, statSync } from 'node:fs'
import { isAbsolute, join, relative, resolve, sep } from 'node:path'
import type { Adapter } from '../../types/agent.ts'
import type { Place } from '../../types/place.ts'
import type { SessionRef } from '../../types/session.ts'
import { readClaudeRef } from './files.ts'
import { claudeFullness } from './fullness.ts'
import { claudeHooks } from './hooks.ts'
import { claudeLaunch } from './launch.ts'
import { readClaudeSession } from './read.ts'
import { claudeSetup, claudeShadow, claudeTraces } from './setup.ts'

/** Claude Code 1.0.124, 2.0.76 and 2.1.5 to 2.1.330: one JSONL file per session in a folder per start directory. */
export const claudeCode: Adapter = {
  id: 'claude-code',
  label: 'Claude Code',
  marks: ['CLAUDECODE', 'CLAUDE_CODE_SESSION_ID'],
  caller: ({ CLAUDECODE, CLAUDE_CODE_SESSION_ID }) =>
    CLAUDECODE || CLAUDE_CODE_SESSION_ID
      ? { agent: 'claude-code', sessionId: CLAUDE_CODE_SESSION_ID || null, path: null }
      : null,
  find,
  identify: async (path, head) => (SIGNS.test(head) ? await readClaudeRef(path) : null),
  read: readClaudeSession,
  fullness: claudeFullness,
  hooks: claudeHooks,
  setup: claudeSetup,
  traces: claudeTraces,
  shadow: claudeShadow,
  afterSetup: [
    'At its next start here it asks whether to trust this folder and to use the server in .mcp.json: say yes.',
  ],
  trust: async (place) => (await import('./trust.ts')).claudeTrust(place),
  launch: claudeLaunch,
}

/** Fields that every record of a conversation, or the schema record before the first one, carries. */
const SIGNS = /^\{.*"(?:sessionId|parentUuid|leafUuid)":/m

async function find(
  place: Pick<Place, 'home' | 'env'>,
  roots: string[],
  onUnread: Parameters<Adapter['find']>[2],
): Promise<SessionRef[]> {
  const projects = join(place.env.CLAUDE_CONFIG_DIR || join(place.home, '.claude'), 'projects')
  const folders = names(projects).filter((name) => roots.some((root) => name.startsWith(slug(root))))
  const sessions = folders
    .flatMap((folder) => names(join(projects, folder)).map((name) => join(projects, folder, name)))
    .filter((path) => /[/\\](?!agent-)[^/\\]+\.jsonl$/.test(path))
    .sort()
  const isOurs = (cwd: string | null) => cwd !== null && roots.some((root) => isWithin(root, cwd))
  const found: SessionRef[] = []
  for (const path of sessions) {
    const ref = await readTwice(path, isOurs).catch((error: Error) => {
      const changedAt = statSync(path, { throwIfNoEntry: false })?.mtimeMs
      if (changedAt !== undefined) onUnread?.(error, changedAt)
      return null
    })
    if (ref) found.push(ref)
  }
  return found.sort((a, b) =>
    a.updatedAt > b.updatedAt ? -1 : a.updatedAt < b.updatedAt ? 1 : a.id < b.id ? -1 : 1,
  )
}

/** A file may be unreadable for a moment: others are open, or the disk stumbles. */
const readTwice = (path: string, isOurs: (cwd: string | null) => boolean): Promise<SessionRef | null> =>
  readClaudeRef(path, isOurs).catch(() => readClaudeRef(path, isOurs))

/**
 * Name of a folder for sessions begun in a directory, as far as it tells: the client cuts longer names at 200 characters
 * and adds a hash; sessions begun in a subdirectory have a longer name with the same beginning (2.1.330).
 */
const slug = (directory: string): string => directory.replace(/[^a-zA-Z0-9]/g, '-').slice(0, 200)

function isWithin(root: string, directory: string): boolean {
  const path = relative(resolve(root), resolve(directory))
  return path === '' || (path !== '..' && !path.startsWith(`..${sep}`) && !isAbsolute(path))
}

function names(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // No session was ever held there.
    if (code === 'ENOENT' || code === 'ENOTDIR') return []
    throw error
  }
}
