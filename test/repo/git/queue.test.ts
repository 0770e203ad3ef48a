import { existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { openRepo } from '../../../src/git/open-repo.ts'
import { inQueue } from '../../../src/git/queue.ts'
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
