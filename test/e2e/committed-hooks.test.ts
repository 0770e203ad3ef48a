import { execFileSync, spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { shellWord } from '../../src/text/shell-word.ts'
import { atFolder, cloneOf, makeFolder, makeRepo, prepared, type TempRepo } from '../repo/make-repo.ts'
import { byNight, describeByNight, sampled } from '../sampled.ts'
import { createFakes } from '../unit/secrets/fake.ts'
import { root } from './build.ts'
import { managers } from './hook-manager.ts'
import { install, layouts } from './install-package.ts'
import { pack } from './packed.ts'

const HANDOFF = join(root, 'bin/handoff.cjs')
const HUSKY = join(root, 'node_modules/.bin/husky')
const KEY = createFakes(3).make('ghp_{A-Za-z0-9:36}')
const BRIEF = '.handoff/briefs/20261122T100000-000abc00-broken.md'
const TOLD = 'handoff hooks do nothing in this clone; run npx git-handoff init\n'

const call = (repo: TempRepo, program: string, ...args: string[]): string =>
  execFileSync(program, args, { cwd: repo.root, env: repo.env, encoding: 'utf8', stdio: 'pipe' })

/** `git` as a person runs it, and what they see of it. */
function git(repo: TempRepo, ...args: string[]) {
  const { cwd, env } = { cwd: repo.root, env: repo.env }
  const { status, stdout, stderr } = spawnSync('git', args, { cwd, env, encoding: 'utf8', input: '' })
  return { status, said: stdout + stderr }
}

/** Stages a brief that holds a key, and commits. */
function commitBroken(repo: TempRepo, ...args: string[]) {
  repo.write(BRIEF, `junk ${KEY}\n`)
  repo.git(['add', '-A'])
  return git(repo, 'commit', '-m', 'broken', ...args)
}

const BLOCKED = { status: 1, said: expect.stringMatching(/broken\.md:1: error: [\s\S]*a secret \(/) }

describe('a colleague after `npm ci`', () => {
  const packages: Record<string, string> = {}
  beforeAll(async () => {
    const folder = makeFolder()
    packages['git-handoff'] = (await pack(folder)).tarball
    const args = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder, './node_modules/husky']
    const [{ filename }] = JSON.parse(
      execFileSync('npm', args, { cwd: root, encoding: 'utf8', stdio: 'pipe' }),
    )
    packages.husky = join(folder, filename)
  })

  /** What git calls once the manager is installed; the lines stand in its file as `init` wrote them. */
  const installs: Record<string, (repo: TempRepo) => string | null> = {
    husky: () => null,
    lefthook: (repo) =>
      `sh -c ${shellWord(parse(repo.read('lefthook.yml'))['pre-commit'].commands.handoff.run)}`,
    'pre-commit': (repo) =>
      parse(repo.read('.pre-commit-config.yaml'))
        .repos.flatMap((one: { hooks: object[] }) => one.hooks)
        .find(({ id }: { id: string }) => id === 'handoff-pre-commit').entry,
  }

  it.each(sampled(managers, 1))('T4: commits no brief with a key, called by $id', ({ id, files }) => {
    const first = makeRepo()
    for (const path of Object.values(packages)) copyFileSync(path, join(first.base, basename(path)))
    const devDependencies = Object.fromEntries(
      Object.entries(packages).map(([name, path]) => [name, `file:../${basename(path)}`]),
    )
    const scripts = id === 'husky' ? { prepare: 'husky' } : {}
    for (const [path, text] of Object.entries(files)) first.write(path, text)
    first.write('package.json', JSON.stringify({ name: 'app', private: true, scripts, devDependencies }))
    first.write('.gitignore', 'node_modules/\n')
    const npm = (repo: TempRepo, command: string): string => {
      writeFileSync(
        join(repo.home, '.npmrc'),
        'offline=true\naudit=false\nfund=false\nupdate-notifier=false\n',
      )
      return call(repo, 'npm', command)
    }
    npm(first, 'install')
    call(first, join(first.root, 'node_modules/.bin/git-handoff'), 'init', '--yes', '--agent', 'claude-code')
    first.commit('set up')

    const repo = cloneOf(first)
    npm(repo, 'ci')
    const line = installs[id]?.(repo) ?? null
    if (line === null) expect(repo.git(['config', 'core.hooksPath'])).toBe('.husky/_')
    else writeFileSync(join(repo.root, '.git/hooks/pre-commit'), `#!/bin/sh\nexec ${line}\n`, { mode: 0o755 })
    const stopped = commitBroken(repo)
    expect(stopped).toMatchObject(BLOCKED)
    expect(stopped.said).not.toContain(KEY)
    expect(repo.git(['log', '-1', '--format=%s'])).toBe('set up')
    repo.git(['rm', '-qf', BRIEF])
    expect(git(repo, 'commit', '--allow-empty', '-m', 'other')).toMatchObject({ status: 0 })
    expect(existsSync(join(repo.root, '.git/handoff'))).toBe(false)
  })
})

/** Uses husky, whose folder of the work tree comes first on PATH. */
function useHusky(repo: TempRepo): void {
  call(repo, HUSKY)
  call(repo, process.execPath, HANDOFF, 'init', '--yes', '--agent', 'claude-code')
  rmSync(join(repo.root, '.git/handoff'), { recursive: true, force: true })
}

/** A clone in which husky calls what is committed, and nobody ran `init`. */
const clone = prepared(async (): Promise<TempRepo> => {
  const first = makeRepo()
  first.commit('theirs', { '.gitignore': '/node_modules/\n', '.husky/pre-commit': 'echo theirs\n' })
  useHusky(first)
  first.commit('set up')
  const repo = cloneOf(first)
  call(repo, HUSKY)
  return repo
})
const modules = (repo: TempRepo): string => join(repo.root, 'node_modules')

/** A linked worktree of it that husky serves, too, and what was said when it was made. */
function linkedTo(repo: TempRepo): { linked: TempRepo; said: string } {
  const path = join(repo.base, 'linked')
  const { said } = git(repo, 'worktree', 'add', '-q', '-b', 'other', path)
  const linked = atFolder(repo.base, path, repo.env)
  call(linked, HUSKY)
  return { linked, said }
}

describeByNight('the installed package checks a commit', () => {
  byNight.each(sampled(Object.keys(layouts) as (keyof typeof layouts)[], 1))(
    'as %s lays it out',
    async (layout) => {
      const repo = await clone()
      install(modules(repo), layout)
      expect(commitBroken(repo)).toMatchObject(BLOCKED)
      expect(git(repo, 'commit', '-m', 'part', '-o', BRIEF)).toMatchObject(BLOCKED)
      repo.git(['rm', '-qf', '--cached', BRIEF])
      repo.git(['add', '-N', BRIEF])
      expect(git(repo, 'commit', '-a', '-m', 'all')).toMatchObject(BLOCKED)
      mkdirSync(join(repo.root, 'sub'))
      expect(git(repo, '-C', 'sub', 'commit', '-a', '-m', 'from below')).toMatchObject(BLOCKED)
    },
  )

  byNight(
    'in a linked worktree by the folder there, and says once for all that another has none',
    async () => {
      const repo = await clone()
      install(modules(repo), 'npm')
      const { linked, said } = linkedTo(repo)
      expect(said).toContain(TOLD)
      expect(commitBroken(linked)).toMatchObject({ status: 0, said: expect.not.stringContaining(TOLD) })
      expect(commitBroken(repo)).toMatchObject(BLOCKED)
      install(modules(linked), 'pnpm')
      linked.write(BRIEF, 'junk again\n')
      expect(git(linked, 'commit', '-a', '-m', 'again')).toMatchObject({ status: 1 })
    },
  )

  byNight('in a submodule, which is a repository of its own', async () => {
    const lib = await clone()
    const outer = makeRepo()
    outer.git(['submodule', '-q', 'add', lib.root, 'lib'])
    const inner = atFolder(outer.base, join(outer.root, 'lib'), outer.env)
    inner.git(['config', 'core.hooksPath', '.husky/_'])
    mkdirSync(join(inner.root, '.husky/_'))
    for (const name of ['h', 'pre-commit'])
      copyFileSync(join(lib.root, '.husky/_', name), join(inner.root, '.husky/_', name))
    install(join(outer.root, 'node_modules'), 'npm')
    expect(commitBroken(inner)).toMatchObject({ status: 0, said: expect.stringContaining(TOLD) })
    install(modules(inner), 'npm')
    inner.write(BRIEF, 'junk again\n')
    expect(git(inner, 'commit', '-a', '-m', 'again')).toMatchObject({ status: 1 })
  })
})

describeByNight('where no package is at the top', () => {
  const lacking: [string, (repo: TempRepo) => void][] = [
    ['nothing is installed, as by Yarn PnP', () => {}],
    ['a package of a subfolder has it', (repo) => install(join(repo.root, 'app/node_modules'), 'npm')],
    [
      'the package is too old to have a runner',
      (repo) => {
        install(modules(repo), 'npm')
        rmSync(join(modules(repo), 'git-handoff/bin/hook.sh'))
      },
    ],
  ]
  byNight.each(sampled(lacking, 1))(
    '%s: git goes on, and one line says so once in a clone',
    async (_, make) => {
      const repo = await clone()
      repo.write('.git/info/exclude', 'node_modules/\n')
      make(repo)
      expect(git({ ...repo, env: { ...repo.env, HANDOFF: '0' } }, 'switch', '-c', 'off').said).not.toContain(
        TOLD,
      )
      const all = [
        git(repo, 'switch', '-c', 'topic'),
        commitBroken(repo),
        git(repo, 'switch', 'main'),
        git(repo, 'merge', 'topic'),
      ]
      expect(all.map(({ status }) => status)).toEqual([0, 0, 0, 0])
      expect(
        all
          .map(({ said }) => said)
          .join('')
          .split(TOLD),
      ).toHaveLength(2)
      expect(all[1]?.said).toContain('theirs')
    },
  )
})

/** What a branch holds in place of the package, and what else lies in the clone that checks it out. */
interface Hostile {
  tracks: (repo: TempRepo) => void
  first?: (repo: TempRepo) => void
  later?: (repo: TempRepo) => void
}

/** Programs that leave a trace, as they would lie below `folder` if a package manager had put them there. */
function plant(
  repo: TempRepo,
  folder: string,
  names = ['git-handoff/bin/hook.sh', 'git-handoff/bin/handoff.cjs'],
) {
  for (const name of names) {
    const path = join(folder, name)
    rmSync(join(repo.root, path), { force: true })
    repo.write(path, `#!/bin/sh\necho ${name} >> ${shellWord(join(repo.base, 'ran'))}\n`)
    spawnSync('chmod', ['+x', join(repo.root, path)])
  }
}
const gitlink = (repo: TempRepo, path: string): string =>
  repo.git(['update-index', '--add', '--cacheinfo', `160000,${repo.git(['rev-parse', 'HEAD'])},${path}`])
const add = (repo: TempRepo, ...paths: string[]): string => repo.git(['add', '-f', ...paths])

const hostile: Record<string, Hostile> = {
  'files of the package': {
    first: (repo) => install(modules(repo), 'npm'),
    tracks(repo) {
      plant(repo, 'node_modules')
      add(repo, 'node_modules')
    },
  },
  'one other file of node_modules': {
    tracks(repo) {
      repo.write('node_modules/.keep', '')
      add(repo, 'node_modules')
    },
    later: (repo) => plant(repo, 'node_modules'),
  },
  'another spelling, which some disks take for the same': {
    tracks(repo) {
      plant(repo, 'Node_Modules')
      add(repo, 'Node_Modules')
    },
    later: (repo) => plant(repo, 'node_modules'),
  },
  'node_modules as a link': {
    tracks(repo) {
      plant(repo, 'theirs')
      symlinkSync('theirs', modules(repo))
      add(repo, 'theirs', 'node_modules')
    },
  },
  'the target of a link that was there': {
    tracks(repo) {
      plant(repo, 'theirs')
      add(repo, 'theirs')
    },
    first: (repo) => symlinkSync('theirs', modules(repo)),
  },
  'the target of a link in node_modules, as npm makes for `file:`': {
    tracks(repo) {
      plant(repo, 'vendor')
      add(repo, 'vendor')
    },
    first(repo) {
      mkdirSync(modules(repo))
      symlinkSync('../vendor/git-handoff', join(modules(repo), 'git-handoff'))
    },
  },
  'a submodule as node_modules': {
    tracks: (repo) => void gitlink(repo, 'node_modules'),
    later: (repo) => plant(repo, 'node_modules'),
  },
  'a submodule as the package': {
    tracks: (repo) => void gitlink(repo, 'node_modules/git-handoff'),
    later: (repo) => plant(repo, 'node_modules'),
  },
  'programs in the folder that husky puts into PATH': {
    tracks(repo) {
      plant(repo, 'node_modules/.bin', ['git', 'node', 'pwd', 'mkdir'])
      add(repo, 'node_modules')
    },
  },
}

describeByNight('S1: without a runner nothing runs of a branch that holds', () => {
  byNight.each(sampled(Object.entries(hostile), 1))('%s', async (_, { tracks, first, later }) => {
    const repo = await clone()
    const quiet = ['-c', 'core.hooksPath=/dev/null']
    /** Back on main, with what a package manager may have left there. */
    const reset = (): void => {
      repo.git([...quiet, 'checkout', '-q', '-f', 'main'])
      rmSync(modules(repo), { recursive: true, force: true })
      first?.(repo)
    }
    repo.git([...quiet, 'switch', '-q', '-c', 'hostile'])
    tracks(repo)
    repo.git([...quiet, 'commit', '-q', '-m', 'hostile'])
    reset()
    let all = ''
    const use = (here: TempRepo, ...args: string[]): void => {
      const { status, said } = git(here, ...args)
      expect(status, said).toBe(0)
      all += said
    }
    const commitIn = (here: TempRepo, text: string): void => {
      later?.(here)
      here.write(BRIEF, text)
      here.git(['add', BRIEF])
      use(here, 'commit', '-m', 'more')
    }
    use(repo, 'checkout', '-q', 'hostile')
    commitIn(repo, 'one\n')
    // On disk, but not in the index of this commit.
    reset()
    repo.git(['checkout', 'hostile~1', '--', '.'])
    later?.(repo)
    repo.write('a.txt', 'changed\n')
    use(repo, 'commit', '-m', 'a file', '-o', 'a.txt')
    // Where git names the repository in the environment.
    reset()
    repo.git([...quiet, 'branch', 'also-hostile', 'hostile'])
    const { linked, said } = linkedTo(repo)
    all += said
    use(linked, 'checkout', '-q', 'also-hostile')
    commitIn(linked, 'two\n')
    expect(existsSync(join(repo.base, 'ran'))).toBe(false)
    expect(all.split(TOLD)).toHaveLength(2)
  })

  byNight('shows what it would, had a package manager put it there', async () => {
    const repo = await clone()
    plant(repo, 'node_modules')
    commitBroken(repo)
    expect(existsSync(join(repo.base, 'ran'))).toBe(true)
  })
})
