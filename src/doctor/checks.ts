import {
  areWord,
  type Check,
  check,
  checkIn,
  edit,
  error,
  initCommand,
  type Problem,
  warning,
  word,
} from './check.ts'
import { repositoryChecks } from './checks-repository.ts'
import type { AgentFacts, Facts, RepoFacts } from './read-facts.ts'

const NEWER_GIT = 'Newer versions: https://git-scm.com/downloads'

/** Every check, once: from what everything stands on to what few need. */
export const checks: readonly Check[] = [
  check('git', 'git is new enough', ({ git }) => {
    if (git === null)
      return [error('git was not found', `Install git 2.38 or newer and put it on PATH. ${NEWER_GIT}`)]
    // Every option that is used is there from 2.30 on; older ones are refused (`src/git/open-repo.ts`).
    if (isBefore(git, 30))
      return [error(`git ${git} is too old`, `handoff needs git 2.30 or newer, better 2.38. ${NEWER_GIT}`)]
    // `safe.bareRepository` and `git merge-tree --write-tree` came with this one.
    if (!isBefore(git, 38)) return []
    const lacks =
      'Before 2.38 git obeys the configuration of a repository hidden inside a repository (safe.bareRepository), and `verify` and `review` cannot try a merge.'
    return [warning(`git ${git} lacks a protection`, `${lacks} ${NEWER_GIT}`)]
  }),
  // `engines` of package.json.
  check('node', 'Node is new enough', ({ node }) =>
    Number.parseInt(node, 10) >= 20
      ? []
      : [
          error(
            `Node ${node} is too old`,
            'handoff needs Node 20 or newer (https://nodejs.org/en/download). With a version manager:',
            'nvm install 20',
          ),
        ],
  ),
  check('repository', 'git opens this repository', ({ noRepo }) => {
    if (noRepo === null) return []
    const command = /: `(git [^`]*)`$/.exec(noRepo.hint)?.[1] ?? null
    return [error(noRepo.message, command === null ? noRepo.hint : 'handoff can do nothing here.', command)]
  }),
  check(
    'configuration',
    'the configuration can be read',
    ({ call, config: { problem, unknown, refusedCode, ownFile } }) => {
      const file = /^([^:\s]+\.(?:ya?ml|json)|\.handoffrc|package\.json)[:#]/.exec(problem ?? '')?.[1]
      const broken = error(
        'the configuration cannot be used',
        `${problem?.replace(/\.?$/, '.')} Every command stops until that is corrected; docs/configuration.md lists the keys.`,
        file === undefined ? null : edit(file),
      )
      const idle = unknown.map(({ name, where, isOwn }) =>
        warning(
          isOwn ? `\`${name}\` counts only in your own configuration` : `unknown key \`${name}\``,
          isOwn
            ? `${where} sets it, where it is ignored: a repository must not decide what is run and passed on. To use it, move it to ${ownFile}.`
            : `${where} sets it, and it is ignored. \`${call} doctor --verbose\` lists every key.`,
          /[/.]/.test(where) ? edit(where) : null,
        ),
      )
      if (problem !== null) return [broken]
      return refusedCode === null
        ? idle
        : [
            ...idle,
            warning(
              `${refusedCode} is not read`,
              `It is code, and code of a repository runs only if your own ${ownFile} sets \`allowExecutableConfig: true\`. Only if you trust this repository:`,
              `mkdir -p "$(dirname ${ownFile})" && echo 'allowExecutableConfig: true' >> ${ownFile}`,
            ),
          ]
    },
  ),
  // What stands for `handoff` on PATH is this program, in this version.
  check('program', 'handoff on PATH is this program', ({ onPath: { handoff, gitHandoff }, version }) => {
    const other = [handoff, gitHandoff].find((one) => one?.isOurs && one.version !== version)
    return [
      ...(handoff === null || handoff.isOurs
        ? []
        : [
            warning(
              '`handoff` is another program here',
              `${handoff.path} belongs to ${handoff.name === null ? 'no known package' : `the package ${handoff.name}`}, not to git-handoff. \`git-handoff\` and \`git handoff\` always mean this one.`,
              `${handoff.name === null ? '' : `npm uninstall --global ${handoff.name} && `}npm install --global git-handoff`,
            ),
          ]),
      ...(other
        ? [
            warning(
              `handoff ${other.version ?? 'of another version'} is on PATH, ${version} runs`,
              `You and your agents call ${other.path}. Two versions may not agree.`,
              `npm install --global git-handoff@${version}`,
            ),
          ]
        : []),
    ]
  }),
  ...repositoryChecks,
  check('switched-off', 'hooks are not switched off', ({ isOff }) =>
    isOff
      ? [
          warning(
            'HANDOFF=0 switches every hook off',
            'The variable is set in this shell, and so in every agent that is started from it.',
            'unset HANDOFF',
          ),
        ]
      : [],
  ),
  // The file in the git directory that every hook of ours calls, and the installation that it leads to.
  checkIn('runner', 'hooks reach this handoff', (repo, facts) => {
    const found = runnerProblem(repo, facts)
    return found === null ? [] : [warning(...found, initCommand(facts))]
  }),
  // Hooks of git, through whatever manager the repository uses. Where `init` was never run, `runner` says so.
  checkIn('git-hooks', 'git calls the hooks of handoff', ({ gitHooks: one, runner }, facts) => {
    if (one.isUnwanted || runner === null) return []
    const { manager, warnings, left, missing, closed, uncalled, activate } = one
    return [
      ...warnings.map((text) => warning('git runs hooks from another place', `${text}.`)),
      ...left.map(({ path, reason }) =>
        warning(`no hook of handoff in ${path}`, `It is left alone: ${reason}.`),
      ),
      ...(missing.length === 0
        ? []
        : [
            warning(
              'hooks of git are missing or old',
              `${manager} has no complete hook of this version in ${missing.join(', ')}. Briefs in a commit are not checked, or a checkout tells nobody of a brief.`,
              initCommand(facts),
            ),
          ]),
      ...(closed.length === 0
        ? []
        : [
            warning(
              'git skips hooks that are not executable',
              `${closed.join(', ')} ${areWord(closed)} not executable.`,
              `chmod +x ${closed.map(word).join(' ')}`,
            ),
          ]),
      ...(missing.length > 0 || uncalled.length === 0
        ? []
        : [
            warning(
              `${manager} is not active in this clone`,
              `It is configured to call the hooks, but git does not call it at ${uncalled.join(', ')}.`,
              activate,
            ),
          ]),
    ]
  }),
  checkIn('agent-hooks', 'agents used here are set up', (repo, facts) =>
    facts.agents.flatMap((agent) => setupProblems(agent, repo, facts)),
  ),
  // What an agent asks its person before it runs hooks of a repository.
  checkIn('agent-trust', 'agents run the hooks they have', (_, { agents }) =>
    agents.flatMap(({ label, program, setup, trust }) => {
      if (program === null || trust === null || setup === null || setup.state === 'none') return []
      const { folder, waiting, where } = trust
      const start = program.split('/').at(-1) ?? program
      if (!folder)
        return warning(
          `${label} does not trust this folder`,
          `According to ${where}, so it leaves the hooks out. Start it here once and say yes:`,
          start,
        )
      return waiting.length === 0
        ? []
        : warning(
            `${label} does not trust ${waiting.length === 1 ? 'a hook' : `${waiting.length} hooks`} yet`,
            `It skips ${waiting.join(', ')} without a message (${where}). Start it here and answer "Hooks need review":`,
            start,
          )
    }),
  ),
  // Agents answer when they are asked for their version, and their sessions can be read.
  check('agents', 'agents on this machine answer', ({ agents }) =>
    agents.flatMap(({ label, program, version, why, sessionsProblem }) => [
      ...(program === null || version !== null
        ? []
        : [warning(`${label} does not answer`, `\`${program} --version\`: ${why ?? 'no version'}.`)]),
      ...(sessionsProblem === null ? [] : [warning(`sessions of ${label} cannot be read`, sessionsProblem)]),
    ]),
  ),
]

