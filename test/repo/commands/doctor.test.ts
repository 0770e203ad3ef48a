import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, unlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { trustIn } from '../../e2e/client/codex-trust.ts'
import { isAlive } from '../../is-alive.ts'
import { byNight, describeByNight, sampled } from '../../sampled.ts'
import { cli } from '../cli.ts'
import {
  doctor,
  healthy,
  inGit,
  installPackage,
  link,
  mend,
  onPlainMachine,
  putOld,
  putProgram,
} from '../doctor-world.ts'
import { atFolder, makeRepo, type TempRepo } from '../make-repo.ts'
import { AGENT, later, usual } from '../usual.ts'

it('finds nothing wrong where nothing is, and writes nothing', async () => {
  const repo = await healthy()
  const before = [
    repo.git(['status', '--porcelain']),
    readFileSync(inGit(repo, 'index')),
    repo.read('.handoff/latest.md'),
  ]
  const { code, json, problems } = await doctor(repo)
  expect(problems).toEqual([])
  expect(code).toBe(0)
  expect(json.ok).toBe(true)
  expect(json.checks.length).toBeGreaterThan(18)
  expect([
    repo.git(['status', '--porcelain']),
    readFileSync(inGit(repo, 'index')),
    repo.read('.handoff/latest.md'),
  ]).toEqual(before)
})

describeByNight('the machine', () => {
  byNight('has no git, or one that is too old', async () => {
    const repo = await healthy()
    unlinkSync(join(repo.base, 'bin/git'))
    const missing = await doctor(repo)
    expect(missing.problems.map(({ id, level }) => [id, level])).toEqual([['git', 'error']])
    expect(missing.code).toBe(1)
    putProgram(
      repo,
      'git',
      'case "$*" in *version*) echo git version 2.20.1 ;; *) echo unknown option; exit 129 ;; esac',
    )
    const aged = await doctor(repo)
    expect(aged.of('git')[0]?.title).toBe('git 2.20.1 is too old')
  })

  byNight('was set up and is not any more: nothing of it is missed, though briefs stay', async () => {
    const repo = await healthy()
    const { json } = await cli(repo, ['init', '--remove', '--json'])
    expect(json.undone).toContain('Removed the hook runner.')
    expect(existsSync(join(repo.root, '.git/handoff/hook'))).toBe(false)
    // As in a fresh clone: what `init` set for this clone alone is gone.
    expect((await doctor(repo)).problems.map(({ id }) => id)).toEqual(['filter', 'runner'])
  })

  byNight('has a stranger’s or an older handoff on PATH', async () => {
    const repo = await healthy()
    installPackage(repo, join(repo.base, 'theirs'), 'handoff')
    link(repo, join(repo.base, 'bin'), 'handoff', join(repo.base, 'theirs'))
    const strange = await doctor(repo)
    expect(strange.of('program')[0]?.title).toMatch(/^`handoff` is another program here/)
    // Nothing that a person copies into a shell starts that one.
    for (const { fix } of strange.problems) expect(fix).not.toMatch(/(?:^|&& )handoff /)
    rmSync(join(repo.base, 'bin/handoff'))
    installPackage(repo, join(repo.base, 'older'), 'git-handoff', '0.0.1')
    link(repo, join(repo.base, 'bin'), 'git-handoff', join(repo.base, 'older'))
    expect((await doctor(repo)).of('program')[0]?.title).toMatch(/^handoff 0\.0\.1 is on PATH/)
  })

  byNight('has hooks switched off', async () => {
    const repo = await healthy()
    const { of } = await doctor(repo, { env: { HANDOFF: '0' } })
    expect(of('switched-off')[0]?.fix).toBe('unset HANDOFF')
  })
})

