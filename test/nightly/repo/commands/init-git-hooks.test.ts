import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type CliResult, cli } from '../../../repo/cli.ts'
import { atFolder, makeRepo, type TempRepo } from '../../../repo/make-repo.ts'
import { sampled } from '../../../sampled.ts'

const DEFAULT = ['pre-commit', 'post-checkout', 'post-merge', 'post-rewrite']

const init = (repo: TempRepo, ...args: string[]): Promise<CliResult> =>
  cli(repo, ['init', '--agent', 'claude-code', '--json', ...args])

/** Every file of a folder with mode and content, links as links; what the objects, records and the runner of git hold is left out. */
function snapshot(folder: string): Record<string, string> {
  const seen: Record<string, string> = {}
  const walk = (path: string, name: string): void => {
    const stat = lstatSync(path)
    if (stat.isSymbolicLink()) seen[name] = `-> ${readlinkSync(path)}`
    else if (stat.isFile()) seen[name] = `${(stat.mode & 0o777).toString(8)} ${readFileSync(path, 'latin1')}`
    else
      for (const one of readdirSync(path).sort())
        if (!/^(objects|logs|index|handoff|COMMIT_EDITMSG|ORIG_HEAD|worktrees|modules)$/.test(one))
          walk(join(path, one), name === '' ? one : `${name}/${one}`)
  }
  walk(folder, '')
  return seen
}

function put(path: string, content: string | Buffer, mode = 0o755): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
  chmodSync(path, mode)
}

const hook = (repo: TempRepo, name = 'pre-commit'): string => join(repo.root, '.git/hooks', name)

