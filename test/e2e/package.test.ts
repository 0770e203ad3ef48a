import { access, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { root } from './build.ts'
import { execute, git, makeLab } from './lab.ts'
import { pack } from './packed.ts'

const GOAL = 'make the logout test pass without a global, keep the public API as it is'

let folder: string
let installed: string
let version: string

// One packed tarball, installed without a network: whatever it needs must be inside.
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'handoff-package-'))
  const packed = await pack(folder)
  version = packed.version
  await writeFile(join(folder, 'package.json'), '{"private":true}')
  const outcome = await execute('npm', ['install', packed.tarball], packed.anyone, folder)
  expect(outcome.code, outcome.stderr).toBe(0)
  installed = join(folder, 'node_modules', 'git-handoff')
})
afterAll(() => rm(folder, { recursive: true, force: true }))

test('installs as one package, with no dependency of its own', async () => {
  const names = (await readdir(join(folder, 'node_modules'))).filter((name) => !name.startsWith('.'))
  expect(names).toEqual(['git-handoff'])
})

test('holds the program and its texts, and neither sources nor tests', async () => {
  const names = await readdir(installed)
  expect(names).toEqual(
    expect.arrayContaining(['LICENSE', 'README.md', 'bin', 'dist', 'package.json', 'templates']),
  )
  expect(names.filter((name) => ['src', 'test', 'bench', 'node_modules', '.handoff'].includes(name))).toEqual(
    [],
  )
})

test('brings the extension of Pi, and the program where the extension looks for it', async () => {
  const { pi } = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'))
  expect(pi.extensions).toHaveLength(1)
  const [extension] = pi.extensions
  await access(join(installed, extension))
  const code = await readFile(join(installed, extension), 'utf8')
  const [, program = ''] = /resolve\(dirname\(FILE\), '([^']+)'\)/.exec(code) ?? []
  expect(basename(extension)).toBe(/basename\(FILE\) === '([^']+)'/.exec(code)?.[1])
  await access(join(dirname(join(installed, extension)), program))
})

test('every piece of the program that another piece asks for is there', async () => {
  const dist = join(installed, 'dist')
  const pieces = (await readdir(dist)).filter((name) => name.endsWith('.cjs'))
  expect(pieces).toContain('cli.cjs')
  let asked = 0
  for (const piece of pieces) {
    const code = await readFile(join(dist, piece), 'utf8')
    for (const [, wanted = ''] of code.matchAll(/require\("(\.\/[^"]+\.cjs)"\)/g)) {
      await access(join(dist, wanted))
      asked += 1
    }
  }
  expect(asked).toBeGreaterThan(0)
})

test('npx handoff and npx git-handoff tell the version', async () => {
  const lab = await makeLab()
  for (const name of ['handoff', 'git-handoff']) {
    const told = await execute('npx', ['--no-install', name, '--version'], lab, folder)
    expect(told.code, told.stderr).toBe(0)
    expect(told.stdout.trim()).toBe(version)
  }
})

test('git handoff works once the package is on PATH', async () => {
  const lab = await makeLab()
  const bin = join(folder, 'node_modules', '.bin')
  expect((await git({ ...lab, path: `${bin}:${lab.path}` }, 'handoff', '--version')).trim()).toBe(version)
})

test('the installed program does the main job and checks its own brief', async () => {
  const lab = await makeLab()
  const bin = join(folder, 'node_modules', '.bin')
  await rm(join(lab.path.split(':')[0] ?? '', 'handoff'))
  await symlink(join(bin, 'handoff'), join(lab.path.split(':')[0] ?? '', 'handoff'))
  const out = join(lab.home, '.claude', 'projects', lab.repo.replace(/[^a-zA-Z0-9]/g, '-'), 'generated.jsonl')
  const maker = [join(root, 'bench', 'make-session.mjs'), '--mb', '0.05', '--cwd', lab.repo, '--out', out]
  expect((await execute(process.execPath, maker, lab)).stderr).toBe('')
  const made = await execute('handoff', ['create', GOAL, '--json'], lab)
  expect(made.code, made.stderr + made.stdout).toBe(0)
  const { path } = JSON.parse(made.stdout)
  expect(await git(lab, 'show', `HEAD:${path}`)).toContain(GOAL)
  const checked = await execute('handoff', ['check', path, '--json'], lab)
  expect(checked.code, checked.stderr + checked.stdout).toBe(0)
  const page = await execute('handoff', ['log', '--html', '-'], lab)
  expect(page.code, page.stderr).toBe(0)
  expect(page.stdout).toMatch(/^<!doctype html>\n[\s\S]*<\/html>\n$/)
  expect(page.stdout).toContain(GOAL)
  expect(await git(lab, 'status', '--porcelain')).toBe('')
})

test('the installed program sets agents up, and their hook tells of the brief', async () => {
  const lab = await makeLab()
  const bin = join(folder, 'node_modules', '.bin')
  await rm(join(lab.path.split(':')[0] ?? '', 'handoff'))
  await symlink(join(bin, 'handoff'), join(lab.path.split(':')[0] ?? '', 'handoff'))
  await writeFile(join(lab.repo, 'AGENTS.md'), '# Rules\n')
  await git(lab, 'add', 'AGENTS.md')
  await git(lab, 'commit', '-q', '-m', 'Add rules')
  const set = await execute('handoff', ['init', '--agent', 'all', '--json'], lab)
  expect(set.code, set.stderr + set.stdout).toBe(0)
  expect(JSON.parse(set.stdout).left).toEqual([])
  await git(lab, 'add', '.')
  await git(lab, 'commit', '-q', '-m', 'Set up handoff')
  const settings = JSON.parse(await readFile(join(lab.repo, '.claude', 'settings.json'), 'utf8'))
  const hook = ['-c', settings.hooks.SessionStart[0].hooks[0].command]
  const quiet = await execute('sh', hook, lab)
  expect([quiet.code, quiet.stdout, quiet.stderr]).toEqual([0, '', ''])
  const made = await execute('handoff', ['create', '--from', 'git', GOAL], lab)
  expect(made.code, made.stderr).toBe(0)
  const told = await execute('sh', hook, lab)
  expect([told.code, told.stderr]).toEqual([0, ''])
  expect(JSON.parse(told.stdout).hookSpecificOutput.additionalContext).toContain(GOAL)
  // The brief needs two files of .handoff/; everything else is as it was.
  await execute('handoff', ['init', '--remove'], lab)
  const changed = await git(lab, 'diff', '--name-only', 'HEAD~2', '--', ':!.handoff')
  expect(changed).toBe('')
})

test('evaluates cases that lie outside of the package', async () => {
  const lab = await makeLab()
  const cases = join(root, 'test', 'evals')
  const outcome = await execute('npx', ['--no-install', 'handoff', 'eval', cases, '--smoke'], lab, folder)
  expect(outcome.code, outcome.stdout + outcome.stderr).toBe(0)
  expect(outcome.stdout).toMatch(/^(\d+) of \1 pass, 100 %/m)
})