describe('the repository', () => {
  it('belongs to nobody here, and what needs one is left out', async () => {
    const repo = onPlainMachine(makeRepo())
    const outside = await doctor(repo, { cwd: repo.home })
    expect(outside.code).toBe(0)
    expect(outside.json.root).toBeNull()
    expect(outside.json.checks.map(({ id }: { id: string }) => id)).not.toContain('ignored')
    const { stdout } = await cli(repo, ['doctor'], { cwd: repo.home })
    expect(stdout).toContain('Not a Git repository: what needs one was not checked.')
  })

  it('has a folder of hooks that nobody may write: each check is shown, and no hook counts as there', async () => {
    const repo = onPlainMachine(makeRepo())
    chmodSync(inGit(repo, 'hooks'), 0o555)
    const { code, of } = await doctor(repo)
    chmodSync(inGit(repo, 'hooks'), 0o755)
    expect(code).toBe(0)
    expect(of('runner')[0]?.title).toMatch(/^handoff init was not run in this clone/)
  })

  byNight('has no work tree', async () => {
    const repo = onPlainMachine(makeRepo())
    repo.git(['clone', '-q', '--bare', repo.root, join(repo.base, 'bare.git')])
    const { code, of } = await doctor(repo, { cwd: join(repo.base, 'bare.git') })
    expect(code).toBe(1)
    expect(of('repository')[0]?.title).toMatch(/^This is a bare repository/)
  })

  byNight('was cloned: hooks are written down and nothing calls handoff until init is run', async () => {
    const repo = await healthy()
    const root = join(repo.base, 'clone')
    repo.git(['clone', '-q', repo.root, root])
    const clone = atFolder(repo.base, root, repo.env)
    const found = await doctor(clone)
    expect(found.of('runner')[0]?.title).toBe('hooks are configured, but not active in this clone')
    expect(found.of('filter')[0]?.level).toBe('warning')
    await mend(clone, 'handoff init --agent claude-code --yes')
    expect((await doctor(clone)).problems).toEqual([])
  })

  byNight('is a linked worktree: everything is found from there as well', async () => {
    const repo = await healthy()
    const root = join(repo.base, 'tree')
    repo.git(['worktree', 'add', '-q', root])
    const tree = atFolder(repo.base, root, repo.env)
    putOld(inGit(repo, 'worktrees/tree/index.lock'))
    const [lock] = (await doctor(tree)).of('locks')
    await mend(tree, lock?.fix)
    expect((await doctor(tree)).of('locks')).toEqual([])
  })

  byNight('parks a brief in a merge, and waits for a branch afterwards', async () => {
    const repo = await healthy()
    repo.git(['switch', '-q', '-c', 'side'])
    repo.commit('theirs', { 'a.txt': 'theirs\n' })
    repo.git(['switch', '-q', 'main'])
    repo.commit('ours', { 'a.txt': 'ours\n' })
    repo.tryGit(['rebase', 'side'])
    const goal = 'write down why the limit of the queue is 30 s'
    expect((await cli(repo, ['create', goal, '--no-notes'], { ...AGENT, now: later(2) })).code).toBe(0)
    const during = (await doctor(repo)).of('parked')
    expect(during[0]?.fix).toBe('git rebase --continue')
    repo.git(['rebase', '--abort'])
    const [after] = (await doctor(repo)).of('parked')
    expect(after?.fix).toMatch(/^git (?:cherry-pick refs\/handoff\/|add )/)
    await mend(repo, after?.fix)
    expect((await doctor(repo)).of('parked')).toEqual([])
    expect((await doctor(repo)).of('uncommitted')).toEqual([])
  })
})

it('init, status and doctor say that husky is not active in this clone, and what activates it', async () => {
  const repo = onPlainMachine(usual())
  repo.write('package.json', '{"devDependencies":{"husky":"^9.0.0"}}')
  repo.write('.husky/pre-push', 'true\n')
  await mend(repo, 'handoff init --agent claude-code --yes')
  repo.write('pnpm-lock.yaml', '')
  const [found] = (await doctor(repo)).of('git-hooks')
  expect(found?.title).toMatch(/^husky is not active in this clone/)
  expect(found?.fix).toBe('pnpm install')
  // In a clone whose branch brings the hooks, nothing is written.
  const again = await cli(repo, ['init', '--agent', 'claude-code', '--yes'])
  expect(again.stdout).toContain('husky: Run `pnpm install`, so that git calls the hooks.')
  const hooks = async () =>
    (await cli(repo, ['status'])).stdout.split('\n').find((line) => line.startsWith('Hooks'))
  expect(await hooks()).toBe('Hooks: Claude Code; those of git once you run `pnpm install`')
  // What that command does.
  mkdirSync(join(repo.root, '.husky/_'))
  repo.git(['config', 'core.hooksPath', '.husky/_'])
  expect((await doctor(repo)).of('git-hooks')).toEqual([])
  expect(await hooks()).toBe('Hooks: Claude Code, git')
})

