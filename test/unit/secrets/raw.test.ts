import { describe, expect, it, test } from 'vitest'
import { createRawFilter, type Mark } from '../../../src/secrets/raw.ts'
import { secretRules } from '../../../src/secrets/rules.ts'
import { createScanner } from '../../../src/secrets/scanner.ts'
import { createFakes } from './fake.ts'

const { make, draw, random } = createFakes(99)

describe('the filter over raw bytes', () => {
  const marks: Mark[] = [
    ...secretRules.flatMap(({ raw, needles }) => (raw ? needles.map((text) => ({ text, fold: false })) : [])),
    { text: 'password', fold: true },
    { text: 'api_key', fold: true },
    { text: 'token', fold: true, follow: ':="#' },
  ]
  const filter = createRawFilter(marks)
  const places = (block: Buffer) => {
    const found = new Set<string>()
    filter(block, (mark, at) => found.add(`${marks[mark]?.text} ${at}`))
    return found
  }
  const noise = (length: number) => draw('a-z {}:,._/0-9A-Z"\\-', Math.max(1, length))

  it('finds every mark at every alignment, wherever the block begins in memory', () => {
    for (const { text, fold } of marks) {
      for (let before = 0; before < 8; before++) {
        const spelling = fold && before % 2 === 1 ? text.toUpperCase() : text
        const padded = Buffer.from(`###${'#'.repeat(before)}${spelling}${'#'.repeat(9)}`)
        for (let skip = 0; skip < 4; skip++) {
          const block = padded.subarray(skip)
          const at = block.indexOf(spelling)
          if (at >= 0) expect(places(block), `${text} ${before} ${skip}`).toContain(`${text} ${at}`)
        }
      }
    }
  })
  it('finds the same as a plain search, and nothing else', () => {
    for (let round = 0; round < 300; round++) {
      const parts = Array.from({ length: 6 }, () => {
        const mark = marks[Math.floor(random() * marks.length)]
        return noise(random() * 40) + (mark?.text ?? '')
      })
      const text = parts.join('')
      const expected = new Set<string>()
      for (const { text: mark, fold, follow } of marks) {
        const hay = fold ? text.toLowerCase() : text
        for (let at = hay.indexOf(mark); at !== -1; at = hay.indexOf(mark, at + 1))
          if (follow?.includes(hay[at + mark.length] ?? '?') ?? true) expected.add(`${mark} ${at}`)
      }
      const found = places(Buffer.from(text, 'latin1'))
      expect(found).toEqual(expected)
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
  test.each(
    secretRules
      .filter(({ raw }) => raw)
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
  it('keeps nothing of the block', async () => {
    const secret = make('npm_{A-Za-z0-9:36}')
    const scanner = createScanner()
    const block = Buffer.from(line({ out: secret }))
    scanner.onRaw(block)
    block.fill(0)
    expect((await scanner.redact(secret)).value).toBe('[REDACTED:npm-token]')
  })
})
