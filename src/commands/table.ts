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
    summary: 'store the working memory of the departing agent',
    load: () => import('./note.ts'),
  },
  {
    name: 'show',
    summary: 'print a brief, made safe for a terminal',
    load: () => import('./show.ts'),
  },
  {
    name: 'log',
    summary: 'list the chain of briefs from git history',
    load: () => import('./log.ts'),
  },
  {
    name: 'diff',
    summary: 'compare two briefs by meaning',
    load: () => import('./diff.ts'),
  },
  {
    name: 'verify',
    summary: 'check whether a brief is still true',
    load: () => import('./verify.ts'),
  },
  {
    name: 'check',
    summary: 'validate briefs',
    load: () => import('./check.ts'),
  },
  {
    name: 'review',
    summary: 'print what a branch hands over, as a comment for its pull request',
    load: () => import('./review.ts'),
  },
  {
    name: 'resume',
    summary: 'rebuild the brief at HEAD, or start an agent on it',
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
    summary: 'wait for the answer to a request',
    load: () => import('./await.ts'),
  },
  {
    name: 'switch',
    summary: 'change agents: ask, wait, commit, start the next',
    load: () => import('./switch.ts'),
  },
  {
    name: 'status',
    summary: 'show open brief, session, notes, hooks and requests',
    load: () => import('./status.ts'),
  },
  {
    name: 'doctor',
    summary: 'find problems, and the commands that fix them',
    load: () => import('./doctor.ts'),
  },
  {
    name: 'sessions',
    summary: 'list the agent sessions of this repository, newest first',
    load: () => import('./sessions.ts'),
  },
  {
    name: 'done',
    summary: 'close the chain with a short record',
    load: () => import('./done.ts'),
  },
  {
    name: 'prune',
    summary: 'remove old briefs from the tree; history keeps them',
    load: () => import('./prune.ts'),
  },
  {
    name: 'trust',
    summary: 'trust a brief that was not made in this clone',
    load: () => import('./trust.ts'),
  },
  {
    name: 'completion',
    summary: 'print a script that completes commands, options and ids in your shell',
    load: () => import('./completion.ts'),
  },
  {
    name: 'hook',
    summary: 'entry point for the hooks of agents and git',
    load: () => import('./hook.ts'),
  },
  {
    name: 'mcp',
    summary: 'serve the tools of handoff to an agent over standard input and output',
    load: () => import('./mcp.ts'),
  },
]
