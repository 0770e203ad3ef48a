import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { atFolder, makeRepo, type TempRepo, type TempRepoOptions } from '../repo/make-repo.ts'
import { byNight, describeByNight, sampled } from '../sampled.ts'
import { root } from './build.ts'

const HANDOFF = join(root, 'bin/handoff.cjs')
const GOAL = 'describe the change of a.txt in full'
const DATES = { GIT_AUTHOR_DATE: '2026-11-20T08:00:00Z', GIT_COMMITTER_DATE: '2026-11-20T08:00:00Z' }

interface Said {
  status: number | null
  stderr: string
  stdout: string
}

/** `git` as a person runs it: nothing but its own words is in the environment. */
const git = (repo: TempRepo, args: string[], env: Record<string, string> = {}): Said =>
  spawnSync('git', args, { cwd: repo.root, env: { ...repo.env, ...env }, encoding: 'utf8', input: '' })

const handoff = (repo: TempRepo, ...args: string[]): string =>
  execFileSync(process.execPath, [HANDOFF, ...args], {
    cwd: repo.root,
    env: repo.env,
    encoding: 'utf8',
    stdio: 'pipe',
  })

/** A repository that was set up, with `handoff` on PATH; nothing of the set-up is committed. */
function setUp(
  options: TempRepoOptions & { config?: string; before?: (repo: TempRepo) => void } = {},
): TempRepo {
  const made = makeRepo(options)
  const bin = join(made.base, 'bin')
  mkdirSync(bin)
  symlinkSync(HANDOFF, join(bin, 'handoff'))
  const repo = atFolder(made.base, made.root, { ...made.env, PATH: `${bin}:${made.env.PATH}` })
  options.before?.(repo)
  if (options.before === undefined) copySetUp(repo, options.config)
  else handoff(repo, 'init', '--yes', '--agent', 'gemini-cli')
  repo.write(
    '.git/info/exclude',
    '/AGENTS.md\n/.agents\n/.gemini\n/.handoff/config.yaml\n/.handoff/README.md\n',
  )
  return repo
}

/** What `init` leaves in a repository of its own, by configuration: it is the same everywhere, and once is enough. */
const setUps = new Map<string, TempRepo>()
function copySetUp(repo: TempRepo, config = ''): void {
  let from = setUps.get(config)
  if (from === undefined) {
    from = makeRepo({ initial: false })
    if (config !== '') from.write('.handoff/config.yaml', config)
    handoff(from, 'init', '--yes', '--agent', 'gemini-cli')
    setUps.set(config, from)
  }
  for (const path of ['AGENTS.md', '.handoff', '.gemini', '.git/hooks', '.git/handoff'])
    cpSync(join(from.root, path), join(repo.root, path), { recursive: true })
  for (const key of ['filter.handoff.clean', 'alias.handoff', 'alias.handoff-hook', 'handoff.hooks'])
    repo.git(['config', key, from.git(['config', key])])
}

/** The text and path of a brief that the tool itself made. */
const sound = (() => {
  let made: { path: string; text: string } | null = null
  return (): { path: string; text: string } => {
    if (made !== null) return made
    const repo = makeRepo()
    repo.write('a.txt', 'changed\n')
    const { path, markdown } = JSON.parse(
      handoff(repo, 'create', GOAL, '--from', 'git', '--no-commit', '--json'),
    ) as { path: string; markdown: string }
    made = { path, text: markdown }
    return made
  }
})()

