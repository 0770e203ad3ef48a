import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { writeClaudeSession } from '../repo/claude-session.ts'
import { byNight, sampled } from '../sampled.ts'
import { createFakes } from '../unit/secrets/fake.ts'
import { root } from './build.ts'
import { git, handoff, type Lab, makeLab } from './lab.ts'

// biome-ignore lint/suspicious/noExplicitAny: answers of another program, looked into field by field
type Answer = any

/** Sends these messages to the built server, ends its input, and gives its answers by id. */
async function speak(
  lab: Lab,
  messages: object[],
  env: Record<string, string> = {},
): Promise<Map<unknown, Answer>> {
  const child = spawn(process.execPath, [join(root, 'bin', 'handoff.cjs'), 'mcp'], {
    cwd: lab.repo,
    env: { PATH: lab.path, HOME: lab.home, GIT_CONFIG_NOSYSTEM: '1', ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: 60_000,
  })
  const texts = { stdout: '', stderr: '' }
  const read = () =>
    texts.stdout
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Answer)
  const wanted = messages.filter((message) => 'id' in message).length
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      texts[name] += text
      if (name === 'stdout' && read().length === wanted) child.stdin.end()
    })
  child.stdin.write(messages.map((message) => `${JSON.stringify(message)}\n`).join(''))
  const code = await new Promise((resolve) => child.once('close', resolve))
  expect({ code, stderr: texts.stderr }).toEqual({ code: 0, stderr: '' })
  return new Map(read().map((answer) => [answer.id, answer]))
}

const initialize = (protocolVersion: string) => ({
  jsonrpc: '2.0',
  id: 'init',
  method: 'initialize',
  params: { protocolVersion, capabilities: {}, clientInfo: { name: 'test', version: '1' } },
})
const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' }
const call = (id: string, name: string, args: object, meta?: object) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args, ...(meta === undefined ? {} : { _meta: meta }) },
})

/** Calls tools in this order and gives what each said. */
async function tools(lab: Lab, calls: [name: string, args: object][], env?: Record<string, string>) {
  const messages = calls.map(([name, args], at) => call(String(at), name, args))
  const answers = await speak(lab, [initialize('2025-11-25'), initialized, ...messages], env)
  return calls.map((_, at) => answers.get(String(at)))
}

const textOf = (answer: Answer): string =>
  answer.result.content.map(({ text }: { text: string }) => text).join('')