describeByNight('managers of hooks', () => {
  byNight.each(
    sampled(
      [
        ['lefthook', 'lefthook.yml', 'pre-push:\n  commands: {}\n', 'lefthook install'],
        [
          'pre-commit',
          '.pre-commit-config.yaml',
          'repos:\n- repo: https://example.org/x\n  rev: v1\n  hooks:\n  - id: y\n',
          'pre-commit install --hook-type pre-commit',
        ],
      ],
      1,
    ),
  )('%s was not installed in this clone', async (manager, file, text, fix) => {
    const repo = onPlainMachine(usual())
    repo.write(file, text)
    await mend(repo, 'handoff init --agent claude-code --yes')
    const [found] = (await doctor(repo)).of('git-hooks')
    expect(found?.title).toContain(`${manager} is not active in this clone`)
    expect(found?.fix).toContain(fix)
    // What that command does.
    for (const event of ['pre-commit', 'post-checkout', 'post-merge', 'post-rewrite'])
      writeFileSync(inGit(repo, `hooks/${event}`), `#!/bin/sh\nexec ${manager} run ${event}\n`, {
        mode: 0o755,
      })
    expect((await doctor(repo)).of('git-hooks')).toEqual([])
  })

  byNight('is told when hooks of git lie outside of the repository', async () => {
    const repo = await healthy()
    repo.git(['config', 'core.hooksPath', join(repo.base, 'shared')])
    expect((await doctor(repo)).of('git-hooks')[0]?.detail).toContain(
      'core.hooksPath of your local configuration',
    )
  })
})

describeByNight('the configuration', () => {
  byNight('shows every key with its value and where that came from', async () => {
    const repo = await healthy()
    mkdirSync(join(repo.home, '.config/handoff'), { recursive: true })
    writeFileSync(
      join(repo.home, '.config/handoff/config.yaml'),
      'edit: true\nlimits:\n  files: 3\npassEnv: [ACME_*]\n',
    )
    repo.write('.handoff/config.yaml', 'limits:\n  files: 5\n  commands: 4\n')
    repo.write('.pi/settings.json', '{"handoff":{"maxDecisionItems":2}}')
    const env = { HANDOFF_MAX_COMMANDS: '7' }
    const { config } = (await doctor(repo, { env })).json
    const row = (key: string) => config.filter((one: { key: string }) => one.key === key)
    expect(row('limits.files')).toEqual([{ key: 'limits.files', value: 5, from: '.handoff/config.yaml' }])
    expect(row('limits.commands')).toEqual([
      { key: 'limits.commands', value: 7, from: 'HANDOFF_MAX_COMMANDS' },
    ])
    expect(row('edit')).toEqual([{ key: 'edit', value: true, from: '~/.config/handoff/config.yaml' }])
    expect(row('passEnv')).toEqual([
      { key: 'passEnv', value: ['ACME_*'], from: '~/.config/handoff/config.yaml' },
    ])
    expect(row('limits.decisions')).toEqual([{ key: 'limits.decisions', value: 8, from: 'default' }])
    const forPi = (await doctor(repo, { env: { ...env, PI_CODING_AGENT: '1' } })).json.config
    expect(forPi.filter((one: { key: string }) => one.key === 'limits.decisions')).toEqual([
      { key: 'limits.decisions', value: 2, from: '.pi/settings.json#handoff' },
    ])
    const { stdout } = await cli(repo, ['doctor', '--verbose'], { env })
    expect(stdout).toContain('limits.commands = 7  (HANDOFF_MAX_COMMANDS)')
    expect(stdout).toContain('nudge.threshold = 90  (default)')
  })

  byNight('cannot be used, or holds what nobody knows', async () => {
    const repo = await healthy()
    repo.write('.handoff/config.yaml', 'edit: perhaps\n')
    const broken = await doctor(repo)
    expect(broken.of('configuration')).toMatchObject([{ level: 'error' }])
    expect(broken.of('configuration')[0]?.fix).toContain('.handoff/config.yaml')
    repo.write('.handoff/config.yaml', 'limits:\n  file: 5\n')
    expect((await doctor(repo)).of('configuration')).toMatchObject([
      {
        level: 'warning',
        title: expect.stringContaining('unknown key `limits.file` in .handoff/config.yaml'),
      },
    ])
    repo.write('.handoff/config.yaml', 'passEnv: [ACME_*]\n')
    const [own] = (await doctor(repo)).of('configuration')
    expect(own?.title).toMatch(/^`passEnv` in \.handoff\/config\.yaml is ignored/)
    expect(own?.title).toContain('~/.config/handoff/config.yaml')
  })

  byNight('is code that is not run until its person says so', async () => {
    const repo = await healthy()
    const ran = join(repo.base, 'ran')
    repo.write('handoff.config.cjs', `require('node:fs').writeFileSync(${JSON.stringify(ran)}, '')`)
    const [found] = (await doctor(repo)).of('configuration')
    expect(found?.title).toMatch(/^handoff\.config\.cjs is not read/)
    expect(existsSync(ran)).toBe(false)
    await mend(repo, found?.fix)
    expect((await doctor(repo)).of('configuration')).toEqual([])
  })

  byNight('never prints a value that is a secret', async () => {
    const repo = await healthy()
    const key = `ghp_${'aB3dE6gH9'.repeat(4)}`
    repo.write('.handoff/config.yaml', `mission: use ${key} here\n`)
    const { stdout } = await cli(repo, ['doctor', '--json'])
    expect(stdout).toContain('[REDACTED:github-token]')
    expect(stdout).not.toContain(key)
  })
})

