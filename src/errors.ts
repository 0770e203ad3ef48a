/**
 * Every way to fail on purpose: a stable code, a message, what to do next. One function per way, so that texts sit
 * together. `exit` 1: findings or `Handoff failed`; 2: could not run; 130: cancelled.
 */
export class HandoffError extends Error {
  override readonly name = 'HandoffError'
  constructor(
    readonly code: string,
    message: string,
    readonly hint: string,
    readonly exit: 1 | 2 | 130 = 2,
    options: { cause?: unknown; data?: Record<string, unknown> } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.data = options.data ?? {}
  }
  readonly data: Record<string, unknown>
}

/** By name, not by class: each lazy chunk may carry its own copy of the class. */
export const isHandoffError = (error: unknown): error is HandoffError =>
  error instanceof Error && error.name === 'HandoffError' && 'code' in error && 'hint' in error

/** What went wrong, in the words of whoever threw it. */
export const reasonOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

/** What `JSON.parse` says, without the twenty characters of the text that it quotes: half of a secret is not known for one. */
export const jsonProblem = (cause: unknown): string => reasonOf(cause).replace(/, (?:\.{3})?".*$/s, '')

// ---------------------------------------------------------------- where

/** What CI servers fetch is often the last commit alone. */
const SHALLOW =
  'A shallow clone needs `git fetch --unshallow` first; in CI check out all of history: `fetch-depth: 0` of actions/checkout, `GIT_DEPTH: 0` in GitLab CI.'

export const notARepository = (dir: string) =>
  new HandoffError(
    'E_NO_REPOSITORY',
    `Not a git repository: ${dir}`,
    'Change to the folder of a repository or name it with `--cwd <folder>`; `git init` makes one here.',
  )
/** As `notARepository`, for `create`, which can do without. */
export const nowhereToKeep = (dir: string) =>
  new HandoffError(
    'E_NO_REPOSITORY',
    `Not a git repository: ${dir}`,
    'Run `git init` first. `handoff create` can do without: with `--print` the brief goes to standard output.',
  )
export const noSuchFolder = (dir: string) =>
  new HandoffError(
    'E_NO_FOLDER',
    `No such folder: ${dir === '' ? '(--cwd without a value)' : dir}`,
    'Give an existing directory to `--cwd`.',
  )
export const folderGone = () =>
  new HandoffError(
    'E_NO_FOLDER',
    'The folder you are in is gone.',
    'Change to one that is there, or name it with `--cwd`.',
  )
export const bareRepository = (dir: string) =>
  new HandoffError(
    'E_BARE_REPOSITORY',
    `This is a bare repository, there is no work tree to hand over: ${dir}`,
    'Run the command in a clone or worktree: `git worktree add ../work` and `cd ../work`.',
  )
export const dubiousOwner = (dir: string) =>
  new HandoffError(
    'E_DUBIOUS_OWNER',
    `Git refuses this repository because another user owns it: ${dir}`,
    `If you trust it: \`git config --global --add safe.directory ${dir}\``,
  )
export const gitMissing = (cause?: unknown) =>
  new HandoffError(
    'E_GIT_MISSING',
    'git was not found.',
    'Install git 2.30 or newer and put it on PATH.',
    2,
    { cause },
  )
export const gitTooOld = (version: string) =>
  new HandoffError('E_GIT_TOO_OLD', `git ${version} is too old.`, 'Install git 2.30 or newer.')
export const gitFailed = (args: readonly string[], stderr: string, cause?: unknown) =>
  new HandoffError(
    'E_GIT',
    `git ${args.slice(0, 2).join(' ')} failed: ${stderr.trim() || reasonOf(cause)}`,
    'Run the same git command by hand to see more; nothing was changed by handoff.',
    1,
    { cause },
  )

/** What was typed, whole or not at all: half a key is not known for one, and so would be shown. */
const quoted = (text: string, most: number): string =>
  text.length <= most ? JSON.stringify(text) : `a text of ${text.length} characters`

export const badRevision = (rev: string) =>
  new HandoffError(
    'E_BAD_REVISION',
    `Not a commit here: ${quoted(rev, 120)}`,
    `Give a branch, tag or commit id that \`git rev-parse\` knows. ${SHALLOW}`,
  )
export const noCommonAncestor = (range: string) =>
  new HandoffError(
    'E_BAD_REVISION',
    `The two ends of ${quoted(range, 120)} have no common ancestor here.`,
    `Name the commits with two dots to compare them all the same. ${SHALLOW}`,
  )
export const noRange = () =>
  new HandoffError(
    'E_NO_RANGE',
    'It is not known what this branch is to be compared with.',
    'Name the commits, for example `handoff review main..HEAD`.',
  )

// ---------------------------------------------------------------- sessions

/** Sessions that may be meant: as lines for a person, and as the objects of `handoff sessions --json`. */
export interface SessionCandidates {
  lines: readonly string[]
  candidates: readonly object[]
}
const NO_CANDIDATES: SessionCandidates = { lines: [], candidates: [] }

/** The candidates are sessions of other worktrees, branches and nested repositories, which must be named. */
export const noSession = (where: string, { lines, candidates }: SessionCandidates = NO_CANDIDATES) =>
  new HandoffError(
    'E_NO_SESSION',
    `No agent session was found for ${where}.${lines.length ? `\nSessions elsewhere:\n${lines.join('\n')}` : ''}`,
    'Name one with `--session <id or file>`, list them with `handoff sessions`, or use `--from git` for git facts alone.',
    2,
    { data: { candidates } },
  )
/** An agent calls whose sessions nobody here can read: another one's would be somebody else's work under its name. */
export const callerUnreadable = (name: string) =>
  new HandoffError(
    'E_NO_SESSION',
    `${name} calls this command, and handoff cannot read its sessions.`,
    'Name a session or a transcript with `--session <id or file>`, another agent with `--from <agent>`, or use `--from git` for git facts alone.',
  )
/** As `noSession`, for what only an agent can answer. */
export const nobodyToAsk = (where: string) =>
  new HandoffError(
    'E_NO_SESSION',
    `No agent session was found for ${where}, so there is nobody to ask.`,
    'Name one with `--session <id>`; `handoff sessions` lists them. `handoff create` makes a brief without asking.',
  )
/** `from`: the agent alone tells which one is meant. */
export const sessionTie = ({ lines, candidates }: SessionCandidates, from: boolean) =>
  new HandoffError(
    'E_SESSION_TIE',
    `Several sessions ended within 10 minutes of each other:\n${lines.join('\n')}`,
    `Choose one with \`--session <id>\`${from ? ' or `--from <agent>`' : ''}.`,
    2,
    { data: { candidates } },
  )
export const sessionUnknown = (id: string, { lines, candidates }: SessionCandidates) =>
  new HandoffError(
    'E_SESSION_UNKNOWN',
    `No session ${JSON.stringify(id)} belongs to this repository.${lines.length ? `\nSessions here:\n${lines.join('\n')}` : ''}`,
    'Use an id from `handoff sessions`, or give the transcript file itself with `--session <file>`.',
    2,
    { data: { candidates } },
  )
export const sessionAmbiguous = (id: string, { lines, candidates }: SessionCandidates) =>
  new HandoffError(
    'E_SESSION_AMBIGUOUS',
    `${quoted(id, 80)} fits several sessions:\n${lines.join('\n')}`,
    'Give more of the id.',
    2,
    { data: { candidates } },
  )
export const sessionUnreadable = (path: string, cause: unknown) =>
  new HandoffError(
    'E_SESSION_UNREADABLE',
    `The session file cannot be read: ${path} (${reasonOf(cause)})`,
    'Check the path and its permissions, or choose another session: `handoff create "<goal>" --session <id>`',
    2,
    { cause },
  )
export const sessionPacked = (path: string, node: string) =>
  new HandoffError(
    'E_SESSION_PACKED',
    `The session file is packed, and Node ${node} cannot unpack it: ${path}`,
    'Use Node 22.15 or newer, or unpack it and name it: `zstd -d FILE.jsonl.zst`, then `--session FILE.jsonl`.',
  )
export const openCodeUnreadable = (database: string, why: string, cause?: unknown) =>
  new HandoffError(
    'E_OPENCODE',
    `OpenCode's sessions cannot be read: ${database}: ${why}`,
    'Put `opencode` on PATH or use Node 22.13 or newer; or write the session to a file with `opencode export <id> > FILE` and give that: `--session FILE`.',
    2,
    { cause },
  )
export const sessionFormat = (path: string, detail: string) =>
  new HandoffError(
    'E_SESSION_FORMAT',
    `${path} is not a session of a known agent: ${detail}`,
    'Give a transcript of Claude Code, Codex, Pi, an OpenCode export, or plain JSONL of {"role","content"}.',
  )
export const nothingToHandOff = () =>
  new HandoffError(
    'E_TOO_SHORT',
    'Nothing to hand off (no messages yet)',
    'Work with the agent first, choose another session with `--session`, or use `--from git` for git facts alone.',
  )

// ---------------------------------------------------------------- goal

export const GOAL_GUIDANCE = 'Be specific: what should the next thread accomplish?'
export const GOAL_EXAMPLE = 'implement team-level handoff, update tests, document API.'
export const badGoal = (rule: 'empty' | 'too-short' | 'vague', detail: string) =>
  new HandoffError(
    'E_GOAL',
    `${GOAL_GUIDANCE} (${rule}: ${detail})`,
    `Example: ${GOAL_EXAMPLE} To keep the goal as it is: --allow-vague.`,
    2,
    { data: { rule } },
  )
export const goalTooLong = (bytes: number, keptAt: string | null) =>
  new HandoffError(
    'E_GOAL_TOO_LONG',
    `The goal is ${bytes} bytes long; at most 4,096 are allowed.`,
    `Put the detail into a file and name that file in the goal.${keptAt ? ` Your text is kept in ${keptAt}.` : ''}`,
    2,
    { data: { bytes, keptAt } },
  )

// ---------------------------------------------------------------- .handoff/

export const foreignFolder = (detail: string) =>
  new HandoffError(
    'E_FOREIGN_FOLDER',
    `.handoff/ belongs to something else: ${detail}`,
    'Move those files away, then run the command again: mv .handoff other-name. Nothing was overwritten.',
  )
export const ignoredFolder = (rule: string) =>
  new HandoffError(
    'E_IGNORED_FOLDER',
    `.handoff/ is ignored by git (${rule}), so a brief could not be committed.`,
    'Take that rule out, or add `!.handoff/` after it, then run the command again.',
  )
export const unsafeFolder = (path: string, what: string) =>
  new HandoffError(
    'E_UNSAFE_PATH',
    `${path} is ${what}; briefs are only written to plain files in plain folders.`,
    'Move it elsewhere or remove it, then run the command again. Nothing was written.',
  )
export const badId = (id: string) =>
  new HandoffError(
    'E_BAD_ID',
    `Not a brief id: ${quoted(id, 80)}`,
    'An id looks like 20261122T014815-1f3a9c07. `handoff log` lists them; `latest` and a unique prefix work too.',
  )
export const unknownId = (id: string) =>
  new HandoffError(
    'E_UNKNOWN_ID',
    `No brief ${id} was found here.`,
    '`handoff log --all` lists every brief that git knows.',
  )
export const ambiguousId = (id: string, candidates: readonly string[]) =>
  new HandoffError(
    'E_AMBIGUOUS_ID',
    `${id} fits several briefs:\n${candidates.join('\n')}`,
    'Give more digits of the id; `handoff log --all` shows them with their goals.',
    2,
    { data: { candidates } },
  )
/** `landed`: the brief that was merged last, where that is why there is none. */
export const noBrief = (landed: string | null = null) =>
  landed === null
    ? new HandoffError('E_NO_BRIEF', 'No brief is open here.', 'Make one: `handoff create "<goal>"`')
    : new HandoffError(
        'E_NO_BRIEF',
        `No brief is open here; ${landed} has landed.`,
        `Read it: \`handoff show ${landed}\`. Make one: \`handoff create "<goal>"\``,
      )
/** `branch`: the full name of that for which a parked brief waits. */
export const onlyParked = (id: string, branch: string) =>
  new HandoffError(
    'E_NO_BRIEF',
    `No brief is committed here; ${id} is parked and waits for ${branch.replace('refs/heads/', '')}.`,
    `On that branch, once no git operation is in progress there, run the command again: it commits the brief first. Until then \`handoff show ${id}\` prints it.`,
  )
export const noOrigin = () =>
  new HandoffError(
    'E_NO_ORIGIN',
    'This repository has no remote called origin.',
    'Add one with `git remote add origin <url>`, or trust one brief: `handoff trust <id>`',
  )
export const noParent = (id: string) =>
  new HandoffError(
    'E_NO_PARENT',
    `Brief ${id} is the first of its chain: there is none to compare it with.`,
    'Name two briefs: `handoff diff <older> <newer>`; `handoff log --all` lists them.',
  )
export const chainClosed = (id: string, last: string | null) =>
  new HandoffError(
    'E_CHAIN_CLOSED',
    `The chain is closed, by ${id}; nothing is open.`,
    last === null
      ? 'A new one starts with `handoff create "<goal>"`.'
      : `Open it again: \`handoff resume ${last}\`. A new one starts with \`handoff create "<goal>"\`.`,
  )
export const parentMissing = (id: string, parent: string, shallow: boolean) =>
  new HandoffError(
    'E_PARENT_MISSING',
    `The parent ${parent} of brief ${id} is not in the history that is here.`,
    shallow
      ? 'This clone is shallow: `git fetch --unshallow` brings the rest.'
      : 'It may be on a branch that was not fetched: `git fetch --all`.',
  )
export const notPruned = (detail: string, cause: unknown) =>
  new HandoffError(
    'E_NOT_PRUNED',
    `The briefs stay in the tree: ${detail}`,
    /is still staged/.test(detail)
      ? 'Mend the cause and run it again, or take it back: `git restore --staged .handoff/briefs`'
      : 'Nothing was changed. Do it again when git is free.',
    1,
    { cause },
  )
export const operationInProgress = (operation: string) =>
  new HandoffError(
    'E_IN_PROGRESS',
    `A ${operation} is in progress, and its abort would bring back what is taken out of the tree now.`,
    `Finish or abort the ${operation}, then do this again.`,
  )
export const briefUnreadable = (path: string, detail: string, cause?: unknown) =>
  new HandoffError(
    'E_BRIEF_UNREADABLE',
    `${path}: ${detail}`,
    'See `docs/format.md` for the format; `handoff check` names every problem.',
    1,
    { cause },
  )
export const newerSchema = (path: string, version: unknown) =>
  new HandoffError(
    'E_NEWER_SCHEMA',
    `${path} was written with schema version ${String(version)}; this handoff reads version 1.`,
    'Upgrade: `npm install -g git-handoff@latest`',
    1,
  )

// ---------------------------------------------------------------- writing

/** How a false alarm passes, in one step. */
const letThrough = (fingerprints: readonly string[]): string =>
  `If it is a false alarm, let it through by its fingerprint: once with HANDOFF_SECRETS_ALLOW=${fingerprints.join(',')} before the command, for good with \`${JSON.stringify({ secrets: { allow: fingerprints } })}\` in handoff.config.json (\`secrets.allow\`).`

/** Where a secret stands: its field where there are several, its line where the text has several, 1-based; never its value. */
export interface SecretPlace {
  rule: string
  fingerprint: string
  field?: string
  line?: number
}

export const secretInInput = (where: string, places: readonly SecretPlace[]) => {
  const data = secretData(where, places)
  return new HandoffError(
    'E_SECRET_INPUT',
    `A secret stands in the ${where} (${placesOf(places)}).`,
    `Take it out, or add \`--redact\` to replace it. ${letThrough(data.fingerprints)}`,
    1,
    { data },
  )
}
export const secretInDocument = (places: readonly SecretPlace[]) => {
  const data = secretData('document', places)
  return new HandoffError(
    'E_SECRET_INPUT',
    `Handoff failed: a secret stood in the document (${placesOf(places)}); the document was deleted.`,
    `Ask again: \`handoff request\`. ${letThrough(data.fingerprints)}`,
    1,
    { data },
  )
}

const secretData = (where: string, places: readonly SecretPlace[]) => ({
  where,
  rules: [...new Set(places.map(({ rule }) => rule))].sort(),
  fingerprints: [...new Set(places.map(({ fingerprint }) => fingerprint))].sort(),
  places,
})

/** Places that a message names; the others stand in its data. */
const PLACES = 8

function placesOf(places: readonly SecretPlace[]): string {
  const told = places.map(
    ({ rule, field, line }) =>
      `${rule}${field === undefined ? '' : ` in ${field}`}${line === undefined ? '' : `, line ${line}`}`,
  )
  const all = [...new Set(told)]
  return `${all.slice(0, PLACES).join('; ')}${all.length > PLACES ? ` and ${all.length - PLACES} more` : ''}`
}
export const briefRefused = (lines: readonly string[]) =>
  new HandoffError(
    'E_REFUSED',
    `Handoff failed: the brief breaks ${lines.length === 1 ? 'a rule' : `${lines.length} rules`}:\n${lines.join('\n')}`,
    'Mend what is named and run the same command again; nothing was committed. `--force` passes size and missing sections only.',
    1,
    { data: { findings: lines } },
  )
export const emptyBrief = () =>
  new HandoffError(
    'E_EMPTY',
    'Handoff failed: the brief would be empty.',
    'No session says anything, and this branch has no commit and no change, so nothing was written. Commit something first, or name a session that `handoff sessions` lists: `handoff create "<goal>" --session <id>`',
    1,
  )
/** `goal`: as a shell takes it; `contract`: what the agent is asked to write; `hasHeredoc`: its shell takes one with backquotes. */
export const notesWanted = (goal: string, contract: string, hasHeredoc: boolean) =>
  new HandoffError(
    'E_NOTES_WANTED',
    'No brief yet: the next agent needs the page that only you can write.',
    `Call it again with the page, or with \`--no-notes\` for a brief without one.

${contract}

${
  hasHeredoc
    ? `npx git-handoff create ${goal} --notes - <<'HANDOFF_PAGE'
<the page>
HANDOFF_PAGE`
    : `Call the tool \`handoff_finalize\` with the page as \`other\`, or write it to a file outside of the repository for \`--notes <file>\`. Then:
npx git-handoff create ${goal}`
}`,
    2,
  )
export const notesRequired = (why: string) =>
  new HandoffError(
    'E_NOTES_REQUIRED',
    `Handoff failed: working memory is required and missing (${why}).`,
    'Record it with `handoff note`, or leave out `--require-notes`.',
    1,
  )
export const insideHook = (hook: string) =>
  new HandoffError(
    'E_INSIDE_HOOK',
    `This runs inside the ${hook} hook, in the midst of what git is doing; a commit made now would break that.`,
    'Call it from post-commit or post-rewrite instead, or add `--no-commit`.',
  )
export const detachedApart = () =>
  new HandoffError(
    'E_DETACHED',
    'HEAD is detached, so there is no branch name for a separate branch of briefs.',
    'Check out a branch, or use `--branch current`.',
  )
export const branchInTheWay = (other: string, wanted: string) =>
  new HandoffError(
    'E_BRANCH_IN_THE_WAY',
    `There is a branch ${other}, and git cannot have ${wanted} beside it.`,
    `Rename it (\`git branch -m\`) or delete it when it is of no use any more, or use \`--branch current\`.`,
  )
export const briefsCheckedOut = (branch: string, worktree: string) =>
  new HandoffError(
    'E_BRIEFS_CHECKED_OUT',
    `The branch of briefs ${branch} is checked out in ${worktree}; a commit from here would leave its files behind.`,
    'Check out another branch there, or use `--branch current`.',
  )
/** The detail that `notCommitted` was told, to be told with another path. */
export const whyNotCommitted = ({ message }: HandoffError): string =>
  message.replace(/^.*not committed: /, '')
export const notCommitted = (path: string, detail: string, cause?: unknown) =>
  new HandoffError(
    'E_NOT_COMMITTED',
    `Handoff failed: the brief is saved in ${path} but not committed: ${detail}`,
    'Mend the cause and run the same command again; it commits the saved brief.',
    1,
    { cause, data: { path } },
  )
export const writeFailed = (path: string, cause: unknown) =>
  new HandoffError(
    'E_WRITE',
    `Handoff failed: ${path} could not be written: ${reasonOf(cause)}`,
    'Check free space and permissions, then run the command again. Nothing was committed.',
    1,
    { cause },
  )
/** `cause`: what git said of the lock of its configuration, which stayed for as long as we waited. */
export const configLocked = (lock: string, cause: Error) =>
  new HandoffError(
    'E_WRITE',
    `Handoff failed: ${quoted(lock, 300)} locks the configuration of git: ${reasonOf(cause)}`,
    'Wait for the git command that holds it to end; when none runs, it was left by one that was killed: remove that file. Then run the command again. Nothing was committed.',
    1,
    { cause },
  )
/** The system has refused a file operation that nothing else gives a word for. */
export const systemFailed = (cause: NodeJS.ErrnoException) =>
  new HandoffError(
    'E_SYSTEM',
    `The system refused: ${reasonOf(cause)}`,
    'Check the disk (space, permissions, open files) and run the command again; what was half done is taken back then.',
    1,
    { cause },
  )
export const badOutput = (path: string, what: string) =>
  new HandoffError(
    'E_OUTPUT',
    `Cannot write to ${quoted(path, 300)}: it is ${what}.`,
    'Name a file in a folder that exists; `-` is standard output. Nothing was written.',
  )
/** The editor itself failed, not what was left in it. */
export const editorFailed = (editor: string, detail: string, draft: string) =>
  new HandoffError(
    'E_EDITOR',
    `Handoff cancelled: the editor ${editor} ${detail}.`,
    `Your draft is kept in ${draft}. The editor is the first that is set of GIT_EDITOR, \`git config core.editor\`, VISUAL and EDITOR, else vi. For example: \`GIT_EDITOR=nano handoff create "<goal>" --edit\`. To go on without an editor: \`handoff create "<goal>" --no-edit\``,
    130,
    { data: { draft } },
  )
/** What was left in the editor is no brief. */
export const editUnreadable = (editor: string, detail: string, draft: string) =>
  new HandoffError(
    'E_EDITOR',
    `Handoff cancelled: ${editor} ${detail}.`,
    `Your draft is kept in ${draft}. Run the same command again, and change words inside the sections that are there; \`--no-edit\` takes the brief as it is made.`,
    130,
    { data: { draft } },
  )
/** What a draft holds in place of secrets, by rule. */
const standIns = (rules: readonly string[]): string => rules.map((rule) => `[REDACTED:${rule}]`).join(', ')

export const draftRedacted = (rules: readonly string[]): string =>
  `In the draft ${standIns(rules)} now stands in place of what was secret. Edit again shows it so; what you leave of it is handed over.`
/** `problem`: what is wrong with what was left in the editor; `redacted`: the rules of what was replaced in the draft. */
export const editRefused = (problem: HandoffError, draft: string, redacted: readonly string[]) =>
  new HandoffError(
    problem.code,
    problem.message.trimEnd(),
    `${problem.hint} Nothing was written; your draft is kept in ${draft}${redacted.length === 0 ? '' : `, with ${standIns(redacted)} in place of what was secret`}.`,
    problem.exit,
    { cause: problem, data: { ...problem.data, draft } },
  )
export const editCancelled = (draft: string) =>
  new HandoffError(
    'E_CANCELLED',
    'Handoff cancelled',
    `Nothing was written; your draft is kept in ${draft}.`,
    130,
    { data: { draft } },
  )
export const cancelled = () =>
  new HandoffError('E_CANCELLED', 'Handoff cancelled', 'Nothing was written.', 130)

// ---------------------------------------------------------------- usage

export const usage = (message: string, hint: string) => new HandoffError('E_USAGE', message, hint)

/** `near`: what was probably meant. */
export const unknownCommand = (word: string, near: string | null) =>
  new HandoffError(
    'E_USAGE',
    `Unknown command: ${word}`,
    `${near === null ? '' : `Did you mean \`handoff ${near}\`? `}\`handoff --help\` lists the commands; a goal of several words goes in quotes.`,
    2,
    suggested(near),
  )
