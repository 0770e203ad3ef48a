import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { byNight, describeByNight, sampled } from '../../sampled.ts'
import { cli } from '../cli.ts'
import { atFolder, cloneOf, makeRepo, type TempRepo } from '../make-repo.ts'
import { later, made, usual, withBrief } from '../usual.ts'

const FOLDER = '.handoff/briefs'
/** A key of GitHub's shape, made here so that none is stored. */
const KEY = `ghp_${Array.from({ length: 36 }, (_, i) => 'aB3dE5fG7h'[i % 10]).join('')}`

interface Found {
  rule: string
  level: string
  path: string
  line: number
  message: string
}

const check = async (repo: TempRepo, ...args: string[]) => {
  const result = await cli(repo, ['check', '--json', ...args])
  const findings: Found[] = result.json.findings ?? []
  return { ...result, findings, rules: findings.map(({ rule, level }) => `${level} ${rule}`) }
}

/** A good brief, and others like it: the text with another id and parent. */
async function sample(repo: TempRepo) {
  const { markdown, path, id } = await made(repo)
  const like = (n: number, parent: string | null = null) => {
    const other = `20261122T1100${String(n).padStart(2, '0')}-000abc00`
    const text = (markdown as string)
      .replace(`id: ${id}`, `id: ${other}`)
      .replace(/^parents:.*(?:\n {2}- .*)?$/m, `parents:${parent === null ? ' []' : `\n  - ${parent}`}`)
    return { id: other, path: (path as string).replace(id, other), text }
  }
  return { path: path as string, id: id as string, like }
}

