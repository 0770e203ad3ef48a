import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, test } from 'vitest'
import { createScanner } from '../../../src/secrets/scanner.ts'
import { createFakes } from './fake.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const { make, draw } = createFakes(7)
const rulesIn = async (text: string) =>
  (await createScanner().find(text)).map(({ rule, line }) => `${rule} ${line}`)

describe('files that hold no secret', () => {
  it('the lock file of this project', async () => {
    expect(await rulesIn(readFileSync(join(root, 'package-lock.json'), 'utf8'))).toEqual([])
  })
  it('the sources of this project', { timeout: 30_000 }, async () => {
    const names = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).filter((name) =>
      /\.ts$/.test(name),
    )
    // The rule tables write the marks down; everything else is ordinary code.
    const texts = names
      .filter((name) => !name.startsWith('secrets'))
      .map((name) => readFileSync(join(root, 'src', name), 'utf8'))
    expect(texts.length).toBeGreaterThan(50)
    expect(await rulesIn(texts.join('\n'))).toEqual([])
  })
  it('READMEs: at most one flagged line in 1,000', { timeout: 30_000 }, async () => {
    const folder = join(root, 'node_modules')
    const texts = readdirSync(folder)
      .map((name) => join(folder, name, 'README.md'))
      .flatMap((path) => {
        try {
          return [readFileSync(path, 'utf8')]
        } catch {
          // Many packages have none.
          return []
        }
      })
    expect(texts.length).toBeGreaterThan(20)
    const text = texts.join('\n')
    const flagged = new Set(await rulesIn(text))
    expect(flagged.size).toBeLessThanOrEqual(text.split('\n').length / 1000)
  })
})

