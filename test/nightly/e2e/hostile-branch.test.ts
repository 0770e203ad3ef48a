import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { managers, programOf } from '../../e2e/hook-manager.ts'
import { install, layouts } from '../../e2e/install-package.ts'
import { atFolder, makeRepo, type TempRepo } from '../../repo/make-repo.ts'
import { byNight, sampled } from '../../sampled.ts'

const cases = Object.keys(layouts).flatMap((layout) =>
  [null, ...managers].map(
    (manager) => [layout as keyof typeof layouts, manager?.id ?? 'nobody', manager] as const,
  ),
)

it.for(sampled(cases, 1))(
  'S1: a hostile branch runs nothing of its own, installed by %s, hooks by %s',
  async ([layout, , manager], context) => {
    const installed = manager === null ? { program: process.execPath } : await programOf(manager)
    if ('missing' in installed) return context.skip(installed.missing)
    const made = makeRepo()
    const repo = atFolder(made.base, made.root, {
      ...made.env,
      PATH: [dirname(installed.program), dirname(process.execPath), made.env.PATH].join(delimiter),
    })
    const modules = join(repo.root, 'node_modules')
    const program = install(modules, layout)
    repo.commit('theirs', { '.gitignore': 'node_modules/\n', ...manager?.files })
    if (manager?.id === 'husky') run(repo, installed.program)
    run(repo, process.execPath, program, 'init', '--yes', '--agent', 'claude-code')
    if (manager !== null && manager.install.length > 0) run(repo, installed.program, ...manager.install)
    repo.commit('set up')
    const ran = join(repo.base, 'ran')

    // The branch brings a program of its own in every place where the package manager puts ours.
    repo.git(['switch', '-q', '-c', 'hostile'])
    rmSync(modules, { recursive: true })
    const theirs = install(modules, layout)
    const bad = `#!/usr/bin/env node\nrequire('node:fs').appendFileSync(${JSON.stringify(ran)}, process.argv.join(' ') + '\\n')\n`
    for (const file of [
      theirs,
      join(dirname(theirs), '../dist/cli.cjs'),
      join(modules, '.bin/node'),
      join(modules, '.bin/npx'),
    ]) {
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, bad)
      chmodSync(file, 0o755)
    }
    rmSync(join(modules, '.bin/git-handoff'), { force: true })
    writeFileSync(join(modules, '.bin/git-handoff'), bad, { mode: 0o755 })
    repo.write('.npmrc', 'registry=http://127.0.0.1:9/\n')
    repo.write('.handoff/latest.md', '<!-- handoff:begin -->\n')
    repo.git(['add', '-A', '-f'])
    repo.git(['-c', 'core.hooksPath=/dev/null', 'commit', '-q', '-n', '-m', 'hostile'])
    repo.git(['-c', 'core.hooksPath=/dev/null', 'checkout', '-q', 'main'])
    install(modules, layout)

    repo.git(['checkout', '-q', 'hostile'])
    repo.git(['commit', '-q', '--allow-empty', '-m', 'more'])
    const env = { ...repo.env, PATH: `${join(modules, '.bin')}${delimiter}${repo.env.PATH}` }
    for (const line of [
      '.git/handoff/hook claude-code session-start',
      '.git/handoff/hook claude-code stop',
      '.git/handoff/hook claude-code mcp',
      '.git/handoff/hook git post-checkout',
    ])
      spawnSync('/bin/sh', line.split(' '), { cwd: repo.root, env, input: '{}', encoding: 'utf8' })
    repo.git(['merge', '-q', '--no-ff', '-m', 'merge', 'main'])
    expect(existsSync(ran)).toBe(false)
  },
)

byNight('runs no handoff that a branch brings, when `handoff open` checks it out', () => {
  const repo = makeRepo()
  const modules = join(repo.root, 'node_modules')
  const program = install(modules, 'npm')
  repo.commit('theirs', { '.gitignore': 'node_modules/\n' })
  repo.git(['switch', '-q', '-c', 'hostile'])
  const ran = join(repo.base, 'ran')
  // A library that the program loads only when it needs it, where upper case may be the same.
  const library = join(modules, 'git-handoff/dist/lib-Cosmiconfig.cjs')
  writeFileSync(library, `require('node:fs').writeFileSync(${JSON.stringify(ran)}, '')`)
  repo.git(['add', '-f', library])
  repo.git(['commit', '-q', '-m', 'hostile'])
  repo.git(['switch', '-q', 'main'])
  const open = (...more: string[]) =>
    spawnSync(process.execPath, [program, 'open', 'hostile', '--json', ...more], {
      cwd: repo.root,
      env: repo.env,
      encoding: 'utf8',
    }).stdout
  expect(JSON.parse(open()).errors[0].code).toBe('E_OWN_PROGRAM')
  expect(repo.git(['symbolic-ref', 'HEAD'])).toBe('refs/heads/main')
  expect(JSON.parse(open('--worktree', '../other'))).toMatchObject({ ok: true, branch: 'hostile' })
  expect(existsSync(ran)).toBe(false)
})

const run = (repo: TempRepo, command: string, ...args: string[]): string =>
  execFileSync(command, args, { cwd: repo.root, env: repo.env, encoding: 'utf8', stdio: 'pipe' })