export const unknownTopic = (word: string, near: string | null, topics: readonly string[]) =>
  new HandoffError(
    'E_USAGE',
    `There is no help on ${quoted(word, 40)}.`,
    `${near === null ? '' : `Did you mean \`handoff help ${near}\`? `}Topics: ${topics.join(', ')}; or the name of a command.`,
    2,
    suggested(near),
  )
/** `page`: its path in the package at `folder`. */
export const noPage = (page: string, folder: string, cause: unknown) =>
  new HandoffError(
    'E_NO_PAGE',
    `There is no page ${page} in ${folder}.`,
    'The guide to a new agent has to be written: CONTRIBUTING.md, "Add an agent". If nobody adds one, install handoff again.',
    2,
    { cause },
  )
export const unknownOption = (command: string, flag: string, near: string | null) =>
  new HandoffError(
    'E_USAGE',
    `Unknown option: ${flag}`,
    `${near === null ? '' : `Did you mean \`${command} ${near}\`? `}\`${command} --help\` lists the options.`,
    2,
    suggested(near),
  )
/** `flags`: the option with the name of its value. */
export const badChoice = (
  command: string,
  flags: string,
  value: string,
  choices: readonly string[],
  near: string | null,
) => {
  const [flag = ''] = flags.split(/[ ,=]+(?=[<[])/)
  return new HandoffError(
    'E_USAGE',
    `${flag} takes ${alternatives(choices)}, not ${quoted(value, 40)}.`,
    near === null
      ? `For example: ${command} ${flag} ${choices[0] ?? ''}`
      : `Did you mean \`${command} ${flag} ${near}\`?`,
    2,
    { data: { choices, ...suggested(near).data } },
  )
}
export const badArgument = (
  command: string,
  value: string,
  choices: readonly string[],
  near: string | null,
) =>
  new HandoffError(
    'E_USAGE',
    `\`${command}\` takes ${alternatives(choices)}, not ${quoted(value, 40)}.`,
    near === null ? `For example: ${command} ${choices[0] ?? ''}` : `Did you mean \`${command} ${near}\`?`,
    2,
    { data: { choices, ...suggested(near).data } },
  )
/** The name of an agent that is none of `known`; `more`: what else may be done, a sentence. */
export const unknownAgent = (
  command: string,
  name: string,
  known: readonly string[],
  near: string | null,
  more: string,
) =>
  new HandoffError(
    'E_USAGE',
    `--agent: no agent ${quoted(name, 40)} is known, and no brief here is of one.`,
    `${near === null ? '' : `Did you mean \`${command} --agent ${near}\`? `}Known here: ${known.join(', ')}.${more}`,
    2,
    { data: { choices: known, ...suggested(near).data } },
  )
/** `choices`: the agents that can be set up. */
export const noSuchSetup = (name: string, choices: readonly string[], near: string | null) =>
  new HandoffError(
    'E_USAGE',
    `--agent ${name}: no agent of that name can be set up.`,
    `${near === null ? '' : `Did you mean \`handoff init --agent ${near}\`? `}Choose from ${choices.join(', ')}, or \`all\`.`,
    2,
    { data: { choices, ...suggested(near).data } },
  )
