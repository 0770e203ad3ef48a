import { describe, expect, it } from 'vitest'
import { checks, diagnose, type Finding } from '../../../src/doctor/diagnose.ts'
import type { AgentFacts, Facts, RepoFacts } from '../../../src/doctor/read-facts.ts'
import { dubiousOwner } from '../../../src/errors/git.ts'
import { well, wellAgent, wellRepo } from './facts.ts'

const problems = (facts: Facts): Finding[] => diagnose(facts).findings.filter(({ level }) => level !== 'ok')
const ofRepo = (changes: Partial<RepoFacts>, more: Partial<Facts> = {}): Finding[] =>
  problems(well({ ...more, repo: wellRepo(changes) }))
const ofAgent = (changes: Partial<AgentFacts>): Finding[] => problems(well({ agents: [wellAgent(changes)] }))
const latest = (changes: Partial<RepoFacts['latest']>) => ({ latest: { ...wellRepo().latest, ...changes } })
const runner = (changes: Partial<NonNullable<RepoFacts['runner']>>) => {
  const { runner: one } = wellRepo()
  return one === null ? {} : { runner: { ...one, ...changes } }
}
const program = (changes: object) => {
  const { runner: one } = wellRepo()
  return one === null ? {} : { runner: { ...one, program: { ...one.program, ...changes } } }
}
const gitHooks = (changes: object) => {
  const { gitHooks: one } = wellRepo()
  return one === null ? {} : { gitHooks: { ...one, ...changes } }
}
const stranger = { path: '/usr/bin/handoff', name: 'handoff', version: '0.3.0' }

it('says nothing where all is well, and every check has looked', () => {
  const { findings, leftOut } = diagnose(well())
  expect(findings.filter(({ level }) => level !== 'ok')).toEqual([])
  expect(leftOut).toEqual([])
  expect(findings).toHaveLength(checks.length)
})

