import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { adapters } from '../../../../src/agents/table.ts'
import { cancelled } from '../../../../src/errors/writing.ts'
import { agentModel } from '../../../../src/model/agent.ts'
import type { AgentId } from '../../../../src/types/session.ts'
import { isAlive } from '../../../is-alive.ts'
import { fakeAgent, type Seen } from '../../../repo/fake-agent.ts'
import { makeRepo, type TempRepo, writeOwn } from '../../../repo/make-repo.ts'
import { answerWith } from '../../../repo/model-answer.ts'
import { create, GOAL, made, SESSION, usual } from '../../../repo/usual.ts'
import { sampled } from '../../../sampled.ts'

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

/**
 * What clients print when a service refuses: those of Claude Code 2.1.330 and Codex 0.169 slimmed from what they printed against a
 * scripted one, Pi's and Copilot CLI's of their sessions, the others after their sources.
 */
const REFUSED: Record<string, { says: string; complains?: string; told: string }> = {
  'claude-code': {
    says: lines(
      { type: 'system', subtype: 'init', model: 'nope', tools: [] },
      { type: 'system', subtype: 'api_retry', attempt: 1, error_status: 429, error: 'rate_limit' },
      {
        type: 'assistant',
        message: { content: [{ type: 'text', text: 'API Error: Request rejected (429) · No credit.' }] },
        parent_tool_use_id: null,
        error: 'rate_limit',
        api_error_status: 429,
      },
      {
        type: 'result',
        subtype: 'success',
        is_error: true,
        result: 'API Error: Request rejected (429) · No credit.',
      },
    ),
    complains: '[claude-code:unrecognized_model] {"model":"nope","query_source":"sdk"}',
    told: 'API Error: Request rejected (429) · No credit',
  },
  codex: {
    says: lines(
      { type: 'thread.started', thread_id: '01a206c8-55f2-76e0-9ba2-f18bcfc2fcf7' },
      { type: 'item.completed', item: { id: 'item_0', type: 'error', message: 'Model metadata not found.' } },
      { type: 'turn.started' },
      { type: 'error', message: 'exceeded retry limit, last status: 429 Too Many Requests' },
      { type: 'turn.failed', error: { message: 'exceeded retry limit, last status: 429 Too Many Requests' } },
    ),
    complains: 'WARNING: proceeding, even though we could not create PATH aliases',
    told: 'exceeded retry limit, last status: 429 Too Many Requests',
  },
  'copilot-cli': {
    says: lines({
      type: 'session.error',
      data: { errorType: 'query', message: '429 No credit', statusCode: 429 },
    }),
    told: '429 No credit',
  },
  'gemini-cli': {
    says: '',
    complains: `Loaded cached credentials.\n${JSON.stringify({ error: { type: 'Error', message: 'No credit', code: 429 } }, null, 2)}`,
    told: 'No credit',
  },
  opencode: {
    says: lines({ type: 'error', error: { name: 'APIError', data: { message: 'No credit' } } }),
    told: 'No credit',
  },
}
const failedPi = {
  says: lines({
    type: 'message_end',
    message: {
      role: 'assistant',
      content: [],
      stopReason: 'error',
      errorMessage: '429: {"message":"No credit.","type":"rate_limit_exceeded","code":"429"}',
    },
  }),
  told: '429: No credit',
}
REFUSED.pi = failedPi
REFUSED['oh-my-pi'] = failedPi

const askable = adapters.flatMap(({ id, label, launch }) =>
  launch?.ask === undefined ? [] : [{ id, label, launch, ask: launch.ask }],
)
/** How it was started last. */
function seenBy(fake: ReturnType<typeof fakeAgent>): Seen {
  const seen = fake.seen()
  if (seen === null) throw new Error('it was never started')
  return seen
}
/** What it prints until it is cut off: no record of a result. */
const halfOf = (says: string): string => claude(says).split('\n').slice(0, -1).join('\n')
const claude = (says: string): string => PRINTS['claude-code']?.([says]) ?? ''