describe('hooks in the folder of git itself', () => {
  it('come, come no second time, and go without a trace', async () => {
    const repo = makeRepo()
    const before = snapshot(repo.root)
    const { json } = await init(repo)
    expect(json.gitHooks).toEqual({ manager: 'plain', where: '.git/hooks', events: DEFAULT, todo: [] })
    for (const name of DEFAULT) expect(lstatSync(hook(repo, name)).mode & 0o111).toBe(0o111)
    expect(existsSync(hook(repo, 'pre-push'))).toBe(false)
    const after = snapshot(repo.root)
    expect((await init(repo)).json.changed).toEqual([])
    expect(snapshot(repo.root)).toEqual(after)
    expect((await cli(repo, ['init', '--remove', '--json'])).json.left).toEqual([])
    expect(snapshot(repo.root)).toEqual(before)
  })

  it('are made with their folder where a template without one was used, and take it away again', async () => {
    const repo = makeRepo()
    rmSync(join(repo.root, '.git/hooks'), { recursive: true })
    await init(repo)
    expect(readdirSync(join(repo.root, '.git/hooks')).sort()).toEqual([...DEFAULT].sort())
    await cli(repo, ['init', '--remove'])
    expect(existsSync(join(repo.root, '.git/hooks'))).toBe(false)
  })

  it('that are off by default come with their key, and go with it', async () => {
    const repo = makeRepo()
    repo.write('.handoff/config.yaml', 'gitHooks:\n  trailers: true\n  prePush: true\n')
    const { json } = await init(repo)
    expect(json.gitHooks.events).toEqual([
      'pre-commit',
      'prepare-commit-msg',
      'post-checkout',
      'post-merge',
      'post-rewrite',
      'pre-push',
    ])
    expect(existsSync(hook(repo, 'pre-push'))).toBe(true)
    repo.write('.handoff/config.yaml', 'gitHooks:\n  prePush: true\n')
    await init(repo)
    expect(existsSync(hook(repo, 'prepare-commit-msg'))).toBe(false)
    expect(existsSync(hook(repo, 'pre-push'))).toBe(true)
  })

  it.each(
    sampled<[string, (path: string) => void]>(
      [
        ['a script', (path) => put(path, '#!/bin/sh\nexit 3\n', 0o700)],
        ['a script that nobody may run', (path) => put(path, '#!/bin/sh\n', 0o644)],
        ['a program', (path) => put(path, Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 255, 254]))],
        ['a link to a script of the worktree', (path) => symlinkSync('../../a.txt', path)],
        ['a link to nothing', (path) => symlinkSync('/nowhere/at/all', path)],
        ['an empty file', (path) => put(path, '')],
      ],
      2,
    ),
  )('keep %s beside them, and give it back byte for byte', async (_, make) => {
    const repo = makeRepo()
    make(hook(repo))
    const before = snapshot(repo.root)
    const shown = await init(repo, '--dry-run')
    expect(shown.code, shown.stderr).toBe(0)
    expect(snapshot(repo.root)).toEqual(before)
    const { json } = await init(repo)
    expect(json.left).toEqual([])
    expect(json.changed).toContainEqual({
      path: '.git/hooks/pre-commit',
      change: expect.any(String),
      kept: '.git/hooks/pre-commit.before-handoff',
    })
    const after = snapshot(repo.root)
    expect(after['.git/hooks/pre-commit.before-handoff']).toBe(before['.git/hooks/pre-commit'])
    expect((await init(repo)).json.changed).toEqual([])
    expect(snapshot(repo.root)).toEqual(after)
    await cli(repo, ['init', '--remove'])
    expect(snapshot(repo.root)).toEqual(before)
  })

  it('leave a hook alone that somebody has put in their place, and both when there is one before', async () => {
    const repo = makeRepo()
    put(hook(repo), '#!/bin/sh\necho first\n')
    await init(repo)
    put(hook(repo), '#!/bin/sh\necho later\n')
    const again = await init(repo)
    expect(again.json.left).toEqual([
      {
        path: '.git/hooks/pre-commit',
        reason: expect.stringContaining('pre-commit.before-handoff is there already'),
      },
    ])
    await cli(repo, ['init', '--remove', '--json'])
    expect(readFileSync(hook(repo), 'utf8')).toBe('#!/bin/sh\necho later\n')
    expect(readFileSync(`${hook(repo)}.before-handoff`, 'utf8')).toBe('#!/bin/sh\necho first\n')
  })

  it('bring back what was there when somebody has deleted ours', async () => {
    const repo = makeRepo()
    put(hook(repo), '#!/bin/sh\necho first\n')
    const before = snapshot(repo.root)
    await init(repo)
    rmSync(hook(repo))
    await cli(repo, ['init', '--remove'])
    expect(snapshot(repo.root)).toEqual(before)
  })

  it('are known by their text where the record is lost', async () => {
    const repo = makeRepo()
    put(hook(repo), '#!/bin/sh\necho first\n')
    const before = snapshot(repo.root)
    await init(repo)
    rmSync(join(repo.root, '.git/handoff'), { recursive: true })
    await cli(repo, ['init', '--remove'])
    const now = snapshot(repo.root)
    expect(now).toEqual({ ...before, '.git/config': now['.git/config'] })
  })

  it('change nothing at all when one folder is read-only', async () => {
    const repo = makeRepo()
    chmodSync(join(repo.root, '.git/hooks'), 0o555)
    const before = snapshot(repo.root)
    const { code, json } = await init(repo)
    expect(code).toBe(2)
    expect(json.errors[0].code).toBe('E_SETTINGS_READ_ONLY')
    expect(snapshot(repo.root)).toEqual(before)
    chmodSync(join(repo.root, '.git/hooks'), 0o755)
  })

  it('are one and the same for linked worktrees, and stay while another one is set up', async () => {
    const repo = makeRepo()
    const path = join(repo.base, 'linked')
    repo.git(['worktree', 'add', '-q', '-b', 'other', path])
    const other = atFolder(repo.base, path, repo.env)
    const before = snapshot(join(repo.root, '.git/hooks'))
    await init(repo)
    const { json } = await init(other)
    expect(json.changed.map((one: { path: string }) => one.path)).not.toContainEqual(
      expect.stringContaining('hooks/pre-commit'),
    )
    const first = await cli(other, ['init', '--remove', '--json'])
    expect(first.json.warnings).toContainEqual(expect.stringContaining('another worktree'))
    expect(existsSync(hook(repo))).toBe(true)
    await cli(repo, ['init', '--remove'])
    expect(snapshot(join(repo.root, '.git/hooks'))).toEqual(before)
    await init(other)
    expect(existsSync(hook(repo))).toBe(true)
    await cli(other, ['init', '--remove'])
    expect(snapshot(join(repo.root, '.git/hooks'))).toEqual(before)
  })

  it('go into the git directory of a submodule', async () => {
    const lib = makeRepo()
    const repo = makeRepo()
    repo.git(['submodule', '-q', 'add', lib.root, 'lib'])
    const inner = atFolder(repo.base, join(repo.root, 'lib'), repo.env)
    const { json } = await init(inner)
    expect(json.gitHooks.manager).toBe('plain')
    expect(existsSync(join(repo.root, '.git/modules/lib/hooks/pre-commit'))).toBe(true)
    expect(existsSync(hook(repo))).toBe(false)
    await cli(inner, ['init', '--remove'])
    expect(existsSync(join(repo.root, '.git/modules/lib/hooks/pre-commit'))).toBe(false)
  })

  it('work in a repository without commits', async () => {
    const repo = makeRepo({ initial: false })
    expect((await init(repo)).json.gitHooks.events).toEqual(DEFAULT)
  })
})