describe('check --range', () => {
  byNight('two dots, three dots, one commit, an empty range', async () => {
    const repo = usual()
    const fork = repo.git(['rev-parse', 'HEAD'])
    repo.git(['switch', '-q', '-c', 'work'])
    const { path } = await sample(repo)
    repo.git(['switch', '-q', 'main'])
    repo.commit('main', { [`${FOLDER}/bad.md`]: 'no brief\n' })
    repo.git(['switch', '-q', 'work'])
    for (const range of sampled(['main...work', fork, 'main..work', `${fork}..`, 'main..'], 1))
      expect((await check(repo, '--range', range)).json, range).toMatchObject({
        ok: true,
        checked: [path],
        range,
      })
    expect((await check(repo, '--range', 'work...main')).findings.map((one) => one.path)).toEqual([
      `${FOLDER}/bad.md`,
    ])
    expect((await check(repo, '--range', 'work..work')).json).toMatchObject({ ok: true, checked: [] })
  })

  it.each(sampled(['nope..HEAD', '--output=x..HEAD', 'HEAD..nope', 'HEAD^{tree}', 'a\nb'], 2))(
    'the unknown revision %j is an error that names it',
    async (range) => {
      const { code, json } = await check(makeRepo(), `--range=${range}`)
      expect(code).toBe(2)
      expect(json.errors[0]).toMatchObject({
        code: 'E_BAD_REVISION',
        hint: expect.stringContaining('fetch-depth: 0'),
      })
    },
  )

  byNight(
    'branches that have nothing in common, and a shallow clone without the base, say what to do',
    async () => {
      const { repo } = await withBrief()
      repo.git(['switch', '-q', '--orphan', 'other'])
      repo.commit('other', { 'b.txt': 'b\n' })
      const unrelated = await check(repo, '--range', 'main...other')
      expect(unrelated.json.errors[0]).toMatchObject({
        code: 'E_BAD_REVISION',
        message: expect.stringContaining('no common ancestor'),
      })
      const base = repo.git(['rev-parse', 'main~1'])
      const shallow = cloneOf(repo, { args: ['--depth=1', '--branch=main'], env: repo.env })
      const missing = await check(shallow, '--range', `${base}..HEAD`)
      expect(missing).toMatchObject({ code: 2, json: { errors: [{ code: 'E_BAD_REVISION' }] } })
      expect(missing.json.errors[0].hint).toContain('git fetch --unshallow')
      expect((await check(shallow)).code).toBe(0)
    },
  )

  byNight('deleted briefs are no matter, renamed ones are judged where they are', async () => {
    const repo = usual()
    const { path } = await sample(repo)
    const start = repo.git(['rev-parse', 'HEAD'])
    repo.git(['mv', path, path.replace('finish', 'renamed')])
    repo.commit('renamed')
    expect(await check(repo, '--range', `${start}..HEAD`)).toMatchObject({
      code: 0,
      rules: ['warning id-and-path'],
    })
    const renamed = repo.git(['rev-parse', 'HEAD'])
    repo.git(['rm', '-q', '-r', FOLDER])
    repo.commit('deleted')
    expect((await check(repo, '--range', `${renamed}..HEAD`)).json).toMatchObject({ ok: true, checked: [] })
  })

  byNight(
    'a secret that a later commit took back is still told, with its commit; everything else is mended',
    async () => {
      const repo = usual()
      const { like } = await sample(repo)
      const start = repo.git(['rev-parse', 'HEAD'])
      const { path, text } = like(1)
      const leak = repo.commit('leak', { [path]: text.replace('## Status', `${KEY}\r\n## Statues`) })
      repo.commit('mended', { [path]: text })
      const { findings, code } = await check(repo, '--range', `${start}..HEAD`)
      expect(code).toBe(1)
      expect(findings.filter(({ level }) => level === 'error')).toEqual([
        expect.objectContaining({
          rule: 'secrets',
          message: expect.stringContaining(`only in history, commit ${leak.slice(0, 12)}`),
        }),
      ])
      expect(JSON.stringify(findings)).not.toContain(KEY)
      expect(findings.map(({ rule }) => rule)).toContain('immutable')
    },
  )

  byNight(
    'a side branch that took its brief back before it was merged, and a merge that brought one of its own',
    async () => {
      const repo = usual()
      const { like } = await sample(repo)
      const start = repo.git(['rev-parse', 'HEAD'])
      repo.git(['switch', '-q', '-c', 'side'])
      repo.commit('leak', { [like(1).path]: like(1).text.replace('## Status', `${KEY}\n## Status`) })
      repo.git(['rm', '-q', like(1).path])
      repo.commit('took it back')
      repo.commit('side', { 's.txt': 's\n' })
      repo.git(['switch', '-q', 'main'])
      repo.commit('main', { 'm.txt': 'm\n' })
      repo.git(['merge', '-q', '--no-ff', '--no-commit', 'side'])
      repo.write(like(2).path, 'no brief\n')
      repo.commit('merge')
      const { findings } = await check(repo, '--range', `${start}..HEAD`)
      expect(findings.map(({ rule, path }) => `${rule} ${path}`)).toEqual([
        `secrets ${like(1).path}`,
        `schema ${like(2).path}`,
      ])
    },
  )

  byNight(
    'what the other branch brought is not of this range, however often the two were merged',
    async () => {
      const repo = usual()
      const { like } = await sample(repo)
      repo.git(['branch', 'work'])
      repo.commit('of main', { [like(1).path]: 'no brief\n' })
      repo.git(['switch', '-q', 'work'])
      repo.commit('of work', { 'w.txt': 'w\n' })
      const [main, work] = ['main', 'work'].map((name) => repo.git(['rev-parse', name])) as [string, string]
      // Criss-cross: both hold the other's commit, and there are two best common ancestors.
      repo.git(['merge', '-q', '--no-edit', main])
      repo.git(['switch', '-q', 'main'])
      repo.git(['merge', '-q', '--no-edit', work])
      repo.git(['switch', '-q', 'work'])
      repo.commit('more', { [like(2).path]: like(2).text })
      expect((await check(repo, '--range', 'main...work')).json).toMatchObject({
        ok: true,
        checked: [like(2).path],
      })
    },
  )

  byNight('alone means what this branch brings', async () => {
    const repo = usual()
    repo.git(['switch', '-q', '-c', 'work'])
    const { path } = await sample(repo)
    expect((await check(repo, '--range')).json).toMatchObject({ ok: true, checked: [path] })
    const alone = makeRepo({ branch: 'odd' })
    expect((await check(alone, '--range')).json.errors[0].code).toBe('E_NO_RANGE')
  })
})

