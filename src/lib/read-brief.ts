import type { ChainResult, CheckResult, ReadResult } from '../briefs/results.ts'
import { usage } from '../errors/usage.ts'
import { call, type Kinds, readOptions, type Surroundings } from './call.ts'

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

const READ: Kinds<ReadOptions> = { id: 'text', form: 'text', section: 'text', markdown: 'text' }
const FORMS = ['markdown', 'pointer', 'inline']

/** One brief, and whether it is trusted here, as `handoff show` tells it. Throws `HandoffError`. */
export async function readBrief(options: ReadOptions = {}): Promise<ReadResult> {
  const asked = { form: 'markdown', ...readOptions('readBrief', options, READ) }
  if (!FORMS.includes(asked.form))
    throw usage(
      `readBrief knows no form ${JSON.stringify(asked.form).slice(0, 60)}.`,
      `It knows: ${FORMS.join(', ')}.`,
    )
  if ('section' in asked && asked.form !== 'markdown')
    throw usage(`The form ${asked.form} and a section exclude each other.`, 'Choose one.')
  const { markdown, ...rest } = asked as typeof asked & { markdown?: string }
  return markdown === undefined
    ? call('show', rest, options)
    : call('show', { ...rest, id: '-' }, options, markdown)
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

const CHECK: Kinds<CheckOptions> = {
  paths: 'list',
  markdown: 'text',
  staged: 'flag',
  range: 'text or flag',
  mode: 'text',
  force: 'flag',
  failOn: 'text',
}

/** Holds briefs against all rules, as `handoff check` does. Findings are data: `ok` is false then, and nothing is thrown. */
export async function checkBrief(options: CheckOptions = {}): Promise<CheckResult> {
  const { markdown, ...rest } = readOptions('checkBrief', options, CHECK)
  return markdown === undefined
    ? call('check', rest, options)
    : call('check', { ...rest, paths: ['-'] }, options, String(markdown))
}

export interface ChainOptions extends Surroundings {
  /** Of all branches, remotes, worktrees and parked briefs; else of the current branch. */
  all?: boolean
  /** Only the line that leads to the current brief. */
  line?: boolean
  /** Only those about this branch, of this agent, of this persona. */
  branch?: string
  agent?: string
  persona?: string
  /** Only those made since a date (`2026-11-01`, UTC) or a span (`7d`). */
  since?: string
  /** At most so many, newest first. */
  limit?: number
}

const CHAIN: Kinds<ChainOptions> = {
  all: 'flag',
  line: ['flag', 'chain'],
  branch: 'text',
  agent: 'text',
  persona: 'text',
  since: 'text',
  limit: 'text',
}

/** The briefs that history holds, each once by its id, as `handoff log` lists them. Throws `HandoffError`. */
export async function chain(options: ChainOptions = {}): Promise<ChainResult> {
  return call('log', readOptions('chain', options, CHAIN), options)
}