/** What a person does, from a repository with `main`, a branch `side` of one commit, and one change that is not staged. */
const MODES: Record<string, (repo: TempRepo, extra: Record<string, string>) => Said[]> = {
  plain: (repo, files) => {
    write(repo, files)
    return [git(repo, ['add', '-A']), git(repo, ['commit', '-m', 'mine'], DATES)]
  },
  '-a': (repo, files) => {
    write(repo, files)
    git(repo, ['add', '-N', '.'])
    return [git(repo, ['commit', '-a', '-m', 'mine'], DATES)]
  },
  '-o path': (repo, files) => {
    write(repo, { ...files, 'other.txt': 'staged\n' })
    git(repo, ['add', '-A'])
    return [git(repo, ['commit', '-m', 'mine', '-o', 'a.txt', ...Object.keys(files)], DATES)]
  },
  '--amend': (repo, files) => {
    write(repo, files)
    git(repo, ['add', '-A'])
    return [git(repo, ['commit', '--amend', '-m', 'mended'], DATES)]
  },
  merge: (repo, files) => {
    git(repo, ['checkout', '-q', '--', 'a.txt'])
    write(repo, files)
    git(repo, ['add', '-A'])
    return [
      git(repo, ['commit', '--allow-empty', '-m', 'mine'], DATES),
      git(repo, ['merge', '--no-ff', '-m', 'joined', 'side'], DATES),
    ]
  },
  rebase: (repo, files) => {
    write(repo, files)
    git(repo, ['add', '-A'])
    return [git(repo, ['commit', '-m', 'mine'], DATES), git(repo, ['rebase', 'side'], DATES)]
  },
  'cherry-pick': (repo, files) => {
    write(repo, files)
    git(repo, ['add', '-A'])
    return [git(repo, ['commit', '-m', 'mine'], DATES), git(repo, ['cherry-pick', 'side'], DATES)]
  },
}

const write = (repo: TempRepo, files: Record<string, string>): void => {
  for (const [path, text] of Object.entries(files)) repo.write(path, text)
}

function prepare(repo: TempRepo): void {
  repo.git(['switch', '-q', '-c', 'side'])
  repo.write('side.txt', 'side\n')
  repo.git(['add', 'side.txt'])
  repo.git(['commit', '-q', '-m', 'side'], { env: DATES })
  repo.git(['switch', '-q', 'main'])
  repo.write('a.txt', 'changed\n')
}

/** Root commit of a fixed date, so that two repositories have the same ids. */
function twin(make: (options: TempRepoOptions) => TempRepo): TempRepo {
  const repo = make({ initial: false })
  repo.write('a.txt', 'a\n')
  repo.git(['add', 'a.txt'])
  repo.git(['commit', '-q', '-m', 'first'], { env: DATES })
  prepare(repo)
  return repo
}

const facts = (repo: TempRepo) => ({
  head: repo.git(['rev-parse', 'HEAD']),
  status: repo.git(['status', '--porcelain']),
  index: repo.git(['ls-files', '-s']),
  branch: repo.git(['branch', '--show-current']),
  fsck: repo.git(['fsck', '--no-dangling', '--strict']),
})

describe.each(sampled(Object.entries(MODES), 1))('%s', (_, act) => {
  it.each(sampled(['a brief', 'nothing of ours'], 1))(
    'with %s: the commit is the one that git alone makes',
    (what) => {
      const files: Record<string, string> = what === 'a brief' ? { [sound().path]: sound().text } : {}
      const alone = twin(makeRepo)
      alone.write('.git/info/exclude', '/.handoff/.gitattributes\n')
      const ours = twin((options) => setUp({ ...options, config: 'gitHooks:\n  prePush: true\n' }))
      ours.write('.git/info/exclude', `${ours.read('.git/info/exclude')}/.handoff/.gitattributes\n`)
      const [expected, given] = [act(alone, files), act(ours, files)]
      expect(given.map(({ status }) => status)).toEqual(expected.map(() => 0))
      expect(expected.map(({ status }) => status)).toEqual(expected.map(() => 0))
      expect(facts(ours)).toEqual(facts(alone))
    },
  )

  byNight('with a broken brief: it is not made, and nothing is changed', () => {
    const repo = setUp()
    prepare(repo)
    const before = repo.git(['rev-parse', 'HEAD'])
    const path = '.handoff/briefs/20261122T100000-000abc00-broken.md'
    const [first] = act(repo, { [path]: '---\nno: brief\n---\n' }).filter(({ status }) => status !== 0)
    expect(first).toMatchObject({ status: 1, stderr: expect.stringContaining(`${path}:`) })
    expect(first?.stderr).toContain('handoff: commit stopped')
    // A merge, rebase or pick that follows is git's own affair.
    expect(repo.git(['log', '--format=%s', '--all']).split('\n').sort()).not.toContain('mine')
    expect(repo.git(['rev-parse', 'HEAD@{0}'])).toBe(repo.git(['rev-parse', 'HEAD']))
    if (repo.git(['log', '-1', '--format=%s']) === 'first')
      expect(repo.git(['rev-parse', 'HEAD'])).toBe(before)
  })
})

