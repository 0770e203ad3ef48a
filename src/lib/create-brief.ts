import type { CreateResult } from '../briefs/results.ts'
import { usage } from '../errors/usage.ts'
import type { AtifStep } from '../types/atif.ts'
import type { NoteSlots, Reason } from '../types/brief.ts'
import { call, type Kinds, readOptions, type Surroundings } from './call.ts'

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

const KINDS: Kinds<CreateOptions> = {
  goal: 'any',
  transcript: 'any',
  events: 'any',
  notes: 'any',
  commit: 'any',
  focus: 'text',
  reason: 'text',
  from: 'text',
  session: 'text',
  extract: 'text',
  ask: 'flag',
  notesFile: 'text',
  includeStaleNotes: 'flag',
  requireNotes: 'flag',
  persona: 'text',
  skills: ['list', 'skill'],
  exact: 'flag',
  allowVague: 'flag',
  branch: 'text',
  mode: 'text',
  redact: 'flag',
  work: 'flag',
  force: 'flag',
  dryRun: 'flag',
}

/**
 * Joins the current session and the git state into a brief and commits it, as `handoff create` does; nothing is asked and no editor
 * opened. Throws `HandoffError`; rejects with an `AbortError` when the signal ended it before the branch moved.
 */
export async function createBrief(options: CreateOptions): Promise<CreateResult> {
  const { goal, transcript, events, notes, commit } = options
  const { notesFile, ...given } = readOptions('createBrief', options, KINDS)
  const [isTold, isListed, isNoted] = ['transcript', 'events', 'notes'].map((key) => key in given)
  const isTwice = isListed ? isTold || 'session' in given || 'from' in given : isTold && 'session' in given
  if (isTwice || (isNoted && (isTold || notesFile !== undefined)))
    throw usage(
      'One session and one set of notes make a brief, and of `transcript` and `notes` only one can be given.',
      'Put the notes into a file, and name it as `notesFile`.',
    )
  if (isListed && !Array.isArray(events))
    throw usage('The option events of createBrief takes a list of steps.', 'See docs/library.md.')
  const asked = {
    ...given,
    goal,
    ...(isTold ? { transcript: undefined, session: '-' } : {}),
    // Nobody is asked.
    notes: isNoted ? '-' : (notesFile ?? false),
    // Null is not set.
    ...(typeof commit === 'boolean' ? { commit } : {}),
  }
  return call('create', asked, options, transcript ?? (isNoted ? JSON.stringify(notes) : ''))
}