describe('core.hooksPath', () => {
  it('that is global leads out: it is said, and nothing is written there unless plain is named', async () => {
    const repo = makeRepo()
    const folder = join(repo.home, 'my hooks')
    put(join(folder, 'pre-commit'), '#!/bin/sh\nexit 0\n')
    repo.git(['config', '--global', 'core.hooksPath', folder])
    const before = { tree: snapshot(join(repo.root, '.git/hooks')), theirs: snapshot(folder) }
    const { json } = await init(repo)
    expect(json.gitHooks.manager).toBe('none')
    expect(json.warnings).toContainEqual(
      expect.stringMatching(/core\.hooksPath of your global .*my hooks.*--git-hooks plain/),
    )
    expect({ tree: snapshot(join(repo.root, '.git/hooks')), theirs: snapshot(folder) }).toEqual(before)
    const told = await init(repo, '--git-hooks', 'plain')
    expect(told.json.gitHooks).toMatchObject({ manager: 'plain', where: '~/my hooks' })
    expect(snapshot(folder)['pre-commit.before-handoff']).toBe(before.theirs['pre-commit'])
    expect(snapshot(join(repo.root, '.git/hooks'))).toEqual(before.tree)
    await cli(repo, ['init', '--remove'])
    expect(snapshot(folder)).toEqual(before.theirs)
  })

  it.each(['.githooks', './.githooks/', 'tools/git hooks'])(
    'inside the repository (%s): scripts there get a block, new ones may be run',
    async (value) => {
      const repo = makeRepo()
      const folder = join(repo.root, value)
      put(join(folder, 'pre-commit'), '#!/usr/bin/env bash\nset -e\nnpm test\n')
      put(join(folder, 'post-merge'), '#!/usr/bin/env python3\nprint(1)\n')
      put(join(folder, 'post-rewrite'), '#!/bin/sh\nexec make post\n')
      repo.git(['config', 'core.hooksPath', value])
      const before = snapshot(repo.root)
      const { json } = await init(repo)
      expect(json.gitHooks.manager).toBe('plain')
      expect(json.left.map((one: { reason: string }) => one.reason)).toEqual([
        'it is no script of sh',
        'nothing is run behind its last line, `exec make post`',
      ])
      const after = snapshot(folder)
      expect(
        after['pre-commit']?.startsWith('755 #!/usr/bin/env bash\nset -e\nnpm test\n\n# >>> handoff'),
      ).toBe(true)
      expect(after['post-checkout']?.startsWith('755 #!/bin/sh\n# >>> handoff')).toBe(true)
      expect(Object.keys(after).filter((name) => name.includes('before'))).toEqual([])
      expect((await init(repo)).json.changed).toEqual([])
      await cli(repo, ['init', '--remove'])
      expect(snapshot(repo.root)).toEqual(before)
    },
  )

  it('that is absolute and leads into .git is the folder of git', async () => {
    const repo = makeRepo()
    repo.git(['config', 'core.hooksPath', join(repo.root, '.git/other')])
    const { json } = await init(repo)
    expect(json.gitHooks).toMatchObject({ manager: 'plain', where: '.git/other' })
    expect(existsSync(join(repo.root, '.git/other/pre-commit'))).toBe(true)
  })

  it('that leads into a link out of the repository counts as outside', async () => {
    const repo = makeRepo()
    mkdirSync(join(repo.base, 'shared'))
    symlinkSync(join(repo.base, 'shared'), join(repo.root, '.githooks'))
    repo.git(['config', 'core.hooksPath', '.githooks'])
    const { json } = await init(repo)
    expect(json.gitHooks.manager).toBe('none')
    expect(readdirSync(join(repo.base, 'shared'))).toEqual([])
  })

  it('of husky is no place for files of ours', async () => {
    const repo = makeRepo()
    put(join(repo.root, '.husky/_/h'), '')
    repo.git(['config', 'core.hooksPath', '.husky/_'])
    const { code, json } = await init(repo, '--git-hooks', 'plain')
    expect([code, json.errors[0].message]).toEqual([2, expect.stringContaining('husky rewrites')])
  })
})

