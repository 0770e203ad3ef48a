import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { createPlain } from '../../../src/store/plain-file.ts'

// A disk that fails when a folder is synced, which no disk of a test does by itself.
vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>()
  return {
    ...fs,
    fsyncSync(file: number) {
      if (fs.fstatSync(file).isDirectory())
        throw Object.assign(new Error('EIO: i/o error, fsync'), { code: 'EIO' })
      fs.fsyncSync(file)
    },
  }
})

const root = mkdtempSync(join(tmpdir(), 'handoff-unsynced-'))
afterEach(() => rmSync(root, { recursive: true, force: true }))

test('a file that is told as not written is not there', async () => {
  const made = createPlain(root, '.handoff/latest.md', 'text\n', join(root, 'aside'))
  await expect(made).rejects.toMatchObject({ code: 'E_WRITE', message: expect.stringContaining('EIO') })
  expect(readdirSync(join(root, '.handoff'))).toEqual([])
  expect(readdirSync(join(root, 'aside'))).toEqual([])
})
