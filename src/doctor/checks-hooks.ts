import { check, initCommand, type Problem, repositoryCheck, warning, word } from './check.ts'
import type { AgentFacts, Facts } from './facts.ts'

/** The file in the git directory that every hook of ours calls, and the installation it leads to. */
export const runner = repositoryCheck({
  id: 'runner',
  about: 'hooks reach this handoff',
  fine: ({ runner: one }) => one?.program.path ?? '',
  look(repo, facts) {
    const { runner: one, gitHooks } = repo
    const again = initCommand(facts)
    if (one === null) {
      const isWritten =
        facts.agents.some(({ setup }) => setup !== null && setup.state !== 'none') ||
        (gitHooks !== null && gitHooks.where !== null && gitHooks.missing.length === 0)
      return [
        isWritten
          ? warning(
              'hooks are written down, but not active in this clone',
              'Settings of agents or git name them, and without the runner, which no clone brings along, they do nothing.',
              again,
            )
          : warning(
              'handoff init was not run in this clone',
              'No session is told of a brief, no commit checks one, and no copy in latest.md is refreshed by a checkout. Every command works without.',
              again,
            ),
      ]
    }
    const { program, node } = one
    if (!program.isThere)
      return [
        warning(
          'the hooks call a handoff that is gone',
          `${program.path} is not there any more, so they do nothing.`,
          again,
        ),
      ]
    if (!node.isThere)
      return [
        warning(
          'the hooks call a Node that is gone',
          `${node.path} is not there any more; one on PATH, outside of the work tree, is taken.`,
          again,
        ),
      ]
    if (!program.isCopy)
      return [
        warning(
          'the hooks call a program that a checkout can change',
          `${program.path} lies outside of the git directory.`,
          again,
        ),
      ]
    if (program.version !== facts.version || !one.isCurrent)
      return [
        warning(
          program.version === facts.version
            ? 'the hook runner was written by another version'
            : `the hooks call handoff ${program.version ?? 'of an unknown version'}, ${facts.version} runs`,
          `${one.path} leads to ${program.path}.`,
          again,
        ),
      ]
    return []
  },
})

/** Hooks of git, through whatever manager the repository uses. */
export const gitHooks = repositoryCheck({
  id: 'git-hooks',
  about: 'git calls the hooks of handoff',
  fine: ({ gitHooks: one }) =>
    one === null ? '' : `${one.manager}${one.where === null ? '' : `, in ${one.where}`}`,
  look({ gitHooks: one, runner }, facts) {
    // Where `init` was never run, another check says so.
    if (one === null || one.isUnwanted || runner === null) return null
    const again = initCommand(facts)
    const problems: Problem[] = one.warnings.map((text) =>
      warning('hooks of git go another way', `${text}.`, null),
    )
    for (const { path, reason } of one.left)
      problems.push(warning(`no hook of handoff in ${path}`, `It is left alone: ${reason}.`, null))
    if (one.missing.length > 0)
      problems.push(
        warning(
          'hooks of git are missing or old',
          `${one.manager} has no whole hook of this version in ${one.missing.join(', ')}: briefs of a commit are not checked, or nobody is told at a checkout.`,
          again,
        ),
      )
    if (one.closed.length > 0)
      problems.push(
        warning(
          'git skips hooks that may not be run',
          `${one.closed.join(', ')} ${one.closed.length === 1 ? 'is' : 'are'} not executable.`,
          `chmod +x ${one.closed.map(word).join(' ')}`,
        ),
      )
    if (one.missing.length === 0 && one.uncalled.length > 0)
      problems.push(
        warning(
          `${one.manager} is not active in this clone`,
          `The hooks are written down for it, and git does not call it at ${one.uncalled.join(', ')}.`,
          one.activate,
        ),
      )
    return problems
  },
})