/** A git 2 that is older than that. One that does not say its version has answered everything so far. */
function isBefore(version: string, minor: number): boolean {
  const [, a, b] = /(\d+)\.(\d+)/.exec(version) ?? []
  return a !== undefined && (Number(a) < 2 || (Number(a) === 2 && Number(b) < minor))
}

/** Title and detail; null when all is well. */
function runnerProblem(
  { runner, gitHooks }: RepoFacts,
  { agents, version }: Facts,
): [title: string, detail: string] | null {
  if (runner === null)
    return agents.some(({ setup }) => setup !== null && setup.state !== 'none') ||
      (gitHooks.where !== null && gitHooks.missing.length === 0)
      ? [
          'hooks are configured, but not active in this clone',
          'Settings of agents or git name them. A clone does not bring the runner along, and without it they do nothing.',
        ]
      : [
          'handoff init was not run in this clone',
          'Agents are not told of briefs, commits do not check them, and a checkout does not update latest.md. Every command still works.',
        ]
  const { path, program, node, isCurrent, hasAliases } = runner
  const leads = `${path} calls ${program.path}.`
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
  if (program.version !== version)
    return [`the hooks call handoff ${program.version ?? 'of an unknown version'}, ${version} runs`, leads]
  if (!hasAliases)
    return [
      'the aliases of handoff are not set in this clone',
      'alias.handoff, alias.handoff-hook or handoff.hooks is gone from .git/config, so that hooks of agents do nothing or texts name a longer command.',
    ]
  return isCurrent ? null : ['the hook runner was written by another version', leads]
}