describe('look-alikes', () => {
  const many = (shape: string, count = 200) => Array.from({ length: count }, () => make(shape)).join('\n')
  test.each([
    ['commit hashes', `commit {0-9a-f:40}`],
    ['short hashes', '- `{0-9a-f:12}` [git]'],
    ['hashes of sha256 repositories', 'HEAD {0-9a-f:64}'],
    ['hashes next to a key word', 'token: commit {0-9a-f:40}'],
    ['hashes of a tree in a table', 'key=tree sha: {0-9a-f:40}'],
    ['UUIDs', '{uuid}'],
    ['sessions of OpenCode', '  session: ses_{0-9a-f:12}{A-Za-z0-9:14}'],
    ['integrity hashes', '"integrity": "sha512-{A-Za-z0-9+/:86}=="'],
    ['integrity hashes next to a key word', 'secret: sha512-{A-Za-z0-9+/:86}=='],
    ['image digests', 'FROM node@sha256:{0-9a-f:64}'],
    ['tool call ids', '"id":"toolu_01{A-Za-z0-9:22}"'],
    ['base64', '{A-Za-z0-9+/:800}='],
    ['data addresses', 'url(data:font/woff2;base64,{A-Za-z0-9+/:400})'],
    ['brief ids', 'token: 20260714T091522-{0-9a-f:8}'],
    ['slugs', '.handoff/briefs/20260714T091522-{0-9a-f:8}-rotate-the-api-key-of-the-token-store.md'],
    ['temporary folders', 'secret=/tmp/run-{A-Za-z0-9:12}/file.json'],
  ])('%s', async (_, shape) => {
    expect(await rulesIn(many(shape))).toEqual([])
  })
  test.each([
    'password=$DB_PASSWORD',
    `password=\${DB_PASSWORD:-x1234567}`,
    'password: <your-password-1>',
    'api_key = "YOUR_API_KEY_123"',
    'api_key: xxxxxxxxxxxxxxxx1',
    'token=****************1a',
    'secret: changeme123',
    'password: example-password-1',
    'AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
    'Authorization: Bearer <token>',
    'Authorization: Bearer $GITHUB_TOKEN',
    `Authorization: Bearer \${{ secrets.GITHUB_TOKEN }}`,
    'postgres://user:password@localhost:5432/db',
    'postgres://postgres:postgres@localhost:5432/db',
    'mongodb://root:example@mongo:27017',
    'https://user:pass@example.com/x',
    `https://\${USER}:\${PASS}@example.com/x`,
    'redis://:$REDIS_PASSWORD@cache:6379',
    'ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
    'sk-proj-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
    'xoxb-your-token-goes-here-now-please',
    '-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----',
    'const token = await lexer.nextToken2(input1)',
    'input_tokens: import_v42.z.number(), output_tokens: 12345678',
    'secret: config.auth.sessionSecretV2',
    'this.token = options.token2Value',
    'password: faker.internet.password2',
    'apiKey: process.env.OPENAI_API_KEY_2',
    'api_key=os.environ["KEY_2"]',
    'token_type: "oauth2-bearer-v2"',
    'const secret = generateSecret32',
    'PRIMARY_KEY=user_id_2',
    'token: src/auth/token-store2.ts:42',
    'credential: https://docs.example.org/oauth2/v2',
    'the password field has 12 characters, token: string | null',
    'test_npm_token_is_read_from_the_environment_first',
    'password=[REDACTED:generic-secret]',
    'HANDOFF_SECRETS_ALLOW=6284ac374f99',
    'task-management-sk-module, risk-based, disk-usage-report-for-2024',
    'secret_name: prod-db-credentials-2024',
    'npm ERR! code E401 Unable to authenticate, your authentication token seems to be invalid',
    'token: 2026-07-14T09:15:22.028Z',
    'PASSWORD_STORE_DIR=/home/dev/.password-store2',
    'mysql --password=$DB_PASS',
    'login --password "$PW" --user app',
    'login --password --verbose',
    'login --password-stdin < file.txt',
    'Use the --password option instead, or --password prompting.',
    'connect(password=password, passphrase=getPhrase())',
    'this.password = nextValue',
    'PASSWORD=changeme',
    'DB_PASSWORD=<your-password>',
    'DB_PASSWORD=NEW_PASSWORD',
    "const RESET_PASSWORD = 'RESET_PASSWORD'",
    'case PASSWORD: return readLine',
    `password: 'Kennwort'`,
    'PASSWORD=none',
    'The password: should have letters.',
  ])('%s', async (text) => {
    expect(await rulesIn(text)).toEqual([])
  })
  test.each([
    () => `password=hunter22x`,
    () => `DB_PASSWORD="Tr0ub4dor&3"`,
    () => `password: Summer2024!`,
    () => `api_key = "${draw('a-z0-9', 24)}"`,
    () => `apiKey: '${draw('A-Za-z0-9', 20)}'`,
    () => `{\\"client_secret\\": \\"${draw('A-Za-z0-9', 32)}\\"}`,
    () => `SESSION_SECRET=${draw('0-9a-f', 64)}`,
    () => `mysql --user app --password ${draw('A-Za-z0-9', 12)} db`,
    () => `mysql --password=hunter${draw('A-Z', 2)} db`,
    () => `mysql --password hunter${draw('A-Za-z', 3)} db`,
    () => `mysql --password='${draw('a-z', 1)}3${draw('a-z', 4)}' db`,
    () => `docker run -e POSTGRES_PASSWORD=${draw('a-z', 11)} postgres`,
    () => `export PGPASSWORD="${draw('a-z', 9)}"`,
    () => `KEY_PASSPHRASE: ${draw('a-z', 9)}`,
    () => `password = '${draw('a-z', 9)}'`,
    () => `DB_PASSWORD='Rk${draw('A-Za-z0-9', 10)}.T${draw('A-Za-z0-9', 10)}'`,
    () => `api_key: ${draw('A-Za-z0-9', 24)}.wmq`,
    () => `deploy --api-key=${draw('A-Za-z0-9', 32)}`,
    () => `ACCESS_TOKEN := ${draw('A-Za-z0-9_-', 40)}`,
    () => `authToken => "${draw('A-Za-z0-9', 30)}"`,
    () => `curl -u admin:${draw('A-Za-z0-9', 12)} https://ci.example.org`,
  ])('but a value behind a key word is one: %s', async (make) => {
    expect(await rulesIn(`before\n${make()}\nafter`)).toEqual([
      expect.stringMatching(/^(?:generic-secret|curl-user) 2$/),
    ])
  })
})
