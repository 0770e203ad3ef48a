import { describe, expect, it, test } from 'vitest'
import { createMarkFinder, type Mark } from '../../../src/secrets/find.ts'
import { secretRules } from '../../../src/secrets/rules.ts'
import { createScanner } from '../../../src/secrets/scanner.ts'
import { createFakes } from './fake.ts'

const { make, draw, random } = createFakes(99)

describe('the search for marks', () => {
  const marks: Mark[] = [
    ...secretRules.flatMap(({ needles }) => needles.map((text) => ({ text, fold: false }))),
    { text: 'pw', fold: true },
    { text: 'password', fold: true },
    { text: 'api_key', fold: true },
    { text: 'token', fold: true },
  ]
  const findMarks = createMarkFinder(marks)
  const places = (text: string) => {
    const found = new Set<string>()
    findMarks(Buffer.from(text), (mark, at) => found.add(`${mark.text} ${at}`))
    return found
  }
  const noise = (length: number) => draw('a-z {}:,._/0-9A-Z"\\-', Math.max(1, length))

  it('finds the same as a plain search, and nothing else', () => {
    for (let round = 0; round < 300; round++) {
      const parts = Array.from({ length: 6 }, () => {
        const mark = marks[Math.floor(random() * marks.length)]
        const spelling = mark?.fold && random() < 0.5 ? mark.text.toUpperCase() : mark?.text
        return noise(random() * 40) + (spelling ?? '')
      })
      // Behind two characters a third one stands.
      const text = `${parts.join('')} `
      const expected = new Set<string>()
      for (const { text: mark, fold } of marks) {
        const hay = fold ? text.toLowerCase() : text
        for (let at = hay.indexOf(mark); at !== -1; at = hay.indexOf(mark, at + 1))
          expected.add(`${mark} ${at}`)
      }
      expect(places(text)).toEqual(expected)
    }
  })
})

describe('onRaw', () => {
  const line = (value: unknown) => `${JSON.stringify(value)}\n`
  const knows = async (raw: string, secret: string) => {
    const scanner = createScanner()
    scanner.onRaw(Buffer.from(raw))
    return (await scanner.redact(`bare ${secret} here`)).value !== `bare ${secret} here`
  }
  const commonest =
    /^(?:aws|google|azure-storage|github|gitlab|npm|pypi|anthropic|openai|slack|stripe|jwt|private|basic-auth)/
  test.each(
    secretRules
      .filter(({ id }) => commonest.test(id))
      .flatMap(({ id, shapes }) => shapes.map((shape) => [id, shape] as const)),
  )('remembers %s from a transcript: %s', async (_, shape) => {
    const secret = make(shape)
    const scanner = createScanner()
    const row = {
      type: 'user',
      message: { content: [{ type: 'tool_result', content: `out:\n${secret}\nend` }] },
    }
    scanner.onRaw(Buffer.from(line({ type: 'x' }) + line(row)))
    const { value } = await scanner.redact({ bare: secret })
    expect(value.bare).toContain('[REDACTED:')
  })
  test.each([
    (secret: string) => line({ out: `DB_PASSWORD=${secret}\n` }),
    (secret: string) => line({ out: `"password": "${secret}"` }),
    (secret: string) => line({ arguments: JSON.stringify({ env: { password: secret } }) }),
    (secret: string) => line({ password: secret }),
    (secret: string) => line({ out: `  api_key : '${secret}'` }),
    (secret: string) => line({ out: `Token=${secret};` }),
    (secret: string) => line({ out: `CLIENT_SECRET := "${secret}"` }),
    (secret: string) => `plain text\npassword: ${secret}\n`,
    (secret: string) => `  "secret": "${secret}",\n`,
  ])('remembers a short password that only its key word marks: %s', async (place) => {
    const secret = `Pw7${draw('A-Za-z0-9', 6)}4x2`
    expect(await knows(place(secret), secret)).toBe(true)
    expect(await knows(place('$PASSWORD1'), '$PASSWORD1')).toBe(false)
  })
  it('decodes the value as JSON says', async () => {
    const secret = `Pw7${draw('A-Za-z0-9', 6)}4/2é`
    expect(
      await knows(
        line({ out: `password='${secret}'` })
          .replaceAll('/', '\\/')
          .replace('é', '\\u00e9'),
        secret,
      ),
    ).toBe(true)
  })
  it('does not mind torn lines, empty blocks and long base64', async () => {
    const secret = make('ghp_{A-Za-z0-9:36}')
    const scanner = createScanner()
    scanner.onRaw(Buffer.alloc(0))
    scanner.onRaw(Buffer.from('x'))
    scanner.onRaw(Buffer.from(line({ data: draw('A-Za-z0-9+/', 300_000) })))
    scanner.onRaw(Buffer.from(`{"out":"${secret}`))
    expect((await scanner.redact(secret)).value).toBe('[REDACTED:github-token]')
  })
  it('looks into a line that is longer than one piece', async () => {
    const [first, second] = [make('ghp_{A-Za-z0-9:36}'), make('npm_{A-Za-z0-9:36}')]
    const scanner = createScanner()
    const half = 'a '.repeat((1 << 21) - 20)
    scanner.onRaw(Buffer.from(line({ out: `${half} ${first} ${half} ${second}` })))
    expect((await scanner.redact({ first, second })).value).toEqual({
      first: '[REDACTED:github-token]',
      second: '[REDACTED:npm-token]',
    })
  })
  it('sees a key wherever the border of two pieces cuts it', async () => {
    for (let off = -60; off <= 20; off += 4) {
      const secret = make('ghp_{A-Za-z0-9:36}')
      const password = draw('A-Za-z0-9', 24)
      const scanner = createScanner()
      const start = 100_000 + off - '{"out":"'.length
      scanner.onRaw(Buffer.from(line({ out: `${'a '.repeat(start / 2)} ${secret} ` })))
      scanner.onRaw(Buffer.from(line({ out: `${'a '.repeat(start / 2)} DB_PASSWORD=${password} ` })))
      const { value } = await scanner.redact({ secret, password })
      expect([off, value.secret]).toEqual([off, '[REDACTED:github-token]'])
      expect([off, value.password.startsWith('[REDACTED:')]).toEqual([off, true])
    }
  })
  it('keeps nothing of the block', async () => {
    const secret = make('npm_{A-Za-z0-9:36}')
    const scanner = createScanner()
    const block = Buffer.from(line({ out: secret }))
    scanner.onRaw(block)
    block.fill(0)
    expect((await scanner.redact(secret)).value).toBe('[REDACTED:npm-token]')
  })
})
