import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { forgetLive, listLive } from '../../../src/store/live.ts'
import { readNotesFiles } from '../../../src/store/notes.ts'
import { createFakes } from '../../unit/secrets/fake.ts'
import { cli } from '../cli.ts'
import { makeFolder } from '../make-repo.ts'
import { withBrief } from '../usual.ts'

describe('notes on disk', () => {
  it('are read whatever stands where their time should', async () => {
    const commonDir = makeFolder()
    mkdirSync(join(commonDir, 'handoff/notes'), { recursive: true })
    const put = (name: string, value: unknown) =>
      writeFileSync(join(commonDir, 'handoff/notes', name), JSON.stringify(value))
    put('a.json', { capturedAt: { toString: 'x' } })
    put('b.json', { capturedAt: '2026-11-22T09:00:00.000Z' })
    put('c.json', null)
    const names = (await readNotesFiles(commonDir)).map(({ name }) => name)
    expect(names).toEqual(['b.json', 'a.json', 'c.json'])
  })
})

describe('sessions that hooks told of', () => {
  it('are passed over when a name or a time is none', async () => {
    const commonDir = makeFolder()
    mkdirSync(join(commonDir, 'handoff/sessions'), { recursive: true })
    const whole = { schemaVersion: 1, agent: 'codex', sessionId: 's', at: '2026-11-22T09:00:00.000Z' }
    const odd = { toString: 'x' }
    for (const [name, change] of Object.entries({
      a: {},
      b: { agent: odd },
      c: { at: odd },
      d: { at: null },
    }))
      writeFileSync(
        join(commonDir, `handoff/sessions/codex-${name}.json`),
        JSON.stringify({ ...whole, ...change }),
      )
    expect(await listLive(commonDir)).toMatchObject([whole])
    await forgetLive(commonDir, '2026-12-01T00:00:00.000Z')
  })
})

describe('what was written down unseen', () => {
  it('is told without a key that stands in it', async () => {
    const { repo } = await withBrief()
    const key = createFakes(5).make('ghp_{A-Za-z0-9:36}')
    const entry = {
      at: '2026-11-22T09:00:00.000Z',
      kind: 'hook',
      message: `fatal: https://x:${key}@host/one.git`,
    }
    writeFileSync(join(repo.root, '.git/handoff/journal'), `${JSON.stringify(entry)}\n`)
    const { stdout, code } = await cli(repo, ['status', '--json'])
    expect([code, stdout.includes(key)]).toEqual([0, false])
    expect(JSON.parse(stdout).journal).toMatchObject([{ at: entry.at, kind: 'hook' }])
    expect((await cli(repo, ['status'])).stdout).not.toContain(key)
  })
})
