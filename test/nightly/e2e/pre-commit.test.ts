import { cpSync, existsSync, mkdirSync, symlinkSync } from 'node:fs'
import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { root } from '../../e2e/build.ts'
import { execute, git, type Lab, makeLab, textOf } from '../../e2e/lab.ts'
import { byNight } from '../../sampled.ts'

const GOAL = 'make both tests pass and keep the exported names'
/** A key of Amazon's shape, made here so that none is stored. */
const KEY = `AKIA${'Z7QX2MND'.repeat(2)}`

let folder: string
let anyone: Lab
let hook: { entry: string; files: string }

/** What is tracked here and what will be, without what is built or installed. */
async function copyOfThis(to: string): Promise<void> {
  const list = await git(
    { ...anyone, repo: root },
    'ls-files',
    '-z',
    '--cached',
    '--others',
    '--exclude-standard',
  )
  for (const path of list.split('\0').filter((one) => one !== '' && existsSync(join(root, one)))) {
    mkdirSync(dirname(join(to, path)), { recursive: true })
    cpSync(join(root, path), join(to, path))
  }
}

// As pre-commit 4.5 installs a hook of `language: node`: what it clones is packed, and installed from what `npm pack` prints.
beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'handoff-pre-commit-')))
  const path = `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`
  anyone = { folder, home: folder, repo: folder, path }
  await writeFile(join(folder, '.npmrc'), 'update-notifier=false\noffline=true\n')
  const clone = join(folder, 'clone')
  await copyOfThis(clone)
  symlinkSync(join(root, 'node_modules'), join(clone, 'node_modules'))
  await git({ ...anyone, repo: clone }, 'init', '-q')
  const packed = await execute('npm', ['pack'], anyone, clone)
  expect(packed.code, packed.stderr).toBe(0)
  expect(packed.stdout).toMatch(/^git-handoff-[\d.]+\.tgz\n$/)
  const args = ['install', '--global', '--prefix', join(folder, 'env'), packed.stdout.trim()]
  const installed = await execute('npm', args, anyone, clone)
  expect(installed.code, installed.stderr).toBe(0)
  hook = parse(await readFile(join(clone, '.pre-commit-hooks.yaml'), 'utf8'))[0]
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** A repository whose commits run the hook as pre-commit does: with the staged files that its pattern takes. */
async function hooked(): Promise<Lab> {
  const lab = await makeLab()
  await execute('handoff', ['create', GOAL, '--from', 'git', '--no-commit'], lab)
  const script = `#!/bin/sh
PATH='${join(folder, 'env', 'bin')}':$PATH
git diff --staged --name-only --no-ext-diff -z --diff-filter=ACMRTUXB | grep -zE '${hook.files}' | xargs -0 -r ${hook.entry}
`
  await writeFile(join(lab.repo, '.git', 'hooks', 'pre-commit'), script, { mode: 0o755 })
  return lab
}

async function commit(lab: Lab, ...args: string[]): Promise<{ isRefused: boolean; text: string }> {
  const { code, stdout, stderr } = await execute('git', ['commit', '-q', '-m', 'Hand over', ...args], lab)
  return { isRefused: code !== 0, text: stdout + stderr }
}
const briefOf = async (lab: Lab): Promise<string> =>
  (await git(lab, 'ls-files', '-o', '-c', '--exclude-standard', '.handoff/briefs')).trim()

describe('the hook of .pre-commit-hooks.yaml', () => {
  test('lets a good brief pass, with all that comes with the first one', async () => {
    const lab = await hooked()
    await git(lab, 'add', '-A')
    const { isRefused, text } = await commit(lab)
    expect(isRefused, text).toBe(false)
    expect(text).toContain('1 brief checked, 0 errors')
    expect(await git(lab, 'show', '--name-only', '--format=')).toContain('.handoff/latest.md')
  })

  test('stops a commit of a staged brief with a key, whatever the work tree has', async () => {
    const lab = await hooked()
    const path = await briefOf(lab)
    const good = await textOf(lab, path)
    await writeFile(
      join(lab.repo, path),
      good.replace('## Status', `aws_access_key_id = ${KEY}\n\n## Status`),
    )
    await git(lab, 'add', '-A')
    await writeFile(join(lab.repo, path), good)
    const { isRefused, text } = await commit(lab)
    expect(isRefused, text).toBe(true)
    expect(text).toMatch(/\.md:\d+: error: .*\[secrets\]/)
    expect(text).not.toContain(KEY)
    expect(await git(lab, 'rev-list', '--count', 'HEAD')).toBe('1\n')
  })

  test('looks at what a commit of some files holds', async () => {
    const lab = await hooked()
    const path = await briefOf(lab)
    await git(lab, 'add', '-A')
    await writeFile(join(lab.repo, path), 'no brief\n')
    const part = await commit(lab, 'calc.js', '--allow-empty')
    expect(part.isRefused, part.text).toBe(false)
    const bad = await commit(lab, path)
    expect([bad.isRefused, bad.text]).toEqual([true, expect.stringContaining('1 brief checked, ')])
  })

  test('tells of a committed brief that is edited, which files alone do not show', async () => {
    const lab = await hooked()
    await git(lab, 'add', '-A')
    await commit(lab)
    const path = await briefOf(lab)
    await writeFile(join(lab.repo, path), (await textOf(lab, path)).replace('## Status', '## Status\n'))
    await git(lab, 'add', '-A')
    expect((await commit(lab)).text).toContain('[immutable]')
  })

  test('with --all-files looks at every file that it is given', async () => {
    const lab = await hooked()
    await writeFile(join(lab.repo, '.handoff', 'briefs', 'bad.md'), 'no brief\n')
    await git(lab, 'add', '-A')
    await commit(lab, '--no-verify')
    const all = (await git(lab, 'ls-files', '-z'))
      .split('\0')
      .filter((path) => new RegExp(hook.files).test(path))
    expect(all).toHaveLength(4)
    const [program = '', ...args] = hook.entry.split(' ')
    const run = await execute(join(folder, 'env', 'bin', program), [...args, ...all], lab)
    expect(run.code).toBe(1)
    expect(run.stdout).toMatch(/^\.handoff\/briefs\/bad\.md:1: error: /m)
    expect(run.stdout).toContain('2 briefs checked, ')
  })
})

byNight(
  'the package builds where npm left out what the build needs, as at a global install from git',
  async () => {
    const clone = join(folder, 'bare')
    await copyOfThis(clone)
    const npm = join(folder, 'npm.cjs')
    // What npm would fetch is at hand here.
    await writeFile(
      npm,
      `require('node:fs').symlinkSync(${JSON.stringify(join(root, 'node_modules'))}, 'node_modules')
require('node:fs').writeFileSync('asked.json', JSON.stringify(process.argv.slice(2)))`,
    )
    const script = `npm_execpath='${npm}' exec '${process.execPath}' scripts/prepare.mjs`
    const { code, stdout, stderr } = await execute('sh', ['-c', script], anyone, clone)
    expect([code, stdout], stderr).toEqual([0, ''])
    expect(JSON.parse(await readFile(join(clone, 'asked.json'), 'utf8'))).toEqual([
      'ci',
      '--no-global',
      '--include=dev',
      '--ignore-scripts',
    ])
    const help = await execute(process.execPath, [join(clone, 'bin', 'handoff.cjs'), 'help'], anyone)
    expect(help.stdout, help.stderr).toContain('Usage: handoff')
  },
)
