import { setMaxListeners } from 'node:events'
import type { ChainResult, CheckResult, CreateResult, ReadResult } from '../briefs/results.ts'
import type { LibraryCall } from '../cli/library-calls.ts'
import { HandoffError } from '../errors/handoff-error.ts'
import { usage } from '../errors/usage.ts'
import { cancelled } from '../errors/writing.ts'
import type { NoteSlots, Reason } from '../types/brief.ts'
import type { AtifStep } from '../types/session.ts'

/** Where a call works; what is left out is taken from this process when it is called. */
export interface Surroundings {
  /** Directory to work in; the current one of the process. */
  cwd?: string
  /** Environment variables, all of them: nothing is added from the process. */
  env?: Readonly<Record<string, string | undefined>>
  /** Home directory, under which sessions and configuration are looked for. */
  home?: string
  /** The clock. */
  now?: () => Date
  /** Ends the call, which rejects with an `AbortError` once nothing of it runs or lies about any more. */
  signal?: AbortSignal
  /** Told each line that the command says beside its result, as it is said: warnings, and that git is waited for. */
  onMessage?: (line: string) => void
}

const AROUND = ['cwd', 'env', 'home', 'now', 'signal', 'onMessage']

/** The options of a function that are no surroundings. Throws `usage` for one that there is none of, which would do nothing unseen. */
export function readOptions<O extends object>(
  name: string,
  options: O,
  known: readonly string[],
): Partial<Record<keyof O, unknown>> {
  const given = Object.entries(options).filter(([key]) => !AROUND.includes(key))
  for (const [key] of given)
    if (!known.includes(key))
      throw usage(
        `${name} has no option ${JSON.stringify(key).slice(0, 60)}.`,
        `It has: ${[...known, ...AROUND].join(', ')}.`,
      )
  return Object.fromEntries(given.filter(([, value]) => value !== undefined && value !== null)) as Partial<
    Record<keyof O, unknown>
  >
}

/**
 * Runs one command, and returns the object that it prints with `--json`. Throws `HandoffError` for everything that the program reports as
 * an error, and an `AbortError` when the signal ended it.
 */
async function call<T extends object>(
  asked: LibraryCall,
  { cwd, env = process.env, home, now, signal, onMessage }: Surroundings,
): Promise<T> {
  if (signal?.aborted) throw abortError(signal)
  const inner = new AbortController()
  // A command has more git processes at a time than the ten listeners that Node takes for a leak, and says so.
  setMaxListeners(0, inner.signal)
  // Whatever reason the caller gives, what it ends is told apart from a failure.
  const cancel = (): void => inner.abort(cancelled())
  signal?.addEventListener('abort', cancel, { once: true })
  try {
    // The program is a megabyte, so whoever only imports the library does not pay for it.
    const { callLibrary } = await import('../cli.ts')
    const around = { env, cwd: () => cwd ?? process.cwd(), home, now, signal: inner.signal, onMessage }
    const outcome = await callLibrary(asked, around)
    if ('result' in outcome) return outcome.result as T
    const { code, message, hint, exit, data } = outcome.failure
    if (signal?.aborted && code === 'E_CANCELLED') throw abortError(signal)
    throw new HandoffError(code, message, hint, { exit, data })
  } finally {
    signal?.removeEventListener('abort', cancel)
  }
}

/** What everything that takes a signal rejects with; the reason of the caller is its cause. */
const abortError = ({ reason }: AbortSignal): DOMException =>
  new DOMException(cancelled().message, { name: 'AbortError', cause: reason })

/** Working memory of the departing agent: what `handoff note` takes. */
export type GivenNotes = Partial<NoteSlots>

export interface CreateOptions extends Surroundings {
  /** What the next session must achieve, in the person's words. */
  goal: string
  /** What to look at first. */
  focus?: string
  reason?: Reason
  /** Take the newest session of this agent, or `git` for git facts alone. */
  from?: string
  /** Take this session: an id or a file. */
  session?: string
  /** The session as it stood then: a turn, a time, or words of one request. */
  until?: string
  /** A conversation to hand over instead of a session: JSONL of role and content, or markdown with a heading per turn. */
  transcript?: string
  /** The same as values in memory, of which no file is made. */
  events?: readonly AtifStep[]
  /** Ask a model what matters: `agent` (of the session), `provider/model`, or `none`. */
  extract?: string
  /** Ask the agent of the session for its page, in a fork of the session. */
  ask?: boolean
  /** Working memory; not together with `transcript`. */
  notes?: GivenNotes
  /** Working memory from a file. */
  notesFile?: string
  includeStaleNotes?: boolean
  requireNotes?: boolean
  /** Name of the role that goes on. */
  persona?: string
  /** Skills the successor should load. */
  skills?: readonly string[]
  /** Count tokens with the o200k tokenizer instead of the estimate. */
  exact?: boolean
  /** Take a short or vague goal, and record that. */
  allowVague?: boolean
  /** False writes the brief and commits nothing; true commits it whatever is configured. */
  commit?: boolean
  /** Commit on the current branch, or on `handoff/<branch>`. */
  branch?: 'current' | 'separate'
  /** `permissive` unless told otherwise. */
  mode?: 'strict' | 'permissive'
  /** Replace secrets in what is handed in, instead of refusing. */
  redact?: boolean
  /** Keep uncommitted files beside the brief, for `push`. */
  work?: boolean
  /** Pass the hard size limit and missing sections in strict mode. */
  force?: boolean
  /** Do everything but write. Works outside of a repository too. */
  dryRun?: boolean
}

