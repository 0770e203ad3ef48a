import { expect, it } from 'vitest'
import { checks, diagnose, type Finding } from '../../../src/doctor/checks.ts'
import type { AgentFacts, Facts, RepoFacts } from '../../../src/doctor/read-facts.ts'
import { dubiousOwner } from '../../../src/errors/git.ts'
import { well, wellAgent, wellRepo } from './facts.ts'

const problems = (facts: Facts): Finding[] => diagnose(facts).filter(({ level }) => level !== 'ok')
const repo = (changes: Partial<RepoFacts>): Facts => well({ repo: wellRepo(changes) })
const agent = (changes: Partial<AgentFacts>): Facts => well({ agents: [wellAgent(changes)] })
const config = (changes: Partial<Facts['config']>): Facts =>
  well({ config: { ...well().config, ...changes } })
const latest = (changes: Partial<RepoFacts['latest']>): Facts =>
  repo({ latest: { ...wellRepo().latest, ...changes } })
const { runner: usualRunner, gitHooks: usualHooks } = wellRepo()
if (usualRunner === null) throw new Error('a runner is usual')
const runner = (changes: Partial<typeof usualRunner>): Facts =>
  repo({ runner: { ...usualRunner, ...changes } })
const program = (changes: Partial<(typeof usualRunner)['program']>): Facts =>
  runner({ program: { ...usualRunner.program, ...changes } })
const hooks = (changes: Partial<typeof usualHooks>): Facts =>
  repo({ gitHooks: { ...usualHooks, ...changes } })
const setup = (changes: Partial<NonNullable<AgentFacts['setup']>>): Facts =>
  agent({ setup: { state: 'partly', missing: [], ...changes } })
const stranger = { path: '/usr/bin/handoff', name: 'handoff', version: '0.3.0', isOurs: false }
const parked = { id: 'P', branch: 'refs/heads/main', isGone: false, isHere: true, onDisk: null }
const noFilter = { local: null, final: null, wanted: 'sed x' }
const [E, W] = ['error', 'warning'] as const

it('says nothing where all is well, and every check has looked', () => {
  const found = diagnose(well())
  expect(problems(well())).toEqual([])
  expect(found).toHaveLength(checks.length)
})

