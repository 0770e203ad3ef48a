import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { USUAL, writeClaudeSession } from '../../../repo/claude-session.ts'
import { fakeAgent } from '../../../repo/fake-agent.ts'
import type { TempRepo } from '../../../repo/make-repo.ts'
import { answerWith } from '../../../repo/model-answer.ts'
import { type Answer, MODELS, type ModelServer, startModelServer } from '../../../repo/model-server.ts'
import { create, SESSION, usual } from '../../../repo/usual.ts'

/** A word of a person's own choice: no pattern knows it for a key. */
const KEY = 'my-private-key-4711-zebra'

const KEYS = {
  ANTHROPIC_API_KEY: KEY,
  OPENAI_API_KEY: KEY,
  GOOGLE_GENERATIVE_AI_API_KEY: KEY,
}

/** An answer as Claude Code prints it. */
const claude = (text: string): string =>
  JSON.stringify({
    type: 'assistant',
    message: { content: [{ type: 'text', text }] },
    parent_tool_use_id: null,
  })

let server: ModelServer | null = null
afterEach(async () => {
  await server?.close()
  server = null
})
async function answering(...answers: Answer[]): Promise<Record<string, string>> {
  server = await startModelServer(answers)
  return server.env
}
/** Whether a text stands in another; the text itself is too long to be shown where a test fails. */
const holds = (all: string, text: string): boolean => all.includes(text)
/** All that `create` says, and all that it commits. */
async function traces(repo: TempRepo, args: string[], env: Record<string, string>) {
  const { code, stdout, stderr, json } = await create(repo, args, { env })
  // Never the output itself: it would be shown where the test fails.
  expect(code, json?.errors?.[0]?.code).toBe(0)
  return { all: `${stdout}\n${stderr}\n${repo.git(['log', '-p', '--all'])}`, json }
}

