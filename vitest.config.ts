import { defineConfig } from 'vitest/config'
import { LongFirst } from './test/long-first.ts'

// Tiers, each with its own time limit: unit (no disk), repo (real git in temporary folders), e2e (the built program),
// torture (the built program under kills, errors and enemies; a few cases of each kind, see test/torture/run.mjs for more), nightly (what
// repo and e2e take a sample of or leave out), clients (the built program with real coding agents and a scripted model), browser (a page
// in a real Chromium). `npm test` runs the first four and so does CI, which runs the last as well where a Chromium can be had;
// `npm run test:e2e` runs e2e and clients: the agents are large and are installed on demand.
const tier = (name: string, testTimeout: number) => ({
  test: {
    name,
    include: [`test/${name}/**/*.test.ts`],
    pool: 'forks' as const,
    setupFiles: ['test/seed.ts', 'test/repo/clean-up.ts'],
    testTimeout,
    hookTimeout: testTimeout,
    env: { NODE_EXTRA_CA_CERTS: '' },
  },
})

/** Those of which the run by day takes a sample: test/sampled.ts. */
export const IN_PART = [
  'repo/agents/identify-file',
  'repo/agents/not-understood',
  'repo/agents/opencode-live',
  'repo/agents/pi-extension',
  'repo/commands/ask',
  'repo/commands/branch-secret',
  'repo/commands/brief-status',
  'repo/commands/chain',
  'repo/commands/check',
  'repo/commands/claims',
  'repo/commands/constraints',
  'repo/commands/create-acp',
  'repo/commands/create-json',
  'repo/commands/demo',
  'repo/commands/doctor',
  'repo/commands/done',
  'repo/commands/dry-run',
  'repo/commands/edit',
  'repo/commands/git-hook',
  'repo/commands/hook',
  'repo/commands/ids',
  'repo/commands/ignored',
  'repo/commands/inherit-trust',
  'repo/commands/init',
  'repo/commands/init-ask',
  'repo/commands/init-ci',
  'repo/commands/init-keeps',
  'repo/commands/init-other-name',
  'repo/commands/latest',
  'repo/commands/mcp',
  'repo/commands/mistyped',
  'repo/commands/moment',
  'repo/commands/narrative',
  'repo/commands/notes-wanted',
  'repo/commands/passed-over',
  'repo/commands/prune',
  'repo/commands/receipt',
  'repo/commands/redaction',
  'repo/commands/repeat',
  'repo/commands/request',
  'repo/commands/resume',
  'repo/commands/review',
  'repo/commands/rule',
  'repo/commands/separate-branch',
  'repo/commands/shared-repository',
  'repo/commands/show-log',
  'repo/commands/show-screen',
  'repo/commands/skills',
  'repo/commands/stacking',
  'repo/commands/stale-notes',
  'repo/commands/status-here',
  'repo/commands/stranger',
  'repo/commands/templates',
  'repo/commands/trust',
  'repo/commands/until',
  'repo/commands/which-session',
  'repo/commands/why',
  'repo/drift/diff',
  'repo/drift/verify',
  'repo/git/checks',
  'repo/git/commit-files',
  'repo/git/odd-branches',
  'repo/git/operations',
  'repo/git/read-state',
  'repo/git/reading',
  'repo/git/selection',
  'repo/hooks/runner',
  'repo/html/log-html',
  'repo/lib/library',
  'repo/life/after-done',
  'repo/life/generated',
  'repo/life/hears',
  'repo/life/hints',
  'repo/life/left-behind',
  'repo/life/meta-index',
  'repo/life/moving',
  'repo/life/own-files',
  'repo/life/pages',
  'repo/life/played',
  'repo/life/second-clone',
  'repo/life/trunk',
  'repo/life/untrusted',
  'repo/log/agent-log',
  'repo/log/choose',
  'repo/log/parents',
  'repo/merges/filter',
  'repo/merges/refresh',
  'repo/remote/branch-secret',
  'repo/remote/odd-push',
  'repo/remote/open',
  'repo/remote/pull',
  'repo/remote/push',
  'repo/work/conversation',
  'repo/work/hostile',
  'repo/work/killed',
  'repo/work/own-worktree',
  'repo/work/round-trips',
  'repo/work/travel',
  'e2e/ci/action',
  'e2e/committed-hooks',
  'e2e/extract',
  'e2e/git-hooks',
  'e2e/hand-create',
  'e2e/hand-init',
  'e2e/hand-keys',
  'e2e/hand-narrative',
  'e2e/hand-pick',
  'e2e/mcp',
  'e2e/package',
  'e2e/started-agent',
  'e2e/switch',
  'unit/agents/long-runs',
  'unit/brief/fit',
  'unit/brief/front-matter',
  'unit/brief/quote',
  'unit/brief/round-trip',
  'unit/brief/working-memory',
  'unit/facts/long-lines',
  'unit/facts/long-runs',
  'unit/facts/whole',
  'unit/secrets/generated',
  'unit/secrets/recall',
  'unit/secrets/time',
  'unit/session/cut-session',
  'unit/text/visible',
  'unit/validate/hostile',
].map(file)

/** One that puts another in the place of a module which others have loaded, and so shares none. */
export const ALONE = ['repo/store/unsynced-folder'].map(file)

function file(name: string): string {
  return `test/${name}.test.ts`
}

/** Place of a project in the row, and its workers: each loads and compiles the sources anew, and few of these tests wait. */
function after(groupOrder: number, maxWorkers: number) {
  return { sequence: { groupOrder }, maxWorkers }
}

const e2e = tier('e2e', 240_000).test
const built = {
  test: {
    ...e2e,
    exclude: ['test/e2e/clients/**'],
    globalSetup: ['test/compiled.ts'],
    isolate: false,
  },
}
const nightly = {
  test: {
    ...e2e,
    name: 'nightly',
    include: ['test/nightly/**/*.test.ts', ...IN_PART],
    env: { ...e2e.env, HANDOFF_NIGHTLY: '1' },
    globalSetup: ['test/compiled.ts'],
  },
}
// What it tests keeps nothing from one call to the next, so that files can share what is loaded: half of the time.
const unit = { test: { ...tier('unit', 30_000).test, isolate: false, ...after(2, 2) } }
// Hooks of git start the built program here too. A test that starts a hundred processes of git takes a minute on a slow machine.
const inRepo = { ...tier('repo', 240_000).test, globalSetup: ['test/compiled.ts'], ...after(1, 2) }
const repo = { test: { ...inRepo, exclude: ALONE, isolate: false } }
const alone = { test: { ...inRepo, name: 'alone', include: ALONE } }
const clients = {
  test: {
    ...e2e,
    name: 'clients',
    include: ['test/e2e/clients/*.test.ts'],
    globalSetup: ['test/e2e/client/setup.ts'],
  },
}

const torture = {
  test: { ...tier('torture', 900_000).test, globalSetup: ['test/torture/setup.ts'] },
}

// CI counts what ran in a file of results.
const results = process.env.VITEST_JSON

export default defineConfig({
  test: {
    // For two processors: most time goes to processes of git and of the program, and where a test waits, for a terminal or a limit of
    // time, another worker goes on.
    maxWorkers: 4,
    sequence: { sequencer: LongFirst },
    // A failure names what it found, also where only its message is kept.
    chaiConfig: { truncateThreshold: 1000 },
    reporters: results ? ['default', ['json', { outputFile: results }]] : ['default'],
    projects: [unit, repo, alone, built, torture, nightly, clients, tier('browser', 60_000)],
  },
})
