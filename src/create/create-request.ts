import { adapters } from '../agents/table.ts'
import type { Invocation } from '../command.ts'
import { usage } from '../errors/usage.ts'
import { PROVIDERS, type ProviderName, readModelName } from '../model/provider.ts'
import type { Wanted } from '../session/choose-session.ts'
import type { Reason } from '../types/brief.ts'
import { openAnywhere, type Workspace } from '../workspace/workspace.ts'

/** What options with choices take. */
export const FROM: readonly string[] = [...adapters.map(({ id }) => id), 'git']
export const BRANCHES = ['current', 'separate'] as const
export const MODES = ['strict', 'permissive'] as const

/** The agent of the session, or a model of a service. */
export type ExtractBy = 'agent' | { provider: ProviderName; id: string }

/** Options of `create` as the parser leaves them; the library, MCP, `resume` and `switch` give the same. */
export interface CreateOptions extends Wanted {
  focus?: string | undefined
  reason?: Reason | undefined
  extract?: string | undefined
  /** A file, or `-`; false: ask nobody for notes. */
  notes?: string | false | undefined
  /** An agent calls, whatever the environment says: an MCP client tells nothing in it. */
  byAgent?: boolean
  /** Ask the agent of the session afterwards; undefined: as configured. */
  ask?: boolean | undefined
  includeStaleNotes?: boolean
  requireNotes?: boolean
  persona?: string | undefined
  /** Who goes on at once; undefined: nobody is started. */
  to?: string
  headless?: boolean
  /** The successor works in a new worktree: in this folder, true: beside this one. */
  worktree?: string | true
  skill?: string[]
  exact?: boolean
  allowVague?: boolean
  edit?: boolean
  commit?: boolean
  branch?: (typeof BRANCHES)[number]
  mode?: (typeof MODES)[number]
  redact?: boolean
  /** Keep what is uncommitted beside the brief, for `push`. */
  work?: boolean
  force?: boolean
  preview?: boolean
  dryRun?: boolean
  print?: boolean
}

/** What `create` was asked for, checked. */
export interface CreateRequest
  extends Omit<CreateOptions, 'focus' | 'reason' | 'extract' | 'notes' | 'persona' | 'skill' | 'mode'> {
  goal: string
  focus: string | null
  reason: Reason
  /** Who is asked what matters in the session; null: nobody. */
  extract: ExtractBy | null
  notes: string | null
  /** Nobody said where notes come from, so that the agent may be asked for them. */
  wantsNotes: boolean
  persona: string | null
  skills: readonly string[]
  mode: (typeof MODES)[number]
  /** What stands over the configuration, by key path. */
  flags: Record<string, unknown>
}

/** Bytes of UTF-8, as of the goal. */
const MAX_FOCUS = 4096

/** Something is to be saved and committed. */
export const isWriting = ({ print, dryRun, preview }: CreateRequest): boolean => !(print || dryRun || preview)

/** Options come with the choices checked. Throws `usage` for every other value that cannot be taken. */
export function readRequest(goal: string, options: CreateOptions): CreateRequest {
  const { from, notes, focus = null, to, edit, commit, branch, requireNotes } = options
  const set = { edit, 'commit.enabled': commit, 'commit.branch': branch }
  const flags = Object.entries({ ...set, 'notes.require': requireNotes || undefined })
  const extract = readExtract(options.extract)
  const bytes = Buffer.byteLength(focus ?? '')
  if (bytes > MAX_FOCUS)
    throw usage(
      `The focus is ${bytes} bytes long; at most 4,096 are allowed.`,
      'Put the detail into a file and name that file in the focus.',
    )
  if (options.until !== undefined && from === 'git')
    throw usage('`--from git` has no session to end earlier.', 'Leave out `--until`.')
  if (to === undefined && options.headless)
    throw usage('--headless needs --to.', 'Example: `git handoff create "…" --to codex --headless`.')
  if (to === undefined && options.worktree !== undefined)
    throw usage('--worktree needs --to.', 'Example: `git handoff create "…" --to codex --work --worktree`.')
  return {
    ...options,
    goal,
    focus,
    reason: options.reason ?? 'manual',
    extract,
    notes: notes || null,
    wantsNotes: notes === undefined && extract === null && !requireNotes && from !== 'git',
    persona: options.persona ?? null,
    skills: options.skill ?? [],
    mode: options.mode ?? (to === undefined ? 'permissive' : 'strict'),
    flags: Object.fromEntries(flags.filter(([, value]) => value !== undefined)),
  }
}

/** Throws `usage` for what names nobody who could be asked. */
function readExtract(value: string | undefined): ExtractBy | null {
  if (value === undefined || value === 'none') return null
  const by = value === 'agent' ? value : readModelName(value)
  if (by !== null) return by
  throw usage(
    '--extract takes none, agent or provider/model.',
    `Providers are ${PROVIDERS.join(', ')}: \`git handoff create "<goal>" --extract ${PROVIDERS[0]}/<model>\``,
  )
}

/** The repository, or the folder, that a brief is made in. Throws what opening and configuration throw. */
export function openForCreate(invocation: Invocation, request: CreateRequest): Promise<Workspace> {
  invocation.place.signal?.throwIfAborted()
  return openAnywhere(invocation, {
    flags: request.flags,
    // Standard input may come slowly; git is asked when the session is whole.
    ...(request.session === '-' ? {} : { reads: { writes: isWriting(request) } }),
  })
}
