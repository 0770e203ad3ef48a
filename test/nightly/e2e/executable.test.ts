import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { findProgram } from '../../../src/workspace/find-program.ts'
import { root } from '../../e2e/build.ts'
import { execute } from '../../e2e/lab.ts'
import { makeFolder } from '../../repo/make-repo.ts'
import { usual } from '../../repo/usual.ts'

const GOAL = 'finish the retry queue and document its limits'

it('makes, checks and tells of a brief where there is no Node', async () => {
  const repo = usual()
  const folder = makeFolder()
  const here = { path: process.env.PATH ?? '', home: repo.home, repo: root, folder }
  const built = await execute(process.execPath, [join(root, 'scripts/executable.mjs'), '--out', folder], here)
  expect(built.code, built.stderr).toBe(0)
  // All that there is: git, and what it and the hooks call.
  const tools = join(repo.base, 'tools')
  mkdirSync(tools)
  for (const name of ['git', 'sh', 'sed', 'grep', 'cat', 'dirname', 'basename', 'tr'])
    symlinkSync((await findProgram(name, process.env.PATH ?? '')) ?? '', join(tools, name))
  const lab = { path: tools, home: repo.home, repo: repo.root, folder: repo.base }
  const program = join(folder, 'handoff')
  const run = (...args: string[]) => execute(program, args, lab, repo.root)
  expect(await run('--version')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
  })
  // Without a place of its own it leaves nothing behind.
  const temporary = join(repo.base, 'temporary')
  mkdirSync(temporary)
  const env = { PATH: tools, HOME: '/dev/null/none', TMPDIR: temporary }
  expect(spawnSync(join(folder, 'handoff'), ['--help'], { env }).status).toBe(0)
  expect(readdirSync(temporary)).toEqual([])
  // Nobody has npx there.
  const nobody = await run('verify', '--json')
  expect(JSON.parse(nobody.stdout).errors[0].hint).toBe(`Make one: \`${program} create "<goal>"\``)
  expect((await run('verify')).stderr).toContain(`\`${program} create "<goal>"\``)
  expect((await run()).stdout).toContain(`${program} create`)
  const made = await run('create', GOAL, '--json', '--no-notes')
  expect(made.code, made.stderr).toBe(0)
  const { id, path } = JSON.parse(made.stdout)
  expect(repo.git(['log', '-1', '--name-only', '--format=%s'])).toContain(path)
  expect((await run('show', id)).stdout).toContain(GOAL)
  expect((await run('init', '--agent', 'claude-code', '--git-hooks', 'plain', '--yes')).code).toBe(0)
  // Hooks call it as they call Node.
  repo.write('.handoff/briefs/20261122T000000-00000000-broken.md', '---\nid: x\n---\n')
  repo.git(['add', '.handoff'])
  const refused = await execute('git', ['commit', '-m', 'broken'], lab, repo.root)
  expect(refused.code).not.toBe(0)
  expect(refused.stderr + refused.stdout).toContain('20261122T000000-00000000-broken.md')
})