export const missingValue = (command: string, flags: string) =>
  new HandoffError(
    'E_USAGE',
    `${flags.split(/[ ,=]+(?=[<[])/)[0]} needs a value.`,
    `Give one: \`${command} ${flags}\`; \`${command} --help\` says what it is for.`,
  )
export const missingArgument = (command: string, name: string, form: string) =>
  new HandoffError('E_USAGE', `\`${command}\` needs <${name}>.`, `Like this: ${command} ${form}`)
export const tooManyArguments = (command: string, most: number, given: number) =>
  new HandoffError(
    'E_USAGE',
    `\`${command}\` takes ${most === 0 ? 'no argument' : most === 1 ? 'one argument' : `${most} arguments`}, not ${given}.`,
    `Text of several words goes in quotes. \`${command} --help\` shows the form.`,
  )

const suggested = (near: string | null) => (near === null ? {} : { data: { suggestion: near } })

/** `a, b or c`. */
const alternatives = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`
/**
 * What a parser of YAML says (yaml 2), without what it quotes of the file, which may hold a key: a part of it below the first line, a
 * token behind a colon, the name of a tag.
 */
export const parserSaid = ({ message }: { message: string }): string => {
  const [line = ''] = message.split('\n', 1)
  const [, said = '', place = ''] =
    /^(.*?)(?:(?<=\w|\)): .*?)?( at line \d+, column \d+)?:?$/.exec(line) ?? []
  return said.replace(/ ?\S*!\S*/g, '') + place
}
export const badConfig = (where: string, detail: string) =>
  new HandoffError(
    'E_CONFIG',
    `${where}: ${detail}`,
    'Mend the configuration; `handoff help config` lists every key with its values.',
  )
export const badSettings = (where: string, detail: string) =>
  new HandoffError(
    'E_SETTINGS',
    `${where}: ${detail}`,
    'Mend the file, then run `handoff init` again. Nothing was written.',
  )
export const settingsReadOnly = (path: string) =>
  new HandoffError(
    'E_SETTINGS_READ_ONLY',
    `${path} is read-only.`,
    'Make it writable, or leave it out with `--agent` or `--git-hooks none`, then run `handoff init` again. Nothing was written.',
  )
export const settingsChanged = (path: string) =>
  new HandoffError(
    'E_SETTINGS_CHANGED',
    `Handoff failed: ${path} was changed by another program at this moment.`,
    'Run `handoff init` again. Everything is as it was before.',
    1,
  )
export const badTemplate = (place: string, detail: string) =>
  new HandoffError(
    'E_TEMPLATE',
    `${place}: ${detail}`,
    'Slots look like {{name}}; `docs/format.md` lists them per template.',
  )
export const badNotes = (detail: string) =>
  new HandoffError(
    'E_NOTES',
    `The notes cannot be used: ${detail}`,
    'The shape is {"currentLineOfAttack": "…", "openQuestions": ["…"]}, or markdown; `handoff note --help` tells all of it.',
    1,
  )

// ---------------------------------------------------------------- evaluation

export const noCases = (folder: string) =>
  new HandoffError(
    'E_NO_CASES',
    `No evaluation case was found in ${folder}.`,
    'Name the folder that holds the cases, and an id or tag that exists: `handoff eval test/evals --only-tag smoke`.',
    1,
  )
export const badCase = (path: string, cause: unknown) =>
  new HandoffError(
    'E_CASE',
    `${path} cannot be used: ${reasonOf(cause)}`,
    'Mend the field that is named; docs/handoff_eval_strategy.md tells all of them.',
    2,
    { cause },
  )
export const noModel = (what: string) =>
  new HandoffError(
    'E_NO_MODEL',
    `${what} needs a model, and none is configured.`,
    'Name a program that reads a prompt on standard input and prints the reply: `handoff eval --judge "claude -p"`.',
  )
/** Its cause is the reason that the message tells. */
export const modelFailed = (name: string, cause: unknown) =>
  new HandoffError(
    'E_MODEL',
    `The model ${name} gave no answer: ${reasonOf(cause)}`,
    'Run the same program by hand with a prompt on its standard input, for example: echo "say ok" | claude -p',
    1,
    { cause },
  )
/** `where`: who named it, for the person; empty: not known where this is thrown. */
export const modelUnknown = (name: string, said: string, where = '') =>
  new HandoffError(
    'E_MODEL_UNKNOWN',
    `${name} cannot be asked${where === '' ? '' : ` (${where})`}, there is no such model: ${said}`,
    'Look up what the model is called, and where the name is right whether the address of the service is. A name is given like this: `--extract anthropic/claude-haiku-4-5`. Without `--extract` no model is needed. Nothing was written.',
    2,
    { data: { said } },
  )
export const modelPackageMissing = (
  name: string,
  packages: readonly string[],
  line: string,
  cause: unknown,
) =>
  new HandoffError(
    'E_MODEL_PACKAGE',
    `${name} is reached through the packages ${packages.join(' and ')}, which are not installed here.`,
    `Install them: ${line}`,
    2,
    { cause, data: { packages } },
  )
export const cannotAsk = (who: string, why: string) =>
  new HandoffError(
    'E_CANNOT_ASK',
    `\`--extract agent\` cannot ask ${who}: ${why}`,
    'Name a model instead, for example `--extract anthropic/claude-haiku-4-5`, or leave the option out: a brief needs no model.',
  )
