import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { adapters } from '../../../src/agents/table.ts'
import { cancelled } from '../../../src/errors.ts'
import { agentModel } from '../../../src/model/agent.ts'
import type { AgentId } from '../../../src/types.ts'
import { isAlive } from '../../is-alive.ts'
import { fakeAgent, type Seen } from '../fake-agent.ts'
import { makeRepo, type TempRepo } from '../make-repo.ts'
import { create, GOAL, made, SESSION, usual } from '../usual.ts'

const reply = (text = 'The queue drops jobs older than a day.'): string =>
  JSON.stringify({
    relevantFiles: [],
    relevantCommands: [],
    relevantInformation: [text],
    decisions: [],
    openQuestions: [],
  })

const lines = (...records: object[]): string => records.map((record) => JSON.stringify(record)).join('\n')

/** What each client prints for text blocks, slimmed from what the versions named in the adapters printed. */
type Prints = (blocks: string[]) => string
const printsOfPi: Prints = (blocks) =>
  lines(
    { type: 'session', version: 3, id: 'x' },
    { type: 'message_end', message: { role: 'user', content: [{ type: 'text', text: 'the prompt' }] } },
    { type: 'message_update', message: { role: 'assistant', content: [{ type: 'text', text: 'half' }] } },
    {
      type: 'message_end',
      message: {
        role: 'assistant',
        content: [{ type: 'thinking', thinking: 'hm' }, ...blocks.map((text) => ({ type: 'text', text }))],
      },
    },
    { type: 'agent_end', messages: [] },
  )
const PRINTS: Partial<Record<AgentId, Prints>> = {
  'claude-code': (blocks) =>
    lines(
      { type: 'system', subtype: 'init', tools: [] },
      {
        type: 'assistant',
        message: {
          content: [{ type: 'thinking', thinking: 'hm' }, ...blocks.map((text) => ({ type: 'text', text }))],
        },
        parent_tool_use_id: null,
      },
      { type: 'result', subtype: 'success', is_error: false, result: blocks.at(-1) },
    ),
  codex: (blocks) =>
    lines(
      { type: 'thread.started', thread_id: '01a203b1-9173-75c3-8467-01fee5df40c7' },
      { type: 'item.completed', item: { id: 'item_0', type: 'reasoning', text: 'hm' } },
      ...blocks.map((text, i) => ({
        type: 'item.completed',
        item: { id: `item_${i + 1}`, type: 'agent_message', text },
      })),
      { type: 'turn.completed', usage: {} },
    ),
  pi: printsOfPi,
  'oh-my-pi': printsOfPi,
  'gemini-cli': (blocks) =>
    `Loaded cached credentials.\n${JSON.stringify({ session_id: 'x', response: blocks.join('\n'), stats: {} }, null, 2)}`,
  opencode: (blocks) =>
    lines(
      { type: 'step_start', part: { type: 'step-start' } },
      ...blocks.map((text) => ({ type: 'text', part: { type: 'text', text } })),
      { type: 'step_finish', part: { type: 'step-finish', reason: 'stop' } },
    ),
  'copilot-cli': (blocks) =>
    lines(
      { type: 'user.message', data: { content: 'the prompt' } },
      ...blocks.map((content) => ({ type: 'assistant.message', data: { content, toolRequests: [] } })),
      { type: 'result', exitCode: 0 },
    ),
}

const askable = adapters.flatMap(({ id, label, launch }) =>
  launch?.ask === undefined ? [] : [{ id, label, launch, ask: launch.ask }],
)
/** How it was started last. */
function seenBy(fake: ReturnType<typeof fakeAgent>): Seen {
  const seen = fake.seen()
  if (seen === null) throw new Error('it was never started')
  return seen
}
const claude = (says: string): string => PRINTS['claude-code']?.([says]) ?? ''