/** Id and level of what is found, and a part of the command that mends it. */
const cases: [string, () => Finding[], string, 'warning' | 'error', string | null][] = [
  ['no git', () => problems(well({ git: null })), 'git', 'error', null],
  ['a git that is refused', () => problems(well({ git: '2.29.3' })), 'git', 'error', null],
  ['a git without protection', () => problems(well({ git: '2.37.0' })), 'git', 'warning', null],
  ['an old Node', () => problems(well({ node: '18.20.4' })), 'node', 'error', 'nvm install 20'],
  [
    'a home that is gone',
    () => problems(well({ home: { path: '/home/dev', is: 'missing' } })),
    'home',
    'warning',
    'mkdir -p /home/dev',
  ],
  [
    'a home that is a file',
    () => problems(well({ home: { path: '/home/dev', is: 'no folder' } })),
    'home',
    'warning',
    null,
  ],
  [
    'a repository of somebody else',
    () =>
      problems(
        well({
          repo: null,
          noRepo: {
            message: 'Git refuses it',
            hint: dubiousOwner('/r').hint,
          },
        }),
      ),
    'repository',
    'error',
    'git config --global --add safe.directory /r',
  ],
  [
    'a broken configuration',
    () =>
      problems(
        well({ config: { ...well().config, problem: '.handoff/config.yaml: `edit` must be true or false' } }),
      ),
    'configuration',
    'error',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is for a shell.
    '${EDITOR:-vi} .handoff/config.yaml',
  ],
  [
    'an unknown key',
    () =>
      problems(
        well({
          config: { ...well().config, unknown: [{ name: 'maxFile', where: 'package.json', isOwn: false }] },
        }),
      ),
    'configuration',
    'warning',
    'package.json',
  ],
  [
    'a key of one’s own in a repository',
    () =>
      problems(
        well({
          config: { ...well().config, unknown: [{ name: 'notify', where: '.handoffrc', isOwn: true }] },
        }),
      ),
    'configuration',
    'warning',
    '.handoffrc',
  ],
  [
    'code for a configuration',
    () => problems(well({ config: { ...well().config, refusedCode: 'handoff.config.js' } })),
    'configuration',
    'warning',
    'allowExecutableConfig: true',
  ],
  [
    'a rule that hides the folder',
    () => ofRepo({ ignored: { source: '.gitignore', line: '3', pattern: '.handoff' } }),
    'ignored',
    'error',
    '>> .gitignore',
  ],
  [
    'a rule inside of the folder',
    () => ofRepo({ ignored: { source: '.handoff/.gitignore', line: '2', pattern: '*' } }),
    'ignored',
    'error',
    "sed -i.bak '2d' .handoff/.gitignore",
  ],
  [
    'a folder of another tool',
    () =>
      ofRepo({
        folder: { code: 'E_FOREIGN_FOLDER', message: '.handoff/ belongs to something else: it holds x' },
      }),
    'folder',
    'error',
    'mv .handoff .handoff.before',
  ],
  [
    'a link for a folder of briefs',
    () => ofRepo({ folder: { code: 'E_UNSAFE_PATH', message: '.handoff/briefs is a symbolic link; …' } }),
    'folder',
    'error',
    'mv .handoff/briefs .handoff-briefs.before',
  ],
  [
    'a lock',
    () => ofRepo({ locks: [{ path: '.git/index.lock', ageSeconds: 90 }] }),
    'locks',
    'error',
    'rm .git/index.lock',
  ],
  [
    'nobody’s commits',
    () => ofRepo({ identity: { name: '', email: 'a@b' } }),
    'identity',
    'warning',
    'git config --global user.name "Your Name"',
  ],
  [
    'a stranger’s program on PATH',
    () => problems(well({ onPath: { handoff: stranger, gitHandoff: null } })),
    'program',
    'warning',
    'npm uninstall --global handoff && npm install --global git-handoff',
  ],
  [
    'another version on PATH',
    () => problems(well({ onPath: { handoff: { ...stranger, name: 'git-handoff' }, gitHandoff: null } })),
    'program',
    'warning',
    'npm install --global git-handoff@1.2.3',
  ],
  [
    'no filter, copy hidden from nobody',
    () => ofRepo({ filter: { local: null, final: null, wanted: 'sed x' } }),
    'filter',
    'error',
    "git config filter.handoff.clean 'sed x'",
  ],
  [
    'no filter in a fresh clone',
    () =>
      ofRepo({
        filter: { local: null, final: null, wanted: 'sed x' },
        ...latest({ marker: null, current: null }),
      }),
    'filter',
    'warning',
    'git config filter',
  ],
  [
    'a filter of one worktree',
    () => ofRepo({ filter: { local: 'sed x', final: 'cat', wanted: 'sed x' } }),
    'filter',
    'error',
    'git config --worktree --unset-all filter.handoff.clean',
  ],
  [
    'no attributes',
    () => ofRepo(latest({ attribute: null, attributes: { isThere: false, isInHead: true } })),
    'attributes',
    'warning',
    'git checkout HEAD -- .handoff/.gitattributes',
  ],
  [
    'attributes that others win over',
    () => ofRepo(latest({ attribute: 'lfs' })),
    'attributes',
    'warning',
    'info/attributes',
  ],
  [
    'latest.md gone',
    () => ofRepo(latest({ state: null })),
    'latest',
    'warning',
    'git checkout -- .handoff/latest.md',
  ],
  [
    'latest.md in conflict',
    () => ofRepo(latest({ state: 'conflicted' })),
    'latest',
    'warning',
    'git checkout HEAD -- .handoff/latest.md',
  ],
  [
    'latest.md of somebody',
    () => ofRepo(latest({ state: 'changed' })),
    'latest',
    'warning',
    'git checkout HEAD -- .handoff/latest.md',
  ],
  ['latest.md committed wrong', () => ofRepo(latest({ isRight: false })), 'latest', 'warning', null],
  ['latest.md written into', () => ofRepo(latest({ isEdited: true })), 'latest', 'warning', 'handoff status'],
  [
    'latest.md of another brief',
    () => ofRepo(latest({ current: 'B' })),
    'latest',
    'warning',
    'handoff status',
  ],
  [
    'latest.md of another branch',
    () => ofRepo(latest({ branch: 'other' })),
    'latest',
    'warning',
    'handoff status',
  ],
  [
    'latest.md without the brief',
    () => ofRepo(latest({ marker: null })),
    'latest',
    'warning',
    'handoff status',
  ],
  [
    'a parked brief',
    () =>
      ofRepo({
        parked: [
          { id: 'P', path: '.handoff/briefs/P.md', branch: 'refs/heads/main', isGone: false, isHere: true },
        ],
      }),
    'parked',
    'warning',
    'git cherry-pick refs/handoff/P',
  ],
  [
    'a parked brief of another branch',
    () =>
      ofRepo({ parked: [{ id: 'P', path: 'p', branch: 'refs/heads/a b', isGone: false, isHere: false }] }),
    'parked',
    'warning',
    "git switch 'a b' && git cherry-pick refs/handoff/P",
  ],
  [
    'a parked brief in a rebase',
    () =>
      ofRepo({
        operation: 'rebase',
        parked: [{ id: 'P', path: 'p', branch: 'refs/heads/main', isGone: false, isHere: true }],
      }),
    'parked',
    'warning',
    'git rebase --continue',
  ],
  [
    'a brief without a commit',
    () => ofRepo({ uncommitted: ['.handoff/briefs/x.md'] }),
    'uncommitted',
    'warning',
    'git add -- .handoff/briefs/x.md && git commit',
  ],
  [
    'a draft of a killed handoff',
    () => ofRepo({ drafts: [{ path: '.git/handoff/drafts/x.md', why: 'killed' }] }),
    'uncommitted',
    'warning',
    'rm .git/handoff/drafts/x.md',
  ],
  [
    'a switch that nobody goes on with',
    () =>
      ofRepo({
        requests: [
          { id: 'r-1', agent: 'pi', state: 'stopped', isSwitch: true, isStalled: true, ageSeconds: 9 },
        ],
      }),
    'requests',
    'warning',
    'handoff switch --continue r-1',
  ],
  [
    'a request without an answer',
    () =>
      ofRepo({
        requests: [
          { id: 'r-1', agent: 'pi', state: 'asked', isSwitch: false, isStalled: false, ageSeconds: 90_000 },
        ],
      }),
    'requests',
    'warning',
    'handoff request --cancel r-1',
  ],
  [
    'a fetch without briefs',
    () => ofRepo({ fetch: { state: 'lacking', isSeparate: true } }),
    'refspecs',
    'warning',
    'handoff init --refspecs',
  ],
  [
    'an origin that moved',
    () => ofRepo({ origin: { url: 'https://b', trusted: 'https://a' } }),
    'origin-trust',
    'warning',
    'handoff trust --origin',
  ],
  [
    'an origin that is gone',
    () => ofRepo({ origin: { url: null, trusted: 'https://a' } }),
    'origin-trust',
    'warning',
    'handoff trust --origin --revoke',
  ],
  ['hooks switched off', () => problems(well({ isOff: true })), 'switched-off', 'warning', 'unset HANDOFF'],
  [
    'hooks without a runner',
    () => ofRepo({ runner: null }),
    'runner',
    'warning',
    'handoff init --agent claude-code --yes',
  ],
  [
    'a runner whose program is gone',
    () => ofRepo(program({ isThere: false })),
    'runner',
    'warning',
    'handoff init --agent claude-code --yes',
  ],
  [
    'a runner whose Node is gone',
    () => ofRepo(runner({ node: { path: '/old/node', isThere: false } })),
    'runner',
    'warning',
    'handoff init',
  ],
  [
    'a runner into the work tree',
    () => ofRepo(program({ isCopy: false })),
    'runner',
    'warning',
    'handoff init',
  ],
  [
    'a runner of another version',
    () => ofRepo(program({ version: '1.0.0' })),
    'runner',
    'warning',
    'handoff init',
  ],
  [
    'a runner written by another version',
    () => ofRepo(runner({ isCurrent: false })),
    'runner',
    'warning',
    'handoff init',
  ],
  [
    'hooks of git missing',
    () => ofRepo(gitHooks({ missing: ['.git/hooks/pre-commit'] })),
    'git-hooks',
    'warning',
    'handoff init',
  ],
  [
    'hooks of git not executable',
    () => ofRepo(gitHooks({ closed: ['.git/hooks/post-merge'] })),
    'git-hooks',
    'warning',
    'chmod +x .git/hooks/post-merge',
  ],
  [
    'a manager that is not active',
    () => ofRepo(gitHooks({ manager: 'lefthook', uncalled: ['pre-commit'], activate: 'lefthook install' })),
    'git-hooks',
    'warning',
    'lefthook install',
  ],
  [
    'hooks of git elsewhere',
    () => ofRepo(gitHooks({ warnings: ['core.hooksPath is elsewhere'] })),
    'git-hooks',
    'warning',
    null,
  ],
  [
    'a hook of somebody else',
    () => ofRepo(gitHooks({ left: [{ path: '.git/hooks/pre-commit', reason: 'x' }] })),
    'git-hooks',
    'warning',
    null,
  ],
  [
    'hooks of an agent not whole',
    () => ofAgent({ setup: { state: 'partly', missing: ['.mcp.json'], left: [], problem: null } }),
    'agent-hooks',
    'warning',
    'handoff init --agent claude-code --yes',
  ],
  [
    'an agent that works here and is not set up',
    () => ofAgent({ setup: { state: 'none', missing: ['.mcp.json'], left: [], problem: null } }),
    'agent-hooks',
    'warning',
    'handoff init --agent claude-code --yes',
  ],
  [
    'C11: a skill of the person that wins over ours',
    () =>
      ofAgent({
        setup: { state: 'done', missing: [], left: [], problem: null },
        shadow: '~/.claude/skills/handoff/SKILL.md',
      }),
    'agent-hooks',
    'warning',
    null,
  ],
  [
    'settings that cannot be read',
    () => ofAgent({ setup: { state: 'partly', missing: [], left: [], problem: 'x:1: y' } }),
    'agent-hooks',
    'warning',
    null,
  ],
  [
    'a folder that is not trusted',
    () => ofAgent({ trust: { folder: false, waiting: [], where: 'x' } }),
    'agent-trust',
    'warning',
    'claude',
  ],
  [
    'hooks that wait for trust',
    () => ofAgent({ trust: { folder: true, waiting: ['Stop'], where: 'x' } }),
    'agent-trust',
    'warning',
    'claude',
  ],
  [
    'an agent that hangs',
    () => ofAgent({ version: null, why: 'no answer within 5 s' }),
    'agents',
    'warning',
    null,
  ],
  [
    'sessions out of reach',
    () => ofAgent({ sessions: null, sessionsProblem: 'no' }),
    'agents',
    'warning',
    null,
  ],
  [
    'a service without the package that it is reached through',
    () =>
      problems(
        well({ models: { found: ['@ai-sdk/openai'], missing: ['ai'], install: 'npm install --global ai' } }),
      ),
    'models',
    'warning',
    'npm install --global ai',
  ],
  [
    'that package without any service',
    () =>
      problems(
        well({
          models: { found: ['ai'], missing: ['@ai-sdk/openai'], install: 'npm install @ai-sdk/openai' },
        }),
      ),
    'models',
    'warning',
    'npm install @ai-sdk/openai',
  ],
]

