import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { access, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join, posix } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildReadable } from '../../bench/readable.mjs'
import { serverOf } from '../../scripts/packages.mjs'
import { byNight } from '../sampled.ts'
import { root } from './build.ts'
import { execute, git, makeLab } from './lab.ts'
import { type Packed, pack } from './packed.ts'

const GOAL = 'make the logout test pass without a global, keep the public API as it is'

let folder: string
let installed: string
let packed: Packed

/** Libraries that few calls need, each in a file of its own. */
const PIECES = ['acorn', 'cosmiconfig', 'json', 'mcp', 'prompts', 'toml']

// One packed tarball, installed without a network: whatever it needs must be inside.
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'handoff-package-'))
  packed = await pack(folder)
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

test('holds the program and its texts, and nothing else', async () => {
  const { files, size, unpackedSize } = packed
  const inside = (folder: string) => files.filter((path) => path.startsWith(`${folder}/`))
  const tracked = async (...paths: string[]) =>
    (await git({ ...packed.anyone, repo: root }, 'ls-files', ...paths)).trim().split('\n')
  const top = files.filter((path) => !path.includes('/'))
  const texts = ['CHANGELOG.md', 'CONTRIBUTING.md', 'LICENSE', 'README.md', 'SECURITY.md']
  expect(top).toEqual([...texts, 'package.json'])
  expect(inside('bin')).toEqual(['bin/handoff.cjs', 'bin/hook.sh', 'bin/load-cached.cjs'])
  expect(inside('dist')).toEqual(
    [
      ...[
        'THIRD-PARTY-NOTICES.txt',
        'cli.cjs',
        'completion.bash',
        'completion.fish',
        'completion.zsh',
        'help.txt',
        'hook.cjs',
        'index.d.ts',
        'index.js',
      ],
      ...PIECES.map((name) => `lib-${name}.cjs`),
    ]
      .map((name) => `dist/${name}`)
      .sort(),
  )
  expect(inside('hooks')).toEqual(await tracked('hooks'))
  expect(inside('templates')).toEqual(await tracked('templates'))
  // `handoff help` reads the pages; their pictures are for a browser.
  expect(inside('docs')).toEqual(await tracked('docs', ':!docs/images'))
  const known = ['bin', 'dist', 'hooks', 'templates', 'docs'].flatMap(inside)
  expect(known.length + top.length).toBe(files.length)
  // The licenses of the bundled packages are 95 KB of it.
  expect(size).toBeLessThan(1.2e6)
  expect(unpackedSize).toBeLessThan(4e6)
})

byNight('S11: holds the license of every package whose code is in it', async () => {
  const readable = join(dirname(buildReadable(join(folder, 'readable'))), '..', 'dist')
  const names = new Set<string>()
  for (const file of (await readdir(readable)).filter((name) => /\.c?js$/.test(name))) {
    // esbuild writes the path before what stands in a file; scripts/build.mjs calls libraries that it joins `flat:<name>`.
    const code = await readFile(join(readable, file), 'utf8')
    for (const [, name = ''] of code.matchAll(
      /^(?:\/\/ | +")(?:(?:\S*\/)?node_modules\/|flat:)((?:@[^/\s]+\/)?[^/\s"]+)/gm,
    ))
      names.add(name)
  }
  const notices = await readFile(join(installed, 'dist/THIRD-PARTY-NOTICES.txt'), 'utf8')
  const told = notices.split(/^={80}\n(.+)\n={80}\n/m).slice(1)
  const titles = told.filter((_, at) => at % 2 === 0)
  const inner = titles.filter((title) => title.includes(', inside of '))
  const own = titles.filter((title) => !inner.includes(title)).map((title) => title.split(' ')[0])
  expect(names.size).toBeGreaterThan(40)
  expect(own.sort()).toEqual([...names].sort())
  // Packages that these were bundled from are told by source maps alone.
  expect(inner.map((title) => title.split(',')[0])).toEqual(expect.arrayContaining(['ajv', 'content-type']))
  for (const text of told.filter((_, at) => at % 2 === 1))
    expect(text).toMatch(/copyright[\s\S]*(?:warrant|AS IS)/i)
})

test('no link of a document leads out of the package', async () => {
  const broken: string[] = []
  let followed = 0
  for (const file of packed.files.filter((path) => path.endsWith('.md'))) {
    const text = (await readFile(join(installed, file), 'utf8')).replace(/^(```+)[\s\S]*?^\1/gm, '')
    const links = text.replace(/`[^`\n]*`/g, '').matchAll(/\]\(([^)\s]+)\)|(?:src|srcset|href)="([^"]+)"/g)
    for (const [, link, tag] of links) {
      const [target = ''] = (link ?? tag ?? '').split('#')
      // Pictures are for a browser, which has the repository.
      if (target === '' || /^[a-z]+:/.test(target) || /^(?:docs\/|\.\.\/)?images\//.test(target)) continue
      followed += 1
      const path = posix.join(posix.dirname(file), target)
      const isThere = packed.files.some(
        (one) => one === path || one.startsWith(`${path.replace(/\/$/, '')}/`),
      )
      if (!isThere) broken.push(`${file}: ${target}`)
    }
  }
  expect(broken).toEqual([])
  expect(followed).toBeGreaterThan(100)
})

