import type { Command } from 'commander'
import { adapters } from '../agents/table.ts'
import { parseDuration } from '../config/merge.ts'
import { GOAL_EXAMPLE, GOAL_GUIDANCE } from '../errors/goal.ts'
import { usage } from '../errors/usage.ts'
import { PROVIDERS, type ProviderName, readModelName } from '../model/provider-names.ts'
import type { Reason } from '../types/brief.ts'

/** The agent of the session, or a model of a service. */
export type ExtractBy = { is: 'agent' } | { is: 'provider'; provider: ProviderName; id: string }

/** What `create` was asked for, typed and checked. */
export interface CreateRequest {
  goal: string
  focus: string | null
  reason: Reason
  /** An agent id, `git`, or undefined. */
  from: string | undefined
  session: string | undefined
  /** Who is asked what matters in the session; null: nobody. */
  extract: ExtractBy | null
  /** A file, `-`, or undefined. */
  notes: string | undefined
  /** Nobody said where notes come from, so that the agent may be asked for them. */
  wantsNotes: boolean
  /** Ask the agent of the session afterwards; undefined: as configured. */
  ask: boolean | undefined
  persona: string | null
  /** Who goes on at once; null: nobody is started. */
  to: string | null
  headless: boolean
  skills: string[]
  exact: boolean
  allowVague: boolean
  includeStaleNotes: boolean
  /** Milliseconds to wait for notes of this session. */
  waitNotes: number
  mode: 'strict' | 'permissive'
  redact: boolean
  force: boolean
  preview: boolean
  dryRun: boolean
  print: boolean
  /** What stands over the configuration, by key path. */
  flags: Record<string, unknown>
}

/** What options with choices take. */
export const FROM: readonly string[] = [...adapters.map(({ id }) => id), 'git']
export const BRANCHES = ['current', 'separate'] as const
export const MODES = ['strict', 'permissive'] as const

/** Bytes of UTF-8, as of the goal. */
const MOST_FOCUS = 4096

/** Something is to be saved and committed. */
export const isWriting = ({ print, dryRun, preview }: CreateRequest): boolean => !print && !dryRun && !preview

export function defineCreate(command: Command): void {
  command
    .usage('"<goal>" [options]')
    .argument('[goal...]', 'what the next session must achieve, in your words')
    .option('--focus <text>', 'what to look at first')
    .option('--reason <reason>', 'manual, context_limit, shift_end, task_boundary or a short text', 'manual')
    .addOption(
      command
        .createOption('--from <agent>', 'take the newest session of this agent, or `git` for git facts alone')
        .choices(FROM),
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
    .addHelpText('after', `\n${GOAL_GUIDANCE}\n\nExample:\n  handoff create "${GOAL_EXAMPLE}"`)
}

/** Throws `usage` for a value that is none of its choices. */
export function readRequest(args: readonly string[], options: Record<string, unknown>): CreateRequest {
  const text = (name: string): string | undefined => {
    const value = options[name]
    return typeof value === 'string' ? value : undefined
  }
  const choice = <T extends string>(name: string, of: readonly T[]): T | undefined => {
    const value = text(name)
    if (value === undefined) return undefined
    const found = of.find((one) => one === value)
    if (found === undefined)
      throw usage(`--${name} takes ${of.join(' or ')}, not ${value}.`, 'See `handoff create --help`.')
    return found
  }
  const waitNotes = parseDuration(text('waitNotes') ?? '0')
  if (waitNotes === null)
    throw usage('--wait-notes takes a duration such as 30s.', 'See `handoff create --help`.')
  const branch = choice('branch', BRANCHES)
  const extract = readExtract(text('extract'))
  if (extract !== null && text('from') === 'git')
    throw usage('`--from git` has no conversation a model could read.', 'Leave out one of the two.')
  const focus = text('focus') ?? null
  const bytes = Buffer.byteLength(focus ?? '')
  if (bytes > MOST_FOCUS)
    throw usage(
      `The focus is ${bytes} bytes long; at most 4,096 are allowed.`,
      'Put the detail into a file and name that file in the focus.',
    )
  const to = text('to') ?? null
  if (to === null && options.headless === true)
    throw usage('--headless goes with --to.', 'handoff create "…" --to codex --headless')
  return {
    goal: args.join(' '),
    focus,
    reason: text('reason') ?? 'manual',
    from: text('from'),
    session: text('session'),
    extract,
    notes: text('notes'),
    wantsNotes:
      options.notes !== false &&
      extract === null &&
      options.requireNotes !== true &&
      text('notes') === undefined &&
      text('from') !== 'git' &&
      waitNotes === 0,
    ask: typeof options.ask === 'boolean' ? options.ask : undefined,
    persona: text('persona') ?? null,
    to,
    headless: options.headless === true,
    skills: Array.isArray(options.skill) ? (options.skill as string[]) : [],
    exact: options.exact === true,
    allowVague: options.allowVague === true,
    includeStaleNotes: options.includeStaleNotes === true,
    waitNotes,
    mode: choice('mode', MODES) ?? (to === null ? 'permissive' : 'strict'),
    redact: options.redact === true,
    force: options.force === true,
    preview: options.preview === true,
    dryRun: options.dryRun === true,
    print: options.print === true,
    flags: {
      ...(typeof options.edit === 'boolean' ? { edit: options.edit } : {}),
      ...(typeof options.commit === 'boolean' ? { 'commit.enabled': options.commit } : {}),
      ...(branch === undefined ? {} : { 'commit.branch': branch }),
      ...(options.requireNotes === true ? { 'notes.require': true } : {}),
    },
  }
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
      `Write it behind the slash: \`handoff create "<goal>" --extract ${known}/<model>\``,
    )
  const what =
    /^[a-z][a-z0-9-]{0,40}$/.test(provider) && value.includes('/') ? `a model of ${provider}` : 'this'
  throw usage(
    `--extract takes none, agent or provider/model, not ${what}.`,
    `Providers are ${PROVIDERS.join(', ')}: \`handoff create "<goal>" --extract ${PROVIDERS[0]}/<model>\``,
  )
}

const collect = (value: string, before: string[]): string[] => [...before, value]
