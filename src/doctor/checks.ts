import { commitCommand } from '../brief/goal.ts'
import { ageText, someOf } from '../text/count.ts'
import { shellWord } from '../text/safe-text.ts'
import type { AgentFacts, Facts, Latest, RepoFacts } from './read-facts.ts'

/** Something that is not as it should be. */
export interface Problem {
  /** An error makes the next handoff fail; with a warning it works, but worse than it could. */
  level: 'warning' | 'error'
  /** What is wrong, in one line. */
  title: string
  /** What else a person must know before the command; empty where the title says it all. */
  detail: string
  /** The command that mends it, for a shell at the top of the repository; null where no command can. */
  fix: string | null
}

/** What a check has found; false where one thing it looked for is well. */
type Found = readonly (Problem | false)[]

/** One thing that is looked at. */
export interface Check {
  id: string
  /** What holds when nothing is wrong. */
  about: string
  /** Null: there is nothing to look at. */
  look(facts: Facts): Found | null
}

/** A row of the table of checks. */
export const check = (id: string, about: string, look: Check['look']): Check => ({ id, about, look })

/** One that has nothing to look at outside of a repository. */
export const checkIn = (id: string, about: string, look: (repo: RepoFacts, facts: Facts) => Found): Check =>
  check(id, about, (facts) => (facts.repo === null ? null : look(facts.repo, facts)))

const problem =
  (level: Problem['level']) =>
  (title: string, fix: string | null, detail = ''): Problem => ({ level, title, detail, fix })

export const error = problem('error')
export const warning = problem('warning')

/** A path or name as a word of shell, quoted only where it must be, so that it reads well; a home directory stays one. */
export function word(text: string): string {
  const home = text.startsWith('~/') ? '~/' : ''
  const rest = text.slice(home.length)
  return home + (/^[\w./@%+=:,][\w./@%+=:,-]*$/.test(rest) ? rest : shellWord(rest))
}

/** The call of `init` that mends what it did, for the agents that it was run for, asking nothing. */
export function initCommand({ call, repo, agents }: Facts, more: readonly string[] = []): string {
  const ids: readonly string[] = [...(repo?.setUp ?? []), ...more]
  const list = agents.map(({ id }) => id).filter((id) => ids.includes(id))
  return `${call} init${list.length === 0 ? '' : ` --agent ${list.join(',')}`} --yes`
}

const GIT = 'handoff needs git 2.30 or newer, better 2.38: https://git-scm.com/downloads'
const LATEST = '.handoff/latest.md'
const CLEAN = 'filter.handoff.clean'
/** Names that are listed; a folder may hold thousands. */
const MOST = 3

