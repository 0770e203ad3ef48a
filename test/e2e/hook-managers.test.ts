import { execFile, execFileSync, spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { access, mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { atFolder, makeRepo, type TempRepo } from '../repo/make-repo.ts'
import { root } from './build.ts'
import { cacheFolder, type Installed, installClient } from './client/install.ts'

const HANDOFF = join(root, 'bin/handoff.cjs')
const GOAL = 'describe the change of a.txt in full'
const LEFTHOOK = { id: 'lefthook', package: 'lefthook', version: '2.2.2', bin: 'lefthook' }
const PRE_COMMIT = '4.6.2'
const BROKEN = '.handoff/briefs/20261122T100000-000abc00-broken.md'
const EVENTS = ['pre-commit', 'prepare-commit-msg', 'post-checkout', 'post-merge', 'post-rewrite', 'pre-push']

/** A real manager: where its program is, what a repository has that uses it, and how it puts its hooks into git. */
interface Manager {
  id: string
  program: () => Promise<Installed>
  files: Record<string, string>
  install: string[]
}

const managers: Manager[] = [
  {
    id: 'husky',
    program: async () => ({ program: join(root, 'node_modules/.bin/husky') }),
    files: {
      '.husky/pre-commit': 'echo theirs\n',
      'package.json': '{ "devDependencies": { "husky": "^9" } }\n',
    },
    install: [],
  },
  {
    id: 'lefthook',
    program: () => installClient(LEFTHOOK),
    files: {
      'lefthook.yml':
        '# mine\npre-commit:\n  jobs:\n    - name: theirs\n      run: echo theirs # why\n\npost-checkout: # later\n',
    },
    install: ['install'],
  },
  {
    id: 'pre-commit',
    program: installPreCommit,
    files: {
      '.pre-commit-config.yaml': `repos:
- repo: local # mine
  hooks:
  - id: theirs
    name: theirs
    entry: echo theirs
    language: system
    verbose: true
    pass_filenames: false
    always_run: true
    stages: [pre-commit]
`,
    },
    install: ['install', ...EVENTS.flatMap((event) => ['--hook-type', event])],
  },
]

/** In a virtual environment of the cache; whole or not at all. */
async function installPreCommit(): Promise<Installed> {
  const folder = join(cacheFolder(), `pre-commit@${PRE_COMMIT}`)
  const program = join(folder, 'bin/pre-commit')
  const run = promisify(execFile)
  try {
    await access(program).catch(async () => {
      await mkdir(cacheFolder(), { recursive: true })
      await rm(folder, { recursive: true, force: true })
      await run('python3', ['-m', 'venv', folder])
      const args = ['install', '-q', '--retries', '2', '--timeout', '10', `pre-commit==${PRE_COMMIT}`]
      await run(join(folder, 'bin/pip'), args, { timeout: 180_000 }).catch(async (error: unknown) => {
        // Scripts of such an environment name its folder, so that it cannot be made elsewhere and moved.
        await rename(folder, await mkdtemp(join(cacheFolder(), '.failed-')).then((to) => join(to, 'x')))
        throw error
      })
    })
    return { program }
  } catch (error) {
    return { missing: error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error) }
  }
}

describe.each(managers.map((one) => [one.id, one] as const))('%s itself', (id, manager) => {
  let installed: Installed = { missing: 'not looked for' }
  beforeAll(async () => {
    installed = await manager.program()
    if (!('missing' in installed)) return
    if (process.env.HANDOFF_E2E_REQUIRE === '1') throw new Error(`${id}: ${installed.missing}`)
    process.stderr.write(`\nNOT TESTED with the real ${id}, which cannot be had here: ${installed.missing}\n`)
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
    const told = (id_: string) => `handoff: brief ${id_} is open here: ${GOAL}`

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
    expect(git('switch', 'topic').said).toContain(told(brief))
    expect(repo.read('.handoff/latest.md')).toContain('This copy belongs to branch topic')
    expect(git('checkout', '--', 'a.txt').said).not.toContain('handoff:')
    repo.git(['switch', '-q', '-c', 'step', 'main'])
    expect(git('merge', 'topic').said).toContain(told(brief))
    repo.git(['switch', '-q', '-c', 'other', 'main'])
    repo.commit('other', { 'other.txt': 'x\n' })
    expect(git('rebase', 'step').said).toContain(told(brief))
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

    // A clone of somebody who never ran init: the same files, and not a word.
    rmSync(join(repo.root, '.git/handoff/hook'))
    repo.write('a.txt', 'again\n')
    expect(git('commit', '-a', '-m', 'without').said).not.toMatch(/handoff: |E_|not found/)

    repo.git(['reset', '-q', '--hard', 'main~2'])
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