export const badVerdict = (name: string, id: string) =>
  new HandoffError(
    'E_VERDICT',
    `The model ${name} gave no verdict on ${id}.`,
    'Name one that answers with {"pass": true or false, "critique": "one sentence"}: `handoff eval --judge "claude -p"`',
    1,
  )

// ---------------------------------------------------------------- successors

/** `looked`: the places that were searched, in order. */
export const noDestination = (to: string, looked: readonly string[]) =>
  new HandoffError(
    'E_NO_DESTINATION',
    `No destination called ${quoted(to, 120)}.`,
    `Name an agent, a persona of the configuration, or a repository: \`handoff create "<goal>" --to codex\`. Looked in: ${looked.join('; ')}.`,
    2,
    { data: { looked } },
  )
export const untrustedBrief = (id: string, because: string) =>
  new HandoffError(
    'E_NOT_TRUSTED',
    `Brief ${id} is not trusted: ${because}.`,
    `Read it with \`handoff show ${id}\`; if it may be put before an agent: \`handoff trust ${id}\``,
  )
/** `manual`: the command that does the same by hand. */
export const agentNotStarted = (label: string, cause: unknown, manual: string) =>
  new HandoffError(
    'E_AGENT_NOT_STARTED',
    `${label} could not be started: ${reasonOf(cause)}`,
    `The brief is in place. Start it yourself: \`${manual}\``,
    1,
    { cause, data: { manual } },
  )
