import { readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { SessionRef } from '../../types/session.ts'
import { readFirstSidechain } from './files.ts'
import { fieldsOf, textOf, timeOf } from '../fields.ts'

export interface SubagentFile {
  /** The client's id of the subagent. */
  id: string
  path: string
  /** ISO time of its first record. */
  startedAt: string
}

/**
 * Transcripts of a session's subagents: in `<session>/subagents/` since 2.1, beside the session in 2.0, where files of
 * other sessions and warm-up requests lie among them.
 */
export async function findSubagents(ref: SessionRef): Promise<SubagentFile[]> {
  const inside = agentFiles(join(ref.path.replace(/\.jsonl$/, ''), 'subagents'), true)
  const beside = agentFiles(dirname(ref.path), false)
  const found = await Promise.all([...inside, ...beside].map((path) => readSubagent(path, ref)))
  return found.filter((file) => file !== null)
}

function agentFiles(folder: string, recursive: boolean): string[] {
  return namesIn(folder, recursive)
    .filter((name) => /^agent-[^/\\]*\.jsonl$/.test(basename(name)))
    .sort()
    .map((name) => join(folder, name))
}

function namesIn(folder: string, recursive: boolean): string[] {
  try {
    return readdirSync(folder, { recursive, encoding: 'utf8' })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return []
    throw error
  }
}

async function readSubagent(path: string, ref: SessionRef): Promise<SubagentFile | null> {
  if (path === ref.path) return null
  const first = await readFirstSidechain(path)
  const startedAt = timeOf(first?.timestamp)
  if (!first || startedAt === null || textOf(first.sessionId) !== ref.id) return null
  // 2.0 sends one-message requests ahead to warm the cache.
  if (fieldsOf(first.message).content === 'Warmup') return null
  return { id: textOf(first.agentId) || basename(path, '.jsonl').slice('agent-'.length), path, startedAt }
}