/** Every check, once: from what everything stands on to what few need. */
export const checks: readonly Check[] = [
  check('git', 'git is new enough', ({ git }) => [
    git === null && error('git was not found', null, GIT),
    // Every option that is used is there from 2.30 on; older ones are refused (`src/git/open-repo.ts`).
    isBefore(git, 30) && error(`git ${git} is too old`, null, GIT),
    // `safe.bareRepository` and `git merge-tree --write-tree` came with this one.
    !isBefore(git, 30) &&
      isBefore(git, 38) &&
      warning(`git ${git} obeys a repository hidden in a repository and cannot try a merge`, null, GIT),
  ]),
  // `engines` of package.json.
  check('node', 'Node is new enough', ({ node }) => [
    Number.parseInt(node, 10) < 20 && error(`handoff needs Node 20 or newer, not ${node}`, 'nvm install 20'),
  ]),
  check('repository', 'git opens this repository', ({ noRepo }) => {
    const command = /: `(git [^`]*)`$/.exec(noRepo?.hint ?? '')?.[1] ?? null
    return [noRepo !== null && error(noRepo.message, command, command === null ? noRepo.hint : '')]
  }),
  check('configuration', 'the configuration can be read', ({ call, config }) => {
    const { problem, unknown, ownFile } = config
    const file = /^([^:\s]+\.(?:ya?ml|json)|\.handoffrc|package\.json)[:#]/.exec(problem ?? '')?.[1]
    return [
      problem !== null && error(`no command works until this is corrected: ${problem}`, edit(file)),
      ...unknown.map(({ name, where, isOwn }) => {
        const why = isOwn ? `it counts only in your own ${ownFile}` : `\`${call} doctor --verbose\` lists all`
        return warning(
          `${isOwn ? '' : 'unknown key '}\`${name}\` in ${where} is ignored: ${why}`,
          edit(where),
        )
      }),
    ]
  }),
  // What stands for `handoff` on PATH is this program, in this version.
  check('program', 'handoff on PATH is this program', ({ onPath: { handoff, gitHandoff }, version }) => {
    const other = [handoff, gitHandoff].find((one) => one?.isOurs && one.version !== version) ?? null
    const remove = handoff?.name ? `npm uninstall --global ${handoff.name} && ` : ''
    return [
      handoff?.isOurs === false &&
        warning(
          `\`handoff\` is another program here, ${handoff.path}; \`git handoff\` is always this one`,
          `${remove}npm install --global git-handoff`,
        ),
      other !== null &&
        warning(
          `handoff ${other.version ?? 'of another version'} is on PATH, ${other.path}, and ${version} runs`,
          `npm install --global git-handoff@${version}`,
        ),
    ]
  }),
  checkIn('ignored', 'git does not ignore .handoff/', ({ ignored: rule }) => [
    rule !== null &&
      error(
        `the rule \`${rule.pattern}\` (${rule.source}:${rule.line}) keeps .handoff/ out of every commit`,
        rule.source.startsWith('.handoff/')
          ? // Nothing outside of a folder wins over the rules inside of it.
            `sed -i.bak '${rule.line}d' ${word(rule.source)}`
          : "printf '%s\\n' '!/.handoff/' '!/.handoff/**' >> .gitignore",
      ),
  ]),
  checkIn('folder', '.handoff/ is a plain folder of handoff', ({ folder }) => [
    folder !== null &&
      error(
        folder.message,
        `mv ${folder.message.startsWith('.handoff/briefs') ? '.handoff/briefs .handoff-briefs' : '.handoff .handoff'}.before`,
        'Every handoff stops here, since handoff writes neither over files of others nor through links.',
      ),
  ]),
  checkIn('locks', 'no lock is left over', ({ locks }) =>
    locks.map(({ path, ageSeconds }) =>
      error(
        `git writes nothing while ${path} is there, untouched for ${ageText(1000 * ageSeconds)}`,
        `rm ${word(path)}`,
        'Only if no git is running:',
      ),
    ),
  ),
  checkIn('identity', 'git knows whose commits these are', ({ identity: { name, email } }) => {
    const unset = [
      ...(name ? [] : ['user.name "Your Name"']),
      ...(email ? [] : ['user.email you@example.org']),
    ]
    const title = 'git does not know who you are: it commits briefs by "handoff", and refuses yours'
    const fix = unset.map((one) => `git config --global ${one}`).join(' && ')
    return [unset.length > 0 && warning(title, fix)]
  }),
  // The filter hides the copy of the brief in `latest.md` from git; without a `latest.md` of ours there is nothing to hide.
  checkIn(
    'filter',
    'git hides the copy of the brief in latest.md',
    ({ filter: { final, wanted }, latest }) => [
      latest.state === 'ours' &&
        final !== wanted &&
        (latest.hasCopy ? error : warning)(
          `${CLEAN} is not ${final === null ? 'set' : 'as handoff sets it'}, so ${latest.hasCopy ? 'git would commit the copy in latest.md' : 'latest.md is the pointer alone'}`,
          `git config ${CLEAN} ${shellWord(wanted)}`,
        ),
    ],
  ),
  checkIn('attributes', 'the attributes of .handoff/ hold', ({ latest }, { call }) => {
    const { state, attribute, attributes } = latest
    if (state === null) return []
    return [
      attributes.isThere
        ? attribute !== 'handoff' &&
          warning(
            `another attribute wins over .handoff/.gitattributes (filter ${attribute ?? 'unspecified'}) and shows the copy`,
            `git_dir=$(git rev-parse --git-common-dir) && mkdir -p "$git_dir/info" && echo '/${LATEST} filter=handoff' >> "$git_dir/info/attributes"`,
          )
        : warning(
            '.handoff/.gitattributes is gone, so git converts line ends of briefs and shows the copy in latest.md',
            attributes.isInHead ? 'git checkout HEAD -- .handoff/.gitattributes' : `${call} init --yes`,
          ),
    ]
  }),
  checkIn('latest', 'latest.md says what it should', ({ latest }, { call }) => [
    pointerProblem(latest, call),
  ]),
  checkIn('parked', 'no brief is parked', ({ parked, operation }) =>
    parked.map((one) => parkedProblem(one, operation)),
  ),
  checkIn('uncommitted', 'every brief on disk is committed', ({ uncommitted, drafts, operation }) => [
    uncommitted.length > 0 &&
      warning(
        `only this disk has ${someOf(uncommitted, MOST)}: not committed${operation === null ? '' : `, as a ${operation} is not finished`}`,
        operation === null ? commitCommand(uncommitted) : null,
      ),
    ...drafts.map(({ path, why }) =>
      warning(`${why}; its text is ${path}`, `rm ${word(path)}`, 'After you have read it:'),
    ),
  ]),
  checkIn('origin-trust', 'trust in origin holds', ({ origin: { url, trusted } }, { call }) => {
    if (trusted === null || trusted === url) return []
    if (url === null)
      return [warning(`the trusted origin, ${trusted}, is gone`, `${call} trust --origin --revoke`)]
    const title = `origin was trusted at ${trusted} and is now at ${url}, so no agent is shown its briefs`
    return [warning(title, `${call} trust --origin`, 'Only if that is right:')]
  }),
  check('switched-off', 'hooks are not switched off', ({ off, call }) => [
    off === 'shell' && warning('HANDOFF=0 in this shell switches every hook off', 'unset HANDOFF'),
    off === 'clone' && warning('hooks are off in this clone', `${call} init --yes`),
  ]),
  // The file in the git directory that every hook of ours calls, and the installation that it leads to.
  checkIn('runner', 'hooks reach this handoff', (repo, facts) => {
    const title = runnerProblem(repo, facts)
    return [title !== null && warning(title, initCommand(facts))]
  }),
  // Hooks of git, through whatever manager the repository uses. Where `init` was never run, `runner` says so.
  checkIn('git-hooks', 'git calls the hooks of handoff', ({ gitHooks: one, runner }, facts) => {
    if (one.isUnwanted || runner === null) return []
    const { manager, warnings, left, missing, closed, uncalled, activate } = one
    return [
      ...warnings.map((text) => warning('git runs hooks from another place', null, `${text}.`)),
      ...left.map(({ path, reason }) => warning(`no hook of handoff in ${path}: ${reason}`, null)),
      missing.length > 0 &&
        warning(
          `hooks of git are missing or old in ${missing.join(', ')} (${manager}), so no commit is checked`,
          initCommand(facts),
        ),
      closed.length > 0 &&
        warning(
          `git skips hooks that are not executable: ${closed.join(', ')}`,
          `chmod +x ${closed.map(word).join(' ')}`,
        ),
      missing.length === 0 &&
        uncalled.length > 0 &&
        warning(`${manager} is not active in this clone: git skips ${uncalled.join(', ')}`, activate),
    ]
  }),
  checkIn('agent-hooks', 'agents used here are set up', (repo, facts) => [
    repo.problem !== null && warning(`\`init\` would write nothing: ${repo.problem}`, null),
    ...(repo.runner === null ? [] : repo.left).map(({ path, reason }) =>
      warning(`${path} is left alone: ${reason}`, null),
    ),
    ...facts.agents.flatMap((agent) => setupProblems(agent, repo, facts)),
  ]),
  // What an agent asks its person before it runs hooks of a repository.
  checkIn('agent-trust', 'agents run the hooks they have', (_, { agents }) =>
    agents.map(({ label, program, setup, trust }) => {
      if (program === null || trust === null || setup === null || setup.state === 'none') return false
      const { folder, waiting, where } = trust
      const start = program.split('/').at(-1) ?? program
      if (!folder)
        return warning(`${label} does not trust this folder (${where})`, start, 'Start it here and say yes:')
      const title = `${label} does not trust ${waiting.join(', ')} yet and skips them in silence (${where})`
      return waiting.length > 0 && warning(title, start, 'Start it here and answer "Hooks need review":')
    }),
  ),
  check('agents', 'sessions of agents can be read', ({ agents }) =>
    agents.map(
      ({ label, sessionsProblem }) =>
        sessionsProblem !== null && warning(`sessions of ${label} cannot be read: ${sessionsProblem}`, null),
    ),
  ),
]

