import { failure, quoted, reasonOf } from './handoff-error.ts'

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