describeByNight('what the check looks at', () => {
  byNight('is what is really committed, in a linked worktree as well', () => {
    const main = setUp()
    const path = '.handoff/briefs/20261122T100000-000abc00-broken.md'
    main.git(['worktree', 'add', '-q', '-b', 'other', join(main.base, 'linked')])
    for (const repo of [main, atFolder(main.base, join(main.base, 'linked'), main.env)]) {
      repo.write(path, 'junk\n')
      repo.write('b.txt', 'b\n')
      repo.git(['add', '-A'])
      // Staged, and left out of this commit.
      expect(git(repo, ['commit', '-q', '-m', 'only b', 'b.txt'])).toMatchObject({ status: 0, stderr: '' })
      expect(git(repo, ['commit', '-m', 'both']).status).toBe(1)
      // Sound in the work tree, broken in the index, and the other way round.
      repo.write(path, sound().text)
      expect(git(repo, ['commit', '-m', 'index']).status).toBe(1)
      repo.git(['rm', '-qf', '--cached', path])
      repo.git(['commit', '-q', '--allow-empty', '-m', 'nothing'])
      repo.write(sound().path, sound().text)
      repo.git(['add', '-f', sound().path])
      repo.write(sound().path, 'junk\n')
      expect(git(repo, ['commit', '-m', 'all', '-a']).status).toBe(1)
      expect(git(repo, ['commit', '-m', 'index'])).toMatchObject({ status: 0 })
      expect(git(repo, ['commit', '-m', 'without us', '-a'], { HANDOFF: '0' })).toMatchObject({ status: 0 })
    }
  })
})

const script = (repo: TempRepo, path: string, text: string): void => {
  mkdirSync(dirname(join(repo.root, path)), { recursive: true })
  writeFileSync(join(repo.root, path), text)
  chmodSync(join(repo.root, path), 0o755)
}

describeByNight('create inside a hook', () => {
  const CREATE = (repo: TempRepo): string =>
    `#!/bin/sh\nhandoff create '${GOAL}' --from git >>'${repo.base}/out' 2>&1\nexit 0\n`

  const pairs = ['pre-commit', 'prepare-commit-msg', 'commit-msg'].flatMap((name) =>
    (['plain', '-a', '-o path', '--amend'] as const).map((mode) => [name, mode] as const),
  )
  byNight.each(sampled(pairs, 1))('%s is refused, commit %s goes on', (name, mode) => {
    const repo = setUp({ before: (made) => script(made, `.git/hooks/${name}`, CREATE(made)) })
    repo.write('a.txt', 'changed\n')
    for (const { status } of MODES[mode]?.(repo, {}) ?? []) expect(status).toBe(0)
    expect(readFileSync(join(repo.base, 'out'), 'utf8')).toContain(`inside the ${name} hook`)
    expect(repo.git(['log', '--format=%s']).split('\n')).toHaveLength(mode === '--amend' ? 1 : 2)
    expect(repo.git(['ls-tree', '-r', '--name-only', 'HEAD'])).not.toContain('briefs')
    expect(git(repo, ['fsck', '--strict']).status).toBe(0)
  })

  byNight.each(sampled(['post-commit', 'post-checkout', 'post-merge', 'post-rewrite', 'pre-push'], 1))(
    '%s works',
    (name) => {
      const repo = setUp({ before: (made) => script(made, `.git/hooks/${name}`, CREATE(made)) })
      const up = join(repo.base, 'up')
      repo.git(['init', '-q', '--bare', up])
      repo.git(['remote', 'add', 'origin', up])
      repo.write('a.txt', 'changed\n')
      for (const args of [
        ['commit', '-q', '-a', '-m', 'mine'],
        ['switch', '-q', '-c', 'topic'],
        ['commit', '-q', '--amend', '-m', 'mended'],
        ['switch', '-q', 'main'],
        ['merge', '-q', '-m', 'joined', 'topic'],
        ['push', '-q', 'origin', 'main'],
      ])
        expect(git(repo, args), args.join(' ')).toMatchObject({ status: 0 })
      expect(repo.git(['log', '--all', '--format=%s'])).toContain('chore(handoff)')
      expect(git(repo, ['fsck', '--strict']).status).toBe(0)
      expect(repo.git(['status', '--porcelain', '--', 'a.txt'])).toBe('')
    },
  )
})