/** What `init` puts into the settings of the agents. */
export const agentHooks = repositoryCheck({
  id: 'agent-hooks',
  about: 'agents used here have their hooks',
  fine: (_, { agents }) =>
    agents
      .filter(({ setup }) => setup?.state === 'done')
      .map(({ label }) => label)
      .join(', '),
  look({ runner }, facts) {
    const problems = facts.agents.flatMap((agent) => hookProblems(agent, facts, runner !== null))
    const isIdle = facts.agents.every(({ setup }) => setup === null || setup.state === 'none')
    return isIdle && problems.length === 0 ? null : problems
  },
})

function hookProblems(agent: AgentFacts, facts: Facts, isInitialised: boolean): Problem[] {
  const { id, label, setup, sessions, shadow } = agent
  if (setup === null) return []
  if (setup.problem !== null)
    return [
      warning(
        `settings of ${label} cannot be read`,
        `${setup.problem}. Until that is mended, \`init\` stops before it writes anything.`,
        null,
      ),
    ]
  const again = initCommand(facts, [id])
  const shadowed = shadow == null || setup.state === 'none' ? [] : [shadowProblem(label, shadow)]
  if (setup.state === 'partly')
    return [
      ...shadowed,
      ...(setup.missing.length === 0
        ? []
        : [
            warning(
              `hooks of ${label} are missing or old`,
              `Not as this version writes them: ${setup.missing.join(', ')}.`,
              again,
            ),
          ]),
      ...setup.left.map(({ path, reason }) =>
        warning(`${label}: ${path} is somebody else's`, `It is left alone: ${reason}.`, null),
      ),
    ]
  // An agent that merely is on the machine wants nothing; where `init` was never run, another check says so.
  if (setup.state === 'none' && isInitialised && (sessions ?? 0) > 0)
    return [
      warning(
        `${label} works here without hooks`,
        'It has sessions in this repository; a new one is not told of a brief, and its person not of a context that is nearly full.',
        again,
      ),
    ]
  return shadowed
}

const shadowProblem = (label: string, path: string): Problem =>
  warning(
    `a skill of your own wins over /handoff in ${label}`,
    `${path} is named handoff too. Type /handoff-brief, which \`init\` puts beside it, or rename yours.`,
    null,
  )

/** What an agent asks its person before it runs hooks of a repository. */
export const agentTrust = repositoryCheck({
  id: 'agent-trust',
  about: 'agents run the hooks they have',
  look: (_, { agents }) => (agents.some(isAsked) ? agents.flatMap(trustProblems) : null),
})

const isAsked = ({ program, setup, trust }: AgentFacts): boolean =>
  program !== null && trust !== null && setup !== null && setup.state !== 'none'

function trustProblems(agent: AgentFacts): Problem[] {
  const { label, program, trust } = agent
  if (!isAsked(agent) || program === null || trust === null) return []
  const start = program.split('/').at(-1) ?? program
  if (trust.folder === false)
    return [
      warning(
        `${label} does not trust this folder`,
        `It says so in ${trust.where}, and leaves the hooks out. Start it here once and say yes:`,
        start,
      ),
    ]
  if (trust.waiting.length === 0) return []
  return [
    warning(
      `${label} has not been told to trust ${trust.waiting.length === 1 ? 'a hook' : `${trust.waiting.length} hooks`}`,
      `It skips ${trust.waiting.join(', ')} without a word (${trust.where}). Start it here and answer "Hooks need review":`,
      start,
    ),
  ]
}

/** Agents answer when they are asked for their version, and their sessions can be had. */
export const agents = check({
  id: 'agents',
  about: 'agents on this machine answer',
  fine: ({ agents: all }) =>
    all
      .filter(({ program }) => program !== null)
      .map(({ label, version }) => `${label} ${version ?? ''}`.trim())
      .join(', ') || 'No program of an agent is on PATH.',
  look: ({ agents: all }) =>
    all.flatMap(({ label, program, version, why, sessionsProblem }) => [
      ...(program === null || version !== null
        ? []
        : [warning(`${label} does not answer`, `\`${program} --version\`: ${why ?? 'no version'}.`, null)]),
      ...(sessionsProblem === null
        ? []
        : [warning(`sessions of ${label} cannot be read`, sessionsProblem, null)]),
    ]),
})