describeByNight('check --staged and paths', () => {
  byNight('two new briefs may name each other; of two with one id one is told', async () => {
    const repo = usual()
    const { like, id } = await sample(repo)
    const [one, two] = [like(1, id), like(2, like(1).id)]
    repo.write(one.path, one.text)
    repo.write(two.path, two.text)
    repo.git(['add', '-A'])
    expect(await check(repo, '--staged')).toMatchObject({ code: 0, rules: [] })
    repo.write(one.path.replace('finish', 'begin'), one.text)
    repo.git(['add', '-A'])
    expect((await check(repo, '--staged')).rules).toContain('error duplicate-id')
  })

  byNight('together: what is staged as it is staged, and the other files that are named', async () => {
    const repo = usual()
    const { like, path, id } = await sample(repo)
    const one = like(1, id)
    repo.write(one.path, one.text)
    repo.git(['add', '-A'])
    repo.write(one.path, 'no brief\n')
    repo.write(`${FOLDER}/bad.md`, 'no brief\n')
    expect((await check(repo, '--staged', one.path, path)).json).toMatchObject({
      ok: true,
      checked: [one.path, path],
    })
    const both = await check(repo, '--staged', FOLDER, `${FOLDER}/bad.md`)
    expect(both.json.checked).toEqual([one.path, path, `${FOLDER}/bad.md`])
    expect([...new Set(both.findings.map((found) => found.path))]).toEqual([`${FOLDER}/bad.md`])
  })

  byNight("new briefs that are each other's parents, and a committed one that is edited", async () => {
    const repo = usual()
    const { like, path } = await sample(repo)
    const [one, two] = [like(1, like(2).id), like(2, like(1).id)]
    repo.write(one.path, one.text)
    repo.write(two.path, two.text)
    repo.write(path, repo.read(path).replace('## Status', '## Status\n'))
    repo.git(['add', '-A'])
    const { rules } = await check(repo, '--staged')
    expect(rules).toContain('error parent-cycle')
    expect(rules).toContain('warning immutable')
  })

  byNight(
    'a folder stands for its briefs; latest.md and .gitattributes are judged as what they are',
    async () => {
      const repo = usual()
      const { path } = await sample(repo)
      for (const args of [['.handoff'], [FOLDER], [path, '.handoff/latest.md', '.handoff/.gitattributes']])
        expect((await check(repo, ...args)).json).toMatchObject({ ok: true, checked: [path] })
      expect(
        (await cli(repo, ['check', '.', '--json'], { cwd: join(repo.root, '.handoff') })).json.checked,
      ).toEqual([path])
      expect((await check(repo, 'nowhere.md')).findings[0]?.message).toBe('there is no such file')
    },
  )
})

