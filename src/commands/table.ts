import type { CommandSpec } from '../command.ts'

/** Every command, once: dispatch, help, completion of a mistyped name and the docs walk this table. */
export const commands: readonly CommandSpec[] = [
  {
    name: 'init',
    summary: 'set up hooks, /handoff and the MCP server of the agents used here',
    load: () => import('./init.ts'),
  },
  {
    name: 'create',
    summary: 'join session and git state into a brief and commit it',
    load: () => import('./create.ts'),
  },
  {
    name: 'note',
    summary: 'the departing agent writes down its working memory',
    load: () => import('./note.ts'),
  },
  {
    name: 'show',
    summary: 'print a brief, made safe for a terminal',
    load: () => import('./show.ts'),
  },
  {
    name: 'log',
    summary: 'the chain of briefs from git history',
    load: () => import('./log.ts'),
  },
  {
    name: 'diff',
    summary: 'two briefs by meaning: what was decided, answered and dropped',
    load: () => import('./diff.ts'),
  },
  {
    name: 'verify',
    summary: 'is a brief still true: what changed in the repository since',
    load: () => import('./verify.ts'),
  },
  {
    name: 'check',
    summary: 'hold briefs against all rules',
    load: () => import('./check.ts'),
  },
  {
    name: 'review',
    summary: 'what a branch hands over, as the comment on its pull request',
    load: () => import('./review.ts'),
  },
  {
    name: 'resume',
    summary: "make a brief anew at today's HEAD, or start an agent on it",
    load: () => import('./resume.ts'),
  },
  {
    name: 'ask',
    summary: 'search the sessions behind a brief and quote what was said',
    load: () => import('./ask.ts'),
  },
  {
    name: 'request',
    summary: 'ask a running agent to write down what it knows',
    load: () => import('./request.ts'),
  },
  {
    name: 'await',
    summary: 'wait for what was asked for',
    load: () => import('./await.ts'),
  },
  {
    name: 'switch',
    summary: 'the whole change of agents: ask, wait, commit, start the next',
    load: () => import('./switch.ts'),
  },
  {
    name: 'status',
    summary: 'open brief, session, notes, hooks and requests on one screen',
    load: () => import('./status.ts'),
  },
  {
    name: 'doctor',
    summary: 'what is wrong here, what it means, and the command that mends it',
    load: () => import('./doctor.ts'),
  },
  {
    name: 'sessions',
    summary: 'agent sessions found for this repository, newest first',
    load: () => import('./sessions.ts'),
  },
  {
    name: 'done',
    summary: 'close the chain with a short record',
    load: () => import('./done.ts'),
  },
  {
    name: 'prune',
    summary: 'take old briefs out of the tree; history keeps them',
    load: () => import('./prune.ts'),
  },
  {
    name: 'trust',
    summary: 'trust a brief that was not made in this clone',
    load: () => import('./trust.ts'),
  },
  {
    name: 'completion',
    summary: 'completes commands, options and ids of briefs in your shell',
    load: () => import('./completion.ts'),
  },
  {
    name: 'hook',
    summary: 'entry point of hooks of agents and git; quiet, and never breaks what it hooks into',
    load: () => import('./hook.ts'),
  },
  {
    name: 'mcp',
    summary: 'serve the tools of handoff to an agent over standard input and output',
    load: () => import('./mcp.ts'),
  },
]