/** `id`: the brief that they were to be started on. */
export const startCancelled = (id: string, manual: string) =>
  new HandoffError(
    'E_CANCELLED',
    'Handoff cancelled',
    `Nobody was started. The brief ${id} is in place; start it yourself: \`${manual}\``,
    130,
    { data: { manual } },
  )
/** It ran, and ended badly. */
export const agentFailed = (label: string, how: string, output: string, manual: string) =>
  new HandoffError(
    'E_AGENT_FAILED',
    `${label} ${how}${output === '' ? '.' : `:\n${output}`}`,
    `The brief is in place. Go on by hand: \`${manual}\``,
    1,
    { data: { manual } },
  )

// ---------------------------------------------------------------- the full cycle

export const tmuxUnusable = (detail: string) =>
  new HandoffError(
    'E_TMUX',
    `tmux cannot be used: ${detail}.`,
    'Use --via hook or --via print, or start the agent in tmux.',
  )
export const paneGone = (pane: string) =>
  new HandoffError('E_PANE_GONE', `There is no live pane ${pane}.`, 'List them with: tmux list-panes -a')
export const noPane = (detail: string, candidates: readonly string[]) =>
  new HandoffError(
    'E_NO_PANE',
    `It is not clear which pane to ask: ${detail}.`,
    candidates.length === 0
      ? 'Name the pane in which the agent waits: --pane %3 (tmux list-panes -a lists them).'
      : `Name one with --pane:\n${candidates.map((line) => `  ${line}`).join('\n')}`,
    2,
    { data: { candidates } },
  )
