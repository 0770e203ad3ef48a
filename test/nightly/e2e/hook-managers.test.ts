import { execFileSync, spawnSync } from 'node:child_process'
import { renameSync, rmSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { NOT_SET_UP } from '../../../src/hooks/runner.ts'
import { root } from '../../e2e/build.ts'
import type { Installed } from '../../e2e/client/install.ts'
import { EVENTS, managers, programOf } from '../../e2e/hook-manager.ts'
import { atFolder, makeRepo, type TempRepo } from '../../repo/make-repo.ts'

const HANDOFF = join(root, 'bin/handoff.cjs')
const GOAL = 'describe the change of a.txt in full'
const BROKEN = '.handoff/briefs/20261122T100000-000abc00-broken.md'

describe.each(managers.map((one) => [one.id, one] as const))('%s itself', (id, manager) => {
  let installed: Installed = { missing: 'not looked for' }
  beforeAll(async () => {
    installed = await programOf(manager)
  })

  it('calls all six hooks, keeps its own, and is as it was after init --remove', (context) => {
    if ('missing' in installed) return context.skip(installed.missing)
    const made = makeRepo()
    const path = [dirname(installed.program), dirname(process.execPath), made.env.PATH].join(delimiter)
    const repo = atFolder(made.base, made.root, { ...made.env, PATH: path })
    const call = (program: string, ...args: string[]): string =>
      execFileSync(program, args, { cwd: repo.root, env: repo.env, encoding: 'utf8', stdio: 'pipe' })
    const handoff = (...args: string[]): string => call(process.execPath, HANDOFF, ...args)
    const git = (...args: string[]) => {
      const { status, stdout, stderr } = spawnSync('git', args, {
        cwd: repo.root,
        env: repo.env,
        encoding: 'utf8',
        input: '',
      })
      return { status, said: stdout + stderr }
    }
    const opens = (id_: string) => `handoff: brief ${id_} is open here: ${GOAL}`

    if (id === 'husky') call(installed.program)
    for (const [file, text] of Object.entries(manager.files)) repo.write(file, text)
    repo.commit('their set-up', { '.handoff/config.yaml': 'gitHooks:\n  trailers: true\n  prePush: true\n' })
    const before = trees(repo)
    const set = JSON.parse(handoff('init', '--yes', '--agent', 'gemini-cli', '--json')) as {
      gitHooks: { manager: string; events: string[] }
    }
    expect(set.gitHooks).toMatchObject({ manager: id, events: EVENTS })
    if (manager.install.length > 0) call(installed.program, ...manager.install)
    repo.git(['add', '-A'])
    repo.git(['commit', '-q', '-m', 'set up'])

    // pre-commit: theirs and ours.
    repo.git(['switch', '-q', '-c', 'topic'])
    repo.write('a.txt', 'changed\n')
    repo.write(BROKEN, 'junk\n')
    repo.git(['add', '-A'])
    const stopped = git('commit', '-m', 'broken')
    expect(stopped).toMatchObject({ status: 1, said: expect.stringContaining(`${BROKEN}:1: error:`) })
    expect(stopped.said).toContain('theirs')
    repo.git(['rm', '-qf', BROKEN])
    const brief = /(\d{8}T\d{6}-[0-9a-f]{8})/.exec(handoff('create', GOAL, '--from', 'git'))?.[1] ?? ''

    // prepare-commit-msg
    expect(git('commit', '-a', '-m', 'work')).toMatchObject({
      status: 0,
      said: expect.stringContaining('theirs'),
    })
    expect(repo.git(['log', '-1', '--format=%B'])).toBe(`work\n\nHandoff-For: ${brief}\n`)

    // post-checkout, post-merge, post-rewrite
    expect(git('switch', 'main').said).not.toContain('handoff:')
    expect(git('switch', 'topic').said).toContain(opens(brief))
    expect(repo.read('.handoff/latest.md')).toContain('This copy belongs to branch topic')
    expect(git('checkout', '--', 'a.txt').said).not.toContain('handoff:')
    repo.git(['switch', '-q', '-c', 'step', 'main'])
    expect(git('merge', 'topic').said).toContain(opens(brief))
    repo.git(['switch', '-q', '-c', 'other', 'main'])
    repo.commit('other', { 'other.txt': 'x\n' })
    expect(git('rebase', 'step').said).toContain(opens(brief))
    // On the default branch it has landed.
    repo.git(['switch', '-q', 'main'])
    expect(git('merge', 'topic').said).not.toContain('handoff: brief')
    repo.git(['switch', '-q', 'other'])
    expect(git('commit', '--amend', '-m', 'again').said).not.toContain('handoff: brief')

    // pre-push
    repo.git(['init', '-q', '--bare', join(repo.base, 'up')])
    repo.git(['remote', 'add', 'origin', join(repo.base, 'up')])
    expect(git('push', 'origin', 'main').status).toBe(0)
    repo.git(['switch', '-q', 'main'])
    repo.write(BROKEN, 'junk\n')
    repo.git(['add', '-A'])
    repo.git(['commit', '-q', '-n', '-m', 'broken'])
    for (const to of ['main', 'main:new'])
      expect(git('push', 'origin', to)).toMatchObject({
        status: 1,
        said: expect.stringContaining(`${BROKEN}:1: error:`),
      })

    // A clone of somebody who never ran init: one line, once.
    const [ours, aside] = [join(repo.root, '.git/handoff'), join(repo.root, '.git/aside')]
    renameSync(ours, aside)
    const told = `${NOT_SET_UP}\n`
    for (const times of [1, 0]) {
      repo.write(BROKEN, `junk ${times}\n`)
      const { status, said } = git('commit', '-a', '-m', 'unchecked')
      expect([status, said.split(told).length - 1]).toEqual([0, times])
    }
    rmSync(ours, { recursive: true })
    renameSync(aside, ours)

    repo.git(['reset', '-q', '--hard', 'main~3'])
    handoff('init', '--remove')
    expect(trees(repo)).toEqual(before)
  })
})

/** The manager's own files. */
const trees = (repo: TempRepo): Record<string, string> =>
  Object.fromEntries(
    repo
      .git([
        'ls-files',
        '-co',
        '--exclude-standard',
        '--',
        '.husky',
        'lefthook.yml',
        '.pre-commit-config.yaml',
      ])
      .split('\n')
      .filter((file) => file !== '' && !repo.git(['ls-files', '-d']).includes(file))
      .map((file) => [file, repo.read(file)]),
  )
