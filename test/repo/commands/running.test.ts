import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { byNight } from '../../sampled.ts'
import { cli, NOW } from '../cli.ts'
import type { TempRepo } from '../make-repo.ts'
import { until } from '../moment.ts'
import { create, later, made, succeeded, usual, withBrief } from '../usual.ts'

const runningIn = async (repo: TempRepo, cwd = repo.root) =>
  succeeded(await cli(repo, ['status', '--json'], { cwd, now: later(1) })).running

const recordsIn = (repo: TempRepo): string[] =>
  readdirSync(join(repo.root, '.git/handoff')).filter((name) => name.startsWith('run.'))

it('status shows a brief that is being made, in every worktree, until it is made or cancelled', async () => {
  const repo = usual()
  const linked = join(repo.base, 'linked')
  repo.git(['worktree', 'add', '-q', linked])
  const controller = new AbortController()
  // The clock stands still, so it waits until it is cancelled.
  const making = create(repo, ['--wait-notes', '1h'], { signal: controller.signal })
  await until(async () => (await runningIn(repo)).length > 0, making, 50)
  const expected = [{ pid: process.pid, startedAt: NOW.toISOString(), root: repo.root, seconds: 60 }]
  expect(await runningIn(repo)).toEqual(expected)
  expect(await runningIn(repo, linked)).toEqual(expected)
  const { stdout } = await cli(repo, ['status'], { now: later(1) })
  expect(stdout).toContain(`Being made: a brief of ${repo.root}, for 60 s (process ${process.pid})\n`)
  controller.abort()
  expect((await making).code).not.toBe(0)
  expect(await runningIn(repo)).toEqual([])
  expect(recordsIn(repo)).toEqual([])
})

byNight('what was killed is not shown, and is swept when it is old', async () => {
  const { repo } = await withBrief()
  const own = `run.${process.pid}.7`
  const put = (name: string, record: unknown) =>
    writeFileSync(
      join(repo.root, '.git/handoff', name),
      typeof record === 'string' ? record : JSON.stringify(record),
    )
  const record = { schemaVersion: 1, startedAt: NOW.toISOString(), root: repo.root }
  mkdirSync(join(repo.root, '.git/handoff'), { recursive: true })
  put(own, record)
  expect(await runningIn(repo)).toHaveLength(1)
  for (const odd of ['', '{', 'null', '[]', { ...record, root: 7 }, { ...record, startedAt: {} }]) {
    put(own, odd)
    expect(await runningIn(repo), JSON.stringify(odd)).toEqual([])
  }
  // No process has so high a number.
  const dead = 'run.99999999.7'
  put(dead, record)
  expect(await runningIn(repo)).toEqual([])
  utimesSync(join(repo.root, '.git/handoff', dead), 0, 0)
  repo.write('src/queue.ts', 'again\n')
  await made(repo, [], { now: later(2) })
  expect(recordsIn(repo)).toEqual([own])
})
