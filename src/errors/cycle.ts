import { HandoffError, quoted } from './handoff-error.ts'

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
    'Ask with `npx git-handoff request`; `npx git-handoff status` lists the requests.',
  )
export const requestEnded = (id: string, state: string) =>
  new HandoffError(
    'E_REQUEST_ENDED',
    `Request ${id} is over: ${state}.`,
    'Ask again with `npx git-handoff request`.',
    { exit: 1 },
  )
export const requestTimeout = (seconds: number, missing: string) =>
  new HandoffError(
    'E_REQUEST_TIMEOUT',
    `No answer within ${seconds} s: ${missing}.`,
    'The session goes on as before. See that its hooks are installed (`npx git-handoff init`) and trusted, then ask again.',
    { exit: 1 },
  )
export const noDocument = (path: string) =>
  new HandoffError(
    'E_NO_DOCUMENT',
    `The agent ended its turn without writing ${path}.`,
    'The session goes on as before. Look at what it said, then ask again.',
    { exit: 1 },
  )
export const badDocument = (path: string, why: string) =>
  new HandoffError(
    'E_BAD_DOCUMENT',
    `The document ${path} cannot be used: ${why}.`,
    'The session goes on as before. Ask again.',
    { exit: 1 },
  )
export const sessionEnded = (label: string, id: string, at: string) =>
  new HandoffError(
    'E_SESSION_ENDED',
    `Session ${id} of ${label} ended at ${at}, so nobody is there to ask.`,
    'Hand it over as it is: `npx git-handoff create "<goal>" --session <id> --to <agent>`',
  )
export const notHooked = (label: string, id: string) =>
  new HandoffError(
    'E_NO_HOOKS',
    `The hooks of ${label} have told nothing of session ${id}, so the end of its turn could not be heard.`,
    'Run `npx git-handoff init`, restart the agent (in Codex trust the hooks), and work one turn.',
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
    { exit: 1, data: { manual } },
  )