/** What `init` puts into the settings of an agent. */
function setupProblems(
  { id, label, setup, shadow, sessions }: AgentFacts,
  { runner }: RepoFacts,
  facts: Facts,
): Problem[] {
  if (setup === null) return []
  const { state, problem, missing, left } = setup
  if (problem !== null)
    return [
      warning(
        `settings of ${label} cannot be read`,
        `${problem}. Until that is corrected, \`init\` writes nothing.`,
      ),
    ]
  // An agent that merely is on the machine wants nothing; where `init` was never run, `runner` says so.
  if (state === 'none')
    return runner === null || (sessions ?? 0) === 0
      ? []
      : [
          warning(
            `${label} works here and is not set up`,
            'It has sessions in this repository. Nothing tells a new one of a brief.',
            initCommand(facts, [id]),
          ),
        ]
  return [
    ...(shadow === null
      ? []
      : [
          warning(
            `a skill of your own wins over /handoff in ${label}`,
            `${shadow} is named handoff too. Type /git-handoff, which \`init\` puts beside it, or rename yours.`,
          ),
        ]),
    ...(missing.length === 0
      ? []
      : [
          warning(
            `the set-up of ${label} is missing or old`,
            `Not as this version writes them: ${missing.join(', ')}.`,
            initCommand(facts, [id]),
          ),
        ]),
    ...left.map(({ path, reason }) =>
      warning(`${label}: ${path} is not a file of handoff`, `It is left alone: ${reason}.`),
    ),
  ]
}

/** One line of the answer: a problem, or a check that found none. */
export interface Finding extends Omit<Problem, 'level'> {
  /** Id of the check. */
  id: string
  level: Problem['level'] | 'ok'
}

/** Holds facts against every check, worst first; those of a repository are left out where there is none. */
export function diagnose(facts: Facts): Finding[] {
  const findings = checks.flatMap(({ id, about, look, isOfRepository }): Finding[] => {
    if (isOfRepository && facts.repo === null) return []
    const problems = look(facts)
    if (problems.length > 0) return problems.map((problem) => ({ id, ...problem }))
    return [{ id, level: 'ok', title: about, detail: '', fix: null }]
  })
  return (['error', 'warning', 'ok'] as const).flatMap((level) =>
    findings.filter((one) => one.level === level),
  )
}