describe('handoff mcp', () => {
  for (const version of sampled(['2025-06-18', '2025-11-25'], 1))
    it(`answers a client of ${version} and lists its tools with what they do`, async () => {
      const lab = await makeLab()
      const list = { jsonrpc: '2.0', id: 'list', method: 'tools/list', params: {} }
      const answers = await speak(lab, [initialize(version), initialized, list])
      expect(answers.get('init').result).toMatchObject({
        protocolVersion: version,
        serverInfo: { name: 'handoff' },
        instructions: expect.stringContaining('grant no permissions'),
      })
      const told = answers.get('list').result.tools
      const reading = (readOnlyHint: boolean) =>
        told
          .filter((tool: Answer) => tool.annotations.readOnlyHint === readOnlyHint)
          .map(({ name }: { name: string }) => name)
      expect(reading(true)).toEqual(['handoff_read'])
      expect(reading(false)).toEqual(['handoff_create', 'handoff_finalize'])
      for (const { inputSchema } of told)
        expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false })
    })

  byNight('drafts, and commits nothing; what it drafted is committed by create', async () => {
    const lab = await makeLab()
    const head = await git(lab, 'rev-parse', 'HEAD')
    const goal = 'make sub pass its test as add does'
    // Without a session there is nothing to hand off: the tool says so.
    const [refused] = await tools(lab, [['handoff_create', { goal }]])
    expect(refused.result.isError).toBe(true)
    expect(textOf(refused)).toContain('E_NO_SESSION')
    expect(await git(lab, 'rev-parse', 'HEAD')).toBe(head)
    expect(await git(lab, 'status', '--porcelain')).toBe('')
    writeClaudeSession({ root: lab.repo, home: lab.home }, [
      { user: 'Fix add in calc.js. Do not touch calc.test.js.' },
      { edit: 'calc.js' },
      { says: 'add is fixed.' },
    ])
    const [drafted] = await tools(lab, [['handoff_create', { goal }]])
    expect(drafted.result.isError).toBe(false)
    const [, path] = /^Draft: (\S+)/.exec(textOf(drafted)) ?? []
    expect(readFileSync(join(lab.repo, path as string), 'utf8')).toContain('Do not touch calc.test.js.')
    expect(await git(lab, 'rev-parse', 'HEAD')).toBe(head)
    const made = JSON.parse((await handoff(lab, 'create', goal, '--json')).stdout)
    expect(made).toMatchObject({ ok: true, path })
    expect((await git(lab, 'show', '--name-only', '--format=', 'HEAD')).split('\n')).toContain(path)
  })

  it('takes notes under the session that calls, and refuses another schema or a secret before anything is written', async () => {
    const lab = await makeLab()
    const key = ['ghp', 'q7Zk2mW9xLrT4vB8nYc1Jd6Hs3Fp5Ga0UeXi'].join('_')
    const notes = join(lab.repo, '.git', 'handoff', 'notes')
    const [wrong, secret] = await tools(lab, [
      ['handoff_finalize', { schemaVersion: 2, currentLineOfAttack: 'x' }],
      ['handoff_finalize', { currentLineOfAttack: `the key is ${key}` }],
    ])
    expect(wrong.error ?? wrong.result.isError).toBeTruthy()
    expect(textOf(secret)).toContain('E_SECRET')
    expect(JSON.stringify([wrong, secret])).not.toContain(key)
    expect(existsSync(notes)).toBe(false)
    const session = '11111111-2222-4333-8444-555555555555'
    const [noted] = await tools(
      lab,
      [['handoff_finalize', { schemaVersion: 1, currentLineOfAttack: 'sub adds', openQuestions: ['why?'] }]],
      { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: session },
    )
    expect(noted.result.isError).toBe(false)
    const [name] = readdirSync(notes)
    expect(JSON.parse(readFileSync(join(notes, name as string), 'utf8'))).toMatchObject({
      schemaVersion: 1,
      page: '- Current line of attack: sub adds\n- Open question: why?',
      capturedBySessionId: session,
    })
  })

  byNight('knows the thread of Codex by what the call says', async () => {
    const lab = await makeLab()
    const message = call('1', 'handoff_finalize', { activeHypothesis: 'off by one' }, { threadId: 't-1' })
    await speak(lab, [initialize('2025-11-25'), initialized, message])
    const folder = join(lab.repo, '.git', 'handoff', 'notes')
    const [name] = readdirSync(folder)
    expect(readFileSync(join(folder, name as string), 'utf8')).toContain('"capturedBySessionId": "t-1"')
  })

  byNight(
    'reads a brief wrapped as data, the chain and what was said; of an untrusted brief only its id',
    async () => {
      const lab = await makeLab()
      const made = await handoff(
        lab,
        'create',
        'make sub pass its test as add does',
        '--from',
        'git',
        '--json',
      )
      const { id } = JSON.parse(made.stdout)
      const [read, log, ask] = await tools(lab, [
        ['handoff_read', {}],
        ['handoff_read', { log: 'branch' }],
        ['handoff_read', { question: 'what about sub?' }],
      ])
      expect(textOf(read)).toMatch(/^<handoff-context>[\s\S]*make sub pass[\s\S]*<\/handoff-context>/)
      expect(textOf(log)).toContain(`${id}  `)
      expect(textOf(log)).toContain('make sub pass its test')
      expect(textOf(ask)).toContain('make sub pass its test')
      writeFileSync(join(lab.repo, '.git', 'handoff', 'created'), '')
      const [untrusted, list, asked] = await tools(lab, [
        ['handoff_read', { id }],
        ['handoff_read', { log: 'branch' }],
        ['handoff_read', { question: 'what about sub?' }],
      ])
      for (const answer of [untrusted, list, asked]) expect(textOf(answer)).not.toContain('make sub pass')
      expect(textOf(untrusted)).toContain(`git handoff trust ${id}`)
    },
  )

  byNight('quotes no key of a wrong call, in the words of the library neither', async () => {
    const lab = await makeLab()
    const secret = createFakes(11).make('ghp_{A-Za-z0-9:36}')
    const answers = await tools(lab, [
      [secret, {}],
      ['handoff_create', { goal: 'make sub pass its test', [secret]: 'x' }],
      ['handoff_read', { id: secret }],
    ])
    for (const answer of answers) expect(answer.error ?? answer.result.isError).toBeTruthy()
    expect(JSON.stringify(answers)).not.toContain(secret)
    expect(JSON.stringify(answers)).toContain('[REDACTED:github-token]')
  })

  byNight('tells an unknown tool, wrong arguments and huge ones as errors, and goes on', async () => {
    const lab = await makeLab()
    const answers = await tools(lab, [
      ['handoff_nothing', {}],
      ['handoff_read', { id: 7 }],
      ['handoff_create', { goal: 'x'.repeat(100_000) }],
      ['handoff_read', {}],
    ])
    for (const answer of answers) expect(answer.error ?? answer.result.isError).toBeTruthy()
    expect(textOf(answers[3])).toContain('E_NO_BRIEF')
  })
})
