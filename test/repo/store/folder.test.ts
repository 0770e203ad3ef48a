import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { attributesText, pointerText } from '../../../src/brief/latest.ts'
import { checkFolder } from '../../../src/store/folder.ts'
import { readLedger, recordCreated } from '../../../src/store/ledger.ts'
import { createPlain, readPlain, replacePlain } from '../../../src/store/plain-file.ts'
import { withLock } from '../../../src/store/private.ts'
import { makeFolder } from '../make-repo.ts'

function scratch(files: Record<string, string> = {}): string {
  const root = makeFolder()
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  return root
}

describe('a line of the ledger', () => {
  it('does not take the next along when it was cut off', async () => {
    const common = scratch({ 'handoff/created': 'a.md\t1\nb.md' })
    await recordCreated(common, 'c.md', '3')
    expect([...(await readLedger(common)).created]).toContain('c.md\t3')
  })
})

describe('the folder', () => {
  it('is free when it does not exist', async () => {
    expect((await checkFolder(scratch())).missing).toHaveLength(3)
  })

  it('is ours with the pointer, whatever else stands beside it', async () => {
    const root = scratch({
      '.handoff/latest.md': pointerText(),
      '.handoff/.gitattributes': attributesText(),
      '.handoff/notes of mine.txt': 'x',
    })
    expect((await checkFolder(root)).missing).toEqual(['.handoff/README.md'])
  })

  it.each([
    ['a latest.md of another tool', { '.handoff/latest.md': '# Handoff\nstate: 3\n' }],
    ['files of another tool', { '.handoff/state.json': '{}' }],
    ['briefs of another tool', { '.handoff/briefs/one.md': 'x' }],
    ['attributes of another tool', { '.handoff/.gitattributes': '* -text\n' }],
  ])('refuses %s', async (_, files) => {
    await expect(checkFolder(scratch(files))).rejects.toMatchObject({ code: 'E_FOREIGN_FOLDER' })
  })

  it('refuses a file where the folder should be', async () => {
    await expect(checkFolder(scratch({ '.handoff': 'x' }))).rejects.toMatchObject({ code: 'E_UNSAFE_PATH' })
  })

  it('refuses a symlink out of the repository', async () => {
    const root = scratch()
    symlinkSync('/etc', join(root, '.handoff'))
    await expect(checkFolder(root)).rejects.toMatchObject({ code: 'E_UNSAFE_PATH' })
  })
})

describe('plain files', () => {
  it('creates once and never overwrites', async () => {
    const root = scratch()
    const aside = join(root, 'aside')
    expect(await createPlain(root, 'a/b.md', 'one', aside)).toBe(true)
    expect(await createPlain(root, 'a/b.md', 'two', aside)).toBe(false)
    expect(await readPlain(root, 'a/b.md')).toBe('one')
    expect(readdirSync(aside)).toEqual([])
  })

  it('replaces in one step and leaves nothing behind', async () => {
    const root = scratch({ 'a/b.md': 'one' })
    await replacePlain(root, 'a/b.md', 'two')
    expect(await readPlain(root, 'a/b.md')).toBe('two')
    expect(readdirSync(join(root, 'a'))).toEqual(['b.md'])
  })

  it('has nothing to read where there is nothing', async () => {
    expect(await readPlain(scratch(), 'a/b.md')).toBeNull()
  })

  it.each([
    ['a symlink', (path: string) => symlinkSync('/etc/passwd', path)],
    ['a fifo', (path: string) => execFileSync('mkfifo', [path])],
    ['a folder', (path: string) => mkdirSync(path)],
    ['five megabytes', (path: string) => writeFileSync(path, Buffer.alloc(5 << 20))],
  ])('refuses %s', async (_, make) => {
    const root = scratch({ 'a/keep': '' })
    make(join(root, 'a/x'))
    await expect(readPlain(root, 'a/x')).rejects.toMatchObject({ code: 'E_UNSAFE_PATH' })
  })

  it('refuses a folder that is a symlink', async () => {
    const root = scratch()
    symlinkSync('/tmp', join(root, 'a'))
    await expect(createPlain(root, 'a/b.md', 'x', join(root, 'aside'))).rejects.toMatchObject({
      code: 'E_UNSAFE_PATH',
    })
  })
})

describe('a lock', () => {
  const lockIn = (common: string) => join(common, 'handoff/locks/one')

  it('is waited for, one after the other', async () => {
    const common = scratch()
    const told: string[] = []
    const work = (name: string) =>
      withLock(common, 'locks/one', async () => {
        told.push(`${name} begins`)
        await new Promise((resolve) => setTimeout(resolve, 20))
        told.push(`${name} ends`)
      })
    await Promise.all([work('a'), work('b')])
    expect(told).toEqual(['a begins', 'a ends', 'b begins', 'b ends'])
    expect(readdirSync(join(common, 'handoff/locks'))).toEqual([])
  })

  it('that a killed process left is taken over, also when the clock was set back since', async () => {
    const common = scratch({ 'handoff/locks/one': '' })
    const later = Date.now() / 1000 + 3600
    utimesSync(lockIn(common), later, later)
    expect(await withLock(common, 'locks/one', async () => 'done')).toBe('done')
  })

  it('that cannot be taken over is told, not waited for', async () => {
    const common = scratch({ 'handoff/locks/one/x': '' })
    utimesSync(lockIn(common), 1, 1)
    await expect(withLock(common, 'locks/one', async () => 'done')).rejects.toMatchObject({
      code: 'E_WRITE',
    })
  })
})