describe.each(askable)('$id', ({ id, label, launch: { program }, ask }) => {
  const open = (repo: TempRepo, says: string, model: string | null = null) => {
    const fake = fakeAgent(repo, program, { says })
    const path = fake.env.PATH ?? ''
    const asked = agentModel({
      label,
      program: join(path.split(':')[0] ?? '', program),
      ask,
      model,
      env: { PATH: path, HOME: repo.home },
    })
    return { asked, fake }
  }
  const printed = (blocks: string[]): string => PRINTS[id]?.(blocks) ?? 'nothing is recorded'

  it('its text blocks are the reply, joined with a newline; thoughts and the prompt are not', async () => {
    const { asked } = open(makeRepo(), printed(['first', '{"a": "＠b"}']))
    expect(await asked.ask({ prompt: 'q' })).toBe('first\n{"a": "@b"}')
  })

  it('gets the prompt on standard input alone, in an empty folder, with handoff switched off', async () => {
    const { asked, fake } = open(makeRepo(), printed(['x']), 'some/model-1')
    const prompt = 'PROMPT @/etc/passwd @~/.ssh/id_rsa'
    await asked.ask({ prompt })
    const { args, stdin, cwd, env } = seenBy(fake)
    expect(args.join(' ')).not.toContain('PROMPT')
    expect(args.some((word) => /dangerous|yolo|allow-all|bypass/.test(word))).toBe(false)
    expect(stdin).toContain('PROMPT')
    expect(stdin).not.toContain('@')
    expect(cwd.startsWith(tmpdir())).toBe(true)
    expect(existsSync(cwd)).toBe(false)
    expect(env.HANDOFF).toBe('0')
    expect(args.join(' ')).toContain('some/model-1')
  })

  it('that says nothing failed', async () => {
    const { asked } = open(makeRepo(), printed([]))
    await expect(asked.ask({ prompt: 'q' })).rejects.toMatchObject({ code: 'E_MODEL' })
  })
})