describe('agents', () => {
  it('are told with their program, their sessions and their hooks', async () => {
    const repo = await healthy()
    const ran = join(repo.base, 'ran')
    putProgram(repo, 'claude', `touch ${ran}`)
    const { json } = await doctor(repo)
    const agent = (id: string) => json.agents.find((one: { id: string }) => one.id === id)
    expect(agent('claude-code')).toMatchObject({
      program: join(repo.base, 'bin/claude'),
      sessions: 1,
      hasRun: true,
      setup: { state: 'done' },
    })
    expect(agent('pi')).toMatchObject({ program: null })
    // What is read by its name alone is a format, which nobody could find.
    for (const id of ['plain', 'atif']) expect(agent(id)).toBeUndefined()
    // No program of an agent runs.
    expect(existsSync(ran)).toBe(false)
  })

  byNight('that hang when they are asked for their sessions are given up as well', async () => {
    const repo = await healthy()
    putProgram(repo, 'opencode', `sleep 60 & echo $! > ${join(repo.base, 'pid')}; wait`)
    // What Node cannot open as a database it leaves to the program, where the folder is named in it.
    const database = join(repo.home, '.local/share/opencode/opencode.db')
    mkdirSync(dirname(database), { recursive: true })
    writeFileSync(database, `no database, in ${repo.root}`)
    const began = Date.now()
    const { json, of } = await doctor(repo)
    expect(Date.now() - began).toBeLessThan(30_000)
    expect(of('agents')).toMatchObject([
      { title: 'sessions of OpenCode cannot be read: no answer within 10 s', level: 'warning' },
    ])
    expect(json.agents.find((one: { id: string }) => one.id === 'opencode')).toMatchObject({
      sessions: null,
    })
    const pid = Number(readFileSync(join(repo.base, 'pid'), 'utf8'))
    await expect.poll(() => isAlive(pid), { timeout: 10_000 }).toBe(false)
  })

  byNight('work here and are not set up', async () => {
    const repo = onPlainMachine(usual())
    await mend(repo, 'handoff init --agent codex --yes')
    const [found] = (await doctor(repo)).of('agent-hooks')
    expect(found?.title).toMatch(/^Claude Code works here and is not set up/)
    await mend(repo, found?.fix)
    expect((await doctor(repo)).of('agent-hooks')).toEqual([])
  })

  byNight('have settings that nobody can read', async () => {
    const repo = await healthy()
    repo.write('.claude/settings.json', '{"hooks": ')
    expect((await doctor(repo)).of('agent-hooks')[0]?.title).toMatch(
      /^`init` would write nothing: .*settings\.json/,
    )
  })
})

