import { createHash } from 'node:crypto'
import { describe, expect, it, test } from 'vitest'
import { createScanner } from '../../../src/secrets/scanner.ts'
import { createFakes } from './fake.ts'

const { make, draw } = createFakes(42)
const token = () => make('ghp_{A-Za-z0-9:36}')
const password = () => `${draw('A-Za-z0-9', 14)}7q`

describe('redact', () => {
  it('replaces every occurrence, also where nothing marks it', async () => {
    const secret = password()
    const value = {
      prompt: `the login fails, DB_PASSWORD=${secret} in .env`,
      reply: `I ran psql with ${secret} and it works`,
      inside: `x${secret}y`,
    }
    const { value: clean, counts } = await createScanner().redact(value)
    expect(clean).toEqual({
      prompt: 'the login fails, DB_PASSWORD=[REDACTED:generic-secret] in .env',
      reply: 'I ran psql with [REDACTED:generic-secret] and it works',
      inside: 'x[REDACTED:generic-secret]y',
    })
    expect(counts).toEqual({ 'generic-secret': 3 })
  })
  it('knows the value in an address, in JSON, and in JSON within JSON', async () => {
    const secret = `p"a\\s/${draw('A-Za-z0-9', 10)}+ é&9`
    const scanner = createScanner({ values: [{ name: 'DB_PASS', value: secret }] })
    const json = JSON.stringify({ secret })
    const text = [secret, encodeURIComponent(secret), json, JSON.stringify(json)].join('\n')
    const { value, counts } = await scanner.redact(text)
    expect(value).not.toMatch(/é|%C3%A9|%c3%a9/)
    expect(value.split('[REDACTED:environment]')).toHaveLength(5)
    expect(counts).toEqual({ environment: 4 })
  })
  it('walks arrays, sets, maps and keys, and leaves the rest as it is', async () => {
    const secret = token()
    const at = new Date(0)
    const { value } = await createScanner().redact({
      list: [secret, 1, null, true, undefined],
      set: new Set([secret]),
      map: new Map([[secret, { [secret]: secret }]]),
      at,
    })
    const mark = '[REDACTED:github-token]'
    expect(value).toEqual({
      list: [mark, 1, null, true, undefined],
      set: new Set([mark]),
      map: new Map([[mark, { [mark]: mark }]]),
      at,
    })
    expect(value.at).toBe(at)
  })
  it('does not take two texts for one', async () => {
    const { counts } = await createScanner().redact([
      'the password=',
      password(),
      'Bearer',
      token().slice(0, 30),
    ])
    expect(counts).toEqual({})
  })
  it('changes nothing the second time', async () => {
    const scanner = createScanner()
    const text = `api_key: "${password()}" and https://dev:${password()}@git.example.org/x ${token()}`
    const once = (await scanner.redact(text)).value
    expect(once.match(/\[REDACTED:/g)).toHaveLength(3)
    expect(await scanner.redact(once)).toEqual({ value: once, counts: {} })
    expect(await createScanner().find(once)).toEqual([])
  })
  it('replaces a short password only in its address', async () => {
    const text = 'use redis://:pw9x1@cache.internal:6379 and say pw9x1'
    const { value } = await createScanner().redact(text)
    expect(value).toBe('use redis://:[REDACTED:url-credentials]@cache.internal:6379 and say pw9x1')
  })
  it('finds the lines of a key block one by one', async () => {
    const block = make(
      '-----BEGIN RSA PRIVATE KEY-----\nMI{A-Za-z0-9+/:62}\n{A-Za-z0-9+/:64}\n{A-Za-z0-9+/:64}\n-----END RSA PRIVATE KEY-----',
    )
    const line = block.split('\n')[2] ?? ''
    const { value } = await createScanner().redact([block, `cut: ${line}`, JSON.stringify(block)])
    expect(JSON.stringify(value)).not.toContain(line)
    expect(value[1]).toBe('cut: [REDACTED:private-key]')
  })
  it('is the same for the same input, and keeps no order of counts', async () => {
    const text = `${token()} ${make('npm_{A-Za-z0-9:36}')} token=${password()}`
    const [one, two] = [await createScanner().redact(text), await createScanner().redact(text)]
    expect(one).toEqual(two)
    expect(Object.keys(one.counts)).toEqual(['generic-secret', 'github-token', 'npm-token'])
  })
  it('stays quick with thousands of texts and values', async () => {
    const scanner = createScanner()
    const secrets = Array.from({ length: 300 }, token)
    scanner.collect(secrets.join('\n'))
    const texts = Array.from(
      { length: 2000 },
      (_, n) => `line ${n} ${n % 7 === 0 ? secrets[n % 300] : 'nothing here'}`,
    )
    const { counts } = await scanner.redact(texts)
    expect(counts).toEqual({ 'github-token': 286 })
  })
})

describe('find', () => {
  it('tells rule, place, line and fingerprint, never the value', async () => {
    const secret = token()
    const text = `first\nsecond ${secret}\nthird`
    const hits = await createScanner().find(text)
    const start = text.indexOf(secret)
    const fingerprint = createHash('sha256').update(`github-token\0${secret}`).digest('hex').slice(0, 12)
    expect(hits).toEqual([{ rule: 'github-token', start, end: start + secret.length, line: 2, fingerprint }])
    expect(JSON.stringify(hits)).not.toContain(secret.slice(4, 20))
  })
  it('counts UTF-16 units, behind emoji and a byte order mark too', async () => {
    const secret = make('vcr_{A-Za-z0-9:40}')
    const glued = make('sk-ant-api03-{A-Za-z0-9_-:93}AA')
    const text = `\u{FEFF}👩‍💻 ${secret}\n日本 postgres://app:${password()}@db/x ${glued}`
    const hits = await createScanner().find(text)
    expect(hits.map(({ start, end }) => text.slice(start, end))).toEqual([
      secret,
      expect.stringMatching(/^[A-Za-z0-9]{16}$/),
      glued,
    ])
  })
  it('names every repeat of a value, remembered or local', async () => {
    const secret = password()
    const text = `password: ${secret}\nagain ${secret}\nand ${encodeURIComponent(secret)}`
    expect((await createScanner().find(text)).map(({ line }) => line)).toEqual([1, 2, 3])
    const scanner = createScanner()
    scanner.collect(`SECRET=${secret}`)
    expect(await scanner.find(`only ${secret}`)).toHaveLength(1)
    expect(await createScanner().find(`only ${secret}`)).toEqual([])
  })
  it('takes a key that a person wrote for a stand-in', async () => {
    const written = [
      'sk-ant-api03-dummy-key-for-the-tests-of-this-module-0000',
      'xoxb-123456789012-1234567890123-4mt0t4l1yf3mp3asd',
      `ghp_1234567890${'abcdefghijklmnopqrstuvwxyz'}`,
      `dop_v1_${'0123456789abcdef'.repeat(4)}`,
    ]
    for (const key of written) expect(await createScanner().find(`used ${key} there`), key).toEqual([])
  })
  it('leaves nothing of a value whose end another rule takes for its own', async () => {
    const [long, short] = [make('sntrys_{A-Za-z0-9:150}'), make('npm_{A-Za-z0-9:36}')]
    const { value } = await createScanner().redact(`/sessions/${long}/${short}.jsonl`)
    expect(value).not.toContain(long.slice(8, 24))
    expect(value).not.toContain(short.slice(4))
  })
})

describe('allow', () => {
  it('lets a reviewed value pass everywhere, and only that one', async () => {
    const [fine, bad] = [token(), token()]
    const [hit] = await createScanner().find(fine)
    const scanner = createScanner({ allow: [hit?.fingerprint ?? ''] })
    scanner.collect(fine)
    expect(await scanner.find(fine)).toEqual([])
    expect((await scanner.redact(`${fine} ${bad}`)).value).toBe(`${fine} [REDACTED:github-token]`)
  })
})

describe('values of the environment', () => {
  test.each([
    ['a password', 'correct horse staple 9'],
    ['a key', 'a8f3-b2c9-d1e7'],
    ['letters only', 'correcthorsebatterystaple'],
  ])('%s is found anywhere', async (_, value) => {
    const scanner = createScanner({ values: [{ name: 'APP_SECRET', value }] })
    expect((await scanner.redact(`say ${value}!`)).value).toBe('say [REDACTED:environment]!')
  })
  it('looks into an address', async () => {
    const secret = password()
    const scanner = createScanner({ values: [{ name: 'AUTH_DB', value: `postgres://app:${secret}@db/app` }] })
    expect((await scanner.redact(`it was ${secret}`)).value).toBe('it was [REDACTED:url-credentials]')
  })
  test.each([
    ['SSH_AUTH_SOCK', '/tmp/ssh-XXXX/agent.123'],
    ['GOOGLE_APPLICATION_CREDENTIALS', '/etc/keys/app.json'],
    ['XAUTHORITY', '~/.Xauthority'],
    ['AUTH_MODE', 'disabled'],
    ['DB_PASSWORD', 'postgres'],
    ['API_KEY', 'changeme'],
    ['API_KEY', '$OTHER_KEY'],
    ['PASS', 'short1'],
    ['AUTH_URL', 'https://login.example.org/'],
  ])('%s=%s is no secret', async (name, value) => {
    const scanner = createScanner({ values: [{ name, value }] })
    expect(await scanner.redact(`say ${value}!`)).toEqual({ value: `say ${value}!`, counts: {} })
  })
})