describe('the key with which a model is asked stands nowhere, whatever it looks like', () => {
  it.each(MODELS)('%s: a service that says it back in its refusal', async (model) => {
    const env = await answering({ status: 401, message: (key) => `Incorrect API key provided: ${key}` })
    const { all, json } = await traces(usual(), ['--extract', model], { ...env, ...KEYS })
    expect(server?.arrived.join('\n')).toContain(KEY)
    expect(holds(all, 'zebra')).toBe(false)
    expect(json.warnings.join('\n')).toContain('Incorrect API key provided: [REDACTED:environment]')
  })

  it.each(MODELS)('%s: a key with a line break in it', async (model) => {
    const env = await answering({ status: 401 })
    const broken = 'my-private-key\n4711-zebra'
    const keys = Object.fromEntries(Object.keys(KEYS).map((name) => [name, broken]))
    const { all, json } = await traces(usual(), ['--extract', model], { ...env, ...keys })
    expect(holds(all, 'zebra')).toBe(false)
    expect(holds(all, 'my-private-key')).toBe(false)
    expect(json.warnings.join('\n')).toContain(' wrote no page: ')
  })

  it.each(MODELS)('%s: a model that writes it into its answer', async (model) => {
    const env = await answering({ text: answerWith(`The service is reached with ${KEY}.`) })
    const { all, json } = await traces(usual(), ['--extract', model], { ...env, ...KEYS })
    expect(holds(all, 'zebra')).toBe(false)
    expect(json.brief.notes.page).toContain('The service is reached with [REDACTED:environment].')
    expect(json.warnings.join('\n')).toContain('secret(s) replaced in the answer')
  })

  it('a model that makes a key of its answer of it, which is no page', async () => {
    const env = await answering({ text: JSON.stringify({ [KEY]: 1 }) })
    const { all } = await traces(usual(), ['--extract', MODELS[0]], { ...env, ...KEYS })
    expect(holds(all, 'zebra')).toBe(false)
  })

  it.each(['ANTHROPIC_AUTH_TOKEN', 'ANTHROPIC_API_KEY', 'ANTHROPIC_CUSTOM_HEADERS'])(
    'an agent that prints %s',
    async (name) => {
      const repo = usual()
      const value = name.endsWith('HEADERS') ? `X-Key: ${KEY}` : KEY
      const fake = fakeAgent(repo, 'claude', { exit: 1, says: '', complains: `refused: $${name}\n` })
      const { all, json } = await traces(repo, ['--extract', 'agent'], { ...fake.env, [name]: value })
      expect(fake.seen()?.env[name]).toBe(value)
      expect(holds(all, 'zebra')).toBe(false)
      expect(json.warnings.join('\n')).toContain('refused: ')
    },
  )

  it('a value that is passed on by the person’s own configuration', async () => {
    const repo = usual()
    const fake = fakeAgent(repo, 'claude', { says: claude(answerWith(`It is reached with ${KEY}.`)) })
    mkdirSync(join(repo.home, '.config', 'handoff'), { recursive: true })
    writeFileSync(join(repo.home, '.config', 'handoff', 'config.json'), '{"passEnv": ["GATEWAY_SECRET"]}')
    const { all } = await traces(repo, ['--extract', 'agent'], { ...fake.env, GATEWAY_SECRET: KEY })
    expect(fake.seen()?.env.GATEWAY_SECRET).toBe(KEY)
    expect(holds(all, 'zebra')).toBe(false)
  })

  it('a short value is a word, and a file that holds a key is none: both stay', async () => {
    const repo = usual()
    const says = claude(answerWith('The dummy key stands in keys/prod/file.json of the vault.'))
    const fake = fakeAgent(repo, 'claude', { says })
    const { json } = await traces(repo, ['--extract', 'agent'], {
      ...fake.env,
      ANTHROPIC_API_KEY: 'dummy',
      AWS_WEB_IDENTITY_TOKEN_FILE: 'keys/prod/file.json',
    })
    expect(json.brief.notes.page).toContain('The dummy key stands in keys/prod/file.json of the vault.')
  })

  it('one that a person has let through by its fingerprint stays', async () => {
    const env = await answering({ text: answerWith('The key of the local server is not-needed-here.') })
    const { createHash } = await import('node:crypto')
    const print = createHash('sha256').update('environment\0not-needed-here').digest('hex').slice(0, 12)
    const { json } = await traces(usual(), ['--extract', MODELS[0]], {
      ...env,
      ANTHROPIC_API_KEY: 'not-needed-here',
      HANDOFF_SECRETS_ALLOW: print,
    })
    expect(json.brief.notes.page).toContain('not-needed-here')
  })
})

/** A login of words alone: nothing but the place where it stands says what it is. */
const WORDS = 'corp-gateway-login-words'
const basic = (text: string): string => Buffer.from(text).toString('base64')