describe('the files of hook managers', () => {
  const LEFTHOOK = 'pre-commit:\n  commands:\n    lint:\n      run: npm run lint # why\n'
  const PRE_COMMIT = 'repos:\n- repo: https://example.com/a\n  rev: v1 # pinned\n  hooks:\n  - id: a\n'

  it.each<[string, Record<string, string>, string, string | null]>([
    ['husky', { '.husky/pre-commit': 'npm test\n', '.husky/_/h': '' }, '.husky', '.husky/_'],
    [
      'husky',
      { '.husky/pre-commit': '#!/bin/sh\n. "$(dirname "$0")/_/husky.sh"\nnpm test\n' },
      '.husky',
      '.husky',
    ],
    ['husky', { 'web/.husky/pre-commit': 'npm test\n' }, 'web/.husky', 'web/.husky/_'],
    ['husky', { 'package.json': '{"devDependencies":{"husky":"^9"}}' }, '.husky', null],
    ['lefthook', { 'lefthook.yml': LEFTHOOK }, 'lefthook.yml', null],
    ['lefthook', { '.lefthook.yml': LEFTHOOK.replaceAll('\n', '\r\n') }, '.lefthook.yml', null],
    ['lefthook', { 'lefthook-local.yml': LEFTHOOK.trimEnd() }, 'lefthook-local.yml', null],
    ['lefthook', { 'lefthook.json': '{\n\t"pre-commit": { "parallel": true }\n}\n' }, 'lefthook.json', null],
    ['pre-commit', { '.pre-commit-config.yaml': PRE_COMMIT }, '.pre-commit-config.yaml', null],
  ])('%s %j: come, come no second time, and go without a trace', async (manager, files, where, hooksPath) => {
    const repo = makeRepo()
    for (const [path, text] of Object.entries(files)) put(join(repo.root, path), text)
    if (hooksPath !== null) repo.git(['config', 'core.hooksPath', hooksPath])
    const before = snapshot(repo.root)
    const { code, json, stdout } = await init(repo)
    expect(code, stdout).toBe(0)
    expect(json.left).toEqual([])
    expect(json.gitHooks).toMatchObject({ manager, where, events: DEFAULT })
    const after = snapshot(repo.root)
    for (const [path, text] of Object.entries(files))
      if (!path.endsWith('.json') && path !== '.husky/_/h') expect(after[path]).toContain(text.trimEnd())
    expect(snapshot(join(repo.root, '.git/hooks'))).toEqual(
      Object.fromEntries(
        Object.entries(before)
          .filter(([path]) => path.startsWith('.git/hooks/'))
          .map(([path, text]) => [path.slice('.git/hooks/'.length), text]),
      ),
    )
    expect((await init(repo)).json.changed).toEqual([])
    expect(snapshot(repo.root)).toEqual(after)
    await cli(repo, ['init', '--remove'])
    expect(snapshot(repo.root)).toEqual(before)
    // In another clone nobody knows what stood there.
    await init(repo)
    rmSync(join(repo.root, '.git/handoff'), { recursive: true })
    await cli(repo, ['init', '--remove'])
    const gone = snapshot(repo.root)
    expect({ ...gone, '.git/config': '' }).toEqual({ ...before, '.git/config': '' })
  })

  it('that cannot be read stop everything, and say where', async () => {
    const repo = makeRepo()
    put(join(repo.root, 'lefthook.yml'), 'pre-commit:\n  - [a\nb: c\n')
    const before = snapshot(repo.root)
    const { code, json } = await init(repo)
    expect(code).toBe(2)
    expect(json.errors[0]).toMatchObject({
      code: 'E_SETTINGS',
      message: expect.stringMatching(/lefthook\.yml:\d+: not valid YAML/),
    })
    expect(snapshot(repo.root)).toEqual(before)
  })

  it('in TOML are said, not edited', async () => {
    const repo = makeRepo()
    put(join(repo.root, 'lefthook.toml'), '[pre-push]\n')
    const { json } = await init(repo)
    expect(json.gitHooks.manager).toBe('none')
    expect(json.warnings).toContainEqual(expect.stringContaining('lefthook.toml is TOML'))
  })

  it('are followed through links inside the repository', async () => {
    const repo = makeRepo()
    put(join(repo.root, 'config/lefthook.yml'), LEFTHOOK)
    symlinkSync('config/lefthook.yml', join(repo.root, 'lefthook.yml'))
    const before = snapshot(repo.root)
    await init(repo)
    expect(lstatSync(join(repo.root, 'lefthook.yml')).isSymbolicLink()).toBe(true)
    expect(repo.read('config/lefthook.yml')).toContain('handoff')
    await cli(repo, ['init', '--remove'])
    expect(snapshot(repo.root)).toEqual(before)
  })
})

