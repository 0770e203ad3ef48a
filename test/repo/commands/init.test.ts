import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
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
import { dirname, join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { adapters } from '../../../src/agents/table.ts'
import { pointerText } from '../../../src/brief/latest.ts'
import { CLEAN_FILTER } from '../../../src/git/settings.ts'
import { hookLineOf, NOT_SET_UP } from '../../../src/hooks/runner.ts'
import { setupPlace } from '../../../src/init/init-agents.ts'
import type { Adapter, SetupEdit } from '../../../src/types/agent.ts'
import { byNight, describeByNight, isNightly, sampled } from '../../sampled.ts'
import { cli } from '../cli.ts'
import { atFolder, makeRepo, type TempRepo } from '../make-repo.ts'
import { withBrief } from '../usual.ts'

const able = adapters.filter((adapter) => adapter.setup !== undefined)
const cases = able.map((adapter) => [adapter.id, adapter] as const)

const editsOf = (repo: TempRepo, adapter: Adapter): SetupEdit[] =>
  adapter.setup?.(setupPlace({ home: repo.home, env: repo.env }, repo.root, adapter.id)) ?? []

/** Every file and folder of worktree and home with its content; what git and our own records hold is left out. */
function snapshot(repo: TempRepo): Record<string, string> {
  const seen: Record<string, string> = {}
  const walk = (folder: string): void => {
    for (const name of readdirSync(folder).sort()) {
      const path = join(folder, name)
      const key = relative(repo.base, path)
      const stat = lstatSync(path)
      if (name === '.git') seen[`${key}/config`] = readFileSync(join(repo.root, '.git/config'), 'latin1')
      else if (stat.isSymbolicLink()) seen[key] = `-> ${readlinkSync(path)}`
      else if (stat.isDirectory()) {
        seen[key] = 'folder'
        walk(path)
      } else seen[key] = `${(stat.mode & 0o777).toString(8)} ${readFileSync(path, 'latin1')}`
    }
  }
  walk(repo.root)
  walk(repo.home)
  return seen
}

function put(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
}

/** Something of somebody else at every place that an agent's files share, in a style of its own. */
function foreignFiles(edits: readonly SetupEdit[], style: 'tabs' | 'windows' | 'flat'): Map<string, string> {
  const files = new Map<string, string>()
  for (const path of new Set(edits.map((edit) => edit.path))) {
    const here = edits.filter((edit) => edit.path === path)
    const [first] = here
    if (first?.type === 'file') continue
    if (first?.type === 'block' || first?.type === 'yaml-item') {
      const text =
        first.type === 'yaml-item'
          ? `# mine\nown: x\n${first.at[0]}:\n  - mine\n`
          : first.comment === '#'
            ? '# mine\nown = "x"\n\n[table]\nlist = [1, 2]\n'
            : '# Mine\n\n- one\n'
      files.set(
        path,
        style === 'windows' ? text.replaceAll('\n', '\r\n') : style === 'flat' ? text.trimEnd() : text,
      )
      continue
    }
    const content: Record<string, unknown> = { own: { deep: ['ä', { on: true }] } }
    for (const edit of here) {
      if (edit.type !== 'json-item' && edit.type !== 'json-value') continue
      let box = content
      for (const name of edit.at.slice(0, -1)) {
        box[name] ??= {}
        box = box[name] as Record<string, unknown>
      }
      if (edit.type === 'json-item') box[edit.at.at(-1) ?? ''] = [{ mine: 'echo "kept"' }]
      else box.theirs = 1
    }
    const wide = JSON.stringify(content, null, '\t').replace('{\n', '{\n\t// why: "mine"\n')
    files.set(
      path,
      style === 'flat'
        ? JSON.stringify(content)
        : style === 'tabs'
          ? `${wide.replace(/\n\}$/, ',\n\t/* last */\n}')}\n`
          : `\uFEFF${JSON.stringify(content, null, 4)}\n`.replaceAll('\n', '\r\n'),
    )
  }
  return files
}

describe('every agent that can be set up', () => {
  it('says by what it is known, and asks for nothing outside of repository and home', () => {
    expect(able.length).toBeGreaterThan(1)
    const repo = makeRepo()
    for (const adapter of able) {
      const { project, home } = adapter.traces?.(repo) ?? { project: [], home: [] }
      expect(project.length + home.length, adapter.id).toBeGreaterThan(0)
      const edits = editsOf(repo, adapter)
      expect(edits.length, adapter.id).toBeGreaterThan(0)
      for (const { path } of edits) expect(`${path}/`).toMatch(new RegExp(`^(?:${repo.root}|${repo.home})/`))
    }
  })

  byNight('agrees with the others on the files that they share', () => {
    const repo = makeRepo()
    const files = new Map<string, string>()
    for (const edit of able.flatMap((adapter) => editsOf(repo, adapter))) {
      if (edit.type !== 'file') continue
      expect(files.get(edit.path) ?? edit.content, edit.path).toBe(edit.content)
      files.set(edit.path, edit.content)
    }
  })

  byNight.each(sampled(cases, 1))('%s: comes, comes no second time, and goes without a trace', async (id) => {
    const repo = makeRepo()
    const before = snapshot(repo)
    const first = await cli(repo, ['init', '--agent', id, '--json'])
    expect(first.code, first.stderr).toBe(0)
    expect(first.json.left).toEqual([])
    expect(first.json.agents.map((agent: { id: string }) => agent.id)).toEqual([id])
    const after = snapshot(repo)
    expect(Object.keys(after).length).toBeGreaterThan(Object.keys(before).length)
    const again = await cli(repo, ['init', '--agent', id, '--json'])
    expect(again.json.changed).toEqual([])
    expect(snapshot(repo)).toEqual(after)
    const gone = await cli(repo, ['init', '--remove', '--json'])
    expect(gone.json.left).toEqual([])
    expect(snapshot(repo)).toEqual(before)
    expect(readdirSync(join(repo.root, '.git/handoff'))).toEqual([])
  })

  byNight('says that the briefs stay', async () => {
    const { repo } = await withBrief()
    await cli(repo, ['init', '--agent', 'claude-code'])
    const { stdout } = await cli(repo, ['init', '--remove'])
    expect(stdout).toContain('To take it out as well: git rm -r .handoff')
    expect((await cli(repo, ['init', '--remove', '--agent', 'codex'])).stdout).not.toContain(
      '.handoff/ stays',
    )
  })

  const styled = (['tabs', 'windows', 'flat'] as const).flatMap((style) =>
    cases.map(([id, adapter]) => [id, style, adapter] as const),
  )
  byNight.each(sampled(styled, 1))('%s, %s: files of others keep every byte', async (id, style, adapter) => {
    const repo = makeRepo()
    const files = foreignFiles(editsOf(repo, adapter), style)
    for (const [path, text] of files) put(path, text)
    put(join(repo.root, 'AGENTS.md'), '# Rules\n\nBe kind.')
    const before = snapshot(repo)
    const first = await cli(repo, ['init', '--agent', id, '--json'])
    expect(first.code, first.stdout).toBe(0)
    expect(first.json.left).toEqual([])
    for (const [path, text] of files) {
      const now = readFileSync(path, 'utf8')
      expect(now, path).not.toBe(text)
      for (const word of ['why: "mine"', '/* last */', '# mine', 'own'])
        expect(now.includes(word), `${path}: ${word}`).toBe(text.includes(word))
      if (style === 'windows') expect(now.replaceAll('\r\n', '')).not.toContain('\n')
      expect(now.startsWith('\uFEFF')).toBe(text.startsWith('\uFEFF'))
    }
    const after = snapshot(repo)
    await cli(repo, ['init', '--agent', id])
    expect(snapshot(repo)).toEqual(after)
    // In another clone nobody knows what stood there; by their shape our parts are found all the same.
    rmSync(join(repo.root, '.git/handoff'), { recursive: true })
    await cli(repo, ['init', '--remove'])
    expect(snapshot(repo)).toEqual(before)
  })

  byNight('in another clone a mapping that was there before is kept, empty as it was', async () => {
    const repo = makeRepo()
    const mine = { '.mcp.json': '{\n  "mcpServers": {}\n}\n', '.claude/settings.json': '{}\n' }
    repo.commit('mine', mine)
    await cli(repo, ['init', '--agent', 'claude-code', '--git-hooks', 'none'])
    repo.git(['add', '-A'])
    repo.git(['commit', '-q', '-m', 'handoff'])
    expect(readFileSync(join(repo.root, '.mcp.json'), 'utf8')).toContain('handoff')
    rmSync(join(repo.root, '.git/handoff'), { recursive: true })
    await cli(repo, ['init', '--remove'])
    for (const [name, text] of Object.entries(mine))
      expect(readFileSync(join(repo.root, name), 'utf8'), name).toBe(text)
    expect(existsSync(join(repo.root, '.claude/skills'))).toBe(false)
  })

  it.each(sampled(cases, 1))('%s: what somebody changed since is kept', async (id, adapter) => {
    const repo = makeRepo()
    const edits = editsOf(repo, adapter)
    const files = foreignFiles(edits, 'tabs')
    for (const [path, text] of files) put(path, text)
    await cli(repo, ['init', '--agent', id])
    for (const path of files.keys()) {
      const now = readFileSync(path, 'utf8')
      const isJson = edits.some((edit) => edit.path === path && edit.type.startsWith('json'))
      writeFileSync(path, isJson ? now.replace('{', '{ "later": [1],') : `${now}\n# later\n`)
    }
    const { code } = await cli(repo, ['init', '--remove'])
    expect(code).toBe(0)
    for (const [path, text] of files) {
      const now = readFileSync(path, 'utf8')
      const isJson = edits.some((edit) => edit.path === path && edit.type.startsWith('json'))
      expect(now).toBe(isJson ? text.replace('{', '{ "later": [1],') : `${text}\n# later\n`)
    }
  })

  byNight.each(sampled(cases, 1))(
    '%s: a dry run writes nothing and shows what would be written',
    async (id, adapter) => {
      const repo = makeRepo()
      for (const [path, text] of foreignFiles(editsOf(repo, adapter), 'tabs')) put(path, text)
      const before = snapshot(repo)
      // Patches of files in .git are shown, and refused by git.
      const dry = await cli(repo, ['init', '--agent', id, '--git-hooks', 'none', '--dry-run', '--json'])
      expect(snapshot(repo)).toEqual(before)
      expect(existsSync(join(repo.root, '.git/handoff/init.json'))).toBe(false)
      const inHome = dry.json.changed.some(({ path }: { path: string }) => path.startsWith('~'))
      if (!inHome) repo.git(['apply', '--whitespace=nowarn', '-'], { input: dry.json.diff })
      const applied = snapshot(repo)
      repo.git(['checkout', '-q', '.'])
      await cli(repo, ['init', '--agent', id])
      const { [`${relative(repo.base, repo.root)}/.git/config`]: _, ...written } = snapshot(repo)
      if (!inHome) expect(applied).toMatchObject(written)
      const shown = await cli(repo, ['init', '--remove', '--dry-run'])
      expect(shown.stdout).toContain('deleted file mode')
      expect(snapshot(repo)).toMatchObject(written)
    },
  )
})

/** A hook line as the version before wrote it. */
const formerLine = (call: string): string =>
  `git -c safe.bareRepository=explicit -c 'alias.handoff-hook=!set -f; IFS=; h=$(git rev-parse --git-common-dir 2>/dev/null)/handoff/hook || exit 0; [ ! -f $h ] || exec sh $h ${call}' handoff-hook`

describe('init', () => {
  it('sets all of them up side by side, and takes all of them out', async () => {
    const repo = makeRepo()
    const before = snapshot(repo)
    const all = await cli(repo, ['init', '--agent', 'all', '--json'])
    expect(all.json.left).toEqual([])
    expect(all.json.agents.map(({ id }: { id: string }) => id)).toEqual(able.map(({ id }) => id))
    if (isNightly) {
      const after = snapshot(repo)
      // One after the other it comes to the same.
      for (const { id } of able) await cli(repo, ['init', '--agent', id])
      expect(snapshot(repo)).toEqual(after)
      for (const { id } of able) await cli(repo, ['init', '--remove', '--agent', id])
    }
    await cli(repo, ['init', '--remove'])
    expect(snapshot(repo)).toEqual(before)
  })

  byNight('brings the hook lines of an earlier version up to date, and takes them out as well', async () => {
    const repo = makeRepo()
    const before = snapshot(repo)
    const agents = ['claude-code', 'codex', 'gemini-cli', 'copilot-cli', 'droid', 'cursor']
    const init = (...more: string[]) => cli(repo, ['init', '--agent', agents.join(','), ...more])
    await init()
    const files = [
      '.claude/settings.json',
      '.codex/hooks.json',
      '.gemini/settings.json',
      '.cursor/hooks.json',
    ]
    const now = files.map((path) => repo.read(path))
    const age = () => {
      for (const [at, path] of files.entries()) {
        const text = (now[at] ?? '').replace(/"git -c [^\n]*handoff-hook[^\n]*"/g, (word) => {
          const call = /mcp/.test(word) ? null : hookLineOf(JSON.parse(word))
          return call === null ? word : JSON.stringify(formerLine(call))
        })
        expect(text).not.toBe(now[at])
        repo.write(path, text)
      }
    }
    age()
    expect((await init()).code).toBe(0)
    expect(files.map((path) => repo.read(path))).toEqual(now)
    age()
    await cli(repo, ['init', '--remove'])
    expect(snapshot(repo)).toEqual(before)
  })

  it('shows in a dry run a diff with the headers of git, and what is done besides', async () => {
    const { stdout, stderr } = await cli(makeRepo(), ['init', '--agent', 'claude-code', '--dry-run'])
    expect(stdout).toContain('diff --git a/AGENTS.md b/AGENTS.md\nnew file mode 100644\n')
    expect(stderr).toContain('Set filter.handoff.clean in .git/config')
    expect(stderr).toContain('Write the hook runner into .git/handoff')
  })

  byNight(
    'asks to commit only where a file of the work tree changed, and names who was set up before',
    async () => {
      const repo = makeRepo()
      const claude = ['init', '--agent', 'claude-code']
      expect((await cli(repo, claude)).stdout).toContain('Commit these files')
      repo.git(['add', '-A'])
      repo.git(['-c', 'core.hooksPath=/dev/null', 'commit', '-q', '-m', 'Set up handoff'])
      repo.git(['clone', '-q', '.', '../clone'])
      const clone = atFolder(repo.base, join(repo.base, 'clone'), repo.env)
      const { stdout } = await cli(clone, claude)
      expect(stdout).toContain('Wrote .git/hooks/pre-commit')
      expect(stdout).not.toContain('Commit these files')
      expect((await cli(clone, ['init', '--agent', 'codex'])).stdout).toContain(
        'Set up: Codex. Also set up here: Claude Code.',
      )
    },
  )

  byNight('takes the agents that show themselves: in the repository, at home, on PATH', async () => {
    const repo = makeRepo()
    const bin = join(repo.base, 'bin')
    mkdirSync(bin)
    // Agents may be installed beside git.
    for (const name of ['git', 'sh'])
      symlinkSync(
        execFileSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim(),
        join(bin, name),
      )
    const env = { PATH: bin }
    const ids = async (): Promise<string[]> => {
      const { json } = await cli(repo, ['init', '--dry-run', '--json'], { env })
      return json.agents.map(({ id }: { id: string }) => id)
    }
    const nobody = await cli(repo, ['init', '--dry-run'], { env })
    expect(nobody.code).toBe(0)
    expect(nobody.stderr).toContain('no coding agent was found here')
    mkdirSync(join(repo.root, '.claude'))
    expect(await ids()).toEqual(['claude-code'])
    mkdirSync(join(repo.home, '.codex'))
    expect(await ids()).toEqual(['claude-code', 'codex'])
    rmSync(join(repo.root, '.claude'), { recursive: true })
    rmSync(join(repo.home, '.codex'), { recursive: true })
    writeFileSync(join(bin, 'codex'), '')
    expect(await ids()).toEqual([])
    chmodSync(join(bin, 'codex'), 0o755)
    const { stdout, stderr } = await cli(repo, ['init', '--dry-run'], { env })
    expect(stdout).toContain('.codex/hooks.json')
    expect(stderr).toContain('Codex has never run here')
  })

  byNight('says which agent is not installed, and what a person must still do', async () => {
    const repo = makeRepo()
    const { stdout, stderr } = await cli(repo, ['init', '--agent', 'codex'], {
      env: { PATH: `${dirname(execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }))}:/bin` },
    })
    expect(stderr).toContain('Codex is set up but not installed: install `codex`')
    expect(stdout).toMatch(/^Codex: Trust this folder, then the hooks/m)
  })

  it.each([
    ['nobody', '--agent nobody: no agent of that name can be set up.'],
    [
      'claud',
      '--agent claud: no agent of that name can be set up.',
      'Did you mean `git handoff init --agent claude-code`? ',
    ],
    ['claude-code,plain', '--agent plain: no agent of that name can be set up.'],
    [',', '--agent names nobody.'],
  ])('refuses --agent %s', async (list, message, near = '') => {
    const repo = makeRepo()
    const { code, json } = await cli(repo, ['init', '--agent', list, '--json'])
    expect(code).toBe(2)
    expect(json.errors[0]).toMatchObject({ code: 'E_USAGE', message })
    expect(json.errors[0].hint).toContain(`${near}Choose from claude-code, codex`)
  })

  byNight('writes for the repository what serves everybody', async () => {
    const repo = makeRepo()
    await cli(repo, ['init', '--agent', 'claude-code'])
    expect(repo.read('AGENTS.md')).toMatch(
      /tell the user to run\n`npm install -g git-handoff`\.\n<!-- <<< handoff <<< -->\n$/,
    )
    expect(repo.read('.handoff/README.md')).toContain('git handoff show')
    expect(repo.read('.handoff/.gitattributes')).toContain('filter=handoff')
    expect(repo.git(['config', 'filter.handoff.clean'])).toContain('sed')
    const check = await cli(repo, ['create', '--from', 'git', '--dry-run', '--json', 'port the retry queue'])
    expect(check.json.warnings.filter((text: string) => text.includes('config'))).toEqual([])
  })

  byNight(
    'keeps files of .handoff/ as long as there are briefs, and settings that were made there',
    async () => {
      const repo = makeRepo()
      await cli(repo, ['init', '--agent', 'claude-code'])
      writeFileSync(join(repo.root, '.handoff/config.yaml'), 'limits:\n  files: 3\n')
      await cli(repo, ['create', '--from', 'git', 'port the retry queue to the new scheduler'])
      await cli(repo, ['init', '--remove'])
      expect(readdirSync(join(repo.root, '.handoff')).sort()).toEqual([
        '.gitattributes',
        'README.md',
        'briefs',
        'config.yaml',
        'latest.md',
      ])
      expect(repo.read('.handoff/config.yaml')).toBe('limits:\n  files: 3\n')
      expect(repo.tryGit(['config', 'filter.handoff.clean']).status).toBe(1)
      expect(repo.read('.handoff/latest.md')).toBe(pointerText())
      expect(repo.git(['status', '--porcelain', '.handoff/latest.md'])).toBe('')
      expect(existsSync(join(repo.root, '.claude'))).toBe(false)
    },
  )

  it('TL-5: prints one line that adds what it wrote, without what git ignores, which it names with the rule', async () => {
    const repo = makeRepo()
    repo.commit('start', { '.gitignore': 'x\n.claude/skills/\n', '.claude/settings.json': '{}\n' })
    const { stdout, stderr } = await cli(repo, [
      'init',
      '--yes',
      '--agent',
      'claude-code',
      '--git-hooks',
      'none',
    ])
    const sh = (command: string): void => {
      execFileSync('sh', ['-c', command], { cwd: repo.root, env: repo.env })
    }
    const skill = '.claude/skills/handoff/SKILL.md'
    expect(stderr.replaceAll(/\s+/g, ' ')).toContain(
      `git ignores ${skill} (.gitignore:2: .claude/skills/), so nobody else gets it`,
    )
    const [, line = ''] = /and only them: `(.*)`/.exec(stdout) ?? []
    sh(line)
    const { stdout: again } = await cli(repo, [
      'init',
      '--yes',
      '--agent',
      'claude-code',
      '--git-hooks',
      'none',
    ])
    expect(again).toContain('Nothing to change.')
    expect(
      repo
        .git(['status', '--porcelain', '-uall'])
        .split('\n')
        .every((one) => /^[AM] {2}/.test(one)),
    ).toBe(true)
    sh(/`(git add -f [^`]*)`/.exec(stderr)?.[1] ?? '')
    expect(repo.git(['diff', '--cached', '--name-only'])).toContain(skill)
  })

  it('writes no configuration beside the one that is there', async () => {
    const repo = makeRepo()
    repo.write('package.json', '{"handoff": {"limits": {"files": 4}}}\n')
    await cli(repo, ['init', '--agent', 'claude-code'])
    expect(existsSync(join(repo.root, '.handoff/config.yaml'))).toBe(false)
  })

  byNight('stops before the first byte at JSON that is none, and names the line', async () => {
    const repo = makeRepo()
    put(join(repo.root, '.mcp.json'), '{\n  "mcpServers": {\n  "x": 1\n')
    const before = snapshot(repo)
    const { code, json } = await cli(repo, ['init', '--agent', 'all', '--json'])
    expect(code).toBe(2)
    expect(json.errors[0].code).toBe('E_SETTINGS')
    expect(json.errors[0].message).toBe(
      `${join(repo.root, '.mcp.json')}:4: not valid JSON: close brace expected`,
    )
    expect(json.errors[0].hint).toContain('Fix the file')
    expect(snapshot(repo)).toEqual(before)
    expect(existsSync(join(repo.root, '.git/handoff/init.json'))).toBe(false)
  })

  byNight('stops at a read-only file that would change, and at a read-only folder', async () => {
    const repo = makeRepo()
    const path = join(repo.root, '.claude/settings.json')
    put(path, '{}\n')
    chmodSync(path, 0o444)
    const before = snapshot(repo)
    const { code, json } = await cli(repo, ['init', '--agent', 'claude-code', '--json'])
    expect(code).toBe(2)
    expect(json.errors[0]).toMatchObject({ code: 'E_SETTINGS_READ_ONLY', message: `${path} is read-only.` })
    expect(snapshot(repo)).toEqual(before)
    chmodSync(path, 0o644)
    chmodSync(dirname(path), 0o555)
    const folder = await cli(repo, ['init', '--agent', 'claude-code', '--json'])
    expect(folder.json.errors[0].code).toBe('E_SETTINGS_READ_ONLY')
    chmodSync(dirname(path), 0o755)
    await cli(repo, ['init', '--agent', 'claude-code'])
    // What needs no change may be read-only.
    chmodSync(path, 0o444)
    expect((await cli(repo, ['init', '--agent', 'claude-code'])).code).toBe(0)
  })

  byNight('changes what a link leads to, and keeps the link and the mode', async () => {
    const repo = makeRepo()
    const real = join(repo.home, 'dotfiles/claude.json')
    put(real, '{\n  "model": "opus"\n}\n')
    chmodSync(real, 0o600)
    mkdirSync(join(repo.root, '.claude'))
    symlinkSync(real, join(repo.root, '.claude/settings.json'))
    const before = snapshot(repo)
    await cli(repo, ['init', '--agent', 'claude-code'])
    expect(lstatSync(join(repo.root, '.claude/settings.json')).isSymbolicLink()).toBe(true)
    expect(readFileSync(real, 'utf8')).toContain('handoff-hook')
    expect(lstatSync(real).mode & 0o777).toBe(0o600)
    await cli(repo, ['init', '--remove'])
    expect(snapshot(repo)).toEqual(before)
  })

  it.each(
    sampled(
      [
        ['out of repository and home', (repo: TempRepo) => join(repo.base, 'elsewhere/settings.json')],
        ['to a file of another kind', (repo: TempRepo) => join(repo.home, '.bashrc')],
        ['into .git', (repo: TempRepo) => join(repo.root, '.git/settings.json')],
        ['to nothing', (repo: TempRepo) => join(repo.home, 'nowhere.json')],
      ],
      1,
    ),
  )('follows no link %s', async (where, to) => {
    const repo = makeRepo()
    const target = to(repo)
    if (where !== 'to nothing') put(target, '{}\n')
    mkdirSync(join(repo.root, '.claude'))
    symlinkSync(target, join(repo.root, '.claude/settings.json'))
    const { code, json } = await cli(repo, ['init', '--agent', 'claude-code', '--json'])
    expect(code).toBe(0)
    expect(json.left).toEqual([
      { path: '.claude/settings.json', reason: expect.stringContaining('symbolic link') },
    ])
    expect(json.warnings.join('\n')).toContain('.claude/settings.json was left alone')
    if (where !== 'to nothing') expect(readFileSync(target, 'utf8')).toBe('{}\n')
    // The rest is done.
    expect(existsSync(join(repo.root, '.mcp.json'))).toBe(true)
    expect((await cli(repo, ['init', '--remove', '--json'])).json.left).toEqual([])
  })

  byNight('leaves alone what is somebody else’s, says so, and does the rest', async () => {
    const repo = makeRepo()
    put(join(repo.root, '.mcp.json'), '{"mcpServers":{"handoff":{"command":"mine"}}}')
    put(join(repo.root, '.claude/skills/handoff/SKILL.md'), '# Mine\n')
    mkdirSync(join(repo.root, 'AGENTS.md'))
    const { code, json } = await cli(repo, ['init', '--agent', 'claude-code', '--json'])
    expect(code).toBe(0)
    expect(json.left).toEqual([{ path: 'AGENTS.md', reason: 'it is not a plain file' }])
    expect(json.renamed).toEqual(['.claude/skills/handoff/SKILL.md', '.mcp.json'])
    expect(repo.read('.claude/settings.json')).toContain('handoff-hook')
    await cli(repo, ['init', '--remove'])
    expect(repo.read('.mcp.json')).toBe('{"mcpServers":{"handoff":{"command":"mine"}}}')
    expect(repo.read('.claude/skills/handoff/SKILL.md')).toBe('# Mine\n')
    expect(existsSync(join(repo.root, '.claude/settings.json'))).toBe(false)
  })

  byNight('does nothing where a clone has everything already, and takes it out there as well', async () => {
    const repo = makeRepo()
    await cli(repo, ['init', '--agent', 'claude-code,codex'])
    repo.commit('set up')
    const clone = join(repo.base, 'clone')
    repo.git(['clone', '-q', repo.root, clone])
    const other = atFolder(repo.base, clone, repo.env)
    const { json } = await cli(other, ['init', '--agent', 'claude-code,codex', '--json'])
    // Git brings no hooks along.
    const own = json.changed.filter(({ path }: { path: string }) => !path.startsWith('.git/hooks/'))
    expect([own, json.changed.length]).toEqual([[], 4])
    expect(other.git(['status', '--porcelain'])).toBe('')
    expect(lstatSync(join(clone, '.git/handoff/hook')).mode & 0o777).toBe(0o700)
    expect(lstatSync(join(clone, '.git/handoff/init.json')).mode & 0o777).toBe(0o600)
    const gone = await cli(other, ['init', '--remove', '--json'])
    expect(gone.json.undone).toContain('Removed the hook runner.')
    expect(other.git(['ls-files', '-d'])).toBe(other.git(['ls-files', '--', ':!a.txt']))
    expect(readdirSync(clone).sort()).toEqual(['.git', 'a.txt'])
  })

  byNight('takes out one agent and keeps the others', async () => {
    const repo = makeRepo()
    await cli(repo, ['init', '--agent', 'claude-code'])
    const one = snapshot(repo)
    await cli(repo, ['init', '--agent', 'codex'])
    const { json } = await cli(repo, ['init', '--remove', '--agent', 'codex', '--json'])
    expect(json.changed.map(({ path }: { path: string }) => path)).toEqual([
      '.codex/hooks.json',
      '.agents/skills/handoff/SKILL.md',
      '.codex/config.toml',
    ])
    expect(snapshot(repo)).toEqual(one)
    expect(existsSync(join(repo.root, '.git/handoff/hook'))).toBe(true)
  })

  byNight('touches only the worktree that it is called in', async () => {
    const repo = makeRepo()
    const tree = join(repo.root, 'trees/other')
    repo.git(['worktree', 'add', '-q', tree])
    const other = atFolder(repo.base, tree, repo.env)
    await cli(repo, ['init', '--agent', 'claude-code'])
    const first = repo.read('.claude/settings.json')
    await cli(other, ['init', '--agent', 'claude-code'])
    expect(other.read('.claude/settings.json')).toBe(first)
    await cli(other, ['init', '--remove'])
    expect(existsSync(join(tree, '.claude'))).toBe(false)
    expect(repo.read('.claude/settings.json')).toBe(first)
    expect(existsSync(join(repo.root, '.git/handoff/hook'))).toBe(true)
    await cli(other, ['init', '--agent', 'claude-code'])
    await cli(repo, ['init', '--remove'])
    expect(existsSync(join(repo.root, '.claude'))).toBe(false)
    expect(other.read('.claude/settings.json')).toBe(first)
    expect(existsSync(join(repo.root, '.git/handoff/hook'))).toBe(true)
  })

  byNight('takes out what it knows by shape when its record is damaged', async () => {
    const repo = makeRepo()
    const before = snapshot(repo)
    await cli(repo, ['init', '--agent', 'claude-code'])
    writeFileSync(join(repo.root, '.git/handoff/init.json'), '{')
    const { stderr } = await cli(repo, ['init', '--remove'])
    expect(stderr).toContain('the private record of init cannot be read')
    expect(snapshot(repo)).toEqual(before)
  })

  byNight('loses no record when two run at once', async () => {
    const repo = makeRepo()
    const before = snapshot(repo)
    const both = await Promise.all(['claude-code', 'codex'].map((id) => cli(repo, ['init', '--agent', id])))
    expect(both.map(({ code }) => code)).toEqual([0, 0])
    const record = JSON.parse(readFileSync(join(repo.root, '.git/handoff/init.json'), 'utf8'))
    expect(Object.keys(record.files)).toEqual(
      expect.arrayContaining(['.mcp.json', '.codex/hooks.json'].map((path) => join(repo.root, path))),
    )
    await cli(repo, ['init', '--remove'])
    expect(snapshot(repo)).toEqual(before)
  })

  byNight("T4: an agent's start says once, as it shows it, that a colleague's clone is not set up", () => {
    const repo = makeRepo()
    const { root: cwd, env } = repo
    const said = able.flatMap((adapter) => {
      rmSync(join(cwd, '.git/handoff'), { recursive: true, force: true })
      const line = setupPlace({ home: repo.home, env }, cwd, adapter.id).notSetUp
      if (line === undefined || !JSON.stringify(editsOf(repo, adapter)).includes(line)) return []
      const [first = '', second] = [1, 2].map(() =>
        execFileSync('sh', ['-c', line], { cwd, env, encoding: 'utf8' }),
      )
      expect(second).toBe('')
      return [[adapter.id, JSON.parse(first)]]
    })
    const line = NOT_SET_UP
    const relayed = { additionalContext: expect.stringContaining(line) }
    expect(Object.fromEntries(said)).toEqual({
      'claude-code': { systemMessage: line },
      codex: { systemMessage: line },
      droid: { systemMessage: line },
      'gemini-cli': { systemMessage: line },
      'copilot-cli': relayed,
    })
  })

  byNight('removes nothing where nothing is, and in one call what an earlier command had set', async () => {
    const repo = makeRepo()
    const before = snapshot(repo)
    const { code, stdout } = await cli(repo, ['init', '--remove'])
    expect([code, stdout]).toEqual([0, 'handoff is not set up here.\n'])
    expect(snapshot(repo)).toEqual(before)
    repo.git(['config', 'filter.handoff.clean', CLEAN_FILTER])
    await cli(repo, ['init', '--agent', 'codex'])
    expect((await cli(repo, ['init', '--remove'])).stdout).toContain('Unset filter.handoff.clean')
    expect(snapshot(repo)).toEqual(before)
  })

  byNight('leaves a folder of another tool alone', async () => {
    const repo = makeRepo()
    put(join(repo.root, '.handoff/state.db'), 'x')
    const { code, json } = await cli(repo, ['init', '--agent', 'codex', '--json'])
    expect([code, json.errors[0].code]).toEqual([2, 'E_FOREIGN_FOLDER'])
    expect(existsSync(join(repo.root, '.codex'))).toBe(false)
  })

  byNight('writes the same hook lines in every clone', async () => {
    const digest = async (name: string): Promise<string> => {
      const repo = makeRepo({ name })
      await cli(repo, ['init', '--agent', 'all'])
      const files = readdirSync(repo.root, { recursive: true, encoding: 'utf8' })
        .filter((path) => !path.startsWith('.git/') && lstatSync(join(repo.root, path)).isFile())
        .sort()
        .map((path) => `${path}\n${repo.read(path)}`)
      expect(files.join('')).not.toContain(repo.base)
      return createHash('sha256').update(files.join('')).digest('hex')
    }
    expect(await digest('one')).toBe(await digest("it's another"))
  })
})

describeByNight('C11: a skill of the person named handoff', () => {
  byNight(
    'C11: is told by init and doctor, ours is put beside it under another name, and the nudge says that name',
    async () => {
      const repo = makeRepo()
      const init = (...args: string[]) =>
        cli(repo, ['init', '--agent', 'claude-code', '--yes', '--json', ...args])
      const other = join(repo.root, '.claude/skills/git-handoff/SKILL.md')
      await init()
      expect(existsSync(other)).toBe(false)
      await init('--remove')
      expect(existsSync(join(repo.root, '.claude'))).toBe(false)
      put(join(repo.home, '.claude/skills/handoff/SKILL.md'), '---\nname: handoff\n---\nMine.\n')
      const { json } = await init()
      expect(json.warnings.join('\n')).toMatch(/~\/\.claude\/skills\/handoff\/SKILL\.md .*Type \/git-handoff/)
      expect(readFileSync(other, 'utf8')).toMatch(/^---\nname: git-handoff\n/)
      const before = snapshot(repo)
      await init()
      expect(snapshot(repo)).toEqual(before)
      const doctor = await cli(repo, ['doctor'])
      expect(doctor.stdout).toContain('wins over /handoff in Claude Code')
      const path = join(repo.base, 's.jsonl')
      const message = { model: 'claude-sonnet-4-5', usage: { input_tokens: 160_000 } }
      writeFileSync(path, `${JSON.stringify({ type: 'assistant', message })}\n`)
      const stdin = JSON.stringify({ session_id: 's', transcript_path: path, cwd: repo.root })
      const hook = await cli(repo, ['hook', 'stop', '--agent', 'claude-code'], { stdin })
      expect(hook.stdout).toContain('type: /git-handoff <')
      await init('--remove')
      expect(existsSync(other)).toBe(false)
    },
  )
})
