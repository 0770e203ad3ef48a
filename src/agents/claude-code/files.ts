import { basename, join } from 'node:path'
import type { Home } from '../../types/config.ts'
import type { SessionRef } from '../../types/session.ts'
import { wordSet } from '../content.ts'
import { type Fields, fieldsOf, recordOf, textOf, timeOf } from '../fields.ts'
import { atStart, fileRef, pathsIn, type SessionFile, withFile } from '../session-files.ts'
import { readSettings } from '../setup.ts'

export const claudeFolder = ({ home, env }: Home): string => env.CLAUDE_CONFIG_DIR || join(home, '.claude')

/** Bytes read from the end of a session: several records, or one of common size. */
const TAIL = 16 * 1024
/** Bytes read from its beginning at first; 2.1.330 may open with 115 KB of tool schemas, a person with a log. */
const HEAD = 8 * 1024

/** A session by its ends; null without a conversation or where `isWanted` refuses its directory. Throws `sessionUnreadable`. */
export function readClaudeRef(
  path: string,
  isWanted: (cwd: string | null) => boolean = () => true,
): SessionRef | null {
  return withFile(path, (file) => {
    const talk = inFirstLines(file, firstTalk)
    if (!talk) return null
    const tail = Math.max(0, file.size - TAIL)
    const last = lastFacts(linesOf(file.at(tail, file.size)).slice(tail === 0 ? 0 : 1))
    const { to, branch, title } = last
    // Where it is goes before where it began; what it visited for one command takes it from nobody.
    const cwd = [last.cwd || talk.cwd, talk.cwd].find(isWanted)
    if (cwd === undefined) return null
    const stem = basename(path, '.jsonl')
    const { startedAt: from } = talk
    const id = UUID.test(stem) ? stem : talk.id || stem
    return fileRef('claude-code', path, file, {
      id,
      cwd,
      from,
      to,
      title,
      branch: branch === 'HEAD' ? '' : branch,
    })
  })
}

/** The first record of a subagent's transcript, or null. Throws `sessionUnreadable`. */
const readFirstSidechain = (path: string): Fields | null =>
  withFile(path, (file) =>
    inFirstLines(
      file,
      (lines) => lines.map(recordOf).find(({ isSidechain }) => isSidechain === true) ?? null,
    ),
  )

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

function firstTalk(lines: string[]): { id: string; cwd: string | null; startedAt: string | null } | null {
  let startedAt: string | null = null
  for (const line of lines) {
    const record = recordOf(line)
    startedAt ??= timeOf(record.timestamp)
    if (isTalk(record)) return { id: textOf(record.sessionId), cwd: textOf(record.cwd) || null, startedAt }
  }
  return null
}

/** A record that only a conversation of Claude Code has. */
const isTalk = (record: Fields): boolean =>
  (record.type === 'user' || record.type === 'assistant') &&
  typeof record.uuid === 'string' &&
  typeof record.message === 'object' &&
  // Qwen Code 0.15 has the same envelope around messages of another shape.
  !('parts' in fieldsOf(record.message))

/** The state at the end. `relocated` (`/cd`) and `worktree-state` come before the records that name the new directory (2.1.332). */
function lastFacts(lines: string[]): { cwd: string; to: string | null; branch: string; title: string } {
  let cwd = ''
  let to: string | null = null
  let branch = ''
  let given = ''
  let generated = ''
  for (const line of lines.reverse()) {
    if (cwd !== '' && to !== null && branch !== '' && !line.includes('Title":')) continue
    const record = recordOf(line)
    const tree = fieldsOf(record.worktreeSession)
    cwd ||= textOf(record.relocatedCwd) || textOf(tree.worktreePath) || textOf(record.cwd)
    to ??= timeOf(record.timestamp)
    branch ||= textOf(tree.worktreeBranch) || textOf(record.gitBranch)
    given ||= textOf(record.customTitle)
    generated ||= textOf(record.aiTitle)
  }
  return { cwd, to, branch, title: given || generated }
}

/** What `look` finds in the first lines; one that was cut is none. */
const inFirstLines = <T>(file: SessionFile, look: (lines: string[]) => T | null): T | null =>
  atStart(file, HEAD, (bytes, isAll) => look(linesOf(bytes).slice(0, isAll ? undefined : -1)))

const linesOf = (bytes: Buffer): string[] => bytes.toString('utf8').split('\n')

interface SubagentFile {
  id: string
  path: string
  /** ISO time of its first record. */
  startedAt: string
}

/** Transcripts of a session's subagents, in `<session>/subagents/`. */
export const findSubagents = (ref: SessionRef): SubagentFile[] =>
  pathsIn(join(ref.path.replace(/\.jsonl$/, ''), 'subagents'), undefined, true)
    .filter((path) => basename(path).startsWith('agent-') && path.endsWith('.jsonl'))
    .flatMap((path) => readSubagent(path, ref) ?? [])

function readSubagent(path: string, ref: SessionRef): SubagentFile | null {
  const first = readFirstSidechain(path)
  const startedAt = timeOf(first?.timestamp)
  if (!first || startedAt === null || textOf(first.sessionId) !== ref.id) return null
  return { id: textOf(first.agentId) || basename(path, '.jsonl').slice('agent-'.length), path, startedAt }
}

/** The session of a process, from the record that Claude Code keeps of it (2.1.330); `/clear` changes it. Null for other processes. */
export async function claudeLiveSession(place: Home, process: number): Promise<string | null> {
  const path = join(claudeFolder(place), 'sessions', `${process}.json`)
  return textOf(fieldsOf(readSettings(path)).sessionId) || null
}

/** Record types up to 2.1.332. */
const TYPES =
  wordSet(`user assistant attachment queue-operation progress system ai-title custom-title tools-used
  agent-color agent-name agent-setting api-request api-request-blob api-request-shape atis-latch bridge-session cost-state
  file-history-delta file-history-snapshot last-prompt mode permission-mode pr-link summary tag
  api-request-resumed artifact-autoreact-ledger artifact-comment-monitor content-replacement continued-in data-flow-incomplete
  data-flow-records derived-from dev-mods ended-by-model fork-context-ref frame-link history-suppression host-row hybrid-organization
  isolation-latch observer-ref relocated result resume-head-vouch session-owner started worktree-state`)

export const isClaudeRecord = ({ type }: Fields): boolean => typeof type === 'string' && TYPES.has(type)