describe('--git-hooks', () => {
  it('names one, is remembered, and takes out what another one held', async () => {
    const repo = makeRepo()
    const before = snapshot(join(repo.root, '.git/hooks'))
    await init(repo)
    const named = await init(repo, '--git-hooks', 'lefthook')
    expect(named.json.gitHooks.manager).toBe('lefthook')
    expect(named.json.gitHooks.todo).toEqual([expect.stringContaining('lefthook install')])
    expect(snapshot(join(repo.root, '.git/hooks'))).toEqual(before)
    rmSync(join(repo.root, '.git/hooks'), { recursive: true })
    const none = await init(repo, '--git-hooks', 'none')
    expect(none.json.gitHooks.manager).toBe('none')
    expect(existsSync(join(repo.root, 'lefthook.yml'))).toBe(false)
    expect((await init(repo)).json.gitHooks.manager).toBe('none')
    expect(existsSync(hook(repo))).toBe(false)
    await cli(repo, ['init', '--remove'])
    expect((await init(repo)).json.gitHooks.manager).toBe('plain')
  })

  it('takes no other word', async () => {
    const { code, json } = await init(makeRepo(), '--git-hooks', 'overcommit')
    expect([code, json.errors[0].message]).toEqual([
      2,
      '--git-hooks takes husky, lefthook, pre-commit, plain or none, not "overcommit".',
    ])
  })
})