describe('a login in a header or an address stands in nothing that an agent complains about', () => {
  it.each<[string, string, string, string[]]>([
    ['ANTHROPIC_CUSTOM_HEADERS', `Authorization: Bearer ${WORDS}`, WORDS, ['gateway']],
    ['ANTHROPIC_CUSTOM_HEADERS', `Authorization: Basic ${basic('u:tulip-blue')}`, 'tulip-blue', ['tulip']],
    ['ANTHROPIC_CUSTOM_HEADERS', `Cookie: theme=dark; session=${WORDS}`, WORDS, ['gateway']],
    ['ANTHROPIC_CUSTOM_HEADERS', `X-Team: ${WORDS}`, WORDS, ['gateway']],
    ['OTEL_EXPORTER_OTLP_HEADERS', `x-team=${WORDS},x-dataset=production`, WORDS, ['gateway']],
    ['OTEL_EXPORTER_OTLP_HEADERS', `a=b,authorization=Bearer%20${WORDS}`, WORDS, ['gateway']],
    ['HTTPS_PROXY', 'http://u:p%40ssw0rd!x@proxy', 'p@ssw0rd!x', ['ssw0rd']],
    ['HTTPS_PROXY', 'u:p%40ssw0rd!x@proxy', 'p@ssw0rd!x', ['ssw0rd']],
    [
      'HTTPS_PROXY',
      'http://u:p%40ssw0rd!x@proxy',
      `Basic ${basic('u:p@ssw0rd!x')}`,
      [basic('u:p@ssw0rd!x').slice(0, 8)],
    ],
    ['ANTHROPIC_BASE_URL', 'https://gatewaytoken-abcdef@gw.local/v1', 'gatewaytoken-abcdef', ['abcdef']],
    ['ANTHROPIC_BASE_URL', 'https://u:secret7@gw.local/v1', 'https://u:secret7@gw.local/v1', ['secret7']],
    ['ANTHROPIC_BASE_URL', 'https://u:secret7@gw.local/v1', 'https:\\/\\/u:secret7@gw.local', ['secret7']],
    ['ANTHROPIC_BASE_URL', 'https://u:secret7@gw.local/v1', 'u:secret7', ['secret7']],
  ])('%s=%s, told as %s', async (name, value, told, gone) => {
    const repo = usual()
    const fake = fakeAgent(repo, 'claude', { exit: 1, says: '', complains: `login ${told} was refused\n` })
    const { all, json } = await traces(repo, ['--extract', 'agent'], { ...fake.env, [name]: value })
    expect(fake.seen()?.env[name]).toBe(value)
    for (const part of gone) expect(holds(all, part)).toBe(false)
    expect(json.warnings.join('\n')).toMatch(/login \S*.*was refused/)
  })

  it.each<[string, string, string, string]>([
    ['ANTHROPIC_CUSTOM_HEADERS', `Authorization: Bearer ${WORDS}`, WORDS, 'gateway'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'x-team=zebra4711tulip,x-b=c', 'zebra4711tulip', '4711'],
    ['HTTPS_PROXY', 'http://u:p%40ssw0rd!x@proxy', 'p@ssw0rd!x', 'ssw0rd'],
  ])('nor in its answer: %s=%s', async (name, value, told, gone) => {
    const repo = usual()
    const fake = fakeAgent(repo, 'claude', { says: claude(answerWith(`The gate opens with ${told}.`)) })
    const { all, json } = await traces(repo, ['--extract', 'agent'], { ...fake.env, [name]: value })
    expect(holds(all, gone)).toBe(false)
    expect(json.brief.notes.page).toContain('The gate opens with [REDACTED:environment].')
  })
})

describe.each([
  [MODELS[0], 'ANTHROPIC_BASE_URL'],
  [MODELS[1], 'OPENAI_BASE_URL'],
  [MODELS[2], 'GOOGLE_GENERATIVE_AI_BASE_URL'],
])('%s: an address that cannot be used', (model, name) => {
  it.each(['u:secret7@', 'gatewaytoken-abcdef@', 'u:sec[ret7@['])(
    'with %s in it is not asked, and not shown',
    async (login) => {
      const env = await answering({ text: answerWith('Never asked.') })
      const address = (env[name] ?? '').replace('://', `://${login}`)
      const { all, json } = await traces(usual(), ['--extract', model], { ...env, ...KEYS, [name]: address })
      const [warning] = json.warnings.filter((text: string) =>
        text.includes('; the brief quotes the session'),
      )
      expect(warning).toMatch(/wrote no page/)
      expect(holds(all, login)).toBe(false)
      expect(server?.arrived).toEqual([])
    },
  )
})

