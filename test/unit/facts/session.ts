import { defaultConfig } from '../../../src/config/keys.ts'
import type { FinishInput } from '../../../src/facts/digest.ts'
import { createDigest } from '../../../src/facts/digest.ts'
import type { Evidence } from '../../../src/types/evidence.ts'
import type { GitState } from '../../../src/types/git.ts'
import type { Action, FileTouch, PlanItem, SessionEvent } from '../../../src/types/session.ts'

export const ROOT = '/home/dev/repo'

/** A repository with these files and nothing going on. */
export function gitState(files: string[], more: Partial<GitState> = {}): GitState {
  return {
    root: ROOT,
    worktrees: [ROOT],
    branch: 'main',
    head: 'a'.repeat(40),
    upstream: null,
    ahead: null,
    behind: null,
    base: null,
    operation: null,
    changes: [],
    commits: [],
    commitCount: 0,
    effect: [],
    stashes: 0,
    shallow: false,
    sparse: false,
    files: new Set(files),
    renames: new Map(),
    identity: { name: '', email: '' },
    setUp: new Set(),
    ...more,
  }
}

export const config = defaultConfig()

type Body<T> = T extends unknown
  ? Omit<T, 'at' | 'sub' | 'cwd'> & Partial<Pick<SessionEvent, 'at' | 'sub' | 'cwd'>>
  : never
export type Draft = Body<SessionEvent>
/** One step of a session: an event, or a call with its result. */
export type Step = Draft | Draft[]

let calls = 0
const id = () => `call-${++calls}`

const call = (
  tool: string,
  action: Action,
  result: Partial<Extract<SessionEvent, { kind: 'result' }>> | null,
): Draft[] => {
  const name = id()
  const made: Draft = { kind: 'call', id: name, tool, action, by: 'agent' }
  return result === null
    ? [made]
    : [made, { kind: 'result', id: name, ok: true, exitCode: null, text: '', ...result }]
}

export const prompt = (text: string): Draft => ({ kind: 'prompt', text })
export const reply = (text: string): Draft => ({ kind: 'reply', text })
export const plan = (...items: PlanItem[]): Draft => ({ kind: 'plan', items })
export const read = (path: string, ok = true) => call('Read', { type: 'read', paths: [path] }, { ok })
export const edit = (path: string, change: FileTouch['change'] = 'update', ok = true) =>
  call('Edit', { type: 'edit', files: [{ path, change }] }, { ok })
/** A refused call: what the tool said, and the person's words as an adapter gives them. */
const refusal = (text: string, reason?: string) => ({
  ...{ ok: false, refused: true, text },
  ...(reason === undefined ? {} : { reason }),
})
export const refusedEdit = (path: string, text: string, reason?: string) =>
  call('Edit', { type: 'edit', files: [{ path, change: 'update' }] }, refusal(text, reason))
export const search = (path: string) => call('Grep', { type: 'search', pattern: 'x', paths: [path] }, {})
/** A shell command; `code` null means that no result is on file. */
export const run = (command: string, code: number | null = 0, text = '') =>
  call('Bash', { type: 'run', command }, code === null ? null : { ok: code === 0, exitCode: code, text })
export const refusedRun = (command: string, text: string, reason?: string) =>
  call('Bash', { type: 'run', command }, refusal(text, reason))
/** The same steps, done by a subagent. */
export const bySub = (...steps: Step[]): Draft[] => steps.flat().map((step) => ({ ...step, sub: 'helper' }))
export const inDirectory = (cwd: string, ...steps: Step[]): Draft[] =>
  steps.flat().map((step) => ({ ...step, cwd }))

/** Events as an adapter would give them, one second apart. */
export function events(steps: Step[]): SessionEvent[] {
  return steps.flat().map(
    (step, index) =>
      ({
        at: new Date(Date.UTC(2026, 0, 2, 3, 0, index)).toISOString(),
        sub: null,
        cwd: ROOT,
        ...step,
      }) as SessionEvent,
  )
}

export interface Options extends Partial<Omit<FinishInput, 'git'>> {
  git?: GitState | null
  sessionCwd?: string | null
}

/** Runs a session through the digest. */
export function extract(steps: Step[], options: Options = {}): Evidence {
  const { git = gitState([]), sessionCwd = ROOT, ...more } = options
  const digest = createDigest({ sessionCwd, home: '/home/dev' })
  for (const event of events(steps)) digest.add(event)
  return digest.finish({
    git,
    goal: 'carry the work on as described',
    focus: null,
    agent: { id: 'claude-code', label: 'Claude Code' },
    sessionId: 'session-1',
    config,
    ...more,
  })
}

export const paths = (evidence: Evidence) => evidence.files.map((file) => file.path)
export const texts = (facts: readonly { text: string }[]) => facts.map((fact) => fact.text)
export const fileOf = (evidence: Evidence, path: string) => evidence.files.find((file) => file.path === path)
export const commandOf = (evidence: Evidence, command: string) =>
  evidence.commands.find((fact) => fact.command === command)
