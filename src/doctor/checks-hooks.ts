import { type Check, initCommand, warning, word } from './check.ts'
import type { AgentFacts, Facts, RepoFacts } from './read-facts.ts'

/** The file in the git directory that every hook of ours calls, and the installation it leads to. */
export const runner: Check = {
  id: 'runner',
  about: 'hooks reach this handoff',
  fine: ({ repo }) => repo?.runner?.program.path ?? '',
  *lookIn(repo, facts) {
    const told = runnerProblem(repo, facts)
    if (told !== null) yield warning(...told, initCommand(facts))
  },
}

/** Title and detail; null when all is well. */
function runnerProblem(
  { runner: one, gitHooks: git }: RepoFacts,
  { agents, version }: Facts,
): [string, string] | null {
  if (one === null)
    return agents.some(({ setup }) => setup !== null && setup.state !== 'none') ||
      (git.where !== null && git.missing.length === 0)
      ? [
          'hooks are configured, but not active in this clone',
          'Settings of agents or git name them. A clone does not bring the runner along, and without it they do nothing.',
        ]
      : [
          'handoff init was not run in this clone',
          'Agents are not told of briefs, commits do not check them, and a checkout does not update latest.md. Every command still works.',
        ]
  const { program, node } = one
  if (!program.isThere)
    return ['the hooks call a handoff that is gone', `${program.path} does not exist, so they do nothing.`]
  if (!node.isThere)
    return [
      'the hooks call a Node that is gone',
      `${node.path} does not exist. The hooks use one on PATH instead, outside of the work tree.`,
    ]
  if (!program.isCopy)
    return [
      'the hooks call a program that a checkout can change',
      `${program.path} lies outside of the git directory.`,
    ]
  const leads = `${one.path} calls ${program.path}.`
  if (program.version !== version)
    return [`the hooks call handoff ${program.version ?? 'of an unknown version'}, ${version} runs`, leads]
  if (!one.hasAlias)
    return [
      '`git handoff` is not set in this clone',
      'alias.handoff is gone from .git/config, so that texts name a longer command.',
    ]
  return one.isCurrent ? null : ['the hook runner was written by another version', leads]
}

/** Hooks of git, through whatever manager the repository uses. Where `init` was never run, `runner` says so. */
export const gitHooks: Check = {
  id: 'git-hooks',
  about: 'git calls the hooks of handoff',
  fine: ({ repo }) => [repo?.gitHooks.manager, repo?.gitHooks.where].filter((one) => one).join(', in '),
  isIdle: ({ gitHooks: one, runner: called }) => one.isUnwanted || called === null,
  *lookIn({ gitHooks: { manager, warnings, left, missing, closed, uncalled, activate } }, facts) {
    for (const text of warnings) yield warning('git runs hooks from another place', `${text}.`)
    for (const { path, reason } of left)
      yield warning(`no hook of handoff in ${path}`, `It is left alone: ${reason}.`)
    if (missing.length > 0)
      yield warning(
        'hooks of git are missing or old',
        `${manager} has no complete hook of this version in ${missing.join(', ')}. Briefs in a commit are not checked, or a checkout tells nobody of a brief.`,
        initCommand(facts),
      )
    if (closed.length > 0)
      yield warning(
        'git skips hooks that are not executable',
        `${closed.join(', ')} ${closed.length === 1 ? 'is' : 'are'} not executable.`,
        `chmod +x ${closed.map(word).join(' ')}`,
      )
    if (missing.length === 0 && uncalled.length > 0)
      yield warning(
        `${manager} is not active in this clone`,
        `It is configured to call the hooks, but git does not call it at ${uncalled.join(', ')}.`,
        activate,
      )
  },
}

/** What `init` puts into the settings of the agents. */
export const agentHooks: Check = {
  id: 'agent-hooks',
  about: 'agents used here are set up',
  fine: ({ agents }) =>
    agents
      .filter(({ setup }) => setup?.state === 'done')
      .map(({ label }) => label)
      .join(', '),
  isIdle: (repo, { agents }) =>
    agents.every(
      (one) => (one.setup?.state ?? 'none') === 'none' && !one.setup?.problem && !isNotSetUp(one, repo),
    ),
  *lookIn(repo, facts) {
    for (const agent of facts.agents) {
      const { id, label, setup, shadow } = agent
      if (setup === null) continue
      if (setup.problem !== null) {
        yield warning(
          `settings of ${label} cannot be read`,
          `${setup.problem}. Until that is corrected, \`init\` writes nothing.`,
        )
        continue
      }
      if (setup.state !== 'none' && shadow != null)
        yield warning(
          `a skill of your own wins over /handoff in ${label}`,
          `${shadow} is named handoff too. Type /handoff-brief, which \`init\` puts beside it, or rename yours.`,
        )
      if (setup.state === 'partly') {
        if (setup.missing.length > 0)
          yield warning(
            `the set-up of ${label} is missing or old`,
            `Not as this version writes them: ${setup.missing.join(', ')}.`,
            initCommand(facts, [id]),
          )
        for (const { path, reason } of setup.left)
          yield warning(`${label}: ${path} is not a file of handoff`, `It is left alone: ${reason}.`)
      }
      if (isNotSetUp(agent, repo))
        yield warning(
          `${label} works here and is not set up`,
          'It has sessions in this repository. Nothing tells a new one of a brief.',
          initCommand(facts, [id]),
        )
    }
  },
}

/** An agent that merely is on the machine wants nothing; where `init` was never run, `runner` says so. */
const isNotSetUp = ({ setup, sessions }: AgentFacts, { runner: called }: RepoFacts): boolean =>
  setup?.state === 'none' && called !== null && (sessions ?? 0) > 0

/** What an agent asks its person before it runs hooks of a repository. */
export const agentTrust: Check = {
  id: 'agent-trust',
  about: 'agents run the hooks they have',
  isIdle: (_, { agents }) => !agents.some(isAsked),
  *lookIn(_, { agents }) {
    for (const { label, program, trust } of agents.filter(isAsked)) {
      if (program === null || trust === null) continue
      const start = program.split('/').at(-1) ?? program
      const { folder, waiting, where } = trust
      if (folder === false)
        yield warning(
          `${label} does not trust this folder`,
          `According to ${where}, so it leaves the hooks out. Start it here once and say yes:`,
          start,
        )
      else if (waiting.length > 0)
        yield warning(
          `${label} does not trust ${waiting.length === 1 ? 'a hook' : `${waiting.length} hooks`} yet`,
          `It skips ${waiting.join(', ')} without a message (${where}). Start it here and answer "Hooks need review":`,
          start,
        )
    }
  },
}

const isAsked = ({ program, setup, trust }: AgentFacts): boolean =>
  program !== null && trust !== null && setup !== null && setup.state !== 'none'