test('its manifest runs nothing at an install, and leads to files that are there', async () => {
  const manifest = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'))
  expect(
    Object.keys(manifest.scripts).filter((name) => /^(?:pre|post)?(?:install|pack|publish)/.test(name)),
  ).toEqual([])
  expect(manifest.bin).toEqual({ handoff: 'bin/handoff.cjs', 'git-handoff': 'bin/handoff.cjs' })
  for (const page of manifest.man) await access(join(installed, page))
  expect(manifest.engines).toEqual({ node: '>=20' })
  expect(manifest.dependencies).toBeUndefined()
  // Hooks start Node without Yarn, which would otherwise keep the package in a zip file that nobody else can read.
  expect(manifest.preferUnplugged).toBe(true)
  // npm installs peers by itself, unless they are optional.
  for (const name of Object.keys(manifest.peerDependencies ?? {}))
    expect(manifest.peerDependenciesMeta[name], name).toEqual({ optional: true })
  const { '.': library, ...others } = manifest.exports
  for (const file of [library.types, library.default, manifest.types, './bin/handoff.cjs'])
    await access(join(installed, file))
  expect(others).toEqual({ './*.schema.json': './docs/*.schema.json', './package.json': './package.json' })
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

byNight('npx handoff and git handoff tell the version', async () => {
  const lab = await makeLab()
  for (const name of ['handoff', 'git-handoff']) {
    const told = await execute('npx', ['--no-install', name, '--version'], lab, folder)
    expect(told.code, told.stderr).toBe(0)
    expect(told.stdout.trim()).toBe(packed.version)
  }
})

byNight('the entry of the MCP registry starts the server of the package', async () => {
  const entry = JSON.parse(JSON.stringify(serverOf('io.github.owner/git-handoff')))
  const [{ registryType, identifier, version, packageArguments }] = entry.packages
  expect([registryType, version]).toEqual(['npm', packed.version])
  const words = packageArguments.map(({ value }: { value: string }) => value)
  const asks = [
    {
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
    },
    { method: 'notifications/initialized' },
    { id: 2, method: 'tools/list' },
  ]
  const { stdout, stderr } = spawnSync('npx', ['--no-install', identifier, ...words], {
    cwd: folder,
    env: { PATH: packed.anyone.path, HOME: folder },
    input: asks.map((ask) => `${JSON.stringify({ jsonrpc: '2.0', ...ask })}\n`).join(''),
    encoding: 'utf8',
  })
  expect(stdout, stderr).toContain('"handoff_finalize"')
})

byNight('git handoff works once the package is on PATH', async () => {
  const lab = await makeLab()
  const onPath = { ...lab, path: `${join(folder, 'node_modules', '.bin')}:${lab.path}` }
  expect((await git(onPath, 'handoff', '--version')).trim()).toBe(packed.version)
  // Git takes `--help` right behind it for itself, and shows the manual page.
  for (const word of ['help', '-h']) expect(await git(onPath, 'handoff', word)).toContain('Usage: handoff')
  expect(await git(onPath, 'handoff', 'create', '--help')).toContain('Usage: handoff create')
})

byNight('git handoff --help shows the manual page of a global install', async () => {
  const lab = await makeLab()
  const prefix = join(lab.folder, 'global')
  const outcome = await execute(
    'npm',
    ['install', '--global', '--prefix', prefix, packed.tarball],
    packed.anyone,
    folder,
  )
  expect(outcome.code, outcome.stderr).toBe(0)
  const pages = join(prefix, 'share', 'man', 'man1')
  expect(await readdir(pages)).toEqual(['git-handoff.1'])
  // Not every machine has man(1); what git asks it for is the name of a page.
  const man = join(lab.folder, 'bin', 'man')
  await writeFile(man, `#!/bin/sh\nexec cat '${pages}'/"$1".1\n`, { mode: 0o755 })
  const shown = await git({ ...lab, path: `${join(prefix, 'bin')}:${lab.path}` }, 'handoff', '--help')
  expect(shown).toBe(await readFile(join(root, 'docs', 'git-handoff.1'), 'utf8'))
})

test.runIf(existsSync('/usr/bin/man'))('man(1) finds no fault with the manual page', async () => {
  const lab = await makeLab()
  const page = join(installed, 'docs', 'git-handoff.1')
  const { code, stdout, stderr } = await execute('man', ['--warnings', '-l', page], lab)
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toMatch(/^ +handoff create$/m)
})

byNight('the installed program does the main job and checks its own brief', async () => {
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

byNight('the installed program sets agents up, and their hook tells of the brief', async () => {
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