describeByNight('check on odd and hostile input', () => {
  byNight('takes values of the environment for secrets, and the name of an author for none', async () => {
    const repo = usual()
    const { path } = await sample(repo)
    const goal = 'finish the retry queue'
    const told = async (name: string) => {
      const { json } = await cli(repo, ['check', path, '--json'], { env: { [name]: goal } })
      return json.findings.some(({ rule }: Found) => rule === 'secrets')
    }
    expect(await told('CI_COMMIT_AUTHOR')).toBe(false)
    expect(await told('GIT_AUTHOR_NAME')).toBe(false)
    expect(await told('AUTHORIZATION')).toBe(true)
    expect(await told('HTTP_AUTH')).toBe(true)
  })

  byNight(
    'a huge, binary, linked, executable or nested file is one finding each, and the others are judged',
    async () => {
      const repo = usual()
      const { like } = await sample(repo)
      const start = repo.git(['rev-parse', 'HEAD'])
      const name = (n: number) => like(n).path
      repo.write(name(1), Buffer.alloc(5 << 20, 'x'))
      repo.write(name(2), Buffer.from(Array.from({ length: 3000 }, (_, i) => (i * 7919) % 256)))
      symlinkSync('/etc/passwd', join(repo.root, name(3)))
      repo.write(name(4), like(4).text)
      chmodSync(join(repo.root, name(4)), 0o755)
      mkdirSync(join(repo.root, `${name(5)}/deeper`), { recursive: true })
      repo.write(`${name(5)}/deeper/x.md`, 'x\n')
      repo.write(name(6), like(6).text)
      repo.write(name(7), Buffer.alloc(200 << 10, 'y\n'))
      repo.git(['init', '-q', join(repo.root, name(8))])
      const inner = atFolder(repo.base, join(repo.root, name(8)), repo.env)
      inner.commit('inner', { 'a.txt': 'a\n' })
      repo.commit('odd')
      const { findings, json } = await check(repo, '--range', `${start}..HEAD`)
      const told = (path: string) =>
        findings.filter((one) => one.path === path).map((one) => `${one.rule}: ${one.message}`)
      expect(told(name(1))).toEqual(['size: 5242880 bytes; a brief has at most 65536'])
      expect(told(name(2)).join()).toContain('schema')
      expect(told(name(3))).toEqual(['id-and-path: mode 120000: it must be a plain file'])
      expect(told(name(4))).toEqual(['id-and-path: mode 100755: it must be a plain file'])
      expect(told(`${name(5)}/deeper/x.md`).join()).toContain('schema')
      expect(told(name(6))).toEqual([])
      expect(told(name(7))).toEqual(['size: 204800 bytes; a brief has at most 65536'])
      expect(told(name(8))).toEqual(['id-and-path: mode 160000: it must be a plain file'])
      expect(json.checked).toHaveLength(8)
    },
  )

  byNight('names with line breaks, commas, colons and quotes forge nothing in any format', async () => {
    const repo = usual()
    await sample(repo)
    const start = repo.git(['rev-parse', 'HEAD'])
    const names = [
      'a\nb.md',
      '::error::x.md',
      'a,line=9:b%0A.md',
      '"q\' $(id)`.md',
      '\u001b[2J\u202e.md',
      '-rf.md',
    ]
    repo.commit('odd', Object.fromEntries(names.map((name) => [`${FOLDER}/${name}`, 'no brief\n'])))
    const paths = names.map((name) => `${FOLDER}/${name}`).sort()
    const range = ['--range', `${start}..HEAD`]
    expect([...new Set((await check(repo, ...range)).findings.map(({ path }) => path))]).toEqual(paths)
    const text = await cli(repo, ['check', ...range])
    // One line for each finding, and one at the end.
    expect(text.stdout.trimEnd().split('\n')).toHaveLength((await check(repo, ...range)).findings.length + 1)
    const github = await cli(repo, ['check', ...range, '--format', 'github'])
    expect(
      github.stdout
        .trimEnd()
        .split('\n')
        .every((line) => line.startsWith(`::error file=${FOLDER}/`)),
    ).toBe(true)
    const sarif = JSON.parse((await cli(repo, ['check', ...range, '--format', 'sarif'])).stdout)
    const uris = sarif.runs[0].results.map(
      (one: { locations: [{ physicalLocation: { artifactLocation: { uri: string } } }] }) =>
        decodeURIComponent(one.locations[0].physicalLocation.artifactLocation.uri),
    )
    expect([...new Set(uris)]).toEqual(paths)
    const gitlab = JSON.parse((await cli(repo, ['check', ...range, '--format', 'gitlab'])).stdout)
    expect(new Set(gitlab.map((one: { fingerprint: string }) => one.fingerprint)).size).toBe(gitlab.length)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: none may be left
    for (const { stdout } of [text, github]) expect(stdout).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]/)
  })

  byNight('hundreds of bad briefs are all judged, and what is listed of them has an end', async () => {
    const repo = usual()
    const { like } = await sample(repo)
    const start = repo.git(['rev-parse', 'HEAD'])
    const COUNT = 220
    const idOf = (n: number) =>
      `20261123T${new Date(n * 1000).toISOString().slice(11, 19).replaceAll(':', '')}-000abc00`
    const stream = Array.from({ length: COUNT }, (_, n) => {
      const text = `${like(0, n === 0 ? null : idOf(n - 1)).text.replace(/^id: .*$/m, `id: ${idOf(n)}`)}${'- \u200b\n'.repeat(25)}`
      return `M 100644 inline ${FOLDER}/${idOf(n)}-x.md\ndata ${Buffer.byteLength(text)}\n${text}\n`
    })
    execFileSync('git', ['fast-import', '--quiet', '--force'], {
      cwd: repo.root,
      env: repo.env,
      input: `commit refs/heads/many\ncommitter n <a@b.c> 1795000000 +0000\ndata 4\nmany\nfrom ${start}\n${stream.join('')}`,
    })
    const { json, findings } = await check(repo, '--range', `${start}..many`)
    expect(json.checked).toHaveLength(COUNT)
    expect(findings).toHaveLength(5000)
    expect(json.unlisted).toBeGreaterThanOrEqual(COUNT * 25 - 5000)
    const text = await cli(repo, ['check', '--range', `${start}..many`, '--format', 'sarif'])
    expect(JSON.parse(text.stdout).runs[0].invocations[0].toolExecutionNotifications[0].message.text).toMatch(
      /^\d+ more findings not listed$/,
    )
  })
})

