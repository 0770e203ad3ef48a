import type { CommandSpec } from '../command.ts'

const verb = (name: string, summary: string, load: CommandSpec['load']): CommandSpec => ({
  name,
  summary,
  load,
})

/** Every command, once: dispatch, help, completion of a mistyped name and the docs walk this table. */
export const commands: readonly CommandSpec[] = [
  verb(
    'init',
    'set up hooks, /handoff and the MCP server of the agents used here',
    () => import('./init.ts'),
  ),
  verb('demo', 'show a whole handoff in a temporary folder, in seconds', () => import('./demo.ts')),
  verb('create', 'join session and git state into a brief and commit it', () => import('./create.ts')),
  verb('note', 'store the working memory of the departing agent', () => import('./note.ts')),
  verb('show', 'print a brief, made safe for a terminal', () => import('./show.ts')),
  verb('log', 'list the chain of briefs from git history', () => import('./log.ts')),
  verb('diff', 'compare two briefs by meaning', () => import('./diff.ts')),
  verb('verify', 'check whether a brief is still true', () => import('./verify.ts')),
  verb('check', 'validate briefs', () => import('./check.ts')),
  verb(
    'review',
    'print what a branch hands over, as a comment for its pull request',
    () => import('./review.ts'),
  ),
  verb('resume', 'rebuild the brief at HEAD, or start an agent on it', () => import('./resume.ts')),
  verb('ask', 'search the sessions behind a brief and quote what was said', () => import('./ask.ts')),
  verb('request', 'ask a running agent to write down what it knows', () => import('./request.ts')),
  verb('await', 'wait for the answer to a request', () => import('./await.ts')),
  verb('switch', 'change agents: ask, wait, commit, start the next', () => import('./switch.ts')),
  verb('status', 'show open brief, session, notes, hooks and requests', () => import('./status.ts')),
  verb('doctor', 'find problems, and the commands that fix them', () => import('./doctor.ts')),
  verb('sessions', 'list the agent sessions of this repository, newest first', () => import('./sessions.ts')),
  verb('done', 'close the chain with a short record', () => import('./done.ts')),
  verb('prune', 'remove old briefs from the tree; history keeps them', () => import('./prune.ts')),
  verb('trust', 'trust a brief that was not made in this clone', () => import('./trust.ts')),
  verb(
    'completion',
    'print a script that completes commands, options and ids in your shell',
    () => import('./completion.ts'),
  ),
  verb('hook', 'entry point for the hooks of agents and git', () => import('./hook.ts')),
  verb(
    'mcp',
    'serve the tools of handoff to an agent over standard input and output',
    () => import('./mcp.ts'),
  ),
]