export const agentBusy = (label: string, hasHook: boolean) =>
  new HandoffError(
    'E_AGENT_BUSY',
    `${label} is in the middle of a turn; what is pasted now could answer a question of its own.`,
    `Wait for the end of its turn${hasHook ? ', or let its hook ask then: --via hook' : ''}.`,
  )
export const noRequest = (id: string | null) =>
  new HandoffError(
    'E_NO_REQUEST',
    id === null ? 'Nobody has been asked in this worktree.' : `There is no one request ${quoted(id, 80)}.`,
    'Ask with `handoff request`; `handoff status` lists the requests.',
  )
export const requestEnded = (id: string, state: string) =>
  new HandoffError(
    'E_REQUEST_ENDED',
    `Request ${id} is over: ${state}.`,
    'Ask anew with `handoff request`.',
    1,
  )
export const requestTimeout = (seconds: number, missing: string) =>
  new HandoffError(
    'E_REQUEST_TIMEOUT',
    `No answer within ${seconds} s: ${missing}.`,
    'The session goes on as before. See that its hooks are installed (`handoff init`) and trusted, then ask again.',
    1,
  )
export const noDocument = (path: string) =>
  new HandoffError(
    'E_NO_DOCUMENT',
    `The agent ended its turn without writing ${path}.`,
    'The session goes on as before. Look at what it said, then ask again.',
    1,
  )