describe('formats and exit codes', () => {
  async function withWarning() {
    const repo = usual()
    const { path } = await sample(repo)
    repo.git(['mv', path, path.replace('finish', 'renamed')])
    repo.commit('renamed')
    return repo
  }

  byNight('--fail-on decides what fails: error, warning, never', async () => {
    const repo = await withWarning()
    const codes = async () =>
      Promise.all(
        ['error', 'warning', 'never'].map(async (level) => (await check(repo, '--fail-on', level)).code),
      )
    expect(await codes()).toEqual([0, 1, 0])
    repo.commit('bad', { [`${FOLDER}/20261122T110000-000abc00-x.md`]: 'no brief\n' })
    expect(await codes()).toEqual([1, 1, 0])
  })

  byNight(
    'every format says on standard error how it ended, and nothing but itself on standard output',
    async () => {
      const repo = await withWarning()
      for (const format of ['github', 'gitlab', 'sarif']) {
        const { stdout, stderr } = await cli(repo, ['check', '--format', format])
        expect(stderr).toContain('1 brief checked, 0 errors, 1 warning')
        if (format === 'github')
          expect(stdout).toMatch(
            /^::warning file=\.handoff\/briefs\/[^,]*,line=\d+,title=handoff id-and-path::[^\n]*\n$/,
          )
        else expect(() => JSON.parse(stdout)).not.toThrow()
      }
    },
  )

  it.each([
    [['--format', 'xml'], 'text, github, gitlab, sarif'],
    [['--fail-on', 'note'], 'error, warning, never'],
    [['--format', 'sarif'], 'exclude each other'],
    [['--staged', '--range', 'a..b'], 'exclude each other'],
  ])('%j is wrong usage', async (args, text) => {
    const { code, json } = await check(makeRepo(), ...args)
    expect(code).toBe(2)
    expect(json.errors[0]).toMatchObject({ code: 'E_USAGE', message: expect.stringContaining(text) })
  })
})

describe('what a hostile pull request brings', () => {
  const word = (): string => randomBytes(4).toString('hex')

  it('S-12: is seen without arguments as the commit hook sees it, whatever its names', async () => {
    const { repo, path } = await withBrief()
    const text = repo.read(path)
    const names = sampled(
      [`${word()}\n::error::y.md`, `-${word()}.md`, `$(touch ${word()}).md`, `${word()}.txt`],
      1,
    )
    const ids = [`20261122T100000-${word()}`, `20261122T100001-${word()}`]
    for (const name of [...names, `${ids[0]}-$(x).md`, `${word()}/${ids[1]}-a.md`])
      for (const content of ['no brief\n', ...sampled([text], 1)]) {
        repo.write(`.handoff/briefs/${name}`, content)
        const alone = await cli(repo, ['check', '--json'])
        repo.git(['add', '-A'])
        const staged = await cli(repo, ['check', '--staged', '--json'])
        expect([alone.code, staged.code], name).toEqual([1, 1])
        const told = alone.json.findings.map(({ path }: { path: string }) => path)
        expect(told).toContain(`.handoff/briefs/${name}`)
        repo.git(['rm', '-q', '-f', '--', `.handoff/briefs/${name}`])
      }
    expect((await cli(repo, ['check'])).code).toBe(0)
  })

  byNight('holds the check neither by its number nor by its time, and that is an error', async () => {
    const { repo } = await withBrief()
    const base = repo.git(['rev-parse', 'HEAD'])
    for (let at = 0; at < 1002; at++)
      repo.write(
        `.handoff/briefs/20261122T1000${String(at % 60).padStart(2, '0')}-${at.toString(16).padStart(8, '0')}-a.md`,
        'x\n',
      )
    repo.commit('many')
    const many = await cli(repo, ['check', '--range', `${base}..HEAD`, '--json'])
    expect(many.code).toBe(1)
    expect(many.json.checked).toHaveLength(1000)
    expect(many.json.findings.at(-1).message).toContain(
      'not checked, nor what follows: a range ends after 1000 files',
    )
    let minutes = 0
    const now = () => later(minutes++)
    const slow = await cli(repo, ['check', '--range', `${base}..HEAD`, '--json'], { now })
    expect(slow.code).toBe(1)
    expect(slow.json.checked.length).toBeLessThan(5)
    expect(slow.json.findings.at(-1).message).toContain('60 s, here after')
  })
})
