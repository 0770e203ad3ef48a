import { chmod, cp, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../../e2e/build.ts'
import { execute, handoff, type Lab, makeLab } from '../../e2e/lab.ts'

const DRY = ['create', 'make both tests of the calculator pass, keep the names', '--from', 'git', '--dry-run']
const folderOf = (lab: Lab) => join(lab.home, '.cache', 'git-handoff')

/** The one file of the cache, with the inode that tells whether it was written again. */
async function cached(lab: Lab): Promise<{ path: string; ino: number }> {
  const names = await readdir(folderOf(lab))
  expect(names).toEqual([expect.stringMatching(/^code-[0-9a-f]{16}-[0-9a-z]+-v[\d.]+-\w+$/)])
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

test('a run that reads the sessions of another agent than those before adds its code, once', async () => {
  const lab = await makeLab()
  const session = join(lab.home, 'session.jsonl')
  const said = (role: string, content: string) => `${JSON.stringify({ role, content })}\n`
  await writeFile(session, said('user', 'Fix the calculator.') + said('assistant', 'Done, both tests pass.'))
  const reading = ['create', 'make both tests pass, keep the names', '--session', session, '--dry-run']
  expect((await handoff(lab, ...DRY)).code).toBe(0)
  const { ino } = await cached(lab)
  const first = await handoff(lab, ...reading)
  expect(first.code, first.stderr).toBe(0)
  const grown = await cached(lab)
  expect(grown.ino).not.toBe(ino)
  // What was written down with other flags set would be refused and written anew.
  expect(steady((await handoff(lab, ...reading)).stdout)).toBe(steady(first.stdout))
  await handoff(lab, ...DRY)
  expect((await cached(lab)).ino).toBe(grown.ino)
})

test('a list of sessions keeps its code, and the first brief adds its own, once', async () => {
  const lab = await makeLab()
  expect((await handoff(lab, 'sessions')).code).toBe(0)
  const { ino } = await cached(lab)
  await handoff(lab, 'sessions')
  expect((await cached(lab)).ino).toBe(ino)
  expect((await handoff(lab, ...DRY)).code).toBe(0)
  const grown = await cached(lab)
  expect(grown.ino).not.toBe(ino)
  await handoff(lab, ...DRY)
  await handoff(lab, 'sessions')
  expect((await cached(lab)).ino).toBe(grown.ino)
})

test('a broken cache and one that others may write are passed over and replaced', async () => {
  const lab = await makeLab()
  const first = await handoff(lab, ...DRY)
  const { path } = await cached(lab)
  const good = await readFile(path)
  // A page that never reached the disk is read as zeros.
  const withoutPage = (from: number) => Buffer.from(good).fill(0, from, from + 4096)
  const withOtherByte = (at: number) => {
    const other = Buffer.from(good)
    other[at] = (other[at] ?? 0) ^ 0xff
    return other
  }
  for (const spoil of [
    // Right behind each other: one of them stands where nobody would look at random.
    ...[1, 5, 9].map((at) => () => writeFile(path, withOtherByte(Math.floor(good.length / 4) + at))),
    () => writeFile(path, 'not code'),
    () => writeFile(path, ''),
    () => writeFile(path, good.subarray(0, good.length / 2)),
    () => writeFile(path, good.subarray(8)),
    () => writeFile(path, Buffer.concat([good, good.subarray(-4)])),
    () => writeFile(path, Buffer.concat([good.subarray(0, good.length / 2), Buffer.alloc(good.length / 2)])),
    () => writeFile(path, Buffer.alloc(good.length)),
    () => writeFile(path, withoutPage(0)),
    () => writeFile(path, withoutPage(4096 * Math.floor(good.length / 8192))),
    () => writeFile(path, withoutPage(good.length - 4096)),
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

test('the help that the build wrote down is what the program says', async () => {
  const lab = await makeLab()
  const program = await handoff(lab, '--no-color', '--help')
  expect(program.stdout).toContain('handoff <command>')
  for (const flag of ['--help', '-h']) expect(await handoff(lab, flag)).toEqual(program)
})

test('code of another build is not used, even where its length is the same', async () => {
  const lab = await makeLab()
  const own = await mkdtemp(join(tmpdir(), 'handoff-build-'))
  for (const part of ['bin', 'dist', 'package.json'])
    await cp(join(root, part), join(own, part), { recursive: true })
  const program = join(own, 'dist', 'cli.cjs')
  const run = () => execute(process.execPath, [join(own, 'bin', 'handoff.cjs'), ...DRY], lab)
  const first = await run()
  expect(first.stdout).toContain('## Status')
  await cached(lab)
  const text = await readFile(program, 'utf8')
  await writeFile(program, text.replaceAll('## Status', '## STATUS').replaceAll('"Status"', '"STATUS"'))
  const second = await run()
  await rm(own, { recursive: true })
  expect(second.stdout).toContain('## STATUS')
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