describe('every broken state', () => {
  it.each(cases)('%s', (_, look, id, level, fix) => {
    const found = look()
    expect(found.map((one) => [one.id, one.level])).toEqual([[id, level]])
    const [one] = found
    expect(one?.title).not.toBe('')
    expect(one?.detail).not.toBe('')
    if (fix === null) expect(one?.fix).toBeNull()
    else expect(one?.fix).toContain(fix)
  })

  it('is found by every check at least once', () => {
    expect(new Set(cases.map(([, , id]) => id))).toEqual(new Set(checks.map(({ id }) => id)))
  })
})

it('tells the worst first and leaves out what has nothing to look at', () => {
  const facts = well({ isOff: true, git: null, repo: null })
  const { findings, leftOut } = diagnose(facts)
  expect(findings.slice(0, 2).map(({ id }) => id)).toEqual(['git', 'switched-off'])
  expect(leftOut.map(({ why }) => why)).toEqual(leftOut.map(() => 'repository'))
  expect(leftOut.map(({ id }) => id)).toEqual(checks.flatMap((one) => (one.lookIn ? [one.id] : [])))
  const idle = diagnose(well({ repo: wellRepo({ fetch: { state: 'lacking', isSeparate: false } }) }))
  expect(idle.leftOut).toEqual([{ id: 'refspecs', why: 'idle' }])
})

it('says nothing of hooks beyond one line where init was never run', () => {
  const never = well({
    repo: wellRepo({
      runner: null,
      setUp: [],
      gitHooks: { ...wellRepo().gitHooks, missing: ['.git/hooks/pre-commit'] } as RepoFacts['gitHooks'],
    }),
    agents: [wellAgent({ setup: { state: 'none', missing: ['.mcp.json'], left: [], problem: null } })],
  })
  expect(problems(never).map(({ id, title }) => [id, title])).toEqual([
    ['runner', 'handoff init was not run in this clone'],
  ])
})
