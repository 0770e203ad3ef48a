import { type Command, InvalidArgumentError } from 'commander'
import { adapters } from '../agents/table.ts'
import { checkGoal } from '../brief/goal.ts'
import { collect, type Invocation } from '../command.ts'
import { parseDuration } from '../config/merge.ts'
import { badGoal, GOAL_EXAMPLE, GOAL_GUIDANCE, goalTooLong } from '../errors/goal.ts'
import { usage } from '../errors/usage.ts'
import { PROVIDERS, type ProviderName, readModelName } from '../model/provider-names.ts'
import type { AtifStep } from '../types/atif.ts'
import type { Reason } from '../types/brief.ts'
import type { Config } from '../types/config.ts'
import { openAnywhere, type Workspace } from '../workspace/workspace.ts'

/** What options with choices take. */
export const FROM: readonly string[] = [...adapters.map(({ id }) => id), 'git']
export const BRANCHES = ['current', 'separate'] as const
export const MODES = ['strict', 'permissive'] as const

/** The agent of the session, or a model of a service. */
export type ExtractBy = { is: 'agent' } | { is: 'provider'; provider: ProviderName; id: string }

/** Options of `create` as the parser leaves them; the library, MCP, `resume` and `switch` give the same. */
export interface CreateOptions {
  focus?: string | undefined
  reason?: Reason | undefined
  /** An agent id, or `git`. */
  from?: string | undefined
  session?: string | undefined
  /** A conversation in memory, instead of a session. */
  events?: readonly AtifStep[]
  extract?: string | undefined
  /** A file, or `-`; false: ask nobody for notes. */
  notes?: string | false | undefined
  /** Ask the agent of the session afterwards; undefined: as configured. */
  ask?: boolean | undefined
  /** How long to wait for notes of this session. */
  waitNotes?: string
  includeStaleNotes?: boolean
  requireNotes?: boolean
  persona?: string | undefined
  /** Who goes on at once; undefined: nobody is started. */
  to?: string
  headless?: boolean
  skill?: string[]
  exact?: boolean
  allowVague?: boolean
  edit?: boolean
  commit?: boolean
  branch?: (typeof BRANCHES)[number]
  mode?: (typeof MODES)[number]
  redact?: boolean
  force?: boolean
  preview?: boolean
  dryRun?: boolean
  print?: boolean
  stdout?: boolean
}

