import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { isOfRegistry } from '../../../src/workspace/find-program.ts'
import { byNight } from '../../sampled.ts'
import { cli } from '../cli.ts'
import { hashFiles } from '../hash-files.ts'
import { makeFolder, makeRepo, type TempRepo } from '../make-repo.ts'

const WORKFLOW = '.github/workflows/handoff.yml'
const ACTION = '.github/actions/handoff/action.yml'
const PIPELINE = '.gitlab-ci.yml'
const JOB = '.gitlab/handoff.gitlab-ci.yml'

const init = (repo: TempRepo, ...args: string[]) =>
  cli(repo, ['init', '--json', '--yes', '--agent', 'codex', '--git-hooks', 'none', ...args])
const changed = ({ json }: Awaited<ReturnType<typeof init>>): string[] =>
  json.changed.map(({ path }: { path: string }) => path)
const files = (repo: TempRepo) => hashFiles(repo.root, ['.git'])

describe('init --ci', () => {
  it('github: workflow and action, twice changes nothing, and --remove gives back every byte', async () => {
    const repo = makeRepo()
    repo.commit('other', { '.github/workflows/test.yml': 'on: push\n' })
    const before = files(repo)
    const first = await init(repo, '--ci', 'github')
    expect(changed(first)).toEqual(expect.arrayContaining([WORKFLOW, ACTION]))
    expect(parse(repo.read(WORKFLOW)).jobs.handoff.steps.at(-1).uses).toBe('./.github/actions/handoff')
    expect(parse(repo.read(ACTION)).runs.using).toBe('composite')
    const done = files(repo)
    expect(changed(await init(repo, '--ci', 'github'))).toEqual([])
    // Without the option what is there stays.
    expect(changed(await init(repo))).toEqual([])
    expect(files(repo)).toEqual(done)
    expect((await cli(repo, ['init', '--remove', '--json'])).code).toBe(0)
    expect(files(repo)).toEqual(before)
  })

  byNight('--dry-run shows the workflow and writes nothing; none takes it out', async () => {
    const repo = makeRepo()
    const before = files(repo)
    const dry = await init(repo, '--ci', 'github', '--dry-run')
    expect(dry.json.diff).toContain('fetch-depth: 0')
    expect(files(repo)).toEqual(before)
    await init(repo, '--ci', 'gitlab')
    expect(changed(await init(repo, '--ci', 'none'))).toEqual(expect.arrayContaining([JOB, PIPELINE]))
    expect(existsSync(join(repo.root, '.gitlab'))).toBe(false)
  })

  byNight('gitlab: the pipeline that is there is kept and includes the job', async () => {
    const repo = makeRepo()
    const pipeline = 'stages: [test]\r\n\r\nlint:\r\n  script: [make lint]\r\n'
    repo.commit('pipeline', { [PIPELINE]: pipeline })
    await init(repo, '--ci', 'gitlab')
    const value = parse(repo.read(PIPELINE))
    expect(value).toMatchObject({ lint: { script: ['make lint'] }, include: [{ local: JOB }] })
    expect(repo.read(PIPELINE).startsWith(pipeline)).toBe(true)
    expect(changed(await init(repo, '--ci', 'gitlab'))).toEqual([])
    await cli(repo, ['init', '--remove', '--json'])
    expect(repo.read(PIPELINE)).toBe(pipeline)
  })

  byNight('gitlab: a pipeline with an include of its own is told what to add, and left alone', async () => {
    const repo = makeRepo()
    const pipeline = 'include:\n  - local: other.yml\n'
    repo.commit('pipeline', { [PIPELINE]: pipeline })
    const done = await init(repo, '--ci', 'gitlab')
    expect(done.json.warnings.join('\n')).toContain(`- local: ${JOB}`)
    expect(repo.read(PIPELINE)).toBe(pipeline)
    expect(existsSync(join(repo.root, JOB))).toBe(true)
  })

  byNight("somebody else's workflow of that name is left alone and named", async () => {
    const repo = makeRepo()
    repo.commit('theirs', { [WORKFLOW]: 'name: theirs\n' })
    const done = await init(repo, '--ci', 'github')
    expect(done.json.left).toEqual([expect.objectContaining({ path: WORKFLOW })])
    expect(repo.read(WORKFLOW)).toBe('name: theirs\n')
    await cli(repo, ['init', '--remove', '--json'])
    expect(repo.read(WORKFLOW)).toBe('name: theirs\n')
    expect(existsSync(join(repo.root, ACTION))).toBe(false)
  })

  byNight('another clone takes out what it did not write', async () => {
    const repo = makeRepo()
    await init(repo, '--ci', 'github')
    repo.git(['add', '-A'])
    repo.git(['commit', '-q', '-m', 'set up'])
    repo.git(['clone', '-q', repo.root, join(repo.base, 'other')])
    const done = await cli(repo, ['init', '--remove', '--json'], { cwd: join(repo.base, 'other') })
    expect(done.code).toBe(0)
    expect(existsSync(join(repo.base, 'other', '.github'))).toBe(false)
  })

  it('refuses a server that nobody knows', async () => {
    expect(await init(makeRepo(), '--ci', 'jenkins')).toMatchObject({
      code: 2,
      json: { errors: [{ code: 'E_USAGE' }] },
    })
  })

  it('S13: pins the version that wrote it, and each action by its commit', async () => {
    const repo = makeRepo()
    await init(repo, '--ci', 'github')
    await init(repo, '--ci', 'gitlab')
    const { version } = (await cli(repo, ['--version', '--json'])).json
    expect(parse(repo.read(ACTION)).inputs.version.default).toBe(version)
    expect(parse(repo.read(JOB)).handoff.variables.HANDOFF_VERSION).toBe(version)
    for (const path of [WORKFLOW, ACTION, JOB])
      expect(repo.read(path)).not.toMatch(/@latest|"latest|\{\{(?:version|digest)/)
    const uses = [...repo.read(WORKFLOW).matchAll(/uses: (.*)/g)].map(([, used]) => used)
    expect(uses).toHaveLength(3)
    for (const used of uses)
      expect(used).toMatch(
        /^(?:\.\/\.github\/actions\/handoff|actions\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+)$/,
      )
  })

  byNight('S13: in another clone a file of another version is exchanged, and taken out', async () => {
    const repo = makeRepo()
    const older = async () => {
      await init(repo, '--ci', 'github')
      const { version } = (await cli(repo, ['--version', '--json'])).json
      const text = repo.read(ACTION).replace(`default: "${version}"`, 'default: "0.0.9"')
      repo.write(ACTION, text.replace(/default: ""$/m, 'default: "sha512-x"'))
      rmSync(join(repo.root, '.git/handoff/init.json'))
    }
    await older()
    expect(changed(await init(repo, '--ci', 'github'))).toEqual([ACTION])
    expect(repo.read(ACTION)).not.toContain('0.0.9')
    await older()
    const { json } = await cli(repo, ['init', '--remove', '--json'])
    expect([json.left, existsSync(join(repo.root, '.github'))]).toEqual([[], false])
  })
})

it.each<[boolean, string | null]>([
  [true, null],
  [true, 'https://registry.example/git-handoff/-/git-handoff-0.1.0.tgz'],
  [false, 'file:git-handoff-0.1.0.tgz'],
  [false, 'git+ssh://git@github.com/o/git-handoff.git#1a2b3c4'],
])('knows whether CI can fetch what runs here: %s for %s', (expected, resolved) => {
  const folder = join(makeFolder(), 'node_modules', 'git-handoff')
  mkdirSync(folder, { recursive: true })
  if (resolved !== null)
    writeFileSync(
      join(folder, '../.package-lock.json'),
      JSON.stringify({ packages: { 'node_modules/git-handoff': { resolved } } }),
    )
  expect(isOfRegistry(folder)).toBe(expected)
  mkdirSync(join(folder, '.git'))
  expect(isOfRegistry(folder)).toBe(false)
})
