import { chmodSync, existsSync, readdirSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { USUAL, writeClaudeSession } from '../../../repo/claude-session.ts'
import { cli } from '../../../repo/cli.ts'
import type { TempRepo } from '../../../repo/make-repo.ts'
import { canMount, leftOn, onSmallDisk } from '../../../repo/small-disk.ts'

const create = (repo: TempRepo) =>
  cli(repo, ['create', 'finish the retry queue and document its limits', '--json'])
const briefs = (repo: TempRepo): string[] =>
  existsSync(join(repo.root, '.handoff/briefs')) ? readdirSync(join(repo.root, '.handoff/briefs')) : []

describe.runIf(canMount)('bad input: the disk', () => {
  it('read-only disk: a clear error, nothing written, and works once it is writable', async () => {
    await onSmallDisk('4m', async (repo, remount) => {
      writeClaudeSession(repo, USUAL)
      remount('ro')
      const failed = await create(repo)
      expect(failed.code).toBe(1)
      expect(failed.json.errors[0].message).toMatch(/EROFS|read-only/i)
      expect(briefs(repo)).toEqual([])
      remount('rw')
      expect(await create(repo)).toMatchObject({ code: 0, json: { ok: true } })
      expect(repo.git(['status', '--porcelain'])).toBe('')
    })
  })

  it('a disk that turns read-only once briefs are out of the tree: says which files stay', async () => {
    await onSmallDisk('4m', async (repo) => {
      writeClaudeSession(repo, USUAL)
      expect((await create(repo)).code).toBe(0)
      const [path = ''] = briefs(repo)
      expect((await cli(repo, ['done', 'shipped'])).code).toBe(0)
      repo.write(
        '.git/hooks/reference-transaction',
        `#!/bin/sh\n[ "$1" = committed ] && mount -o remount,ro '${join(repo.base, 'disk')}'\nexit 0\n`,
      )
      chmodSync(join(repo.root, '.git/hooks/reference-transaction'), 0o755)
      const failed = await cli(repo, ['prune', '--keep', '1', '--json'])
      expect(failed).toMatchObject({ code: 1, json: { errors: [{ code: 'E_NOT_PRUNED' }] } })
      expect(failed.json.errors[0].message).toContain('out of the tree, but not off the disk')
      expect(failed.json.errors[0].hint).toContain(path)
    })
  })

  it('full disk: the whole brief or a clear error, no lock, and the next run completes', async () => {
    const seen = new Set<number>()
    for (const free of [0, 8, 24, 48, 400]) {
      await onSmallDisk('2m', async (repo) => {
        writeClaudeSession(repo, USUAL)
        const head = repo.git(['rev-parse', 'HEAD'])
        const filler = join(repo.base, 'disk/filler')
        writeFileSync(filler, Buffer.alloc(Math.max(0, leftOn(repo) - free) * 1024))
        const made = await create(repo)
        unlinkSync(filler)
        seen.add(made.code)
        if (made.code === 0) expect(repo.git(['rev-parse', 'HEAD'])).toBe(made.json.commit)
        else {
          expect(made.code).toBe(1)
          expect(made.json.errors[0].message).toMatch(/ENOSPC|no space|not committed|could not be written/i)
          expect(repo.git(['rev-parse', 'HEAD'])).toBe(head)
        }
        expect(readdirSync(join(repo.root, '.git')).filter((name) => name.endsWith('.lock'))).toEqual([])
        expect(await create(repo)).toMatchObject({ code: 0, json: { ok: true } })
        expect(repo.tryGit(['fsck', '--strict']).status).toBe(0)
        expect(repo.git(['status', '--porcelain'])).toBe('')
        expect(briefs(repo)).toHaveLength(1)
      })
    }
    expect([...seen].sort()).toEqual([0, 1])
  }, 240_000)
})
