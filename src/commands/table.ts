import type { CommandSpec } from '../command.ts'

const verb = (
  when: CommandSpec['when'],
  name: string,
  summary: string,
  load: CommandSpec['load'],
): CommandSpec => ({ when, name, summary, load })

/** Every command, once: dispatch, help, completion of a mistyped name and the docs walk this table. */
export const commands: readonly CommandSpec[] = [
  verb(
    'set up',
    'init',
    'set up hooks, /handoff and the MCP server of the agents used here',
    () => import('./init.ts'),
  ),
  verb('set up', 'demo', 'show a whole handoff in a temporary folder, in seconds', () => import('./demo.ts')),
  verb(
    'hand over',
    'create',
    'join session and git state into a brief and commit it',
    () => import('./create.ts'),
  ),
  verb('hand over', 'note', 'store the working memory of the departing agent', () => import('./note.ts')),
  verb('pick up', 'show', 'print a brief, made safe for a terminal', () => import('./show.ts')),
  verb('review', 'log', 'list the chain of briefs from git history', () => import('./log.ts')),
  verb('review', 'diff', 'compare two briefs by meaning', () => import('./diff.ts')),
  verb('pick up', 'verify', 'check whether a brief is still true', () => import('./verify.ts')),
  verb('review', 'check', 'validate briefs', () => import('./check.ts')),
  verb(
    'review',
    'review',
    'print what a branch hands over, as a comment for its pull request',
    () => import('./review.ts'),
  ),
  verb(
    'pick up',
    'resume',
    'rebuild the brief at HEAD, or start an agent on it',
    () => import('./resume.ts'),
  ),
  verb(
    'hand over',
    'push',
    'push the branch and its briefs, and print how to open them',
    () => import('./push.ts'),
  ),
  verb('pick up', 'pull', 'fetch and fast-forward the branch and its briefs', () => import('./pull.ts')),
  verb(
    'pick up',
    'open',
    'check out the branch of a link or brief, and start an agent',
    () => import('./open.ts'),
  ),
  verb(
    'pick up',
    'ask',
    'search the sessions behind a brief and quote what was said',
    () => import('./ask.ts'),
  ),
  verb('review', 'receipt', 'tell what became of what a brief handed over', () => import('./receipt.ts')),
  verb('review', 'why', 'quote the words that led to a line of code', () => import('./why.ts')),
  verb(
    'hand over',
    'request',
    'ask a running agent to write down what it knows',
    () => import('./request.ts'),
  ),
  verb('hand over', 'await', 'wait for the answer to a request', () => import('./await.ts')),
  verb(
    'hand over',
    'switch',
    'change agents: ask, wait, commit, start the next',
    () => import('./switch.ts'),
  ),
  verb(
    'pick up',
    'status',
    'show open brief, session, notes, hooks and requests',
    () => import('./status.ts'),
  ),
  verb('set up', 'doctor', 'find problems, and the commands that fix them', () => import('./doctor.ts')),
  verb(
    'hand over',
    'sessions',
    'list the agent sessions of this repository, newest first',
    () => import('./sessions.ts'),
  ),
  verb(
    'hand over',
    'export',
    'print a session as an ATIF transcript, without secrets',
    () => import('./export.ts'),
  ),
  verb('hand over', 'done', 'close the chain with a short record', () => import('./done.ts')),
  verb('set up', 'prune', 'remove old briefs from the tree; history keeps them', () => import('./prune.ts')),
  verb('pick up', 'trust', 'trust a brief that was not made in this clone', () => import('./trust.ts')),
  verb(
    'plumbing',
    'completion',
    'print a script that completes commands, options and ids in your shell',
    () => import('./completion.ts'),
  ),
  verb(
    'plumbing',
    'conformance',
    'test a program that reads briefs against the cases of the format',
    () => import('./conformance.ts'),
  ),
  verb('plumbing', 'hook', 'entry point for the hooks of agents and git', () => import('./hook.ts')),
  verb(
    'plumbing',
    'mcp',
    'serve the tools of handoff to an agent over standard input and output',
    () => import('./mcp.ts'),
  ),
]

/** `handoff` alone. */
export const moment = verb(
  'pick up',
  '',
  'say what is open here, and what to do next',
  () => import('./moment.ts'),
)
