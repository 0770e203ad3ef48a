import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readNotesFiles } from '../../../src/store/notes.ts'
import { makeFolder } from '../make-repo.ts'

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