/** What is wrong; the check that finds it, its level, and a part of the command that mends it. */
// biome-ignore format: one state a line reads as a table
const cases: [name: string, facts: Facts, id: string, level: Finding['level'], fix: string | null][] = [
  ['no git', well({ git: null }), 'git', E, null],
  ['a git that is refused', well({ git: '2.29.3' }), 'git', E, null],
  ['a git without protection', well({ git: '2.37.0' }), 'git', W, null],
  ['an old Node', well({ node: '18.20.4' }), 'node', E, 'nvm install 20'],
  ['a repository of somebody else', well({ repo: null, noRepo: { message: 'x', hint: dubiousOwner('/r').hint } }), 'repository', E, 'git config --global --add safe.directory /r'],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is for a shell.
  ['a broken configuration', config({ problem: '.handoff/config.yaml: `edit` must be true or false' }), 'configuration', E, '${EDITOR:-vi} .handoff/config.yaml'],
  ['an unknown key', config({ unknown: [{ name: 'x', where: 'package.json', isOwn: false }] }), 'configuration', W, 'package.json'],
  ['a key of one’s own in a repository', config({ unknown: [{ name: 'passEnv', where: '.handoffrc', isOwn: true }] }), 'configuration', W, '.handoffrc'],
  ['a rule that hides the folder', repo({ ignored: { source: '.gitignore', line: '3', pattern: '.handoff' } }), 'ignored', E, '>> .gitignore'],
  ['a rule inside of the folder', repo({ ignored: { source: '.handoff/.gitignore', line: '2', pattern: '*' } }), 'ignored', E, "sed -i.bak '2d' .handoff/.gitignore"],
  ['a folder of another tool', repo({ folder: { code: 'E_FOREIGN_FOLDER', message: '.handoff/ belongs to x' } }), 'folder', E, 'mv .handoff .handoff.before'],
  ['a link for a folder of briefs', repo({ folder: { code: 'E_UNSAFE_PATH', message: '.handoff/briefs is a link' } }), 'folder', E, 'mv .handoff/briefs .handoff-briefs.before'],
  ['a lock', repo({ locks: [{ path: '.git/index.lock', ageSeconds: 90 }] }), 'locks', E, 'rm .git/index.lock'],
  ['nobody’s commits', repo({ identity: { name: '', email: 'a@b' } }), 'identity', W, 'git config --global user.name "Your Name"'],
  ['a stranger’s program on PATH', well({ onPath: { handoff: stranger, gitHandoff: null } }), 'program', W, 'npm uninstall --global handoff && npm install --global git-handoff'],
  ['another version on PATH', well({ onPath: { handoff: { ...stranger, name: 'git-handoff', isOurs: true }, gitHandoff: null } }), 'program', W, 'npm install --global git-handoff@1.2.3'],
  ['no filter, copy hidden from nobody', repo({ filter: noFilter }), 'filter', E, "git config filter.handoff.clean 'sed x'"],
  ['no filter in a fresh clone', repo({ filter: noFilter, latest: { ...wellRepo().latest, hasCopy: false } }), 'filter', W, 'git config filter'],
  ['no attributes', latest({ attribute: null, attributes: { isThere: false, isInHead: true } }), 'attributes', W, 'git checkout HEAD -- .handoff/.gitattributes'],
  ['attributes that others win over', latest({ attribute: 'lfs' }), 'attributes', W, 'info/attributes'],
  ['latest.md gone', latest({ state: null }), 'latest', W, 'git checkout -- .handoff/latest.md'],
  ['latest.md in conflict', latest({ state: 'conflicted' }), 'latest', W, 'git checkout HEAD -- .handoff/latest.md'],
  ['latest.md of somebody', latest({ state: 'changed' }), 'latest', W, 'git checkout HEAD -- .handoff/latest.md'],
  ['latest.md committed wrong', latest({ isRight: false }), 'latest', W, null],
  ['a parked brief', repo({ parked: [parked] }), 'parked', W, 'git cherry-pick refs/handoff/P'],
  ['a parked brief of another branch', repo({ parked: [{ ...parked, branch: 'refs/heads/a b', isHere: false }] }), 'parked', W, "git switch 'a b' && git cherry-pick refs/handoff/P"],
  ['a parked brief whose file is on disk', repo({ parked: [{ ...parked, onDisk: '.handoff/briefs/x.md' }] }), 'parked', W, 'git add -- .handoff/briefs/x.md && git commit'],
  ['a parked brief of a branch that is gone', repo({ parked: [{ ...parked, isGone: true }] }), 'parked', W, 'git branch main refs/handoff/P~1'],
  ['a parked brief in a rebase', repo({ operation: 'rebase', parked: [parked] }), 'parked', W, 'git rebase --continue'],
  ['a brief without a commit', repo({ uncommitted: ['.handoff/briefs/x.md'] }), 'uncommitted', W, 'git add -- .handoff/briefs/x.md && git commit'],
  ['a draft of a killed handoff', repo({ drafts: [{ path: '.git/handoff/drafts/x.md', why: 'stopped' }] }), 'uncommitted', W, 'rm .git/handoff/drafts/x.md'],
  ['an origin that moved', repo({ origin: { url: 'https://b', trusted: 'https://a' } }), 'origin-trust', W, 'handoff trust --origin'],
  ['an origin that is gone', repo({ origin: { url: null, trusted: 'https://a' } }), 'origin-trust', W, 'handoff trust --origin --revoke'],
  ['hooks switched off', well({ off: 'shell' }), 'switched-off', W, 'unset HANDOFF'],
  ['hooks switched off in the clone', well({ off: 'clone' }), 'switched-off', W, 'handoff init --yes'],
  ['hooks without a runner', repo({ runner: null }), 'runner', W, 'handoff init --agent claude-code --yes'],
  ['a runner whose program is gone', program({ isThere: false }), 'runner', W, 'handoff init --agent claude-code --yes'],
  ['a runner whose Node is gone', runner({ node: { path: '/old/node', isThere: false } }), 'runner', W, 'handoff init'],
  ['a runner into the work tree', program({ isCopy: false }), 'runner', W, 'handoff init'],
  ['a runner of another version', program({ version: '1.0.0' }), 'runner', W, 'handoff init'],
  ['a clone without the alias', runner({ hasAliases: false }), 'runner', W, 'handoff init'],
  ['a runner written by another version', runner({ isCurrent: false }), 'runner', W, 'handoff init'],
  ['hooks of git missing', hooks({ missing: ['.git/hooks/pre-commit'] }), 'git-hooks', W, 'handoff init'],
  ['hooks of git not executable', hooks({ closed: ['.git/hooks/post-merge'] }), 'git-hooks', W, 'chmod +x .git/hooks/post-merge'],
  ['a manager that is not active', hooks({ manager: 'lefthook', uncalled: ['pre-commit'], activate: 'lefthook install' }), 'git-hooks', W, 'lefthook install'],
  ['hooks of git elsewhere', hooks({ warnings: ['core.hooksPath is elsewhere'] }), 'git-hooks', W, null],
  ['a hook of somebody else', hooks({ left: [{ path: '.git/hooks/pre-commit', reason: 'x' }] }), 'git-hooks', W, null],
  ['hooks of an agent not whole', setup({ missing: ['.mcp.json'] }), 'agent-hooks', W, 'handoff init --agent claude-code --yes'],
  ['an agent that works here and is not set up', setup({ state: 'none', missing: ['.mcp.json'] }), 'agent-hooks', W, 'handoff init --agent claude-code --yes'],
  ['a skill of the person that wins over ours', agent({ shadow: '~/.claude/skills/handoff/SKILL.md' }), 'agent-hooks', W, null],
  ['a file of somebody else', repo({ left: [{ path: '.mcp.json', reason: 'it has its own `x`' }] }), 'agent-hooks', W, null],
  ['settings that cannot be read', repo({ problem: 'x:1: y' }), 'agent-hooks', W, null],
  ['a folder that is not trusted', agent({ trust: { folder: false, waiting: [], where: 'x' } }), 'agent-trust', W, 'claude'],
  ['hooks that wait for trust', agent({ trust: { folder: true, waiting: ['Stop'], where: 'x' } }), 'agent-trust', W, 'claude'],
  ['sessions out of reach', agent({ sessions: null, sessionsProblem: 'no' }), 'agents', W, null],
]

