import { existsSync, mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { Busy, inQueue, keepTrying, underLock } from '../../../src/git/locks.ts'
import { openRepo } from '../../../src/git/open-repo.ts'
import { makeRepo } from '../make-repo.ts'

/** A repository in whose queue another process stands. */
async function busy() {
  const temp = makeRepo()
  const folder = join(temp.root, '.git/handoff')
  mkdirSync(folder, { recursive: true })
  const lock = join(folder, 'queue.lock')
  const take = () => writeFileSync(lock, '')
  take()
  return { repo: await openRepo(temp.root, { env: temp.env }), lock, take }
}

describe('the queue', () => {
  test('lets one after the other work, and leaves nothing', async () => {
    const { repo, lock } = await busy()
    let working = 0
    const most: number[] = []
    const work = async () => {
      most.push(++working)
      await sleep(20)
      working--
    }
    const all = [1, 2, 3].map(() => inQueue(repo, work))
    await sleep(50)
    expect(most).toEqual([])
    utimesSync(lock, 0, 0)
    await Promise.all(all)
    expect(most).toEqual([1, 1, 1])
    expect(existsSync(lock)).toBe(false)
  })

  test('passes over who was killed in it, also when the clock was set back since', async () => {
    const { repo, lock, take } = await busy()
    for (const at of [Date.now() / 1000 - 60, Date.now() / 1000 + 3600]) {
      take()
      utimesSync(lock, at, at)
      expect(await inQueue(repo, async () => 'done')).toBe('done')
    }
  })

  test('gives the place back when the work fails', async () => {
    const { repo, lock } = await busy()
    utimesSync(lock, 0, 0)
    await expect(inQueue(repo, () => Promise.reject(new Error('the disk is full')))).rejects.toThrow(
      'the disk is full',
    )
    expect(existsSync(lock)).toBe(false)
  })
})

describe('a lock of git', () => {
  /** Fails until the `good`th call, and counts. */
  const failing = (good: number, says: string, meanwhile: () => void = () => undefined) => {
    const calls = { count: 0 }
    const work = async (): Promise<void> => {
      calls.count++
      if (calls.count === good) return
      meanwhile()
      throw new Error(says)
    }
    return { calls, work }
  }

  const why = 'git says why'
  const exists = "fatal: Unable to create '.git/index.lock': File exists."

  test('that somebody holds is waited for, and told of in the words of git', async () => {
    const lock = join(makeRepo().root, '.git/index.lock')
    writeFileSync(lock, '')
    const held = failing(99, why)
    await expect(underLock(lock, held.work)).rejects.toThrow(new Busy(why))
    expect(held.calls.count).toBe(1)
    const freed = failing(4, exists, () => freed.calls.count === 3 && rmSync(lock))
    await keepTrying(() => underLock(lock, freed.work), 5000)
    expect(freed.calls.count).toBe(4)
  })

  test('that was given back before we looked is no reason to fail, and another reason is not tried again', async () => {
    const lock = join(makeRepo().root, '.git/index.lock')
    const freed = failing(3, exists)
    await keepTrying(() => underLock(lock, freed.work), 5000)
    const full = failing(99, why)
    await expect(keepTrying(() => underLock(lock, full.work), 5000)).rejects.toThrow(why)
    expect(full.calls.count).toBe(1)
  })
})