export const badDocument = (path: string, why: string) =>
  new HandoffError(
    'E_BAD_DOCUMENT',
    `The document ${path} cannot be used: ${why}.`,
    'The session goes on as before. Ask again.',
    1,
  )
export const sessionEnded = (label: string, id: string, at: string) =>
  new HandoffError(
    'E_SESSION_ENDED',
    `Session ${id} of ${label} ended at ${at}, so nobody is there to ask.`,
    'Hand it over as it is: `handoff create "<goal>" --session <id> --to <agent>`',
  )
export const notHooked = (label: string, id: string) =>
  new HandoffError(
    'E_NO_HOOKS',
    `The hooks of ${label} have told nothing of session ${id}, so the end of its turn could not be heard.`,
    'Run `handoff init`, let the agent start anew (in Codex trust the hooks), and work one turn.',
  )
export const agentMissing = (label: string, program: string) =>
  new HandoffError(
    'E_AGENT_MISSING',
    `${label} is not installed here: there is no \`${program}\` on PATH.`,
    'Install it, or name another agent with `--to`.',
  )
export const noTerminal = (label: string) =>
  new HandoffError(
    'E_NO_TERMINAL',
    `There is neither tmux nor a terminal to start ${label} in.`,
    'Start it from tmux, or add `--headless` for one turn without a terminal.',
  )
/** `what`: the sign of life that did not come. */
export const successorSilent = (label: string, what: string, manual: string) =>
  new HandoffError(
    'E_SUCCESSOR_SILENT',
    `${label} was started, and ${what}. Nothing more was sent to it.`,
    `The brief is in place. Go on by hand, in that session or with: \`${manual}\``,
    1,
    { data: { manual } },
  )
