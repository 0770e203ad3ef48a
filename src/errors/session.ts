import { failure, quoted, reasonOf } from './handoff-error.ts'

/** Sessions that may be meant: as lines for a person, and as the objects of `git handoff sessions --json`. */
export interface SessionCandidates {
  lines: readonly string[]
  candidates: readonly object[]
}
const NO_CANDIDATES: SessionCandidates = { lines: [], candidates: [] }

const listed = (what: string, lines: readonly string[]): string =>
  lines.length === 0 ? '' : `\n${what}:\n${lines.join('\n')}`

/** The candidates are sessions of other worktrees, branches and nested repositories, which must be named; `passed`: what else is on this machine. */
export const noSession = failure(
  'E_NO_SESSION',
  (
    where: string,
    { lines, candidates }: SessionCandidates = NO_CANDIDATES,
    passed: readonly string[] = [],
  ) => [
    `No agent session was found for ${where}.${listed('Sessions elsewhere', lines)}${listed('Passed over', passed)}`,
    'Name one with `--session <id or file>`, list them with `git handoff sessions`, or use `--from git` for git facts alone. An agent in a container keeps its sessions there: run handoff in it.',
    { data: { candidates } },
  ],
)
/** An agent calls whose sessions nobody here can read: another one's would be somebody else's work under its name. */
export const callerUnreadable = failure('E_NO_SESSION', (name: string) => [
  `${name} calls this command, and handoff cannot read its sessions.`,
  'Name a session or a transcript with `--session <id or file>`, another agent with `--from <agent>`, or use `--from git` for git facts alone.',
])
export const acpUnknown = failure('E_USAGE', (name: string, known: readonly string[]) => [
  `No ACP agent is called ${quoted(name, 40)}.`,
  `Known: ${known.join(', ')}. Others: \`acp: {name: [program, argument]}\` in your own configuration.`,
])
/** `said`: its last words on standard error. */
export const acpFailed = failure('E_ACP', (name: string, why: string, said: string) => [
  `${name} did not answer: ${why}${said === '' ? '' : ` (${said})`}`,
  'Start it by hand to see why. Or name another agent, a transcript (`--session <file>`), or `--from git`.',
  { exit: 1 },
])
/** As `noSession`, for what only an agent can answer. */
/** `session`: the id that was named; `label`: the agent. */
export const nobodyToAsk = failure('E_NO_SESSION', (session: string | null, label: string | null) => [
  `${label === null ? 'No hooks' : `No hooks of ${label}`} reported a running session here${session === null ? '' : ` with the id ${quoted(session, 80)}`}, so nobody can be asked.`,
  'Run `git handoff init`, restart the agent (in Codex trust the hooks) and send it a prompt. `git handoff create` makes a brief without asking.',
])
/** `from`: the agent alone tells which one is meant. */
export const sessionTie = failure(
  'E_SESSION_TIE',
  ({ lines, candidates }: SessionCandidates, from: boolean) => [
    `Several sessions ended within 10 minutes of each other:\n${lines.join('\n')}`,
    `Choose one with \`--session <id>\`${from ? ' or `--from <agent>`' : ''}.`,
    { data: { candidates } },
  ],
)
export const sessionUnknown = failure(
  'E_SESSION_UNKNOWN',
  (id: string, { lines, candidates }: SessionCandidates) => [
    `No session ${JSON.stringify(id)} belongs to this repository.${listed('Sessions here', lines)}`,
    'Use an id from `git handoff sessions`, or give the transcript file itself with `--session <file>`.',
    { data: { candidates } },
  ],
)
export const sessionAmbiguous = failure(
  'E_SESSION_AMBIGUOUS',
  (id: string, { lines, candidates }: SessionCandidates) => [
    `${quoted(id, 80)} fits several sessions:\n${lines.join('\n')}`,
    'Give more of the id.',
    { data: { candidates } },
  ],
)
/** `until`: what was asked for; null: nothing. The candidates are the turns that it fits, else the last ones. */
export const turnUnclear = failure(
  'E_TURN',
  (until: string | null, isSeveral: boolean, { lines, candidates }: SessionCandidates) => [
    until === null
      ? `\`--until\` needs a turn, a time or words here.${listed('The last turns', lines)}`
      : isSeveral
        ? `${quoted(until, 80)} fits several requests:\n${lines.join('\n')}`
        : `No turn of the session is meant by ${quoted(until, 80)}.${listed('The last turns', lines)}`,
    'Name one turn: `--until <number>`; or a time such as `14:05`, or words of one request alone.',
    { data: { candidates } },
  ],
)
export const sessionUnreadable = failure('E_SESSION_UNREADABLE', (path: string, cause: unknown) => [
  `The session file cannot be read: ${path} (${reasonOf(cause)})`,
  'Check the path and its permissions, or choose another session: `git handoff create "<goal>" --session <id>`',
  { cause },
])
export const sessionPacked = failure('E_SESSION_PACKED', (path: string, node: string) => [
  `The session file is packed, and Node ${node} cannot unpack it: ${path}`,
  'Use Node 22.15 or newer, or unpack it and name it: `zstd -d FILE.jsonl.zst`, then `--session FILE.jsonl`.',
])
const databaseOf = (label: string, code: string, withoutSqlite: string) =>
  failure(code, (database: string, why: string, cause?: unknown) => [
    `${label}'s sessions cannot be read: ${database}: ${why}`,
    why.includes('locked')
      ? `Another program writes to it; try again, or close ${label}.`
      : /no such (?:table|column)/.test(why)
        ? `${label} of another version, or another program, wrote it: upgrade handoff, or give an export: \`--session FILE\`.`
        : why.includes('not a database') || why.includes('malformed')
          ? 'Check that the file is whole, or give an export: `--session FILE`.'
          : withoutSqlite,
    { cause },
  ])