describe.each(sampled(askable, 3))('$id', ({ id, label, launch: { program }, ask }) => {
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

  it('of several replies that is meant which carries the id of the request', async () => {
    const repo = makeRepo()
    const marked = (text: string): string => `<reply-REQUEST-ID>\n${text}\n</reply-REQUEST-ID>`
    const says = [
      'I read it.',
      marked('draft'),
      `Again:\n${marked('{"a": 1}')}`,
      'A hook made me go on. <reply-0>x</reply-0>',
    ]
    const { asked, fake } = open(repo, printed(says))
    expect(await asked.ask({ prompt: 'q' })).toBe('{"a": 1}')
    await asked.ask({ prompt: 'q' })
    const ids = fake.all().map(({ stdin }) => /<reply-([0-9a-f]{12})>/.exec(stdin)?.[1])
    expect(new Set(ids).size).toBe(2)
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

  it.each([0, 1])('that is refused says so in its own words, in one sentence, exit %i', async (exit) => {
    const repo = makeRepo()
    const { says = '', complains = '', told = 'nothing is recorded' } = REFUSED[id] ?? {}
    const fake = fakeAgent(repo, program, { says, complains, exit })
    const path = fake.env.PATH ?? ''
    const asked = agentModel({
      label,
      program: join(path.split(':')[0] ?? '', program),
      ask,
      model: null,
      env: { PATH: path },
    })
    const failed = await asked.ask({ prompt: 'q' }).catch((error: Error) => error)
    expect(failed).toMatchObject({ code: 'E_MODEL' })
    expect((failed as Error).message.replace(/\.$/, '')).toBe(`The model ${label} gave no answer: ${told}`)
  })
})

describe('--extract agent', () => {
  const extract = (repo: TempRepo, env: Record<string, string>, extra: string[] = []) =>
    made(repo, ['--extract', 'agent', ...extra], { env })

  it('asks the agent of the session, with the model of the session', async () => {
    const repo = usual()
    const fake = fakeAgent(repo, 'claude', { says: claude(answerWith()) })
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
    expect(brief.notes.page).toContain('The queue drops jobs older than a day.')
  })

  it('is not asked where --notes gives the page', async () => {
    const repo = usual()
    const fake = fakeAgent(repo, 'claude', { says: claude(answerWith()) })
    const stdin = '- Next step: document the limits\n'
    const { json } = await create(repo, ['--extract', 'agent', '--notes', '-'], {
      env: fake.env,
      stdin,
    })
    expect(json.brief.notes.page).toContain('document the limits')
    expect(json.warnings).toEqual(['there is a page already, so nobody is asked for one'])
    expect(fake.all()).toEqual([])
  })

  it('hands it its own login and no other secret', async () => {
    const repo = usual()
    const fake = fakeAgent(repo, 'claude', { says: claude(answerWith()) })
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
    const fake = fakeAgent(repo, 'claude', { says: claude(answerWith()) })
    writeOwn(repo, 'config.yaml', 'model: anthropic/claude-haiku-4-5\nuseCurrentModel: false\n')
    await extract(repo, fake.env, ['--dry-run'])
    expect(fake.seen()?.args).toEqual(expect.arrayContaining(['--model', 'claude-haiku-4-5']))
    for (const [model, code] of [
      ['anthropic/--danger', 'E_CANNOT_ASK'],
      [null, 'E_USAGE'],
    ]) {
      writeOwn(repo, 'config.yaml', JSON.stringify({ model, useCurrentModel: false }))
      const before = fake.all().length
      const { code: exit, json } = await create(repo, ['--extract', 'agent'], { env: fake.env })
      expect(exit).toBe(2)
      expect(json.errors[0].code).toBe(code)
      expect(fake.all()).toHaveLength(before)
    }
  })

  describe('a model that is not there', () => {
    const claudeSays = lines(
      {
        type: 'assistant',
        message: { content: [{ type: 'text', text: "There's an issue with the selected model (nope)." }] },
        parent_tool_use_id: null,
        error: 'model_not_found',
      },
      { type: 'result', is_error: true, result: "There's an issue with the selected model (nope)." },
    )
    const codexSays = lines({
      type: 'turn.failed',
      error: { message: 'The model `nope` does not exist or you do not have access to it.' },
    })

    it.each([
      ['claude', claudeSays, { HANDOFF_MODEL: 'nope' }, 'set as `model` in the configuration'],
      [
        'claude',
        claudeSays,
        { HANDOFF_EXTRACT_MODEL: 'anthropic/nope' },
        'set as `model` in the configuration',
      ],
      ['claude', claudeSays, {}, 'set as `model` in the configuration'],
    ])('is an error that says where it was set: %s', async (program, says, variables, where) => {
      const repo = usual()
      const fake = fakeAgent(repo, program, { says, exit: 1 })
      if (Object.keys(variables).length === 0) writeOwn(repo, 'config.yaml', 'model: nope\n')
      const before = repo.git(['status', '--porcelain'])
      const { code, json } = await create(repo, ['--extract', 'agent'], {
        env: { ...fake.env, ...variables, HANDOFF_USE_CURRENT_MODEL: 'false' },
      })
      expect(code).toBe(2)
      const [error] = json.errors
      expect(error.code).toBe('E_MODEL_UNKNOWN')
      expect(error.message).toContain('Claude Code (nope)')
      expect(error.message).toContain(where)
      expect(error.hint).toContain('--extract')
      expect(repo.git(['status', '--porcelain'])).toBe(before)
      expect(fake.all()).toHaveLength(1)
    })

    it('Codex: the same record, and no other that speaks of a model', () => {
      const ask = adapters.find(({ id }) => id === 'codex')?.launch?.ask
      const of = (stdout: string, model: string | null) => ask?.failure({ stdout, stderr: '' }, model)
      expect(of(codexSays, 'nope')).toMatchObject({ isUnknownModel: true })
      expect(of(codexSays, 'other')).toMatchObject({ isUnknownModel: false })
      for (const message of [
        'The model `nope` is overloaded.',
        "Unsupported parameter: 'reasoning.summary' of model nope is not supported with it.",
        "Unsupported parameter: 'reasoning.summary' is not supported with the model nope.",
        'The image input for the model does not exist for nope.',
      ])
        expect(of(lines({ type: 'turn.failed', error: { message } }), 'nope')).toMatchObject({
          isUnknownModel: false,
        })
      const supported = { message: "The 'nope' model is not supported when using Codex with this account." }
      expect(of(lines({ type: 'turn.failed', error: supported }), 'nope')).toMatchObject({
        isUnknownModel: true,
      })
    })

    it('that of the session, which nobody set: the brief is made without it and says so', async () => {
      const repo = usual()
      const fake = fakeAgent(repo, 'claude', { says: claudeSays, exit: 1 })
      const { warnings, brief } = await extract(repo, fake.env)
      expect(warnings.join('\n')).toContain('there is no such model')
      expect(brief.extraction).toMatchObject({ mode: 'none', attempts: 1 })
    })
  })

  it('OpenCode is not started with a model that it would not take, and no other is recorded for it', async () => {
    const repo = makeRepo()
    repo.commit('sum', { 'src/sum.js': 'x\n' })
    const session = fileURLToPath(
      new URL(
        '../../../fixtures/agents/opencode/two-turns-edit-failing-test-1.18/session.json',
        import.meta.url,
      ),
    )
    const fake = fakeAgent(repo, 'opencode', { says: PRINTS.opencode?.([answerWith()]) ?? '' })
    const opened = (env: Record<string, string>) =>
      create(repo, ['--extract', 'agent', '--session', session], { env: { ...fake.env, ...env } })
    const { code, json } = await opened({ HANDOFF_MODEL: 'nope', HANDOFF_USE_CURRENT_MODEL: 'false' })
    expect(code).toBe(2)
    expect(json.errors[0]).toMatchObject({ code: 'E_CANNOT_ASK' })
    expect(json.errors[0].message).toContain('"nope" is no name of a model')
    expect(fake.all()).toEqual([])
    expect(repo.git(['status', '--porcelain'])).toBe('')
    const named = await opened({ HANDOFF_MODEL: 'acme/nope', HANDOFF_USE_CURRENT_MODEL: 'false' })
    expect(named.json.brief.extraction.model).toBe('OpenCode (acme/nope)')
    expect(seenBy(fake).args.join(' ')).toContain('--model acme/nope')
  })

  it.each<[string, Parameters<typeof fakeAgent>[2], RegExp]>([
    ['refuses', { says: claude('Sorry, I cannot do that.') }, /wrote no page: the page refuses to answer/],
    ['fails', { says: 'Invalid API key', exit: 1 }, /Invalid API key/],
    ['says nothing', { says: '' }, /said nothing/],
    [
      'is refused its login',
      { says: `${claude('Please run /login')}\n{"type":"result","is_error":true}` },
      /Please run \/login/,
    ],
    [
      'ends within its answer',
      { says: halfOf('Let me think about {"relevantFiles"'), complains: 'fatal: credit is too low', exit: 1 },
      /wrote no page: fatal: credit is too low/,
    ],
    [
      'ends within its answer and says no more',
      { says: halfOf('Let me think about {"relevantFiles"'), exit: 1 },
      /wrote no page: it ended with status 1;/,
    ],
    [
      'answers and fails',
      { says: halfOf(`<reply-REQUEST-ID>\n${answerWith()}\n</reply-REQUEST-ID>`), exit: 1 },
      /wrote no page: it ended with status 1;/,
    ],
    [
      'fails with a line among its records',
      { says: `{"type":"system"}\nInvalid API key`, exit: 1 },
      /wrote no page: Invalid API key;/,
    ],
    [
      'marks nothing',
      { says: claude('<reply-REQUEST-ID></reply-REQUEST-ID>') },
      /wrote no page: it said nothing;/,
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
    expect(done.brief.extraction).toEqual({ mode: 'none', attempts: 0 })
  })

  it('that hangs is ended with all it started', async () => {
    const repo = usual()
    const fake = fakeAgent(repo, 'claude', { hangs: true })
    const done = await extract(repo, { ...fake.env, HANDOFF_EXTRACT_TIMEOUT: '2s' })
    expect(done.warnings.join('\n')).toContain('no answer within 2 s')
    expect(isAlive(seenBy(fake).pid)).toBe(false)
  })

  it('ends with a command that is cancelled: exit 130, nothing written, nothing left', async () => {
    const repo = usual()
    const fake = fakeAgent(repo, 'claude', { hangs: true })
    const controller = new AbortController()
    const running = create(repo, ['--extract', 'agent'], { env: fake.env, signal: controller.signal })
    await expect.poll(() => fake.seen(), { timeout: 20_000 }).not.toBeNull()
    controller.abort(cancelled())
    expect((await running).code).toBe(130)
    expect(isAlive(seenBy(fake).pid)).toBe(false)
    expect(repo.git(['status', '--porcelain'])).toBe('')
  })

  it.each(['in-group', 'apart'] as const)(
    'what it leaves behind, %s, keeps nobody waiting: the answer is taken',
    async (leaves) => {
      const repo = usual()
      const fake = fakeAgent(repo, 'claude', { says: claude(answerWith()), leaves })
      const begun = Date.now()
      const done = await extract(repo, { ...fake.env, HANDOFF_EXTRACT_TIMEOUT: '30s' })
      expect(Date.now() - begun).toBeLessThan(15_000)
      expect(done.brief.extraction).toMatchObject({ mode: 'agent', attempts: 1 })
      // What left its process group is out of reach.
      await expect.poll(() => isAlive(fake.left())).toBe(leaves === 'apart')
      if (leaves === 'apart') process.kill(fake.left())
    },
  )
})
