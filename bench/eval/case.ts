/** A case as the harness uses it; the shape of `case.yaml` is told in bench/eval.md. */
export interface EvalCase {
  /** Name of the case's folder. */
  id: string
  goal: string
  /** Transcript, relative to the case's folder; null for a brief from git alone. */
  session: string | null
  /** Which client and version recorded it, and how. */
  recorded: string
  tags: string[]
  git: GitPlan
  expectedFiles: string[]
  expectedCommands: string[]
  /** What the user demanded, to be quoted as such. */
  expectedDemands: string[]
  /** Each fact in one or several wordings, of which one must stand in the brief. */
  expectedContext: string[][]
  /** Texts that must not stand in the brief. */
  forbidden: string[]
  /** The error code that is the right answer, or null. */
  expectedError: string | null
  criteria: Criteria
}

/** Shares between 0 and 1; `tokens` of the whole brief. */
export interface Criteria {
  files: number
  commands: number
  demands: number
  context: number
  hallucinations: number
  tokens: number
}

/** A small repository, made at run time: each map holds path → content, null deletes. */
export interface GitPlan {
  branch: string
  base: { subject: string; files: Files }
  commits: { subject: string; files: Files }[]
  /** Uncommitted. */
  changes: Files
}
export type Files = Record<string, string | null>

/**
 * What passes unless the case says otherwise: four fifths of files and commands, every demand, because the user's own words outrank
 * everything, and a length that no brief of a session this short needs.
 */
const DEFAULT_CRITERIA: Criteria = {
  files: 0.8,
  commands: 0.8,
  demands: 1,
  context: 0.7,
  hallucinations: 0,
  tokens: 2000,
}

/** One of these says what sort of case it is; bench/eval.md has their shares. */
export const SORTS = ['happy', 'edge', 'adversarial', 'regression'] as const

/** Reads the value of a `case.yaml`. Throws an `Error` that names the key. */
export function readCase(id: string, value: unknown): EvalCase {
  const at = mapping(value, 'case.yaml')
  const tags = texts(at.tags, 'tags')
  if (tags.filter((tag) => (SORTS as readonly string[]).includes(tag)).length !== 1)
    throw new Error(`tags: exactly one of ${SORTS.join(', ')} is needed`)
  const git = mapping(at.git, 'git')
  const known = mapping(at.pass_criteria ?? {}, 'pass_criteria')
  for (const name of Object.keys(known))
    if (!(name in DEFAULT_CRITERIA) || typeof known[name] !== 'number')
      throw new Error(`pass_criteria.${name}: a number of ${Object.keys(DEFAULT_CRITERIA).join(', ')}`)
  return {
    id,
    goal: text(at.goal, 'goal'),
    session: at.session === null ? null : text(at.session, 'session'),
    recorded: text(at.recorded, 'recorded'),
    tags,
    git: {
      branch: text(git.branch, 'git.branch'),
      base: commit(git.base, 'git.base'),
      commits: list(git.commits ?? [], 'git.commits').map((one, i) => commit(one, `git.commits.${i}`)),
      changes: files(git.changes ?? {}, 'git.changes'),
    },
    expectedFiles: texts(at.expected_files ?? [], 'expected_files'),
    expectedCommands: texts(at.expected_commands ?? [], 'expected_commands'),
    expectedDemands: texts(at.expected_demands ?? [], 'expected_demands'),
    expectedContext: list(at.expected_context ?? [], 'expected_context').map((one, i) =>
      typeof one === 'string' ? [one] : texts(one, `expected_context.${i}`),
    ),
    forbidden: texts(at.forbidden ?? [], 'forbidden'),
    expectedError: at.expected_error === undefined ? null : text(at.expected_error, 'expected_error'),
    criteria: { ...DEFAULT_CRITERIA, ...(known as Partial<Criteria>) },
  }
}

const commit = (value: unknown, name: string): { subject: string; files: Files } => {
  const at = mapping(value, name)
  return { subject: text(at.subject, `${name}.subject`), files: files(at.files, `${name}.files`) }
}

function files(value: unknown, name: string): Files {
  const at = mapping(value, name)
  for (const [path, content] of Object.entries(at)) {
    if (content !== null && typeof content !== 'string') throw new Error(`${name}.${path}: a text or null`)
    if (/^\/|(?:^|\/)\.\.(?:\/|$)/.test(path))
      throw new Error(`${name}.${path}: a path inside the repository`)
  }
  return at as Files
}

function mapping(value: unknown, name: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error(`${name}: a mapping is needed`)
  return value as Record<string, unknown>
}

function list(value: unknown, name: string): unknown[] {
  if (!Array.isArray(value)) throw new Error(`${name}: a list is needed`)
  return value
}

const texts = (value: unknown, name: string): string[] =>
  list(value, name).map((one, i) => text(one, `${name}.${i}`))

function text(value: unknown, name: string): string {
  if (typeof value !== 'string' || value === '') throw new Error(`${name}: a text is needed`)
  return value
}
