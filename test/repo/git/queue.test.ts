import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { ownName } from '../../../src/git/files.ts'
import { openRepo } from '../../../src/git/open-repo.ts'
import { inQueue } from '../../../src/git/queue.ts'
import { makeRepo } from '../make-repo.ts'

/** A repository in whose queue another process stands, which lives; `next` puts a third in its place. */
async function busy() {
  const temp = makeRepo()
  const folder = join(temp.root, '.git/handoff')
  mkdirSync(folder, { recursive: true })
  const lock = join(folder, 'queue.lock')
  const next = () => writeFileSync(lock, `${ownName('queue')}\n`)
  next()
  return { repo: await openRepo(temp.root, { env: temp.env }), lock, next }
}

describe('the queue', () => {
  test('is waited for as long as it moves on, however long that takes', async () => {
    const { repo, lock, next } = await busy()
    let isOver = false
    const work = inQueue(repo, async () => ({ isOver, isMine: existsSync(lock) }), 1500)
    for (let at = 0; at < 20; at++) {
      await sleep(100)
      next()
    }
    isOver = true
    writeFileSync(lock, `${ownName('queue').replace(/\.\d+\./, '.999999999.')}\n`)
    expect(await work).toEqual({ isOver: true, isMine: true })
    expect(existsSync(lock)).toBe(false)
  })

  test('is left when one stands in it for too long', async () => {
    const { repo, lock } = await busy()
    expect(await inQueue(repo, async () => 'done', 200)).toBe('done')
    expect(existsSync(lock)).toBe(true)
  })
})
