import type { CommandSpec } from '../command.ts'

const verbOf =
  (when: CommandSpec['when']) =>
  (name: string, summary: string, load: CommandSpec['load']): CommandSpec => ({ when, name, summary, load })

const [setUp, handOver, pickUp] = [verbOf('set up'), verbOf('hand over'), verbOf('pick up')]
const [review, plumbing] = [verbOf('review'), verbOf('plumbing')]

/** Every command, once: dispatch, help, completion of a mistyped name and the docs walk this table. */
export const commands: readonly CommandSpec[] = [
  setUp(
    'init',
    'set up hooks, /handoff and the MCP server of the agents used here',
    () => import('./init.ts'),
  ),
  setUp('off', 'turn the hooks off in this clone', () => import('./off.ts')),
  setUp('demo', 'show a whole handoff in a temporary folder', () => import('./demo.ts')),
  handOver('create', 'join session and git state into a brief and commit it', () => import('./create.ts')),
  handOver(
    'note',
    'record what only the departing agent knows',
    async () => (await import('./note.ts')).note,
  ),
  handOver('rule', 'pin a rule for every brief', async () => (await import('./note.ts')).rule),
  pickUp('show', 'print a brief', () => import('./show.ts')),
  review('log', 'list the briefs of this branch', () => import('./log.ts')),
  review('diff', 'compare two briefs by meaning', () => import('./diff.ts')),
  pickUp('verify', 'check whether a brief is still true', async () => (await import('./review.ts')).verify),
  review('check', 'validate briefs', () => import('./check.ts')),
  review('review', 'print the comment for a pull request', async () => (await import('./review.ts')).review),
  pickUp('resume', 'rebuild the brief at HEAD, or start an agent on it', () => import('./resume.ts')),
  handOver(
    'push',
    'push the branch and its briefs, and print how to open them',
    async () => (await import('./remote.ts')).push,
  ),
  pickUp(
    'pull',
    'fetch and fast-forward the branch and its briefs',
    async () => (await import('./remote.ts')).pull,
  ),
  pickUp(
    'open',
    'check out the branch of a link or brief, and start an agent',
    async () => (await import('./remote.ts')).open,
  ),
  pickUp(
    'ask',
    'search the sessions behind a brief and quote what was said',
    async () => (await import('./ask.ts')).ask,
  ),
  review('receipt', 'list what happened since a brief', async () => (await import('./review.ts')).receipt),
  review('why', 'quote the words that led to a line of code', async () => (await import('./ask.ts')).why),
  handOver(
    'request',
    'ask a running agent to write down what it knows',
    async () => (await import('./requests.ts')).request,
  ),
  handOver(
    'await',
    'wait for the answer to a request',
    async () => (await import('./requests.ts')).awaitVerb,
  ),
  handOver('switch', 'change agents: ask, wait, commit, start the next', () => import('./switch.ts')),
  pickUp('status', 'show open brief, session, notes, hooks and requests', () => import('./status.ts')),
  setUp('doctor', 'find problems, and the commands that fix them', () => import('./doctor.ts')),
  handOver(
    'sessions',
    'list the agent sessions of this repository, newest first',
    async () => (await import('./ask.ts')).sessions,
  ),
  handOver('export', 'print a session as an ATIF transcript, without secrets', () => import('./export.ts')),
  handOver('done', 'close the chain with a short record', async () => (await import('./done.ts')).done),
  setUp(
    'prune',
    'remove old briefs from the tree; history keeps them',
    async () => (await import('./done.ts')).prune,
  ),
  pickUp('trust', 'trust a brief that was not made in this clone', () => import('./trust.ts')),
  plumbing(
    'completion',
    'print a script that completes commands and ids in your shell',
    () => import('./completion.ts'),
  ),
  plumbing('hook', 'entry point for the hooks of agents and git', () => import('./hook.ts')),
  plumbing('mcp', 'serve the tools of handoff over standard input and output', () => import('./mcp.ts')),
]

export const moment = pickUp(
  '',
  'say what is open here, and what to do next',
  async () => (await import('./status.ts')).moment,
)
