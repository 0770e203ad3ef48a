import { existsSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { commitFiles } from '../../../src/git/commit-files.ts'
import { openRepo } from '../../../src/git/open-repo.ts'
import { makeRepo } from '../make-repo.ts'
import { BRIEF, CONTENT, expectNoHarm, ID, MESSAGE, snapshot } from './harm.ts'

const request = { id: ID, files: [{ path: BRIEF, content: CONTENT }], message: MESSAGE }

describe('a garbage collection that runs meanwhile', () => {
  test('and takes the new commit after the branch has moved to it: all is done again', async () => {
    const temp = makeRepo()
    temp.write(BRIEF, CONTENT)
    const before = snapshot(temp)
    const tip = temp.git(['rev-parse', 'HEAD'])
    const mark = join(temp.root, '.git/gc.pid')
    temp.write('.git/gc.pid', `${process.pid} localhost\n`)
    let taken = ''
    const collecting = (async () => {
      while (taken === '') {
        const now = temp.read('.git/refs/heads/main').trim()
        await sleep(now === tip ? 2 : 100)
        if (now !== tip) taken = now
      }
      const loose = join(temp.root, '.git/objects', taken.slice(0, 2), taken.slice(2))
      if (existsSync(loose)) unlinkSync(loose)
      unlinkSync(mark)
    })()
    const outcome = await commitFiles(await openRepo(temp.root, { env: temp.env }), request)
    await collecting
    expect(outcome.state).toBe('committed')
    expect(temp.git(['rev-parse', 'HEAD', 'HEAD~1']).split('\n')).toEqual([outcome.commit, tip])
    expect(temp.git(['cat-file', 'blob', `HEAD:${BRIEF}`])).toBe(CONTENT.trimEnd())
    expectNoHarm(temp, before, { fsck: false })
    // The reflog alone still names what was taken.
    temp.git(['fsck', '--no-reflogs', '--no-dangling', '--no-progress'])
  })

  test('and never ends holds nobody up for long', async () => {
    const temp = makeRepo()
    temp.write(BRIEF, CONTENT)
    temp.write('.git/gc.pid', '1 elsewhere\n')
    const begun = performance.now()
    const outcome = await commitFiles(await openRepo(temp.root, { env: temp.env }), request)
    expect(outcome.state).toBe('committed')
    expect(performance.now() - begun).toBeLessThan(30_000)
  })
})
