import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, it } from 'vitest'
import { identifyFile } from '../../../src/agents/find.ts'
import { expectLinear } from '../../growth.ts'
import { isNightly, runs } from '../../sampled.ts'

/** What a text may hold by the thousand: a pattern must not try a run of it from each of its characters. */
const FILLERS = [
  '\n',
  ' ',
  '\n ',
  '\t',
  '<',
  '</a_b>\n',
  '\n```',
  '\n- [ ] ',
  '[REDACTED] ',
  '<system-reminder>',
  '"',
  '\\',
]

const base = join(import.meta.dirname, '../../fixtures/agents')
const sessions = readdirSync(base).flatMap((agent) =>
  readdirSync(join(base, agent)).flatMap((name) => {
    const file = join(base, agent, name, 'session.jsonl')
    return existsSync(file) ? [[agent, name, file] as const] : []
  }),
)
const folder = mkdtempSync(join(tmpdir(), 'long-runs-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** A record with a filler in every text of it that has a blank. */
function filled(value: unknown, filler: string): unknown {
  if (typeof value === 'string') return value.replace(/\s/, () => `${filler}x `)
  if (Array.isArray(value)) return value.map((item) => filled(item, filler))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, filled(item, filler)]))
}

/** One session of each agent by day, some by night. */
const cases = [...new Set(sessions.map(([agent]) => agent))].flatMap((agent, nth) =>
  sessions
    .filter(([one]) => one === agent)
    .slice(0, runs(1, 4))
    .flatMap(([, name, file]) =>
      FILLERS.filter((_, at) => isNightly || (at + nth) % 6 === 0).map(
        (filler) => [agent, name, filler, file] as const,
      ),
    ),
)

describe('S-9: a session with long runs takes time that grows with its length alone', () => {
  it.each(cases)('%s, %s, %j', { timeout: 120_000 }, async (agent, _, filler, file) => {
    const lines = readFileSync(file, 'utf8').split('\n').slice(0, 60)
    const texts = lines.join('\n').match(/"(?:[^"\\]|\\.)*\s(?:[^"\\]|\\.)*"/g)?.length ?? 1
    const path = join(folder, `${agent}.jsonl`)
    await expectLinear(20_000, async (size) => {
      const run = filler.repeat(Math.ceil(size / texts / filler.length))
      const text = lines.map((line) => {
        try {
          return JSON.stringify(filled(JSON.parse(line), run))
        } catch {
          return line // A torn line stays torn.
        }
      })
      writeFileSync(path, text.join('\n'))
      const { adapter, ref } = await identifyFile(path)
      for await (const batch of adapter.read(ref, {})) if (batch.length < 0) return
    })
  })
})