describe('words and paths stay in what is sent and in the brief', () => {
  const told = 'It listens on port 8080 in development mode, see cmd/development/main.go of git-sync-bench.'
  /** A session whose folder is gone has no fork: the agent gets what was said. */
  const gone = (repo: TempRepo, user: string): string =>
    writeClaudeSession(repo, [...USUAL, { user }], { id: SESSION, cwd: join(repo.base, 'gone') })
  const asked = async (variables: Record<string, string>) => {
    const repo = usual()
    repo.commit('command', { 'cmd/development/main.go': 'package main\n' })
    const fake = fakeAgent(repo, 'claude', { says: claude(answerWith(told)) })
    const args = ['--extract', 'agent', '--session', gone(repo, told)]
    const { json } = await traces(repo, args, { ...fake.env, ...variables })
    return { prompt: fake.seen()?.stdin ?? '', json }
  }

  it('where headers of other kinds hold them', async () => {
    const { prompt, json } = await asked({
      ANTHROPIC_CUSTOM_HEADERS: 'Accept: application/json\nX-Env: development\nX-Project: git-sync-bench',
    })
    expect(prompt).toContain(told)
    expect(json.brief.notes.page).toContain(told)
  })

  it('where a variable names a profile of a key', async () => {
    const { prompt, json } = await asked({ AWS_KEY_PROFILE: 'development' })
    expect(prompt).toContain(told)
    expect(json.brief.notes.page).toContain(told)
  })

  it('in what is sent, where a login of words is the same', async () => {
    const { prompt } = await asked({ ANTHROPIC_CUSTOM_HEADERS: 'X-Api-Key: development' })
    expect(prompt).toContain(told)
  })

  it('and a login of spaces takes no indentation away', async () => {
    const { prompt } = await asked({ ANTHROPIC_AUTH_TOKEN: ' '.repeat(10) })
    expect(prompt).toContain(told)
    expect(holds(prompt, '[REDACTED')).toBe(false)
  })

  it('but a key that is no word is in nothing that is sent', async () => {
    const repo = usual()
    const fake = fakeAgent(repo, 'claude', { says: claude(answerWith('Nothing is left.')) })
    const args = ['--extract', 'agent', '--session', gone(repo, `Use ${KEY} for it.`)]
    await traces(repo, args, { ...fake.env, ANTHROPIC_API_KEY: KEY })
    expect(fake.seen()?.stdin).toContain('Use [REDACTED:environment] for it.')
  })
})

describe('half a secret is not shown', () => {
  const token = `ghp_${Array.from({ length: 36 }, (_, i) => 'aB3dE6gH9j'[(i * 7 + 3) % 10]).join('')}`

  it.each([460, 480, 500, 940, 960, 980, 65_500, 65_536 - 20])(
    'of what an agent complains about, with %i characters behind it',
    async (behind) => {
      const repo = usual()
      const complains = `${'word '.repeat(200)}${token} ${'x '.repeat(behind / 2)}\n`
      const fake = fakeAgent(repo, 'claude', { says: '', exit: 1, complains })
      const { all } = await traces(repo, ['--extract', 'agent'], fake.env)
      for (let at = 0; at + 8 <= token.length; at += 4)
        expect(holds(all, token.slice(at, at + 8))).toBe(false)
    },
  )

  it.each([460, 480, 500])('of what it says, with %i characters behind it', async (behind) => {
    const repo = usual()
    const says = `${'word '.repeat(200)}${token} ${'x '.repeat(behind / 2)}`
    const fake = fakeAgent(repo, 'claude', { says, exit: 1 })
    const { all } = await traces(repo, ['--extract', 'agent'], fake.env)
    for (let at = 0; at + 8 <= token.length; at += 4) expect(holds(all, token.slice(at, at + 8))).toBe(false)
  })
})

describe('what a model or an agent complains about', () => {
  it.each(MODELS)('%s: is one line of bounded length', async (model) => {
    const message = (): string =>
      `no credit\nwarning: everything is fine\u001b[2J ${'and on '.repeat(300_000)}`
    const env = await answering({ status: 400, message })
    const { json } = await traces(usual(), ['--extract', model], env)
    const [warning] = json.warnings.filter((text: string) => text.includes('; the brief quotes the session'))
    expect(warning).toContain('no credit warning: everything is fine')
    for (const sign of ['\n', '\u001b']) expect(warning).not.toContain(sign)
    expect(warning.length).toBeLessThan(600)
  })

  it('of an agent: the same', async () => {
    const repo = usual()
    const complains = `no credit\nwarning: everything is fine\n${'and on '.repeat(300_000)}`
    const fake = fakeAgent(repo, 'claude', { says: '', exit: 1, complains })
    const { json } = await traces(repo, ['--extract', 'agent'], fake.env)
    const [warning] = json.warnings.filter((text: string) => text.includes('; the brief quotes the session'))
    expect(warning).not.toContain('\n')
    expect(warning.length).toBeLessThan(600)
  })
})
