import { appendFileSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readBlocks } from '../../../src/agents/lines.ts'
import { secretRules } from '../../../src/secrets/rules.ts'
import { createScanner } from '../../../src/secrets/scanner.ts'
import { startRawScan } from '../../../src/session/raw-scan.ts'
import { createFakes } from '../../unit/secrets/fake.ts'

const { make, draw, random } = createFakes(77)
const folder = mkdtempSync(join(tmpdir(), 'handoff-scan-'))
const thread = join(folder, 'scan-thread.cjs')
const path = join(folder, 'session.jsonl')

beforeAll(() =>
  build({
    entryPoints: ['src/session/scan-thread.ts'],
    outfile: thread,
    bundle: true,
    format: 'cjs',
    platform: 'node',
    external: ['@secretlint/*'],
  }),
)
afterAll(() => rmSync(folder, { recursive: true }))

/** One of every shape that is looked for in raw bytes, and values that only a word or the preset tells. */
const fresh = () => [
  ...secretRules.filter(({ raw }) => raw).flatMap(({ shapes }) => shapes.map(make)),
  ...Array.from({ length: 5 }, () => `Pw7${draw('A-Za-z0-9', 9)}4x2`),
]
const row = (secret: string) =>
  `${JSON.stringify({ type: 'user', out: `x\npassword=${secret}\n${draw('a-z {}:,', 1 + Math.floor(random() * 3000))}` })}\n`

/** What a scanner makes of the secrets when they stand bare, after it has read the file. */
async function read(
  secrets: readonly string[],
  options: { thread: string | null; during?: () => void; between?: () => void },
): Promise<string[]> {
  const scanner = createScanner()
  let inThread = 0
  const counted = {
    ...scanner,
    onRaw: (block: Buffer) => {
      inThread += block.length
      scanner.onRaw(block)
    },
  }
  const raw = startRawScan(counted, path, { thread: options.thread, least: 0 })
  options.between?.()
  let blocks = 0
  let total = 0
  for await (const { bytes } of readBlocks(path, { onRaw: raw.onRaw })) {
    total += bytes.length
    if (blocks++ === 0) options.during?.()
  }
  await raw.finish()
  raw.stop()
  share = inThread / total
  return (await scanner.redact(secrets.map((secret) => `bare ${secret} here`))).value
}
/** The part of the bytes that was looked at in the thread that reads. */
let share = 0

describe('the scan on a thread of its own', () => {
  it('finds the same as the one in the thread that reads, of which it takes all whole lines', async () => {
    const secrets = fresh()
    const long = `{"out":"${draw('a-z ', 1_400_000)} token: ${secrets[0]} ${draw('a-z ', 9000)}"}\n`
    writeFileSync(path, secrets.map(row).join('') + long + secrets.map(row).join(''))
    const here = await read(secrets, { thread: null })
    expect(share).toBe(1)
    expect(await read(secrets, { thread })).toEqual(here)
    expect(share).toBe(0)
    for (const [index, secret] of secrets.entries()) expect(here[index]).not.toContain(secret)
  })

  it('leaves to the reader what has no newline yet and what is written meanwhile', async () => {
    const secrets = fresh()
    const [torn = '', later = '', last = ''] = [make('ghp_{A-Za-z0-9:36}'), ...fresh()]
    writeFileSync(path, `${secrets.map(row).join('')}${row(torn).slice(0, -1)}`)
    const all = [...secrets, torn, later, last]
    const values = await read(all, {
      thread,
      between: () => appendFileSync(path, `\n${row(later)}`),
      during: () => appendFileSync(path, row(last)),
    })
    expect(share).toBeGreaterThan(0)
    expect(share).toBeLessThan(1)
    for (const [index, secret] of all.entries()) expect(values[index]).not.toContain(secret)
  })

  it.each([
    [
      'another file takes its place',
      (text: string) => {
        writeFileSync(`${path}.new`, text)
        renameSync(`${path}.new`, path)
      },
    ],
    ['it is written anew', (text: string) => writeFileSync(path, text)],
    ['it is written anew and longer', (text: string) => writeFileSync(path, text + row('x').repeat(2000))],
  ])('misses nothing when %s before it is read', async (_, change) => {
    const before = fresh()
    const after = fresh()
    writeFileSync(path, before.map(row).join('').repeat(4))
    const values = await read(after, { thread, between: () => change(after.map(row).join('')) })
    for (const [index, secret] of after.entries()) expect(values[index]).not.toContain(secret)
  })

  it.each([
    ['is not there', () => join(folder, 'missing.cjs')],
    ['throws', () => made('throw new Error("no")')],
    ['ends without an answer', () => made('')],
    ['runs out of memory', () => made('const all = []; for (;;) all.push(new Array(1000).fill(0))')],
  ])('is made up for when the thread %s', async (_, file) => {
    const secrets = fresh()
    writeFileSync(path, secrets.map(row).join(''))
    const here = await read(secrets, { thread: null })
    expect(await read(secrets, { thread: file() })).toEqual(here)
  })
})

function made(code: string): string {
  const file = join(folder, 'odd.cjs')
  writeFileSync(file, code)
  return file
}