/** A git 2 that is older than that. One that does not say its version has answered everything so far. */
function isBefore(version: string | null, minor: number): boolean {
  const [, a, b] = /(\d+)\.(\d+)/.exec(version ?? '') ?? []
  return a !== undefined && (Number(a) < 2 || (Number(a) === 2 && Number(b) < minor))
}

/** Opens a file where no command can know what to write into it; null for what is no path. */
const edit = (path: string | undefined): string | null =>
  path !== undefined && /[/.]/.test(path) ? `\${EDITOR:-vi} ${word(path)}` : null

/** `latest.md` itself, which git sees: it holds the pointer alone, and the next command writes the copy below it. */
function pointerProblem(latest: Latest, call: string): Problem | false {
  const { state, isTracked, isRight, isRightInHead } = latest
  if (state === null)
    return isTracked && warning(`${LATEST} is gone`, `git checkout -- ${LATEST} && ${call} status`)
  if (state !== 'ours')
    return warning(
      `${LATEST} ${state === 'conflicted' ? 'holds a merge conflict' : 'is not the pointer that handoff wrote'}`,
      isRightInHead ? `git checkout HEAD -- ${LATEST} && ${call} status` : null,
      isRightInHead
        ? 'This replaces the present text by the same pointer that every branch has:'
        : 'The next `create` writes it again and keeps the present text aside.',
    )
  const title = `${LATEST} was committed with a text of its own, and branches may conflict in it`
  const help = 'Checkout, reset and stash do not help; the next `create` commits the pointer.'
  return isTracked && !isRight && warning(title, null, help)
}