/** What `create` was asked for, checked. */
export interface CreateRequest
  extends Omit<
    CreateOptions,
    'focus' | 'reason' | 'extract' | 'notes' | 'waitNotes' | 'persona' | 'skill' | 'mode'
  > {
  goal: string
  focus: string | null
  reason: Reason
  /** Who is asked what matters in the session; null: nobody. */
  extract: ExtractBy | null
  notes: string | null
  /** Nobody said where notes come from, so that the agent may be asked for them. */
  wantsNotes: boolean
  /** Milliseconds. */
  waitNotes: number
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

export function defineCreate(command: Command): void {
  command
    .usage('"<goal>" [options]')
    .argument('[goal...]', 'what the next session must achieve, in your words')
    .option('--focus <text>', 'what to look at first')
    .option('--reason <reason>', 'manual, context_limit, shift_end, task_boundary or a short text', 'manual')
    .addOption(
      command
        .createOption(
          '--from <agent>',
          'take the newest session of this agent, of `acp:<name>`, or `git` for git facts alone',
        )
        .choices(FROM)
        .argParser(readFrom),
    )
    .option('--session <id|file>', 'take this session; `-` reads a conversation from standard input')
    .option('--extract <who>', 'ask a model what matters: agent (of the session), provider/model, or none')
    .option('--notes <file>', 'working memory from a file, `-` for standard input')
    .option('--no-notes', 'ask nobody for notes; use recorded ones')
    .option('--ask', 'ask the agent of the session for its page, in a fork of the session')
    .option('--no-ask', 'do not offer --ask')
    .option('--wait-notes <duration>', 'wait for the agent to leave notes, e.g. 30s', '0')
    .option('--include-stale-notes', 'also use notes that are too old, with their age')
    .option('--require-notes', 'fail when there are no notes')
    .option('--persona <slug>', 'role of the successor')
    .option('--to <who>', "start this persona, agent or repository's agent on the brief; implies strict mode")
    .option('--headless', 'with `--to`: one turn without a terminal')
    .option('--skill <name>', 'skill for the successor; may be repeated', collect, [])
    .option('--exact', 'count tokens with the o200k tokenizer instead of the estimate')
    .option('--allow-vague', 'accept a short or vague goal, and record that')
    .option('--edit', 'open the brief in your editor before it is committed')
    .option('--no-edit', 'never open the editor')
    .option('--commit', 'commit the brief (default)')
    .option('--no-commit', 'write the brief, commit nothing')
    .addOption(
      command.createOption('--branch <where>', 'current, or separate (handoff/<branch>)').choices(BRANCHES),
    )
    .addOption(
      command
        .createOption('--mode <mode>', 'strict or permissive; permissive unless `--to` is given')
        .choices(MODES),
    )
    .option('--redact', 'replace secrets in your input instead of refusing')
    .option('--force', 'allow an oversized brief and missing sections in strict mode')
    .option('--preview', 'list what the brief keeps and drops, and why; write nothing')
    .option('--dry-run', 'do everything except writing')
    .option('--print', 'print the brief; write nothing')
    .option('--stdout', 'the same as `--print`')
    .addHelpText('after', `\n${GOAL_GUIDANCE}\n\nExample:\n  handoff create "${GOAL_EXAMPLE}"`)
}

/** An agent that is read, `git`, or `acp:<name>`: one that is asked by protocol. */
function readFrom(value: string): string {
  if (FROM.includes(value) || /^acp:./.test(value)) return value
  throw new InvalidArgumentError(`Allowed choices are ${FROM.join(', ')}, acp:<name>.`)
}

/** Options come with the choices checked. Throws `usage` for every other value that cannot be taken. */
export function readRequest(goal: string, options: CreateOptions): CreateRequest {
  const { from, notes, focus = null, to, edit, commit, branch, requireNotes } = options
  const waitNotes = parseDuration(options.waitNotes ?? '0')
  if (waitNotes === null)
    throw usage('--wait-notes takes a duration such as 30s.', 'See `npx git-handoff create --help`.')
  const extract = readExtract(options.extract)
  if (extract !== null && from === 'git')
    throw usage('`--from git` has no conversation a model could read.', 'Leave out one of the two.')
  const bytes = Buffer.byteLength(focus ?? '')
  if (bytes > MAX_FOCUS)
    throw usage(
      `The focus is ${bytes} bytes long; at most 4,096 are allowed.`,
      'Put the detail into a file and name that file in the focus.',
    )
  if (to === undefined && options.headless)
    throw usage('--headless needs --to.', 'Example: `npx git-handoff create "…" --to codex --headless`.')
  return {
    ...options,
    ...(options.stdout ? { print: true } : {}),
    goal,
    focus,
    reason: options.reason ?? 'manual',
    extract,
    notes: notes || null,
    wantsNotes: notes === undefined && extract === null && !requireNotes && from !== 'git' && waitNotes === 0,
    waitNotes,
    persona: options.persona ?? null,
    skills: options.skill ?? [],
    mode: options.mode ?? (to === undefined ? 'permissive' : 'strict'),
    flags: {
      ...(edit === undefined ? {} : { edit }),
      ...(commit === undefined ? {} : { 'commit.enabled': commit }),
      ...(branch === undefined ? {} : { 'commit.branch': branch }),
      ...(requireNotes ? { 'notes.require': true } : {}),
    },
  }
}

/** Whether a goal that is taken is vague. Throws `badGoal`, `goalTooLong`. */
export function isVagueGoal(goal: string, { goal: { minLength } }: Config, allowVague = false): boolean {
  const verdict = checkGoal(goal, { minLength, allowVague })
  if (verdict.ok) return verdict.vague
  throw verdict.rule === 'too-long' ? goalTooLong(verdict.bytes, null) : badGoal(verdict.rule, verdict.detail)
}

/** Throws `usage` for what names nobody who could be asked. */
function readExtract(value: string | undefined): ExtractBy | null {
  if (value === undefined || value === 'none') return null
  if (value === 'agent') return { is: 'agent' }
  const model = readModelName(value)
  if (model !== null) return { is: 'provider', ...model }
  const [provider = ''] = value.split('/', 1)
  const known = PROVIDERS.find((one) => `${one}/` === value)
  if (known !== undefined)
    throw usage(
      `--extract ${value} lacks the name of the model.`,
      `Write it behind the slash: \`npx git-handoff create "<goal>" --extract ${known}/<model>\``,
    )
  const what =
    /^[a-z][a-z0-9-]{0,40}$/.test(provider) && value.includes('/') ? `a model of ${provider}` : 'this'
  throw usage(
    `--extract takes none, agent or provider/model, not ${what}.`,
    `Providers are ${PROVIDERS.join(', ')}: \`npx git-handoff create "<goal>" --extract ${PROVIDERS[0]}/<model>\``,
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