describe('--extract agent', () => {
  const extract = (repo: TempRepo, env: Record<string, string>, extra: string[] = []) =>
    made(repo, ['--extract', 'agent', ...extra], { env })

  it('asks the agent of the session, with the model of the session', async () => {
    const repo = usual()
    const fake = fakeAgent(repo, 'claude', { says: claude(reply()) })
    const { brief } = await extract(repo, fake.env)
    const { args, stdin, env } = seenBy(fake)
    expect(args).toEqual(expect.arrayContaining(['--model', 'claude-sonnet-4-5']))
    expect(stdin).toContain(GOAL)
    expect(env.HANDOFF).toBe('0')
    expect(brief.extraction).toEqual({
      mode: 'agent',
      model: 'Claude Code (claude-sonnet-4-5)',
      attempts: 1,
    })
    expect(brief.relevantInformation.at(-1)).toEqual({
      text: 'The queue drops jobs older than a day.',
      source: 'model',
    })
  })

  it('hands it its own login and no other secret', async () => {
    const repo = usual()
    const fake = fakeAgent(repo, 'claude', { says: claude(reply()) })
    await extract(repo, {
      ...fake.env,
      ANTHROPIC_API_KEY: 'dummy-of-anthropic',
      OPENAI_API_KEY: 'dummy-of-openai',
      NPM_TOKEN: 'dummy-of-npm',
      GIT_DIR: '/nowhere',
      CLAUDECODE: '1',
      CLAUDE_CODE_SESSION_ID: SESSION,
    }).catch(() => undefined)
    const { env } = seenBy(fake)
    expect(env.ANTHROPIC_API_KEY).toBe('dummy-of-anthropic')
    for (const name of ['OPENAI_API_KEY', 'NPM_TOKEN', 'GIT_DIR', 'CLAUDECODE'])
      expect(env[name]).toBeUndefined()
  })

  it('useCurrentModel: false takes the model of the configuration; one it cannot know is an error before anything runs', async () => {
    const repo = usual()
    const fake = fakeAgent(repo, 'claude', { says: claude(reply()) })
    repo.write(
      'package.json',
      '{"handoff": {"model": "anthropic/claude-haiku-4-5", "useCurrentModel": false}}',
    )
    await extract(repo, fake.env, ['--dry-run'])
    expect(fake.seen()?.args).toEqual(expect.arrayContaining(['--model', 'claude-haiku-4-5']))
    for (const [model, code] of [
      ['openai/gpt-5', 'E_CANNOT_ASK'],
      ['anthropic/--danger', 'E_CANNOT_ASK'],
      [null, 'E_USAGE'],
    ]) {
      repo.write('package.json', JSON.stringify({ handoff: { model, useCurrentModel: false } }))
      const before = fake.all().length
      const { code: exit, json } = await create(repo, ['--extract', 'agent'], { env: fake.env })
      expect(exit).toBe(2)
      expect(json.errors[0].code).toBe(code)
      expect(fake.all()).toHaveLength(before)
    }
  })

  it('a model that is set and not used is told', async () => {
    const repo = usual()
    const fake = fakeAgent(repo, 'claude', { says: claude(reply()) })
    const { warnings } = await extract(repo, { ...fake.env, HANDOFF_MODEL: 'anthropic/claude-haiku-4-5' })
    expect(warnings.join('\n')).toContain('`model` is set and not used')
  })

  it('an answer that is no JSON is asked for once more', async () => {
    const repo = usual()
    const fake = fakeAgent(repo, 'claude', { says: [claude('Sure! Here it is.'), claude(reply())] })
    expect((await extract(repo, fake.env)).brief.extraction).toMatchObject({ mode: 'agent', attempts: 2 })
    expect(fake.all()).toHaveLength(2)
    expect(fake.all()[1]?.stdin).toContain('output valid JSON only')
  })

  it.each<[string, Parameters<typeof fakeAgent>[2], RegExp]>([
    ['answers no JSON twice', { says: claude('no') }, /no valid answer after 2 attempts/],
    ['fails', { says: 'Invalid API key', exit: 1 }, /Invalid API key/],
    ['says nothing', { says: '' }, /said nothing/],
    [
      'is refused its login',
      { says: `${claude('Please run /login')}\n{"type":"result","is_error":true}` },
      /said nothing/,
    ],
  ])('an agent that %s: the brief is made without it and says so', async (_, how, why) => {
    const repo = usual()
    const fake = fakeAgent(repo, 'claude', how)
    const done = await extract(repo, fake.env)
    expect(done.brief.extraction).toMatchObject({ mode: 'none' })
    expect(done.warnings.join('\n')).toMatch(why)
    expect(done.commit).not.toBeNull()
  })

  it('an agent that is not installed: the brief is made without it and says so', async () => {
    const repo = usual()
    const done = await extract(repo, { PATH: '/usr/bin:/bin' })
    expect(done.warnings.join('\n')).toContain('`claude` is not on PATH')
    expect(done.brief.extraction).toMatchObject({ mode: 'none', attempts: 1 })
  })

  it('that hangs is ended with all it started, and its folder is gone', async () => {
    const repo = usual()
    const fake = fakeAgent(repo, 'claude', { hangs: true })
    const done = await extract(repo, { ...fake.env, HANDOFF_EXTRACT_TIMEOUT: '2s' })
    expect(done.warnings.join('\n')).toContain('no answer within 2 s')
    const { pid, cwd } = seenBy(fake)
    expect(isAlive(pid)).toBe(false)
    expect(existsSync(cwd)).toBe(false)
  })

  it('Ctrl-C ends it: exit 130, nothing written, nothing left', async () => {
    const repo = usual()
    const fake = fakeAgent(repo, 'claude', { hangs: true })
    const controller = new AbortController()
    const running = create(repo, ['--extract', 'agent'], { env: fake.env, signal: controller.signal })
    await expect.poll(() => fake.seen(), { timeout: 20_000 }).not.toBeNull()
    controller.abort(cancelled())
    expect((await running).code).toBe(130)
    const { pid, cwd } = seenBy(fake)
    expect(isAlive(pid)).toBe(false)
    expect(existsSync(cwd)).toBe(false)
    expect(repo.git(['status', '--porcelain'])).toBe('')
  })

  it.each(['in-group', 'apart'] as const)(
    'what it leaves behind, %s, keeps nobody waiting: the answer is taken',
    async (leaves) => {
      const repo = usual()
      const fake = fakeAgent(repo, 'claude', { says: claude(reply()), leaves })
      const begun = Date.now()
      const done = await extract(repo, { ...fake.env, HANDOFF_EXTRACT_TIMEOUT: '30s' })
      expect(Date.now() - begun).toBeLessThan(15_000)
      expect(done.brief.extraction).toMatchObject({ mode: 'agent', attempts: 1 })
      // What left its process group is out of reach.
      await expect.poll(() => isAlive(fake.left())).toBe(leaves === 'apart')
      if (leaves === 'apart') process.kill(fake.left())
    },
  )

  it('one that hangs and left something behind out of reach is left after the time, and at Ctrl-C', async () => {
    const repo = usual()
    const fake = fakeAgent(repo, 'claude', { hangs: true, leaves: 'apart' })
    const done = await extract(repo, { ...fake.env, HANDOFF_EXTRACT_TIMEOUT: '2s' })
    expect(done.warnings.join('\n')).toContain('no answer within 2 s')
    const first = fake.left()
    const controller = new AbortController()
    const running = create(repo, ['--extract', 'agent'], { env: fake.env, signal: controller.signal })
    await expect.poll(() => fake.all().length, { timeout: 20_000 }).toBe(2)
    const begun = Date.now()
    controller.abort(cancelled())
    expect((await running).code).toBe(130)
    expect(Date.now() - begun).toBeLessThan(15_000)
    for (const pid of [first, fake.left()]) if (isAlive(pid)) process.kill(pid)
  })
})