function parkedProblem(
  { id, branch, isHere, isGone, onDisk }: RepoFacts['parked'][number],
  operation: RepoFacts['operation'],
): Problem {
  const isAny = branch === 'HEAD'
  const name = branch.replace('refs/heads/', '')
  const title = `brief ${id} waits for ${isAny ? 'a branch' : name}`
  if (isGone) return warning(`${title}, which is gone`, `git branch ${word(name)} refs/handoff/${id}~1`)
  const end = operation === 'bisect' ? 'git bisect reset' : `git ${operation} --continue`
  if (operation !== null) return warning(`${title} until the ${operation} is finished`, end)
  const take = onDisk === null ? `git cherry-pick ${word(`refs/handoff/${id}`)}` : commitCommand([onDisk])
  const go = isHere || isAny ? '' : `git switch ${word(name)} && `
  return warning(title, go + take, 'The next handoff that commits there adds it. To add it now:')
}

/** What is wrong with the runner; null when all is well. */
function runnerProblem({ runner, gitHooks, ...repo }: RepoFacts, { agents, version }: Facts): string | null {
  if (runner === null)
    return agents.some(({ setup }) => setup !== null && setup.state !== 'none') ||
      (repo.problem === null &&
        gitHooks.where !== null &&
        gitHooks.missing.length + gitHooks.left.length === 0)
      ? 'hooks are configured, but not active in this clone'
      : 'handoff init was not run in this clone: no hook tells of briefs or checks commits, but every command works'
  const { path, program, node, isCurrent, hasAliases } = runner
  if (!program.isThere) return `the hooks do nothing, as they call a handoff that is gone: ${program.path}`
  if (!node.isThere) return `the hooks call a Node that is gone: ${node.path}`
  if (!program.isCopy) return `the hooks call a program that a checkout can change: ${program.path}`
  if (program.version !== version)
    return `the hooks call handoff ${program.version ?? 'of an unknown version'} (${program.path}), ${version} runs`
  if (!hasAliases)
    return 'alias.handoff, alias.handoff-hook or handoff.hooks is gone from .git/config, so hooks of agents do nothing'
  return isCurrent ? null : `the hook runner, ${path}, was written by another version`
}

/** What `init` puts into the settings of an agent. */
function setupProblems(agent: AgentFacts, { runner }: RepoFacts, facts: Facts) {
  const { id, label, setup, shadow, sessions } = agent
  if (setup === null) return []
  const { state, missing } = setup
  const command = initCommand(facts, [id])
  // An agent that merely is on the machine wants nothing; where `init` was never run, `runner` says so.
  if (state === 'none')
    return [
      runner !== null &&
        (sessions ?? 0) > 0 &&
        warning(`${label} works here and is not set up, so nothing tells it of a brief`, command),
    ]
  return [
    shadow !== null &&
      warning(`${shadow} wins over /handoff in ${label}: type /git-handoff, or rename it`, null),
    missing.length > 0 && warning(`the set-up of ${label} is missing or old: ${missing.join(', ')}`, command),
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
  const findings = checks.flatMap(({ id, about, look }): Finding[] => {
    const found = look(facts)
    const problems = (found ?? []).filter((one) => one !== false)
    if (found !== null && problems.length === 0)
      return [{ id, level: 'ok', title: about, detail: '', fix: null }]
    return problems.map((one) => ({ id, ...one }))
  })
  return (['error', 'warning', 'ok'] as const).flatMap((level) =>
    findings.filter((one) => one.level === level),
  )
}
