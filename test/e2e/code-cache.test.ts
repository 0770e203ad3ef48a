import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from './build.ts'
import { execute, handoff, type Lab, makeLab } from './lab.ts'

const DRY = ['create', 'make both tests of the calculator pass, keep the names', '--from', 'git', '--dry-run']
const folderOf = (lab: Lab) => join(lab.home, '.cache', 'git-handoff')

/** The one file of the cache, with the inode that tells whether it was written again. */
async function cached(lab: Lab): Promise<{ path: string; ino: number }> {
  const names = await readdir(folderOf(lab))
  expect(names).toEqual([expect.stringMatching(/^code-[0-9a-f]{40}$/)])
  const path = join(folderOf(lab), names[0] ?? '')
  return { path, ino: (await stat(path)).ino }
}

/** The brief without its id, its times and its tokens, which differ from run to run. */
const steady = (text: string) => text.replace(/^(?:id|createdAt|tokens): .*$/gm, '')

test('compiled code is kept for the next run, for its owner alone, and used as it stands', async () => {
  const lab = await makeLab()
  const first = await handoff(lab, ...DRY)
  expect(first.code, first.stderr).toBe(0)
  const { path, ino } = await cached(lab)
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  const second = await handoff(lab, ...DRY)
  expect(steady(second.stdout)).toBe(steady(first.stdout))
  expect((await cached(lab)).ino).toBe(ino)
})

test('a broken cache and one that others may write are passed over and replaced', async () => {
  const lab = await makeLab()
  const first = await handoff(lab, ...DRY)
  const { path } = await cached(lab)
  const good = await readFile(path)
  for (const spoil of [
    () => writeFile(path, 'not code'),
    () => writeFile(path, good.subarray(0, good.length / 2)),
    () => writeFile(path, Buffer.concat([good.subarray(0, good.length / 2), Buffer.alloc(good.length / 2)])),
    () => chmod(path, 0o666),
  ]) {
    await spoil()
    const { ino } = await stat(path)
    const again = await handoff(lab, ...DRY)
    expect(again.code, again.stderr).toBe(0)
    expect(steady(again.stdout)).toBe(steady(first.stdout))
    expect((await cached(lab)).ino).not.toBe(ino)
  }
})

test('without a home, with a home that cannot be written, or when told so, nothing is kept', async () => {
  const lab = await makeLab()
  const program = join(root, 'bin', 'handoff.cjs')
  const off = await execute('/usr/bin/env', ['HANDOFF_NO_CACHE=1', process.execPath, program, ...DRY], lab)
  expect(off.code, off.stderr).toBe(0)
  await writeFile(join(lab.home, 'taken'), '')
  const blocked = [`XDG_CACHE_HOME=${join(lab.home, 'taken')}`, process.execPath, program, ...DRY]
  const full = await execute('/usr/bin/env', blocked, lab)
  expect(full.code, full.stderr).toBe(0)
  const relative = await execute(
    '/usr/bin/env',
    ['-u', 'HOME', 'XDG_CACHE_HOME=here', process.execPath, program, ...DRY],
    lab,
  )
  expect(relative.code, relative.stderr).toBe(0)
  expect(await readdir(lab.home)).not.toContain('.cache')
  expect(await readdir(lab.repo)).not.toContain('here')
})