const CREATE = [
  ...['goal', 'focus', 'reason', 'from', 'session', 'until', 'transcript', 'events', 'extract', 'ask'],
  ...[
    'notes',
    'notesFile',
    'includeStaleNotes',
    'requireNotes',
    'persona',
    'skills',
    'exact',
    'allowVague',
    'commit',
  ],
  ...['branch', 'mode', 'redact', 'work', 'force', 'dryRun'],
]

/**
 * Joins the current session and the git state into a brief and commits it, as `handoff create` does; nothing is asked and no editor
 * opened. Throws `HandoffError`; rejects with an `AbortError` when the signal ended it before the branch moved.
 */
export async function createBrief(options: CreateOptions): Promise<CreateResult> {
  const { goal, transcript, events, notes, notesFile, skills, ...given } = readOptions(
    'createBrief',
    options,
    CREATE,
  )
  const [isTold, isListed, isNoted] = [transcript, events, notes].map((value) => value !== undefined)
  const isTwice = isListed ? isTold || 'session' in given || 'from' in given : isTold && 'session' in given
  if (isTwice || (isNoted && (isTold || notesFile !== undefined)))
    throw usage(
      'One session and one set of notes make a brief, and of `transcript` and `notes` only one can be given.',
      'Put the notes into a file, and name it as `notesFile`.',
    )
  if (isListed && !Array.isArray(events))
    throw usage('The option events of createBrief takes a list of steps.', 'See docs/spec/library.md.')
  const asked = {
    ...given,
    ...(isTold ? { session: '-' } : {}),
    skill: skills,
    // Nobody is asked.
    notes: isNoted ? '-' : (notesFile ?? false),
  }
  const input = String(transcript ?? (isNoted ? JSON.stringify(notes) : ''))
  const values = isListed ? { events } : {}
  return call({ name: 'create', words: [String(goal ?? '')], options: asked, values, input }, options)
}

export interface ReadOptions extends Surroundings {
  /** `latest` (the default), an id, a unique prefix of one, or a file. */
  id?: string
  /** What `text` holds: the markdown (the default), the short pointer for a successor, or all of it wrapped for a prompt. */
  form?: 'markdown' | 'pointer' | 'inline'
  /** Only this section in `text`; not together with `form`. */
  section?: string
  /** The brief itself instead of an `id`; it needs no repository. */
  markdown?: string
}

const READ = ['id', 'form', 'section', 'markdown']
/** The option of `show` for each form. */
const FORMS: Readonly<Record<string, object>> = {
  markdown: {},
  pointer: { prompt: true },
  inline: { inline: true },
}

/** One brief, and whether it is trusted here, as `handoff show` tells it. Throws `HandoffError`. */
export async function readBrief(options: ReadOptions = {}): Promise<ReadResult> {
  const { id = 'latest', form = 'markdown', markdown, ...rest } = readOptions('readBrief', options, READ)
  const asked = FORMS[String(form)]
  if (asked === undefined)
    throw usage(
      `readBrief knows no form ${JSON.stringify(form).slice(0, 60)}.`,
      `It knows: ${Object.keys(FORMS).join(', ')}.`,
    )
  const words = [markdown === undefined ? String(id) : '-']
  return call({ name: 'show', words, options: { ...rest, ...asked }, input: String(markdown ?? '') }, options)
}

export interface CheckOptions extends Surroundings {
  /** Briefs or folders, relative to `cwd`; without any, all of the work tree. */
  paths?: readonly string[]
  /** A brief itself instead of `paths`; it needs no repository, and rules about files and parents say nothing. */
  markdown?: string
  /** What the next commit would bring. */
  staged?: boolean
  /** What the commits of `a..b` bring; true: those of the pull request or branch. */
  range?: string | true
  /** `strict` unless told otherwise. */
  mode?: 'strict' | 'permissive'
  /** Let size and missing sections pass. */
  force?: boolean
  /** At which level `ok` is false; `error` unless told otherwise. */
  failOn?: 'error' | 'warning' | 'never'
}

const CHECK = ['paths', 'markdown', 'staged', 'range', 'mode', 'force', 'failOn']

/** Holds briefs against all rules, as `handoff check` does. Findings are data: `ok` is false then, and nothing is thrown. */
export async function checkBrief(options: CheckOptions = {}): Promise<CheckResult> {
  const { paths = [], markdown, ...rest } = readOptions('checkBrief', options, CHECK)
  const words = markdown === undefined ? [paths].flat().map(String) : ['-']
  return call({ name: 'check', words, options: rest, input: String(markdown ?? '') }, options)
}

export interface ChainOptions extends Surroundings {
  /** Of all branches, remotes, worktrees and parked briefs; else of the current branch. */
  all?: boolean
  /** Only the line that leads to the current brief. */
  line?: boolean
  /** Only those about this branch, of this agent, by this person (a part of the name is enough), of this persona. */
  branch?: string
  agent?: string
  by?: string
  persona?: string
  /** Only those made since a date (`2026-11-01`, UTC) or a span (`7d`). */
  since?: string
  /** At most so many, newest first. */
  limit?: number
}

const CHAIN = ['all', 'line', 'branch', 'agent', 'by', 'persona', 'since', 'limit']

/** The briefs that history holds, each once by its id, as `handoff log` lists them. Throws `HandoffError`. */
export async function chain(options: ChainOptions = {}): Promise<ChainResult> {
  const { line, ...rest } = readOptions('chain', options, CHAIN)
  return call({ name: 'log', words: [], options: { ...rest, chain: line } }, options)
}
