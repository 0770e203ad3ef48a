import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { byNight, describeByNight, sampled } from '../../sampled.ts'
import { type CliResult, cli } from '../cli.ts'
import type { TempRepo } from '../make-repo.ts'
import { create, later, made, succeeded, usual, withBrief } from '../usual.ts'

const isRoot = process.getuid?.() === 0
/** Whom nothing belongs to, where this process may be anybody. */
const NOBODY = 65534

/** Runs a command as another user: all but the private folder, which is the first one's alone, lets everybody in. */
async function asOther(
  repo: TempRepo,
  argv: string[],
  prepare = (): void => chmodSync(join(repo.root, '.git/handoff'), 0),
): Promise<CliResult> {
  execFileSync('chmod', ['-R', 'a+rwX', repo.base])
  // The folder for temporary files may be this user's alone.
  for (let above = dirname(repo.base); above !== dirname(above); above = dirname(above)) {
    const { mode, uid } = statSync(above)
    if (uid === process.getuid?.() && (mode & 0o001) === 0) chmodSync(above, mode | 0o011)
  }
  prepare()
  const safe = { GIT_CONFIG_GLOBAL: join(repo.base, 'safe') }
  repo.git(['config', '-f', safe.GIT_CONFIG_GLOBAL, 'safe.directory', '*'])
  chmodSync(safe.GIT_CONFIG_GLOBAL, 0o644)
  if (isRoot) process.seteuid?.(NOBODY)
  try {
    return await cli(repo, argv, { env: safe, now: later(3) })
  } finally {
    if (isRoot) process.seteuid?.(0)
    chmodSync(join(repo.root, '.git/handoff'), 0o700)
  }
}

const OWNER = isRoot ? 'root' : `user ${process.getuid?.()}`

describe('G-M3: a private folder that belongs to another user', () => {
  it.each(sampled([['status'], ['show'], ['log'], ['verify'], ['check'], ['sessions'], ['doctor']], 1))(
    '%s reads on, and says what it cannot see',
    async (verb) => {
      const { repo, id } = await withBrief()
      const { code, json } = await asOther(repo, [verb, '--json'])
      const told = JSON.stringify(json)
      expect(json.errors ?? [], told).toEqual([])
      if (verb !== 'doctor') expect(code, told).toBe(0)
      expect(told).toContain(`.git/handoff belongs to ${OWNER}`)
      if (['status', 'show', 'log'].includes(verb)) expect(told).toContain(id)
    },
  )

  it.each(
    sampled(
      [
        [['create', 'finish the retry queue in src/queue.ts', '--from', 'git']],
        [['note', '--information', 'the queue is bounded']],
        [['done', 'shipped']],
      ],
      1,
    ),
  )('%s fails with the owner and what to do, and writes nothing', async (argv) => {
    const { repo } = await withBrief()
    const before = repo.git(['rev-parse', 'HEAD'])
    const { code, json } = await asOther(repo, [...argv, '--json'])
    expect(code).toBe(1)
    expect(json.errors).toMatchObject([
      {
        code: 'E_WRITE',
        message: expect.stringContaining(`belongs to ${OWNER}`),
        hint: expect.stringContaining('chown'),
      },
    ])
    expect(repo.git(['rev-parse', 'HEAD'])).toBe(before)
    expect(repo.git(['status', '--porcelain'])).toBe('')
  })
})

describeByNight('a repository that git shares with a group', () => {
  byNight('shares the private folder, whatever the umask', async () => {
    const repo = usual({ init: ['--shared=group'] })
    const umask = process.umask(0o022)
    try {
      await made(repo)
      succeeded(await cli(repo, ['note', '--information', 'bounded', '--json'], { now: later(1) }))
    } finally {
      process.umask(umask)
    }
    const folder = join(repo.root, '.git/handoff')
    const all = readdirSync(folder, { recursive: true, withFileTypes: true })
    for (const one of [folder, ...all.map((entry) => join(entry.parentPath, entry.name))]) {
      const found = statSync(one)
      const wanted = found.isDirectory() ? 0o2770 : 0o660
      expect([one, (found.mode & wanted).toString(8)]).toEqual([one, wanted.toString(8)])
      expect([one, found.mode & 0o7]).toEqual([one, 0])
    }
  })

  byNight('and shares nothing of any other', async () => {
    const repo = usual()
    mkdirSync(join(repo.root, '.git'), { recursive: true })
    expect((await create(repo)).code).toBe(0)
    expect(statSync(join(repo.root, '.git/handoff')).mode & 0o777).toBe(0o700)
  })
})

describeByNight('a folder of hooks that is read-only', () => {
  byNight('keeps doctor from no other check', async () => {
    const repo = usual()
    const { code } = await cli(repo, ['init', '--git-hooks', 'plain', '--yes', '--json'])
    expect(code).toBe(0)
    rmSync(join(repo.root, '.git/hooks'), { recursive: true })
    const { json } = await asOther(repo, ['doctor', '--json'], () =>
      mkdirSync(join(repo.root, '.git/hooks'), { mode: 0o555 }),
    )
    expect(json.errors ?? []).toEqual([])
    const found = json.checks.find(({ id }: { id: string }) => id === 'agent-hooks')
    expect(found, JSON.stringify(json.checks)).toMatchObject({
      level: 'warning',
      title: expect.stringContaining('read-only'),
    })
    expect(json.checks.map(({ id }: { id: string }) => id)).toContain('ignored')
  })
})