it.each(cases)('finds %s', (_, facts, id, level, fix) => {
  const found = problems(facts)
  expect(found.map((one) => [one.id, one.level])).toEqual([[id, level]])
  const [one] = found
  expect(one?.title).not.toBe('')
  if (fix === null) expect(one?.fix).toBeNull()
  else expect(one?.fix).toContain(fix)
})

it('has a case for every check', () => {
  expect(new Set(cases.map(([, , id]) => id))).toEqual(new Set(checks.map(({ id }) => id)))
})

it('names the worst first and leaves out what needs a repository where there is none', () => {
  const facts = well({ off: 'shell', git: null, repo: null })
  const found = diagnose(facts)
  expect(found.slice(0, 2).map(({ id }) => id)).toEqual(['git', 'switched-off'])
  expect(found).toHaveLength(checks.filter(({ look }) => look(facts) !== null).length)
  expect(found.length).toBeLessThan(checks.length)
})

it('says nothing of hooks beyond one line where init was never run', () => {
  const never = well({
    repo: wellRepo({
      runner: null,
      setUp: [],
      gitHooks: { ...usualHooks, missing: ['.git/hooks/pre-commit'] },
    }),
    agents: [wellAgent({ setup: { state: 'none', missing: ['.mcp.json'] } })],
  })
  expect(problems(never).map(({ id, title }) => [id, title])).toEqual([
    ['runner', expect.stringMatching(/^handoff init was not run in this clone/)],
  ])
})
