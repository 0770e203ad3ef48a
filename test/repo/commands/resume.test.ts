import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { launchable } from '../../../src/start/destination.ts'
import { byNight, sampled } from '../../sampled.ts'
import { cli } from '../cli.ts'
import { fakeAgent } from '../fake-agent.ts'
import { makeRepo, type TempRepo, writeOwn } from '../make-repo.ts'
import { GOAL, made, succeeded, usual, withBrief } from '../usual.ts'

const resume = (repo: TempRepo, argv: string[], env: Record<string, string> = {}) =>
  cli(repo, ['resume', ...argv, '--json'], { env })

const configure = (repo: TempRepo, text: string) => repo.commit('configure', { '.handoff/config.yaml': text })

/** Where everything one agent was given stands, except its environment. */
const given = (seen: { args: string[]; stdin: string } | null) =>
  [...(seen?.args ?? []), seen?.stdin].join('\n')

describe('resume --to', () => {
  for (const { id, label, launch } of sampled(launchable(), 1)) {
    it(`starts ${label} on the brief, without a line of it, and with no secret but those of its login`, async () => {
      const { repo } = await withBrief()
      const agent = fakeAgent(repo, launch.program)
      const [login] = launch.passEnv.map((name) => name.replace(/\*$/, 'API_KEY'))
      const canaries = {
        CANARY_TOKEN: 'c1',
        MY_API_KEY: 'c2',
        DB_PASSWORD: 'c3',
        GIT_DIR: '',
        GIT_EDITOR: 'c4',
        AWESOME_SECRET: 'c5',
        NODE_OPTIONS: '--no-warnings',
        CLAUDECODE: '',
        AI_AGENT: 'c6',
      }
      const { json, code } = await resume(repo, ['--to', id, '--headless'], {
        ...canaries,
        ...agent.env,
        [login as string]: 'login',
        PLAIN_SETTING: 'kept',
      })
      expect(json.errors).toBeUndefined()
      expect(code).toBe(0)
      expect(json).toMatchObject({ started: true, agent: id, cwd: repo.root, exit: 0, output: 'ok\n' })
      const seen = agent.seen()
      expect(seen?.cwd).toBe(repo.root)
      // Whatever it may do without asking is what its person has set.
      // Cline approves everything unless this says that it shall not.
      const args = seen?.args.join(' ').replace('--auto-approve false', '')
      expect(args).not.toMatch(/dangerous|bypass|yolo|full-auto|allow-all|approv|sandbox/i)
      expect(given(seen)).toContain(` old: ${GOAL}`)
      expect(given(seen)).toContain('In `.handoff/latest.md`: ')
      expect(given(seen)).not.toContain('## Relevant Files')
      expect(Object.keys(seen?.env ?? {}).filter((name) => Object.hasOwn(canaries, name))).toEqual([])
      expect(seen?.env).toMatchObject({ PLAIN_SETTING: 'kept', [login as string]: 'login', HOME: repo.home })
    })
  }

  byNight('says that the new session was started', async () => {
    const { repo } = await withBrief()
    const { env } = fakeAgent(repo, 'codex')
    const { code, stderr } = await cli(repo, ['resume', '--to', 'codex', '--headless'], { env })
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringMatching(/^New session started with handoff context$/m),
    })
  })

  byNight(
    'passes on what the person’s own configuration names, and nothing that the repository names',
    async () => {
      const repo = usual()
      mkdirSync(join(repo.home, '.config', 'handoff'), { recursive: true })
      writeFileSync(
        join(repo.home, '.config', 'handoff', 'config.yaml'),
        'passEnv: [MINE_KEY, PROXY_AUTH*]\n',
      )
      configure(repo, 'passEnv: [STOLEN_KEY]\n')
      await made(repo)
      const agent = fakeAgent(repo, 'claude')
      const env = { ...agent.env, MINE_KEY: '1', PROXY_AUTH_A: '2', STOLEN_KEY: '3' }
      succeeded(await resume(repo, ['--to', 'claude-code', '--headless'], env))
      expect(agent.seen()?.env).toMatchObject({ MINE_KEY: '1', PROXY_AUTH_A: '2' })
      expect(agent.seen()?.env.STOLEN_KEY).toBeUndefined()
    },
  )

  byNight('sends persona and skills first, in the successor’s own syntax', async () => {
    const repo = usual()
    writeOwn(
      repo,
      'config.yaml',
      'personas: {reviewer: {agent: codex, start: "You are the reviewer.", skills: [review]}}\n',
    )
    await made(repo, ['--skill', 'tdd'])
    const codex = fakeAgent(repo, 'codex')
    const claude = fakeAgent(repo, 'claude')
    succeeded(await resume(repo, ['--to', 'reviewer', '--headless'], codex.env))
    expect(codex.seen()?.stdin.split('\n').slice(0, 2)).toEqual(['You are the reviewer.', '$review'])
    succeeded(await resume(repo, ['--to', 'claude', '--headless'], claude.env))
    expect(claude.seen()?.stdin.split('\n')[0]).toBe('/tdd')
  })

  byNight(
    'refuses a start line that a program would take for an option or run, and a persona called like an agent',
    async () => {
      const { repo } = await withBrief()
      const personas = [
        'bad: {agent: codex, start: "!touch pwned"}',
        'bad: {agent: codex, start: " -c x=1"}',
        'bad: {agent: aider, skills: [--yes-always]}',
        'bad: {agent: codex, start: "a\\nb"}',
        'codex: {agent: claude-code}',
      ]
      const agents = ['codex', 'claude', 'aider'].map((name) => fakeAgent(repo, name))
      for (const persona of personas) {
        writeOwn(repo, 'config.yaml', `personas: {${persona}}\n`)
        const to = persona.split(':')[0] ?? ''
        const { code, json } = await resume(repo, ['--to', to, '--headless'], agents[0]?.env)
        expect([code, json.errors[0].code], persona).toEqual([2, 'E_USAGE'])
      }
      expect(agents.map((agent) => agent.seen())).toEqual([null, null, null])
    },
  )

  byNight('names what an unwatched agent does not get, and how to pass it', async () => {
    const { repo } = await withBrief()
    const { env } = fakeAgent(repo, 'codex')
    const shell = { ...env, SSH_AUTH_SOCK: '/run/agent', MOCK_API_KEY: 'k1', CODEX_API_KEY: 'k2' }
    const { stderr } = await cli(repo, ['resume', '--to', 'codex', '--headless'], { env: shell })
    const own = join(repo.home, '.config/handoff/config.yaml')
    expect(stderr).toContain(
      `Not passed to Codex, which works unwatched and may run what a brief says: MOCK_API_KEY, SSH_AUTH_SOCK. To pass one: \`passEnv: [NAME]\` in ${own}\n`,
    )
    writeOwn(repo, 'config.yaml', 'passEnv: [MOCK_API_KEY, SSH_AUTH_SOCK]\n')
    const passed = await cli(repo, ['resume', '--to', 'codex', '--headless'], { env: shell })
    expect(passed.stderr).not.toContain('Not passed')
  })

  byNight('goes on with the same agent in a worktree, a repository by alias, or a path', async () => {
    const { repo } = await withBrief()
    const agent = fakeAgent(repo, 'claude')
    const other = makeRepo()
    repo.git(['worktree', 'add', '-q', '-b', 'topic/two', join(repo.base, 'second')])
    mkdirSync(join(repo.home, '.config', 'handoff'), { recursive: true })
    writeFileSync(
      join(repo.home, '.config', 'handoff', 'config.yaml'),
      `repositories: {other: ${other.root}}\n`,
    )
    for (const [to, cwd] of [
      ['topic/two', join(repo.base, 'second')],
      ['second', join(repo.base, 'second')],
      ['other', other.root],
      [other.root, other.root],
    ] as const) {
      const { json } = await resume(repo, ['--to', to, '--headless'], agent.env)
      expect(json).toMatchObject({ ok: true, agent: 'claude-code', cwd })
      expect(agent.seen()?.cwd).toBe(cwd)
      expect(given(agent.seen())).toContain(`In \`${repo.root}/.handoff/briefs/`)
    }
  })

  byNight('names every place it looked in when there is no such destination', async () => {
    const repo = usual()
    writeOwn(repo, 'config.yaml', 'personas: {reviewer: {agent: codex}}\n')
    await made(repo)
    const { code, json } = await resume(repo, ['--to', 'nobody'])
    expect(code).toBe(2)
    expect(json.errors[0]).toMatchObject({ code: 'E_NO_DESTINATION' })
    expect(json.errors[0].looked.join('\n')).toMatch(
      /personas.*reviewer[\s\S]*agents.*codex[\s\S]*repositories/,
    )
  })

  byNight(
    'leaves the brief committed and prints the command by hand when the agent cannot be started',
    async () => {
      const { repo, id } = await withBrief()
      const head = repo.git(['rev-parse', 'HEAD'])
      const env = { PATH: '/usr/bin:/bin' }
      const { code, json } = await resume(repo, ['--to', 'codex', '--headless'], env)
      expect(code).toBe(1)
      expect(json.errors[0]).toMatchObject({ code: 'E_AGENT_NOT_STARTED' })
      expect(json.errors[0].message).toContain('`codex` is not on PATH')
      expect(json.errors[0].manual).toContain(`show --prompt ${id}`)
      expect(repo.git(['rev-parse', 'HEAD'])).toBe(head)
      // Without a terminal as well that is what has to be mended first.
      const plain = await resume(repo, ['--to', 'codex'], env)
      expect(plain.json.errors[0].message).toContain('`codex` is not on PATH')
    },
  )

  byNight('starts nothing interactive without a terminal, and says how to', async () => {
    const { repo } = await withBrief()
    const agent = fakeAgent(repo, 'codex')
    const { code, json } = await resume(repo, ['--to', 'codex'], agent.env)
    expect(code).toBe(1)
    expect(json.errors[0].message).toContain('--headless')
    expect(agent.seen()).toBeNull()
  })

  byNight('tells what a headless agent said when it fails or takes too long', async () => {
    const { repo } = await withBrief()
    const failing = fakeAgent(repo, 'codex', { says: 'no credit left', exit: 3 })
    const failed = await resume(repo, ['--to', 'codex', '--headless'], failing.env)
    expect(failed.code).toBe(1)
    expect(failed.json.errors[0].message).toMatch(/status 3[\s\S]*no credit left/)
    const hanging = fakeAgent(repo, 'pi', { hangs: true })
    const ended = await resume(repo, ['--to', 'pi', '--headless', '--timeout', '1500ms'], hanging.env)
    expect(ended.json.errors[0].message).toContain('ended before it was done')
  })

  it('puts no untrusted brief before an agent', async () => {
    const { repo, id } = await withBrief()
    writeFileSync(join(repo.root, '.git', 'handoff', 'created'), '')
    const agent = fakeAgent(repo, 'codex')
    const { code, json } = await resume(repo, ['--to', 'codex', '--headless'], agent.env)
    expect(code).toBe(2)
    expect(json.errors[0]).toMatchObject({ code: 'E_NOT_TRUSTED' })
    expect(json.errors[0].hint).toContain(`git handoff trust ${id}`)
    expect(agent.seen()).toBeNull()
  })

  byNight('prints the prompt and the command with --print, and starts nothing', async () => {
    const { repo } = await withBrief()
    const agent = fakeAgent(repo, 'codex')
    const { json } = await resume(repo, ['--to', 'codex', '--print'], agent.env)
    expect(json).toMatchObject({ started: false, prompt: expect.stringContaining(GOAL) })
    expect(json.manual).toContain(`codex "$(cd ${repo.root} && git handoff `)
    expect(agent.seen()).toBeNull()
  })

  byNight(
    'gives a command by hand that brings the lines of persona and skills as well, and the path from elsewhere',
    async () => {
      const repo = usual()
      writeOwn(
        repo,
        'config.yaml',
        'personas: {reviewer: {agent: codex, start: Be strict., skills: [tests]}}\n',
      )
      await made(repo, ['--skill', 'docs'])
      const other = usual()
      for (const [to, within] of [
        ['reviewer', repo.root],
        ['codex', repo.root],
        [other.root, other.root],
      ] as const) {
        const { json } = await resume(repo, ['--to', to, '--print'])
        const [, cwd, from, asked = ''] =
          /^cd (\S+) && \w+ .*"\$\(cd (\S+) && git handoff (.*)\)"/.exec(json.manual) ?? []
        expect([cwd, from]).toEqual([within, repo.root])
        const { stdout } = await cli(repo, asked.split(' '))
        expect(stdout.trimEnd()).toBe(json.prompt.trimEnd())
      }
      const { json } = await resume(repo, ['--to', 'reviewer', '--print'])
      expect(json.prompt).toMatch(/^Be strict\.\n.*tests/)
    },
  )

  it.each(['--headless', '--print'])('%s needs --to', async (flag) => {
    const { repo } = await withBrief()
    expect((await resume(repo, [flag])).json.errors[0]).toMatchObject({ code: 'E_USAGE' })
  })
})

