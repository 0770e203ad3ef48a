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
  verb('create', 'join session and git state into a brief and commit it', () => import('./create.ts')),
  verb('note', 'the departing agent writes down its working memory', () => import('./note.ts')),
  verb('show', 'print a brief, made safe for a terminal', () => import('./show.ts')),
  verb('log', 'the chain of briefs from git history', () => import('./log.ts')),
  verb('diff', 'two briefs by meaning: what was decided, answered and dropped', () => import('./diff.ts')),
  verb('verify', 'is a brief still true: what changed in the repository since', () => import('./verify.ts')),
  verb('check', 'validate briefs', () => import('./check.ts')),
  verb('review', 'what a branch hands over, as the comment on its pull request', () => import('./review.ts')),
  verb('resume', 'rebuild the brief at HEAD, or start an agent on it', () => import('./resume.ts')),
  verb('ask', 'search the sessions behind a brief and quote what was said', () => import('./ask.ts')),
  verb('request', 'ask a running agent to write down what it knows', () => import('./request.ts')),
  verb('await', 'wait for what was asked for', () => import('./await.ts')),
  verb(
    'switch',
    'the whole change of agents: ask, wait, commit, start the next',
    () => import('./switch.ts'),
  ),
  verb('status', 'open brief, session, notes, hooks and requests on one screen', () => import('./status.ts')),
  verb(
    'doctor',
    'what is wrong here, what it means, and the command that mends it',
    () => import('./doctor.ts'),
  ),
  verb('sessions', 'agent sessions found for this repository, newest first', () => import('./sessions.ts')),
  verb('done', 'close the chain with a short record', () => import('./done.ts')),
  verb('prune', 'take old briefs out of the tree; history keeps them', () => import('./prune.ts')),
  verb('trust', 'trust a brief that was not made in this clone', () => import('./trust.ts')),
  verb(
    'completion',
    'completes commands, options and ids of briefs in your shell',
    () => import('./completion.ts'),
  ),
  verb(
    'hook',
    'entry point of hooks of agents and git; quiet, and never breaks what it hooks into',
    () => import('./hook.ts'),
  ),
  verb(
    'mcp',
    'serve the tools of handoff to an agent over standard input and output',
    () => import('./mcp.ts'),
  ),
]