describeByNight('trust of an agent in hooks', () => {
  const trustOf = async (repo: TempRepo): Promise<string[]> =>
    (await doctor(repo)).of('agent-trust').map(({ title }) => title.replace(/ \(.*/, ''))
  const home = (repo: TempRepo, path: string, value: object | string): void => {
    mkdirSync(join(repo.home, path, '..'), { recursive: true })
    writeFileSync(join(repo.home, path), typeof value === 'string' ? value : JSON.stringify(value))
  }

  byNight('Claude Code: the folder, or one above', async () => {
    const repo = await healthy()
    putProgram(repo, 'claude', 'echo 2.1.330')
    expect(await trustOf(repo)).toEqual(['Claude Code does not trust this folder'])
    home(repo, '.claude.json', { projects: { [repo.root]: { hasTrustDialogAccepted: true } } })
    expect(await trustOf(repo)).toEqual([])
    home(repo, '.claude.json', { projects: { [repo.base]: { hasTrustDialogAccepted: true } } })
    expect(await trustOf(repo)).toEqual([])
  })

  byNight('Gemini CLI: the folder, one above, a setting or the environment', async () => {
    const repo = onPlainMachine(usual())
    putProgram(repo, 'gemini', 'echo 0.61.0')
    await mend(repo, 'handoff init --agent gemini-cli --yes')
    const wrong = ['Gemini CLI does not trust this folder']
    expect(await trustOf(repo)).toEqual(wrong)
    home(repo, '.gemini/trustedFolders.json', { [repo.base]: 'TRUST_FOLDER' })
    expect(await trustOf(repo)).toEqual([])
    home(repo, '.gemini/trustedFolders.json', { [repo.base]: 'TRUST_FOLDER', [repo.root]: 'DO_NOT_TRUST' })
    expect(await trustOf(repo)).toEqual(wrong)
    home(repo, '.gemini/trustedFolders.json', { [join(repo.base, 'other')]: 'TRUST_PARENT' })
    expect(await trustOf(repo)).toEqual([])
    home(repo, '.gemini/trustedFolders.json', {})
    home(repo, '.gemini/settings.json', { security: { folderTrust: { enabled: false } } })
    expect(await trustOf(repo)).toEqual([])
  })

  byNight('Copilot CLI: a list of folders', async () => {
    const repo = onPlainMachine(usual())
    putProgram(repo, 'copilot', 'echo 1.0.102')
    await mend(repo, 'handoff init --agent copilot-cli --yes')
    expect(await trustOf(repo)).toEqual(['GitHub Copilot CLI does not trust this folder'])
    home(repo, '.copilot/config.json', { trustedFolders: [repo.root] })
    expect(await trustOf(repo)).toEqual([])
  })

  byNight('Codex: the folder, and every hook by its content', async () => {
    const repo = onPlainMachine(usual())
    putProgram(repo, 'codex', 'echo codex-cli 0.169.0')
    await mend(repo, 'handoff init --agent codex --yes')
    expect(await trustOf(repo)).toEqual(['Codex does not trust this folder'])
    const folder = `[projects."${repo.root}"]\ntrust_level = "trusted"\n`
    home(repo, '.codex/config.toml', folder)
    expect(await trustOf(repo)).toEqual([
      expect.stringMatching(/^Codex does not trust (?:\w+, ){5}\w+ yet and skips them in silence$/),
    ])
    const file = join(repo.root, '.codex/hooks.json')
    home(repo, '.codex/config.toml', folder + trustIn(file))
    expect(await trustOf(repo)).toEqual([])
    // A hook that was changed since waits anew, and is not ours any more in what it is allowed to take.
    const hooks = repo.read('.codex/hooks.json')
    repo.write('.codex/hooks.json', hooks.replace('"timeout": 10', '"timeout": 11'))
    expect((await doctor(repo)).of('agent-trust')[0]?.title).toContain('does not trust SessionStart yet')
  })
})
