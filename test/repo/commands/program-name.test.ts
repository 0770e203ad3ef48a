import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { typedProgram } from '../../../src/workspace/program-name.ts'
import { cli } from '../cli.ts'
import { makeRepo } from '../make-repo.ts'

it('names the program so that a checkout cannot take its place', async () => {
  const repo = makeRepo({ name: 'my shop' })
  const running = join(repo.base, 'cache/_npx/0a1b/node_modules/git-handoff')
  mkdirSync(running, { recursive: true })
  const put = (folder: string): string => {
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'git-handoff'), '', { mode: 0o755 })
    return folder
  }
  const sub = join(repo.root, 'src')
  mkdirSync(sub)
  const named = (path = '', more: { running?: string } = {}): string =>
    typedProgram(sub, { env: { PATH: path }, version: '1.2.3', running, ...more })
  const away = `cd / && npx --yes git-handoff@1.2.3 --cwd '${sub}'`
  expect(named()).toBe(away)
  // What a checkout can change, what npx lends, and what is no folder of everybody's.
  const own = put(join(repo.root, 'bin'))
  symlinkSync(join(own, 'git-handoff'), join(repo.base, 'git-handoff'))
  const lent = put(join(repo.base, 'elsewhere/node_modules/.bin'))
  for (const path of [own, repo.base, lent, 'bin', '', '.']) expect(named(path)).toBe(away)
  expect(named(`${lent}:${put(join(repo.base, 'usr/bin'))}`)).toBe('git handoff')
  // A clone of this package, but not one that stands in the checkout itself.
  for (const [folder, isThere] of [
    [join(repo.base, 'tool'), true],
    [join(repo.root, 'tool'), false],
  ] as const) {
    mkdirSync(join(folder, '.git'), { recursive: true })
    const call = `${process.execPath} ${join(folder, 'bin/handoff.cjs')}`
    expect(named('', { running: folder })).toBe(isThere ? call : away)
  }
  // Inside the clone of this package, where the registry may have none yet.
  const folder = join(repo.base, 'tool')
  const inside = { env: {}, version: '1.2.3', running: folder }
  expect(typedProgram(folder, inside)).toBe(`${process.execPath} ${join(folder, 'bin/handoff.cjs')}`)
  // Where `init` was run, as long as what the alias calls is there; texts that are printed say the same.
  const said = async () =>
    (await cli(repo, ['show'], { program: undefined, env: { PATH: process.env.PATH ?? '' } })).stderr
  expect(await said()).not.toContain('git handoff')
  await cli(repo, ['init', '--yes', '--agent', 'claude-code', '--git-hooks', 'none'])
  expect(named()).toBe('git handoff')
  expect(await said()).toContain('`git handoff create "<goal>"`')
  repo.git(['worktree', 'add', '-q', '-b', 'other', join(repo.base, 'linked')])
  expect(typedProgram(join(repo.base, 'linked'), { env: {}, version: '1.2.3', running })).toBe('git handoff')
  renameSync(join(repo.root, '.git/handoff'), join(repo.root, '.git/gone'))
  expect(named()).toBe(away)
})