export const openCodeUnreadable = databaseOf(
  'OpenCode',
  'E_OPENCODE',
  'Put `opencode` on PATH or use Node 22.13 or newer; or write the session to a file with `opencode export <id> > FILE` and give that: `--session FILE`.',
)
const NODE = 'Check that you may read it, and use Node 22.13 or newer.'
export const kiloUnreadable = databaseOf('Kilo', 'E_SESSION_UNREADABLE', NODE)
export const devinUnreadable = databaseOf(
  'Devin CLI',
  'E_SESSION_UNREADABLE',
  'Use Node 22.13 or newer; or give what Devin wrote at the end of a session: `--session ~/.local/share/devin/cli/transcripts/<id>.json`.',
)
export const gooseUnreadable = databaseOf('Goose', 'E_SESSION_UNREADABLE', NODE)
export const crushUnreadable = databaseOf('Crush', 'E_SESSION_UNREADABLE', NODE)
export const kiroUnreadable = databaseOf('Kiro', 'E_SESSION_UNREADABLE', NODE)
export const zedUnreadable = databaseOf('Zed', 'E_SESSION_UNREADABLE', NODE)
/** Its agent was stopped while it wrote. */
export const sessionTorn = failure('E_SESSION_UNREADABLE', (path: string, detail: string) => [
  `The session file cannot be read: ${path} (${detail})`,
  'Choose another session with `--session <id>`, or use `--from git` for git facts alone.',
])
export const sessionFormat = failure('E_SESSION_FORMAT', (path: string, detail: string) => [
  `${path} is not a session of a known agent: ${detail}`,
  'Give a transcript of one of the agents that `git handoff help agents` lists, or plain JSONL of {"role","content"}.',
])
/** A file in the place of an agent's sessions, written after all that were found; or the one that was taken. */
export const sessionNotUnderstood = failure('E_SESSION_FORMAT', (path: string, which = 'A newer') => [
  `${which} session file was not understood: ${path} (its records are of no known kind)`,
  'It is damaged, or a newer version of its agent wrote it: upgrade handoff, or choose a session with `--session <id>`.',
])
/** The same, where nothing was written yet. */
export const sessionEmpty = failure('E_SESSION_FORMAT', (path: string) => [
  `A newer session file is empty: ${path}`,
  'Work with its agent first, or choose a session with `--session <id>`.',
])
/** Its editor worked there on another machine, in a folder of the same name. */
export const sessionsRemote = failure('E_NO_SESSION', (agent: string, uri: string) => [
  `Sessions of ${agent} are left out: ${quoted(uri, 200)} is not this folder.`,
  'Run handoff on that machine, where its sessions are.',
])
export const atifVersion = failure('E_SESSION_FORMAT', (path: string, version: string, newest: string) => [
  `${path} is ${quoted(version, 40)}, and handoff reads up to ${newest}.`,
  'Upgrade handoff, or write the transcript in an older version of ATIF.',
])
export const nothingToHandOff = failure('E_TOO_SHORT', () => [
  'Nothing to hand off (no messages yet)',
  'Work with the agent first, choose another session with `--session`, or use `--from git` for git facts alone.',
])
