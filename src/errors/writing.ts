import { failure, HandoffError, isHandoffError, quoted, reasonOf } from './handoff-error.ts'

/** Where a secret stands: its field where there are several, its line where the text has several, 1-based; never its value. */
export interface SecretPlace {
  rule: string
  fingerprint: string
  field?: string
  line?: number
}

/** `secret`: what the message says of it, before where it stands and after. */
function secretFound(
  where: string,
  places: readonly SecretPlace[],
  secret: { before: string; after: string; hint: string },
): HandoffError {
  const fingerprints = [...new Set(places.map(({ fingerprint }) => fingerprint))].sort()
  const rules = [...new Set(places.map(({ rule }) => rule))].sort()
  const allow = `secrets: { allow: ${JSON.stringify(fingerprints)} }`
  return new HandoffError(
    'E_SECRET_INPUT',
    `${secret.before} (${placesOf(places)})${secret.after}.`,
    `${secret.hint} A false alarm? Allow its fingerprint: once with HANDOFF_SECRETS_ALLOW=${fingerprints.join(',')} before the command. For good: \`${allow}\` (\`secrets.allow\`) in your own configuration, ~/.config/handoff/config.yaml.`,
    { exit: 1, data: { where, rules, fingerprints, places } },
  )
}
export const secretInInput = (where: string, places: readonly SecretPlace[]) =>
  secretFound(where, places, {
    before: `A secret is in the ${where}`,
    after: '',
    hint: 'Take it out, or add `--redact` to replace it.',
  })
