import { failure, quoted, reasonOf } from './handoff-error.ts'

export const tmuxUnusable = failure('E_TMUX', (detail: string) => [
  `tmux cannot be used: ${detail}.`,
  'Use --via hook or --via print, or start the agent in tmux.',
])
export const paneGone = failure('E_PANE_GONE', (pane: string) => [
  `There is no live pane ${pane}.`,
  'List them with: tmux list-panes -a',
])
export const noPane = failure('E_NO_PANE', (detail: string, candidates: readonly string[]) => [
  `It is not clear which pane to ask: ${detail}.`,
  candidates.length === 0
    ? 'Name the pane in which the agent waits: --pane %3 (tmux list-panes -a lists them).'
    : `Name one with --pane:\n${candidates.map((line) => `  ${line}`).join('\n')}`,
  { data: { candidates } },
])
export const agentBusy = failure('E_AGENT_BUSY', (label: string, hasHook: boolean) => [
  `${label} is in the middle of a turn; what is pasted now could answer a question of its own.`,
  `Wait for the end of its turn${hasHook ? ', or let its hook ask then: --via hook' : ''}.`,
])
export const noRequest = failure('E_NO_REQUEST', (id: string | null) => [
  id === null ? 'Nobody has been asked in this worktree.' : `There is no one request ${quoted(id, 80)}.`,
  'Ask with `git handoff request`; `git handoff status` lists the requests.',
])
export const requestEnded = failure('E_REQUEST_ENDED', (id: string) => [
  `Request ${id} is over: it was answered or cancelled meanwhile.`,
  'Ask again with `git handoff request`.',
  { exit: 1 },
])
export const requestTimeout = failure('E_REQUEST_TIMEOUT', (seconds: number, missing: string) => [
  `No answer within ${seconds} s: ${missing}.`,
  'The session goes on as before. See that its hooks are installed (`git handoff init`) and trusted, then ask again.',
  { exit: 1 },
])
export const noDocument = failure('E_NO_DOCUMENT', (path: string) => [
  `The agent ended its turn without writing ${path}.`,
  'The session goes on as before. Look at what it said, then ask again, or hand over without a page: `git handoff create "<goal>" --to <agent>`',
  { exit: 1 },
])
export const badDocument = failure('E_BAD_DOCUMENT', (path: string, why: string) => [
  `The document ${path} cannot be used: ${why}.`,
  'The session goes on as before. Ask again.',
  { exit: 1 },
])
export const sessionEnded = failure('E_SESSION_ENDED', (label: string, id: string, at: string) => [
  `Session ${id} of ${label} ended at ${at}, so nobody is there to ask.`,
  'Hand it over as it is: `git handoff create "<goal>" --session <id> --to <agent>`',
])
export const agentMissing = failure('E_AGENT_MISSING', (label: string, program: string) => [
  `${label} is not installed here: there is no \`${program}\` on PATH.`,
  'Install it, or name another agent with `--to`.',
])
export const noTerminal = failure('E_NO_TERMINAL', (label: string) => [
  `There is neither tmux nor a terminal to start ${label} in.`,
  'Start it from tmux, or add `--headless` for one turn without a terminal.',
])
/** `looked`: the places that were searched, in order. */
export const noDestination = failure('E_NO_DESTINATION', (to: string, looked: readonly string[]) => [
  `No destination called ${quoted(to, 120)}.`,
  `Name an agent, a persona of the configuration, or a repository: \`git handoff create "<goal>" --to codex\`. Looked in: ${looked.join('; ')}.`,
  { data: { looked } },
])
/** `to`: who was to go on, as a word of the shell. */
export const untrustedBrief = failure('E_NOT_TRUSTED', (id: string, because: string, to?: string) => [
  `Brief ${id} is not trusted: ${because}.`,
  `Read it with \`git handoff show ${id}\`; to let agents read it: \`git handoff trust ${id}\`${to === undefined ? '' : `, then \`git handoff resume --to ${to}\``}`,
])
/** An agent asks for a stranger's words. */
export const unshownBrief = failure('E_NOT_TRUSTED', (id: string, because: string) => [
  `Brief ${id} is not trusted, so no agent is shown it: ${because}.`,
  `The user can read it and run \`git handoff trust ${id}\`; then ask again.`,
])
/** `manual`: the command that does the same by hand. */
export const agentNotStarted = failure(
  'E_AGENT_NOT_STARTED',
  (label: string, cause: unknown, manual: string) => [
    `${label} could not be started: ${reasonOf(cause)}`,
    `The brief is in place. Start it yourself: \`${manual}\``,
    { exit: 1, cause, data: { manual } },
  ],
)
/** `id`: the brief that they were to be started on. */
export const startCancelled = failure('E_CANCELLED', (id: string, manual: string) => [
  'Handoff cancelled',
  `Nobody was started. The brief ${id} is in place; start it yourself: \`${manual}\``,
  { exit: 130, data: { manual } },
])
/** It ran, and ended badly. */
export const agentFailed = failure(
  'E_AGENT_FAILED',
  (label: string, how: string, output: string, manual: string) => [
    `${label} ${how}${output === '' ? '.' : `:\n${output}`}`,
    `The brief is in place. Go on by hand: \`${manual}\``,
    { exit: 1, data: { manual } },
  ],
)
