import type { AgentFacts, Facts, RepoFacts } from '../../../src/doctor/read-facts.ts'

/** A repository in which all is well. */
export const wellRepo = (changes: Partial<RepoFacts> = {}): RepoFacts => ({
  ignored: null,
  folder: null,
  identity: { name: 'Dev One', email: 'dev@example.com' },
  filter: { final: 'sed x', wanted: 'sed x' },
  latest: {
    state: 'ours',
    isTracked: true,
    isRight: true,
    isRightInHead: true,
    hasCopy: true,
    attribute: 'handoff',
    attributes: { isThere: true, isInHead: true },
  },
  runner: {
    path: '.git/handoff/hook',
    node: { path: '/usr/bin/node', isThere: true },
    program: { path: '/opt/handoff.cjs', isThere: true, version: '1.2.3', isCopy: true },
    isCurrent: true,
    hasAliases: true,
  },
  setUp: ['claude-code'],
  problem: null,
  left: [],
  gitHooks: {
    manager: 'plain',
    where: '.git/hooks',
    isUnwanted: false,
    missing: [],
    left: [],
    uncalled: [],
    closed: [],
    activate: null,
    warnings: [],
  },
  locks: [],
  parked: [],
  operation: null,
  uncommitted: [],
  drafts: [],
  origin: { url: 'https://example.org/a.git', trusted: 'https://example.org/a.git' },
  ...changes,
})

/** An agent that is here, set up and trusted. */
export const wellAgent = (changes: Partial<AgentFacts> = {}): AgentFacts => ({
  id: 'claude-code',
  label: 'Claude Code',
  program: '/usr/bin/claude',
  hasRun: true,
  sessions: 2,
  sessionsProblem: null,
  shadow: null,
  setup: { state: 'done', missing: [] },
  trust: { folder: true, waiting: [], where: '~/.claude.json' },
  ...changes,
})

/** A machine and a repository in which all is well. */
export const well = (changes: Partial<Facts> = {}): Facts => {
  const ours = { path: '/usr/bin/handoff', name: 'git-handoff', version: '1.2.3', isOurs: true }
  return {
    version: '1.2.3',
    call: 'handoff',
    node: '20.20.2',
    git: '2.39.5',
    onPath: { handoff: ours, gitHandoff: ours },
    off: null,
    config: { problem: null, unknown: [], ownFile: '~/.config/handoff/config.yaml' },
    agents: [wellAgent()],
    repo: wellRepo(),
    noRepo: null,
    ...changes,
  }
}