export const secretInDocument = (places: readonly SecretPlace[]) =>
  secretFound('document', places, {
    before: 'Handoff failed: a secret stood in the document',
    after: '; the document was deleted',
    hint: 'Ask again: `git handoff request`.',
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
export const briefRefused = failure('E_REFUSED', (lines: readonly string[]) => [
  `Handoff failed: the brief breaks ${lines.length === 1 ? 'a rule' : `${lines.length} rules`}:\n${lines.join('\n')}`,
  'Fix what is named and run the same command again; nothing was committed. `--force` passes size and missing sections only.',
  { exit: 1, data: { findings: lines } },
])
export const emptyBrief = failure('E_EMPTY', () => [
  'Handoff failed: the brief would be empty.',
  'No session says anything, and this branch has no commit and no change, so nothing was written. Commit something first, or name a session that `git handoff sessions` lists: `git handoff create "<goal>" --session <id>`',
  { exit: 1 },
])
/** `goal`: as a shell takes it; `contract`: what the agent is asked to write; `hasHeredoc`: its shell takes one with backquotes. */
export const notesWanted = failure(
  'E_NOTES_WANTED',
  (goal: string, contract: string, hasHeredoc: boolean) => [
    'No brief yet: the next agent needs the page that only you can write.',
    `Call it again with the page, or with \`--no-notes\` for a brief without one.

${contract}

${
  hasHeredoc
    ? `git handoff create ${goal} --notes - <<'HANDOFF_PAGE'
<the page>
HANDOFF_PAGE`
    : `Call the tool \`handoff_finalize\` with the page as \`other\`, or write it to a file outside of the repository for \`--notes <file>\`. Then:
git handoff create ${goal}`
}`,
  ],
)
export const notesRequired = failure('E_NOTES_REQUIRED', (why: string) => [
  `Handoff failed: working memory is required and missing (${why}).`,
  'Record it, for example with `git handoff note --next-step "<step>"`, or leave out `--require-notes`.',
  { exit: 1 },
])
export const insideHook = failure('E_INSIDE_HOOK', (hook: string) => [
  `This runs inside the ${hook} hook, in the midst of what git is doing; a commit made now would break that.`,
  'Call it from post-commit or post-rewrite instead, or add `--no-commit`.',
])
export const detachedApart = failure('E_DETACHED', () => [
  'HEAD is detached, so there is no branch name for a separate branch of briefs.',
  'Check out a branch, or use `--branch current`.',
])
export const branchInTheWay = failure('E_BRANCH_IN_THE_WAY', (other: string, wanted: string) => [
  `There is a branch ${other}, and git cannot have ${wanted} beside it.`,
  `Rename it (\`git branch -m ${other} <name>\`) or delete it when it is of no use any more, or use \`--branch current\`.`,
])
export const briefsCheckedOut = failure('E_BRIEFS_CHECKED_OUT', (branch: string, worktree: string) => [
  `The branch of briefs ${branch} is checked out in ${worktree}; a commit from here would leave its files behind.`,
  'Check out another branch there, or use `--branch current`.',
])
const NOT_COMMITTED = 'not committed: '
/** The detail that `notCommitted` was told, to be told with another path. */
export const whyNotCommitted = ({ message }: HandoffError): string =>
  message.slice(message.indexOf(NOT_COMMITTED) + NOT_COMMITTED.length)
export const notCommitted = failure('E_NOT_COMMITTED', (path: string, detail: string, cause?: unknown) => [
  `Handoff failed: the brief is saved in ${path} but ${NOT_COMMITTED}${detail}`,
  'Fix the cause and run the same command again; it commits the saved brief.',
  { exit: 1, cause, data: { path } },
])
export const failedToWrite = failure('E_WRITE', (path: string, cause: unknown) => [
  `Handoff failed: ${path} could not be written: ${reasonOf(cause)}`,
  'Check free space and permissions, then run the command again. Nothing was committed.',
  { exit: 1, cause },
])
/** What is said already is not said again. */
export const writeFailed = (path: string, cause: unknown): HandoffError =>
  isHandoffError(cause) ? cause : failedToWrite(path, cause)
/** The private folder, closed to us: made by the first who handed over here, or by root in a container. */
export const deniedBy = (folder: string, owner: string): string =>
  `${folder} belongs to ${owner}, and you have no access to it`
export const takeOver = (folder: string): string =>
  `Take it over: \`sudo chown -R "$(id -un)" "${folder}"\`. If several users share the repository, its owner runs \`chmod -R g+rwX "${folder}"\`.`
export const privateDenied = failure('E_WRITE', (folder: string, owner: string, cause: unknown) => [
  `Handoff failed: ${deniedBy(folder, owner)}.`,
  `${takeOver(folder)} Nothing was committed.`,
  { exit: 1, cause },
])
/** `cause`: what git said of the lock of its configuration, which stayed for as long as we waited. */
export const configLocked = failure('E_WRITE', (lock: string, cause: Error) => [
  `Handoff failed: ${quoted(lock, 300)} locks the configuration of git: ${reasonOf(cause)}`,
  'Wait for the git command that holds it to end; when none runs, it was left by one that was killed: remove that file. Then run the command again. Nothing was committed.',
  { exit: 1, cause },
])
/** The system has refused a file operation that nothing else gives a word for. */
export const systemFailed = failure('E_SYSTEM', (cause: NodeJS.ErrnoException) => [
  `The system refused: ${reasonOf(cause)}`,
  'Check the disk (space, permissions, open files) and run the command again; what was half done is taken back then.',
  { exit: 1, cause },
])
export const badOutput = failure('E_OUTPUT', (path: string, what: string) => [
  `Cannot write to ${quoted(path, 300)}: it is ${what}.`,
  'Name a file in a folder that exists; `-` is standard output. Nothing was written.',
])
/** `hint`: how to go on, where the editor itself failed or what was left in it is no brief. */
const editFailed = (problem: string, draft: string, hint: string) =>
  new HandoffError('E_EDITOR', `Handoff cancelled: ${problem}.`, `Your draft is kept in ${draft}. ${hint}`, {
    exit: 130,
    data: { draft },
  })
export const editorFailed = (editor: string, detail: string, draft: string) =>
  editFailed(
    `the editor ${editor} ${detail}`,
    draft,
    'The editor is the first that is set of GIT_EDITOR, `git config core.editor`, VISUAL and EDITOR, else vi. For example: `export GIT_EDITOR=nano; git handoff create "<goal>" --edit`. To go on without an editor: `git handoff create "<goal>" --no-edit`',
  )
export const editUnreadable = (editor: string, detail: string, draft: string) =>
  editFailed(
    `${editor} ${detail}`,
    draft,
    'Run the same command again, and change words inside the sections that are there; `--no-edit` takes the brief as it is made.',
  )
/** What a draft holds in place of secrets, by rule. */
const standIns = (rules: readonly string[]): string => rules.map((rule) => `[REDACTED:${rule}]`).join(', ')

/** `problem`: what is wrong with what was left in the editor; `redacted`: the rules of what was replaced in the draft. */
export const editRefused = (problem: HandoffError, draft: string, redacted: readonly string[]) =>
  new HandoffError(
    problem.code,
    problem.message.trimEnd(),
    `${problem.hint} Nothing was written; your draft is kept in ${draft}${redacted.length === 0 ? '' : `, with ${standIns(redacted)} in place of what was secret`}.`,
    { exit: problem.exit, cause: problem, data: { ...problem.data, draft } },
  )
export const editCancelled = failure('E_CANCELLED', (draft: string) => [
  'Handoff cancelled',
  `Nothing was written; your draft is kept in ${draft}.`,
  { exit: 130, data: { draft } },
])
export const cancelled = failure('E_CANCELLED', () => [
  'Handoff cancelled',
  'Nothing was written.',
  { exit: 130 },
])

/** Its cause is the reason that the message tells. */
export const modelFailed = failure('E_MODEL', (name: string, cause: unknown) => [
  `The model ${name} gave no answer: ${reasonOf(cause)}`,
  'Run the same program by hand with a prompt on its standard input, for example: echo "say ok" | claude -p',
  { exit: 1, cause },
])
/** `where`: who named it, for the person; empty: not known where this is thrown. */
export const modelUnknown = failure('E_MODEL_UNKNOWN', (name: string, said: string, where = '') => [
  `${name} cannot be asked${where === '' ? '' : ` (${where})`}, there is no such model: ${said}`,
  'Look up what the model is called, and where the name is right whether the address of the service is. A name is given like this: `--extract anthropic/claude-haiku-4-5`. Without `--extract` no model is needed. Nothing was written.',
  { data: { said } },
])
export const modelPackageMissing = failure(
  'E_MODEL_PACKAGE',
  (name: string, packages: readonly string[], line: string, cause: unknown) => [
    `${name} is reached through the packages ${packages.join(' and ')}, which are not installed here.`,
    `Install them: ${line}`,
    { cause, data: { packages } },
  ],
)
export const tokenizerMissing = failure('E_MODEL_PACKAGE', (cause: unknown) => [
  '`--exact` counts with the package gpt-tokenizer, which is not installed here.',
  'Install it beside git-handoff: `npm install --save-dev gpt-tokenizer@4`, or `--global` where git-handoff is global. Without `--exact` the tokens are estimated.',
  { cause, data: { packages: ['gpt-tokenizer'] } },
])
export const cannotAsk = failure('E_CANNOT_ASK', (who: string, why: string) => [
  `\`--extract agent\` cannot ask ${who}: ${why}`,
  'Name a model instead, for example `--extract anthropic/claude-haiku-4-5`, or leave the option out: a brief needs no model.',
])
