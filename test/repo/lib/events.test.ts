import type { ChildProcess } from 'node:child_process'
import { channel } from 'node:diagnostics_channel'
import { mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import { type AtifStep, checkBrief, createBrief, readBrief } from '../../../src/index.ts'
import { NOW } from '../cli.ts'
import { hashFiles } from '../hash-files.ts'
import { makeEnv, makeFolder, makeRepo } from '../make-repo.ts'
import { GOAL } from '../usual.ts'

const EVENTS: AtifStep[] = [
  {
    source: 'user',
    message: 'The queue drops jobs. Do not touch api.ts.',
    timestamp: '2026-11-03T09:00:00Z',
  },
  {
    source: 'agent',
    message: [{ type: 'text', text: 'The limit is off by one; I change it.' }],
    tool_calls: [
      { tool_call_id: 'one', function_name: 'Edit', arguments: { file_path: 'src/queue.ts' } },
      { tool_call_id: 'two', function_name: 'Bash', arguments: { command: 'npm test' } },
    ],
    observation: {
      results: [
        { source_call_id: 'one', content: 'done' },
        { source_call_id: 'two', content: '1 failed: queue keeps the last job\nExit code: 1' },
      ],
    },
  },
  { source: 'agent', message: 'One test fails still. The key is ghp_16C7e42F292c6912E7710c838347Ae178B4a.' },
]

afterEach(() => vi.unstubAllEnvs())

/** Everything that a call could write to, without git on PATH. */
function nowhere() {
  const base = makeFolder()
  const home = join(base, 'home')
  const tmp = join(base, 'tmp')
  const cwd = join(base, 'work')
  const env = { ...makeEnv(home), PATH: join(base, 'no-programs') }
  for (const folder of [tmp, cwd]) mkdirSync(folder)
  vi.stubEnv('TMPDIR', tmp)
  // A file that came and went leaves the time of its folder changed.
  const state = () => [
    hashFiles(base),
    ...[base, home, tmp, cwd].map((folder) => statSync(folder, { bigint: true }).mtimeNs),
  ]
  return { state, around: { cwd, home, env, now: () => NOW } }
}

it('makes, reads and checks a brief of events in memory: without a repository, git or a trace', async () => {
  const { state, around } = nowhere()
  const before = state()
  const tried: { process: ChildProcess }[] = []
  const note = (message: unknown): void => void tried.push(message as { process: ChildProcess })
  channel('child_process').subscribe(note)
  const made = await createBrief({ ...around, goal: GOAL, events: EVENTS, dryRun: true })
  expect(made).toMatchObject({ ok: true, commit: null, session: { agent: 'atif' } })
  expect(made.brief.constraints.map(({ text }) => text)).toContain('Do not touch api.ts.')
  expect(made.brief.relevantFiles.map(({ path }) => path)).toEqual(['src/queue.ts'])
  expect(made.markdown).toContain('queue keeps the last job')
  expect(made.markdown).not.toContain('ghp_')

  const { markdown } = made
  const read = await readBrief({ ...around, markdown })
  expect(read).toMatchObject({ id: made.id, path: '-', text: markdown, brief: { goal: GOAL } })
  expect(await checkBrief({ ...around, markdown })).toMatchObject({ ok: true, findings: [] })
  const other = markdown.replace('## Status', '## State')
  expect((await checkBrief({ ...around, markdown: other })).findings[0]?.rule).toBe('sections')
  expect(state()).toEqual(before)
  channel('child_process').unsubscribe(note)
  // Only git is looked for, and it is not there.
  expect(new Set(tried.map(({ process }) => process.spawnfile))).toEqual(new Set(['git']))
  expect(tried.filter(({ process }) => process.pid !== undefined)).toEqual([])
})

it('says the same as the file that holds them', async () => {
  const { around } = nowhere()
  const transcript = JSON.stringify({ schema_version: 'ATIF-v1.7', steps: EVENTS })
  const ask = { ...around, goal: GOAL, dryRun: true }
  const [events, text] = await Promise.all([
    createBrief({ ...ask, events: EVENTS }),
    createBrief({ ...ask, transcript }),
  ])
  const told = ({ brief: { agent: _, id: __, tokens: ___, ...brief } }: typeof events) => brief
  expect(told(events)).toEqual(told(text))
})

it.each(['.', 'src', '../linked'])('says in a repository that git is missing: %s', async (folder) => {
  const repo = makeRepo()
  repo.write('src/a.ts', '')
  repo.git(['worktree', 'add', '--quiet', '../linked'])
  const { around } = nowhere()
  const call = createBrief({
    ...around,
    cwd: join(repo.root, folder),
    goal: GOAL,
    events: EVENTS,
    dryRun: true,
  })
  await expect(call).rejects.toMatchObject({ code: 'E_GIT_MISSING' })
})

it('says outside of one that git is missing where a brief is to be committed', async () => {
  const call = createBrief({ ...nowhere().around, goal: GOAL, events: EVENTS })
  await expect(call).rejects.toMatchObject({ code: 'E_GIT_MISSING' })
})