describe('create --to', () => {
  const createTo = (repo: TempRepo, to: string, env: Record<string, string>, extra: string[] = []) =>
    cli(repo, ['create', GOAL, '--to', to, '--json', ...extra], { env })

  it('makes the brief, then starts the successor on it, and tells both in one object', async () => {
    const repo = usual()
    const agent = fakeAgent(repo, 'codex')
    const json = succeeded(await createTo(repo, 'codex', agent.env, ['--headless']))
    expect(json).toMatchObject({ mode: 'strict', successor: { agent: 'codex', exit: 0, output: 'ok\n' } })
    expect(given(agent.seen())).toContain(` old: ${GOAL}`)
    expect(repo.git(['log', '-1', '--format=%(trailers:key=Handoff-Id,valueonly)']).trim()).toBe(json.id)
  })

  byNight('settles who goes on before anything is made', async () => {
    const repo = usual()
    const head = repo.git(['rev-parse', 'HEAD'])
    const { code, json } = await createTo(repo, 'nobody', {})
    expect(code).toBe(2)
    expect(json.errors[0].code).toBe('E_NO_DESTINATION')
    expect(repo.git(['rev-parse', 'HEAD'])).toBe(head)
  })

  byNight('keeps the brief committed when the successor cannot be started', async () => {
    const repo = usual()
    const { code, json } = await createTo(repo, 'codex', { PATH: '/usr/bin:/bin' }, ['--headless'])
    expect(code).toBe(1)
    expect(json).toMatchObject({ ok: false, errors: [{ code: 'E_AGENT_NOT_STARTED' }] })
    expect(json.errors[0].manual).toContain(json.id)
    expect(repo.git(['rev-parse', 'HEAD'])).toBe(json.commit)
  })

  byNight('is strict, and takes --headless only with it', async () => {
    const repo = usual()
    const { json } = await cli(repo, ['create', GOAL, '--headless', '--json'])
    expect(json.errors[0].code).toBe('E_USAGE')
  })
})
