import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { NOT_SET_UP } from '../../src/hooks/runner.ts'
import { shellWord } from '../../src/text/safe-text.ts'
import { cloneOf, makeRepo, type TempRepo } from '../repo/make-repo.ts'
import { sampled } from '../sampled.ts'
import { createFakes } from '../unit/secrets/fake.ts'
import { root } from './build.ts'
import { managers } from './hook-manager.ts'
import { install, layouts } from './install-package.ts'

const HANDOFF = join(root, 'bin/handoff.cjs')
const KEY = createFakes(3).make('ghp_{A-Za-z0-9:36}')
const BRIEF = '.handoff/briefs/20261122T100000-000abc00-broken.md'

const call = (repo: TempRepo, program: string, ...args: string[]): string =>
  execFileSync(program, args, { cwd: repo.root, env: repo.env, encoding: 'utf8', stdio: 'pipe' })

/** The line that each manager calls before a commit, as `init` wrote it. */
const lines: Record<string, (repo: TempRepo) => string> = {
  husky: () => 'sh .husky/pre-commit',
  lefthook: (repo) =>
    `sh -c ${shellWord(parse(repo.read('lefthook.yml'))['pre-commit'].commands.handoff.run)}`,
  'pre-commit': (repo) =>
    parse(repo.read('.pre-commit-config.yaml'))
      .repos.flatMap((one: { hooks: object[] }) => one.hooks)
      .find(({ id }: { id: string }) => id === 'handoff-pre-commit').entry,
}

describe('TL-3: a clone in which nobody ran init', () => {
  it.each(sampled(managers, 1))(
    'lets a commit go on, says once what to do, and starts no package, by $id',
    ({ id, files }) => {
      const first = makeRepo()
      first.commit('theirs', { ...files, '.husky/pre-commit': 'true\n' })
      call(first, process.execPath, HANDOFF, 'init', '--yes', '--agent', 'claude-code', '--git-hooks', id)
      first.commit('set up')
      const repo = cloneOf(first)
      const ran = join(repo.base, 'ran')
      const put = (layout: keyof typeof layouts): void => {
        rmSync(join(repo.root, 'node_modules'), { recursive: true, force: true })
        install(join(repo.root, 'node_modules'), layout)
        for (const name of ['git-handoff', 'node', 'npx']) {
          rmSync(join(repo.root, 'node_modules/.bin', name), { force: true })
          repo.write(`node_modules/.bin/${name}`, `#!/bin/sh\ntouch ${shellWord(ran)}\n`)
        }
      }
      repo.write(BRIEF, `junk ${KEY}\n`)
      repo.git(['add', BRIEF])
      const line = lines[id]?.(repo) ?? ''
      const run = (more: Record<string, string> = {}) => {
        const env = { ...repo.env, PATH: `node_modules/.bin:${repo.env.PATH}`, ...more }
        const { status, stdout, stderr } = spawnSync('sh', ['-c', line], {
          cwd: repo.root,
          env,
          encoding: 'utf8',
        })
        return { status, said: stdout + stderr }
      }
      // What npm installed here is as little asked as what a branch brings.
      for (const layout of sampled(Object.keys(layouts) as (keyof typeof layouts)[], 1)) {
        put(layout)
        expect(run({ HANDOFF: '0' })).toEqual({ status: 0, said: '' })
        expect(run()).toEqual({ status: 0, said: `${NOT_SET_UP}\n` })
        expect(run()).toEqual({ status: 0, said: '' })
        expect(existsSync(ran)).toBe(false)
        rmSync(join(repo.root, '.git/handoff'), { recursive: true })
      }
      call(repo, process.execPath, HANDOFF, 'init', '--yes', '--agent', 'claude-code', '--git-hooks', id)
      expect(run()).toMatchObject({ status: 1, said: expect.stringContaining('a secret (') })
    },
  )
})
