import { describe, expect, it, test } from 'vitest'
import { isSecretVariable, namesSecret } from '../../../src/secrets/find.ts'
import { createScanner } from '../../../src/secrets/scanner.ts'
import { createFakes } from './fake.ts'

/** Defects found by use, each by its number in the list of findings. */
const { make } = createFakes(18)
const random = (length = 20) => make(`{A-Za-z0-9:${length}}`)
const redacted = async (text: string) => (await createScanner().redact(text)).value

describe('S2: every parameter of a query or form', () => {
  test.each([
    (secret: string) => `curl -d "client_credential=app&client_secret=${secret}" https://x.example.org`,
    (secret: string) => `token=$T&password=${secret}`,
    (secret: string) => `credential=none1234&api_key=${secret}`,
    (secret: string) => `https://x.example.org/?page=1&amp;token=<token>&amp;client_secret=${secret}`,
    (secret: string) => `grant_type=password&password=changeme&client_secret=${secret}&scope=all`,
  ])('%s', async (write) => {
    const secret = random()
    expect(await redacted(write(secret))).toBe(write('[REDACTED:generic-secret]'))
  })
})

describe('S3: redaction comes to an end', () => {
  it('S3: leaves no second secret beside the first, and finds nothing in its own result', async () => {
    const text = `https://x.example.org/cb?access_token=${random(40)}&client_secret=${random(40)}`
    const scanner = createScanner()
    const { value, counts } = await scanner.redact({ text })
    expect(value.text).toBe(
      'https://x.example.org/cb?access_token=[REDACTED:generic-secret]&client_secret=[REDACTED:generic-secret]',
    )
    expect(counts).toEqual({ 'generic-secret': 2 })
    expect(await scanner.find(value.text)).toEqual([])
    expect(await createScanner().find(value.text)).toEqual([])
  })
  it('S3: finds what shows itself only when its neighbour is gone', async () => {
    const key = make('ghp_{A-Za-z0-9:36}')
    // Glued to a letter the key is none; the value that ends with that letter is known from elsewhere.
    const known = random(24)
    const scanner = createScanner({ values: [{ name: 'APP_TOKEN', value: known }] })
    expect((await scanner.redact(`${known}${key}`)).value).not.toContain(key.slice(6, 30))
  })
})

describe('S4: names that tell of a secret', () => {
  const names =
    'OPENAI_KEY STRIPE_KEY DB_PASS SMTP_PASS SECRET_KEY_BASE API_KEY_PROD PASSWORD1 PGPASSWORD REDIS_PW JWT_SECRET GH_PAT SLACK_WEBHOOK_SECRET MAILGUN_API_KEY appKey authToken clientSecret'
  test.each(names.split(' '))('S4: %s', async (name) => {
    for (let round = 0; round < 20; round++) {
      const secret = random(32)
      expect(await redacted(`${name}=${secret}`)).toBe(`${name}=[REDACTED:generic-secret]`)
      expect(await redacted(`{"${name}": "${secret}"}`)).not.toContain(secret.slice(8, 24))
    }
  })
  test.each([
    '"pass": "%s"',
    'API key: %s',
    '**API key:** %s',
    '- **Client secret**: `%s`',
    'The API key is %s.',
  ])('S4: %s', async (written) => {
    const secret = random(32)
    expect(await redacted(written.replace('%s', secret))).not.toContain(secret.slice(8, 24))
  })
  test.each([
    'sk-{A-Za-z0-9:20}',
    'sk-proj-{A-Za-z0-9_-:40}',
    'sk-ant-{A-Za-z0-9_-:30}',
    'hf_{A-Za-z0-9:34}',
  ])('S4: a key of any length: %s', async (shape) => {
    for (let round = 0; round < 20; round++) {
      const secret = make(shape)
      expect(await redacted(`use ${secret} here`)).not.toContain(secret.slice(10, 20))
    }
  })
  it("S4: Amazon's sample key, which looks like any other", async () => {
    expect(await redacted(`id AKIA${'IOSFODNN7'}EXAMPLE`)).toBe('id [REDACTED:aws-access-key-id]')
  })
})

describe('S7: whole values', () => {
  test.each([
    ['an AWS session token', 'aws_session_token = {A-Za-z0-9+/:900}'],
    [
      'a signed address',
      'https://b.example.org/k?X-Amz-Security-Token={A-Za-z0-9:1200}&X-Amz-Date=20260101T000000Z',
    ],
    ['a token in JSON', '{"refresh_token":"{A-Za-z0-9_-:3000}"}'],
  ])('S7: %s', async (_, shape) => {
    const text = make(shape)
    const clean = await redacted(text)
    expect(clean.length).toBeLessThan(140)
    expect(clean).toContain('[REDACTED:')
  })
  it('S7: also when it is met in the bytes of a transcript', async () => {
    const secret = random(900)
    const scanner = createScanner()
    scanner.onRaw(Buffer.from(`${JSON.stringify({ out: `SESSION_TOKEN="${secret}"` })}\n`))
    expect((await scanner.redact(`it was ${secret}.`)).value).toBe('it was [REDACTED:generic-secret].')
  })
})