describeByNight('bad input', () => {
  const stage = (repo: TempRepo, text: string | Buffer): string => {
    const { path } = sound()
    repo.write(path, text)
    repo.git(['add', '-A', '-f'])
    return path
  }

  byNight('CRLF in the work tree is no error: git keeps LF', () => {
    const repo = setUp()
    stage(repo, sound().text.replaceAll('\n', '\r\n'))
    expect(git(repo, ['commit', '-q', '-m', 'x'])).toMatchObject({
      status: 0,
      stderr: expect.not.stringContaining('handoff:'),
    })
    expect(repo.git(['show', `HEAD:${sound().path}`])).not.toContain('\r')
  })

  const ODD = [`odd/$(touch\${IFS}PWNED)'"\`x`, '-n', 'ünï/日本', 'a;b&c|d', 'feature/(x){2}']
  byNight.each(sampled(ODD, 1))('a branch called %s is told and named as it is', (name) => {
    const repo = setUp()
    const ref = `refs/heads/${name}`
    repo.git(['update-ref', ref, 'HEAD'])
    repo.git(['symbolic-ref', 'HEAD', ref])
    repo.write('a.txt', 'changed\n')
    const id = /(\d{8}T\d{6}-[0-9a-f]{8})/.exec(handoff(repo, 'create', GOAL, '--from', 'git'))?.[1]
    repo.git(['checkout', '-q', '-f', 'main'])
    const { status, stderr } = git(repo, ['checkout', '-q', ref.replace(/^refs\//, '')])
    expect([status, stderr.split('\n').filter((line) => line.startsWith('handoff:'))]).toEqual([
      0,
      [`handoff: brief ${id} is open here: ${GOAL}`],
    ])
    expect(existsSync(join(repo.root, 'PWNED'))).toBe(false)
  })

  byNight('a repository without commits: the first commit is checked, and made', () => {
    const repo = setUp({ initial: false })
    stage(repo, 'junk\n')
    expect(git(repo, ['commit', '-m', 'x']).status).toBe(1)
    stage(repo, sound().text)
    expect(git(repo, ['commit', '-q', '-m', 'x'])).toMatchObject({ status: 0 })
  })

  byNight('history rewritten under a hook: nothing is told, nothing fails', () => {
    const theirs = `#!/bin/sh\ncat >/dev/null\ngit reflog expire --expire=now --expire-unreachable=now --all\ngit gc -q --prune=now\n`
    const repo = setUp({ before: (made) => script(made, '.git/hooks/post-rewrite', theirs) })
    repo.write('a.txt', 'changed\n')
    handoff(repo, 'create', GOAL, '--from', 'git')
    git(repo, ['commit', '-q', '-a', '-m', 'mine'])
    expect(git(repo, ['commit', '-q', '--amend', '-m', 'mended'])).toMatchObject({ status: 0 })
    expect(git(repo, ['rebase', '-q', '--force-rebase', 'HEAD~1'])).toMatchObject({ status: 0 })
    expect(repo.git(['status', '--porcelain'])).toBe('')
  })

  byNight(
    'a configuration that cannot be read lets the commit pass, and says that nothing was checked',
    () => {
      const repo = setUp()
      repo.write('.handoff/config.yaml', 'limits: [\n')
      stage(repo, 'junk\n')
      const { status, stderr } = git(repo, ['commit', '-m', 'x'])
      expect([status, stderr]).toEqual([
        0,
        expect.stringContaining('the briefs of this commit were not checked: '),
      ])
    },
  )
})

describeByNight('a merge that brings a brief of somebody else', () => {
  byNight('is not stopped by what stands in it, but by what is changed on the way', () => {
    const repo = setUp()
    repo.git(['switch', '-q', '-c', 'theirs'])
    const path = '.handoff/briefs/20261122T100000-000abc00-old.md'
    repo.write(path, 'junk of an old version\n')
    repo.write('a.txt', 'theirs\n')
    repo.git(['add', '-A'])
    repo.git(['commit', '-q', '-n', '-m', 'theirs'])
    repo.git(['switch', '-q', 'main'])
    repo.write('a.txt', 'mine\n')
    repo.git(['commit', '-q', '-a', '-m', 'mine'])
    expect(git(repo, ['merge', 'theirs']).status).toBe(1)
    repo.write('a.txt', 'both\n')
    repo.git(['add', 'a.txt'])
    repo.write(path, 'changed junk\n')
    repo.git(['add', path])
    expect(git(repo, ['commit', '-m', 'joined']).status).toBe(1)
    repo.git(['checkout', 'theirs', '--', path])
    expect(git(repo, ['commit', '-m', 'joined'])).toMatchObject({ status: 0 })
  })
})

describeByNight('the trailer', () => {
  const TRAILERS = 'gitHooks:\n  trailers: true\n'
  function onBranch(): { repo: TempRepo; id: string } {
    const repo = setUp({ config: TRAILERS })
    repo.git(['switch', '-q', '-c', 'topic'])
    repo.write('a.txt', 'changed\n')
    const id = /(\d{8}T\d{6}-[0-9a-f]{8})/.exec(handoff(repo, 'create', GOAL, '--from', 'git'))?.[1] ?? ''
    return { repo, id }
  }
  const body = (repo: TempRepo): string => repo.git(['log', '-1', '--format=%B'])

  byNight('comes with a message that was given, which stays as it is', () => {
    const { repo, id } = onBranch()
    for (const message of [
      'one line',
      'subject\n\nbody\nmore\n\nCloses: #1',
      'ünï — “x”\n\n--- not a divider\n* x',
    ]) {
      git(repo, ['commit', '--allow-empty', '-m', message], { HANDOFF: '0' })
      const alone = body(repo)
      git(repo, ['commit', '--allow-empty', '-m', message])
      const text = body(repo)
      expect(text.trimEnd().endsWith(`\nHandoff-For: ${id}`)).toBe(true)
      expect(text.replace(/\n+Handoff-For: .*\n*$/, '').trimEnd()).toBe(alone.trimEnd())
      expect(repo.git(['log', '-1', '--format=%(trailers:key=Handoff-For,valueonly)']).trim()).toBe(id)
    }
  })

  byNight('is offered in the editor, where a message of nothing still makes no commit', () => {
    const { repo, id } = onBranch()
    const before = repo.git(['rev-parse', 'HEAD'])
    expect(git(repo, ['commit', '--allow-empty'], { GIT_EDITOR: 'true' }).stderr).toContain(
      'empty commit message',
    )
    expect(repo.git(['rev-parse', 'HEAD'])).toBe(before)
    const written = `sh -c 'sed "1s/^/subject/" "$1" > "$1.new" && mv "$1.new" "$1"' x`
    git(repo, ['commit', '--allow-empty'], { GIT_EDITOR: written })
    expect(body(repo).trim()).toBe('subject')
    const taken = `sh -c 'sed "1s/^/subject/; s/^# Handoff-For/Handoff-For/" "$1" > "$1.new" && mv "$1.new" "$1"' x`
    git(repo, ['commit', '--allow-empty'], { GIT_EDITOR: taken })
    expect(body(repo).trim()).toBe(`subject\n\nHandoff-For: ${id}`)
    // Another mark for comments.
    repo.git(['config', 'core.commentChar', ';'])
    git(repo, ['commit', '--allow-empty'], {
      GIT_EDITOR: taken.replace('^# Handoff', '^; Handoff'),
    })
    expect(body(repo).trim()).toBe(`subject\n\nHandoff-For: ${id}`)
  })

  byNight('leaves a template that nobody touched alone: git makes no commit of it', () => {
    const { repo } = onBranch()
    repo.write('template', 'Why:\n\nHow:\n')
    expect(
      git(repo, ['-c', 'commit.template=template', 'commit', '--allow-empty'], { GIT_EDITOR: 'true' }).status,
    ).toBe(1)
  })

  byNight(
    'does not come with amends, merges, squashes, picks, reverts, fixups, nor on another branch',
    () => {
      const { repo } = onBranch()
      git(repo, ['commit', '-q', '-a', '-m', 'work'], { HANDOFF: '0' })
      const work = repo.git(['rev-parse', 'HEAD'])
      const none = (...args: string[]): void => {
        const { status, stderr } = git(repo, args, { GIT_EDITOR: 'true' })
        expect(status, `${args.join(' ')}: ${stderr}`).toBe(0)
        expect(body(repo), args.join(' ')).not.toContain('Handoff-For')
      }
      none('commit', '--amend', '-m', 'amended')
      none('commit', '--amend', '--no-edit')
      none('revert', '--no-edit', 'HEAD')
      none('cherry-pick', work)
      none('commit', '--allow-empty', '--fixup', 'HEAD')
      none('commit', '--allow-empty', '-C', 'HEAD~1')
      repo.git(['switch', '-q', '-c', 'side', 'main'])
      none('commit', '--allow-empty', '-m', 'side')
      repo.git(['switch', '-q', 'topic'])
      none('merge', '--no-ff', '-m', 'joined', 'side')
      repo.git(['switch', '-q', 'main'])
      git(repo, ['merge', '--squash', 'topic'])
      none('commit', '--no-edit')
      none('rebase', '-q', '--force-rebase', 'HEAD~1')
    },
  )

  byNight('ends with the chain', () => {
    const { repo } = onBranch()
    handoff(repo, 'done', 'all of it works')
    git(repo, ['commit', '--allow-empty', '-m', 'later'])
    expect(body(repo).trim()).toBe('later')
  })
})

describeByNight('the gate before a push', () => {
  function withRemote(config?: string): TempRepo {
    const repo = setUp(config === undefined ? {} : { config })
    repo.git(['init', '-q', '--bare', join(repo.base, 'up')])
    repo.git(['remote', 'add', 'origin', join(repo.base, 'up')])
    return repo
  }
  const broken = (repo: TempRepo): void => {
    repo.write('.handoff/briefs/20261122T100000-000abc00-broken.md', 'junk\n')
    repo.git(['add', '-A'])
    repo.git(['commit', '-q', '-n', '-m', 'broken'])
  }
  const GATE = 'gitHooks:\n  prePush: true\n'

  byNight('is not there by default', () => {
    const repo = withRemote()
    broken(repo)
    expect(git(repo, ['push', '-q', 'origin', 'main'])).toMatchObject({ status: 0, stderr: '' })
  })

  byNight(
    'stops what would be published, on a new branch, a known one, a forced one, and lets the rest pass',
    () => {
      const repo = withRemote(GATE)
      const push = (...args: string[]) => git(repo, ['push', '-q', 'origin', ...args])
      expect(push('main')).toMatchObject({ status: 0, stderr: '' })
      broken(repo)
      const stopped = push('main')
      expect(stopped).toMatchObject({
        status: 1,
        stderr: expect.stringContaining('000abc00-broken.md:1: error:'),
      })
      expect(stopped.stderr).toContain('the push was stopped')
      expect(push('main:new').status).toBe(1)
      expect(push('HEAD~1:refs/heads/old')).toMatchObject({ status: 0, stderr: '' })
      expect(push(':old')).toMatchObject({ status: 0, stderr: '' })
      expect(push('--no-verify', 'main').status).toBe(0)
      // What is there already is not judged again.
      repo.commit('later', {})
      expect(push('main')).toMatchObject({ status: 0, stderr: '' })
      repo.git(['commit', '-q', '--amend', '--allow-empty', '-m', 'again'])
      expect(push('--force', 'main')).toMatchObject({ status: 0, stderr: '' })
      expect(push('main')).toMatchObject({ status: 0, stderr: '' })
    },
  )

  byNight('looks at everything when the other side has nothing', () => {
    const repo = withRemote(GATE)
    repo.git(['checkout', '-q', '--orphan', 'fresh'])
    broken(repo)
    expect(git(repo, ['push', '-q', 'origin', 'fresh']).status).toBe(1)
  })
})

describeByNight('one line that a brief is here', () => {
  const lines = ({ stderr }: Said): string[] =>
    stderr.split('\n').filter((line) => line.startsWith('handoff:'))

  byNight('of one that is not trusted gives the id alone, and nothing of it reaches a terminal', () => {
    const repo = setUp()
    repo.git(['switch', '-q', '-c', 'theirs'])
    const { path, text } = sound()
    repo.write(path, text.replaceAll(GOAL, 'EVIL goal \u001b[31m').replace(/^branch: .*$/m, 'branch: theirs'))
    repo.git(['add', '-A', '-f'])
    repo.git(['commit', '-q', '-n', '-m', 'theirs'])
    repo.git(['switch', '-q', 'main'])
    const said = git(repo, ['switch', '-q', 'theirs'])
    const id = /\d{8}T\d{6}-[0-9a-f]{8}/.exec(path)?.[0]
    expect(lines(said)).toEqual([
      `handoff: brief ${id} is here and not trusted; after reading it, run \`git handoff trust ${id}\``,
    ])
    expect(said.stderr).not.toContain('EVIL')
    handoff(repo, 'trust', id ?? '')
    repo.git(['switch', '-q', 'main'])
    expect(lines(git(repo, ['switch', '-q', 'theirs']))[0]).toMatch(/is open here: EVIL goal \\u\{1b\}\[31m$/)
  })

  byNight('comes at checkout, merge and rebase, refreshes the copy, and not for what is no news', () => {
    const repo = setUp()
    repo.git(['switch', '-q', '-c', 'topic'])
    repo.write('a.txt', 'changed\n')
    repo.git(['commit', '-q', '-a', '-m', 'work'])
    handoff(repo, 'create', GOAL, '--from', 'git')
    const copy = (): string =>
      /^This copy belongs to (branch [^\s,]+|a detached HEAD)/m.exec(repo.read('.handoff/latest.md'))?.[1] ??
      ''
    expect(lines(git(repo, ['switch', '-q', 'main']))).toEqual([])
    expect(lines(git(repo, ['switch', '-q', 'topic']))).toHaveLength(1)
    expect(copy()).toBe('branch topic')
    expect(lines(git(repo, ['switch', '-q', '-c', 'next']))).toEqual([])
    expect(copy()).toBe('branch next')
    expect(lines(git(repo, ['checkout', '-q', '--', 'a.txt']))).toEqual([])
    expect(lines(git(repo, ['commit', '-q', '--amend', '-m', 'x']))).toEqual([])
    repo.git(['switch', '-q', 'main'])
    repo.git(['switch', '-q', '-c', 'step'])
    expect(lines(git(repo, ['merge', '-q', 'topic']))).toHaveLength(1)
    expect(lines(git(repo, ['merge', '-q', '--no-ff', '-m', 'm', 'next']))).toEqual([])
    repo.git(['switch', '-q', '-c', 'old', 'main'])
    repo.commit('old', { 'old.txt': 'x\n' })
    expect(lines(git(repo, ['rebase', '-q', 'step']))).toHaveLength(1)
    expect(copy()).toBe('branch old')
    expect(lines(git(repo, ['worktree', 'add', '-q', join(repo.base, 'linked'), 'topic']))).toHaveLength(1)
    expect(repo.git(['status', '--porcelain'])).toBe('')
    handoff(repo, 'done', 'all of it works')
    repo.git(['switch', '-q', 'main'])
    expect(lines(git(repo, ['switch', '-q', 'old']))).toEqual([])
  })
})
