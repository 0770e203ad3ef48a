import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { applyChanges } from '../../../src/hooks/apply.ts'
import type { Change } from '../../../src/hooks/plan.ts'
import { makeFolder } from '../make-repo.ts'

const change = (path: string, now: string | null, next: string | null, folders: string[] = []): Change => ({
  path,
  target: path,
  now: now === null ? null : Buffer.from(now),
  next: next === null ? null : Buffer.from(next),
  mode: now === null ? null : 0o640,
  folders,
})

describe('changes to settings', () => {
  it('stop at one that cannot be written, and go on from there', async () => {
    const folder = makeFolder()
    const at = (name: string): string => join(folder, name)
    writeFileSync(at('changed'), 'one')
    writeFileSync(at('file'), 'three')
    const changes = [change(at('changed'), 'one', 'ONE'), change(at('file/child'), null, 'x')]
    await expect(applyChanges(changes)).rejects.toMatchObject({ code: 'E_WRITE', exit: 1 })
    expect(readFileSync(at('changed'), 'utf8')).toBe('ONE')
    expect(readdirSync(folder).sort()).toEqual(['changed', 'file'])
  })

  it('stop at a file that another program has changed in between', async () => {
    const folder = makeFolder()
    const [first, second] = [join(folder, 'first'), join(folder, 'second')]
    writeFileSync(first, 'one')
    writeFileSync(second, 'saved by the agent just now')
    const failed = applyChanges([change(first, 'one', 'ONE'), change(second, 'two', 'TWO')])
    await expect(failed).rejects.toMatchObject({ code: 'E_SETTINGS_CHANGED' })
    expect(readFileSync(first, 'utf8')).toBe('one')
    expect(readFileSync(second, 'utf8')).toBe('saved by the agent just now')
  })

  it('leave no file aside, and no folder that is empty', async () => {
    const folder = makeFolder()
    const path = join(folder, 'a/b/c')
    const folders = [join(folder, 'a'), join(folder, 'a/b')]
    await applyChanges([change(path, null, 'x', folders)])
    expect(readdirSync(join(folder, 'a/b'))).toEqual(['c'])
    await applyChanges([change(path, 'x', null, folders.toReversed())])
    expect(readdirSync(folder)).toEqual([])
  })

  it('are written where the handles of files cannot sync, as under the Plug’n’Play of Yarn', async () => {
    const folder = makeFolder()
    const probe = await open(folder)
    const handles: { sync(): Promise<void> } = Object.getPrototypeOf(probe)
    await probe.close()
    const refused = vi.spyOn(handles, 'sync').mockRejectedValue(new Error('Method not implemented.'))
    onTestFinished(() => refused.mockRestore())
    const path = join(folder, 'made')
    await applyChanges([change(path, null, 'x')])
    expect(readFileSync(path, 'utf8')).toBe('x')
  })
})