describe('S8: behind an escape', () => {
  test.each([
    ['a colour', '\u001b[32m'],
    ['a colour in JSON', '\\u001b[1;32m'],
    ['a colour as programs write it', '\\x1b[0m\\033[32m'],
    ['a percent sign', 'token%3D'],
    ['a percent sign, twice', 'x%253Fkey%253D'],
    ['a line break in JSON', 'line\\n'],
    ['a line break in JSON in JSON', 'line\\\\n'],
    ['a sign in JSON', 'key\\u003d'],
  ])('S8: %s', async (_, before) => {
    for (const shape of [
      'ghp_{A-Za-z0-9:36}',
      'AKIA{A-Z2-7:16}',
      'glpat-{A-Za-z0-9_-:20}',
      'npm_{A-Za-z0-9:36}',
    ]) {
      const secret = make(shape)
      expect(await redacted(`out ${before}${secret}\u001b[0m`)).not.toContain(secret.slice(8, -2))
    }
  })
  it("S8: a bot's token in the path of its address", async () => {
    const secret = make('{1-9:10}:AA{A-Za-z0-9_-:33}')
    expect(await redacted(`https://api.telegram.org/bot${secret}/sendMessage`)).not.toContain(
      secret.slice(14, 40),
    )
  })
})

describe('S9: words are replaced where they were assigned', () => {
  it('S9: and nowhere else', async () => {
    const settings = 'DB_PASSWORD=development MYSQL_PASSWORD=wordpress'
    const { value } = await createScanner().redact({
      settings,
      constraint: 'Change nothing in src/development and in wordpress/plugins.',
    })
    expect(value).toEqual({
      settings: 'DB_PASSWORD=[REDACTED:generic-secret] MYSQL_PASSWORD=[REDACTED:generic-secret]',
      constraint: 'Change nothing in src/development and in wordpress/plugins.',
    })
  })
  it('S9: a word of the environment is no reason to refuse a goal', async () => {
    const scanner = createScanner({ values: [{ name: 'DB_PASSWORD', value: 'development' }] })
    expect(await scanner.find('Finish the development server')).toEqual([])
    expect((await scanner.redact('DB_PASSWORD=development')).value).not.toContain('development')
  })
  it('S9: a value with digits in it is replaced everywhere', async () => {
    const { value } = await createScanner().redact(['DB_PASSWORD=hunter22x', 'it is hunter22x'])
    expect(value[1]).toBe('it is [REDACTED:generic-secret]')
  })
})

describe('S10: variables of the environment that a started agent does not get', () => {
  test.each([
    ['DATABASE_URL', 'postgres://app:hunter22@db.internal/app'],
    ['MONGO_URI', 'mongodb+srv://app:correct-horse@cluster0.mongodb.example'],
    ['GH_PAT', 'x1y2z3'],
    ['SLACK_WEBHOOK', 'https://hooks.slack.example/services/T1/B2/x3'],
    ['SMTP_PW', 'letters'],
    ['MY_COOKIE', 'sid=a8f3b2c9d1e7'],
    ['OPENAI_API_KEY', 'anything'],
    ['SSH_AUTH_SOCK', '/tmp/ssh/agent.1'],
    ['CI_SETTINGS', make('deploy with ghp_{A-Za-z0-9:36}')],
  ])('S10: %s=%s', (name, value) => {
    expect(isSecretVariable(name, value)).toBe(true)
  })
  test.each([
    ['PATH', '/usr/bin:/bin'],
    ['PWD', '/home/dev/app'],
    ['HOME', '/home/dev'],
    ['LANG', 'de_DE.UTF-8'],
    ['KEYBOARD_LAYOUT', 'de'],
    ['TOKENIZERS_PARALLELISM', 'false'],
    ['MONKEY', 'see'],
    ['DESKTOP_SESSION', 'plasma'],
    ['XDG_SESSION_ID', '3'],
    ['OPENAI_BASE_URL', 'https://gateway.example.org/v1'],
    ['GIT_AUTHOR_NAME', 'Jane'],
    ['HTTPS_PROXY', 'http://user:pass22@proxy.example.org:3128'],
  ])('S10: but %s=%s', (name, value) => {
    expect(isSecretVariable(name, value)).toBe(false)
  })
})

describe('S13: what a name and a form tell', () => {
  it('S13: MONKEY names no secret', async () => {
    expect(namesSecret('MONKEY')).toBe(false)
    expect(namesSecret('MON_KEY')).toBe(true)
  })
  test.each([
    ['a UUID behind a name that tells', 'api_token = "{uuid}"'],
    ['40 hexadecimal digits near a word of git', 'commit it with the auth token: {0-9a-f:40}'],
    [
      '40 hexadecimal digits as the user of an address',
      'git clone https://{0-9a-f:40}@git.example.org/acme/app.git',
    ],
  ])('S13: %s', async (_, shape) => {
    expect(await redacted(make(shape))).toContain('[REDACTED:')
  })
})

describe('what looks like something else', () => {
  test.each(['hf_', 'hf%5F'])('leaves nothing of a signed token in which %s stands', async (mark) => {
    const parts = make('{A-Za-z0-9:30} {A-Za-z0-9:60} {A-Za-z0-9:34} {A-Za-z0-9:30}').split(' ')
    const [head, body, inner, rest] = parts
    const left = await redacted(`a\u{1b}]8;;\u{1b}\\eyJ${head}.eyJ${body}${mark}${inner}.${rest}|`)
    expect(parts.filter((part) => left.includes(part.slice(-10, -2)))).toEqual([])
  })
  it('takes a password behind a percent sign for no escape', async () => {
    const secret = make('4a{A-Za-z0-9:12}')
    expect(await redacted(`a\u{1b}[32msmbclient //host/share -U app%${secret}\u{1b}[0m`)).not.toContain(
      secret.slice(2),
    )
  })
  it('takes a value of base64 in a column for no path, though it holds slashes', async () => {
    const secret = make('{A-Za-z0-9:15}7a/{A-Za-z0-9:22}')
    const left = await redacted(`Access key ID,Secret access key\n${make('AKIA{A-Z2-7:16}')},${secret}`)
    expect(left).not.toContain(secret.slice(4, 14))
  })
})
