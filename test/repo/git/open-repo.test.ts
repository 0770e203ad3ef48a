import { chmodSync, existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { gitEnvironment } from '../../../src/git/environment.ts'
import { openRepo } from '../../../src/git/open-repo.ts'
import { readWork } from '../../../src/life/trunk.ts'
import { makePrivate, privateFolder } from '../../../src/private-folder.ts'
import { makeFolder, makeRepo } from '../make-repo.ts'

describe('openRepo', () => {
  test('says that GIT_DIR is not followed, where that is why there is no repository', async () => {
    const temp = makeRepo()
    const env = { ...temp.env, GIT_DIR: join(temp.root, '.git') }
    const failed = { code: 'E_NO_REPOSITORY', message: expect.stringContaining('GIT_DIR') }
    await expect(openRepo(temp.base, { env })).rejects.toMatchObject(failed)
    await expect(openRepo(temp.base, { env: temp.env })).rejects.toMatchObject({
      message: expect.not.stringContaining('GIT_DIR'),
    })
  })

  test('knows where everything is, from a subdirectory of a linked worktree too', async () => {
    const temp = makeRepo()
    const git = join(temp.root, '.git')
    expect(await openRepo(temp.root, { env: temp.env })).toMatchObject({
      root: temp.root,
      gitDir: git,
      commonDir: git,
      indexPath: join(git, 'index'),
      objectFormat: 'sha1',
      shallow: false,
    })
    temp.git(['worktree', 'add', '-q', '-b', 'linked', '../linked tree'])
    const linked = join(temp.base, 'linked tree')
    mkdirSync(join(linked, 'deep'))
    const own = temp.git(['rev-parse', '--absolute-git-dir'], { cwd: linked })
    expect(await openRepo(join(linked, 'deep'), { env: temp.env })).toMatchObject({
      root: linked,
      gitDir: own,
      commonDir: git,
      indexPath: join(own, 'index'),
    })
  })

  test('git missing, and git too old', async () => {
    const temp = makeRepo()
    const folder = makeFolder()
    await expect(openRepo(temp.root, { env: { ...temp.env, PATH: folder } })).rejects.toMatchObject({
      code: 'E_GIT_MISSING',
    })
    writeFileSync(join(folder, 'git'), '#!/bin/sh\necho git version 2.20.1\n')
    chmodSync(join(folder, 'git'), 0o755)
    const env = { ...temp.env, PATH: `${folder}:${temp.env.PATH}` }
    await expect(openRepo(temp.root, { env })).rejects.toMatchObject({ code: 'E_GIT_TOO_OLD' })
  })

  test('a repository whose HEAD git cannot read is none that was never made', async () => {
    const temp = makeRepo()
    temp.write('.git/HEAD', 'neither a branch nor a commit\n')
    temp.write('deep/file.txt', 'x\n')
    await expect(openRepo(join(temp.root, 'deep'), { env: temp.env })).rejects.toMatchObject({
      code: 'E_GIT',
      message: expect.stringContaining(`${join(temp.root, '.git')} is there, but git cannot read it`),
    })
  })

  test('an aborted signal is the reason of the rejection', async () => {
    const temp = makeRepo()
    const signal = AbortSignal.abort(new Error('stop'))
    await expect(openRepo(temp.root, { env: temp.env, signal })).rejects.toThrow('stop')
  })
})

describe('the one door', () => {
  test('drops every variable that git itself calls local', () => {
    const listed = makeRepo().git(['rev-parse', '--local-env-vars']).split('\n')
    expect(listed).toContain('GIT_INDEX_FILE')
    const env = gitEnvironment(Object.fromEntries(listed.map((name) => [name, 'x'])))
    expect(Object.keys(env).sort()).toEqual([
      'GIT_LITERAL_PATHSPECS',
      'GIT_OPTIONAL_LOCKS',
      'GIT_TERMINAL_PROMPT',
      'HANDOFF_GIT',
      'LC_ALL',
    ])
  })

  test('hands on only what it names, and finds programs in absolute folders alone', () => {
    const secrets = [
      'MY_TOKEN',
      'DATABASE_URL',
      'NODE_OPTIONS',
      'GIT_EDITOR',
      'GIT_EXTERNAL_DIFF',
      'LD_PRELOAD',
    ]
    const kept = {
      HOME: '/h',
      SSH_AUTH_SOCK: '/s',
      GIT_CONFIG_GLOBAL: '/c',
      GIT_AUTHOR_NAME: 'a',
      XDG_CONFIG_HOME: '/x',
    }
    const given = {
      ...Object.fromEntries(secrets.map((name) => [name, 'c'])),
      ...kept,
      PATH: '.::bin:/usr/bin',
    }
    const env = gitEnvironment(given)
    expect(env).toMatchObject({ ...kept, PATH: '/usr/bin' })
    expect(Object.keys(env).filter((name) => secrets.includes(name))).toEqual([])
  })

  test('runs no git that the repository brings, also where PATH names the folder one stands in', async () => {
    const temp = makeRepo()
    const canary = join(temp.base, 'canary')
    temp.write('git', `#!/bin/sh\ntouch '${canary}'\n`)
    chmodSync(join(temp.root, 'git'), 0o755)
    const repo = await openRepo(temp.root, { env: { ...temp.env, PATH: `.::${temp.env.PATH}` } })
    expect((await repo.git(['config', 'user.name'])).trim()).toBe('Dev One')
    expect(existsSync(canary)).toBe(false)
  })

  test('keeps what is private where nobody else may look', () => {
    const temp = makeRepo()
    const gitDir = join(temp.root, '.git')
    const folder = privateFolder(gitDir)
    makePrivate(gitDir, folder)
    expect(statSync(folder).mode & 0o777).toBe(0o700)
  })

  test('works with every variable that simple-git guards set', async () => {
    const temp = makeRepo()
    const names = [
      'EDITOR',
      'VISUAL',
      'PAGER',
      'PREFIX',
      'SSH_ASKPASS',
      'GIT_EDITOR',
      'GIT_PAGER',
      'GIT_SSH_COMMAND',
    ]
    const env = { ...temp.env, ...Object.fromEntries(names.map((name) => [name, 'false'])) }
    const repo = await openRepo(temp.root, { env })
    expect((await repo.git(['config', 'user.name'])).trim()).toBe('Dev One')
  })

  test('a failure is a failure, also without words; an expected status is an answer', async () => {
    const temp = makeRepo()
    const repo = await openRepo(temp.root, { env: temp.env })
    await expect(repo.git(['config', '--get', 'no.such'])).rejects.toMatchObject({ code: 'E_GIT' })
    expect(await repo.git(['config', '--get', 'no.such'], { answers: [1] })).toBe('')
    await expect(repo.git(['no-such-command'])).rejects.toMatchObject({
      code: 'E_GIT',
      message: expect.stringContaining('no-such-command'),
    })
  })

  test("a cloned repository's own program is not run", async () => {
    const temp = makeRepo()
    const evil = join(temp.root, 'embedded')
    temp.git(['init', '-q', '--bare', evil])
    const ran = join(temp.base, 'ran')
    temp.git(['config', '-f', join(evil, 'config'), 'core.bare', 'false'])
    temp.git(['config', '-f', join(evil, 'config'), 'core.worktree', '..'])
    temp.git(['config', '-f', join(evil, 'config'), 'core.fsmonitor', `touch ${ran}; false`])
    await expect(openRepo(evil, { env: temp.env })).rejects.toMatchObject({ code: 'E_BARE_REPOSITORY' })
    temp.git(['config', 'core.fsmonitor', `touch ${ran}; false`])
    await readWork(await openRepo(temp.root, { env: temp.env }))
    expect(existsSync(ran)).toBe(false)
  })
})
