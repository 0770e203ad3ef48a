import { unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { cli } from '../../../repo/cli.ts'
import { prepared } from '../../../repo/make-repo.ts'
import { BRANCH, done, handOver, makePair, refused, stateOf } from '../../../repo/work/pair.ts'
import { states } from '../../../repo/work/states.ts'

/** Ann has sent work that touches nearly every file. */
const sentPair = prepared(async () => {
  const pair = await makePair()
  const { ann } = pair
  for (const path of [
    'a.txt',
    'dir/b.txt',
    'moved.txt',
    'new.txt',
    'dir/there.txt',
    'name.md',
    'other/name.md',
  ])
    ann.write(path, 'hers\n')
  ann.git(['add', 'a.txt', 'new.txt'])
  ann.git(['rm', '-q', 'sp ace.txt'])
  unlinkSync(join(ann.root, 'dir/c.txt'))
  await handOver(ann, 'the queue')
  return pair
})

describe('work that arrives where somebody has changes', () => {
  // By day round-trips.test.ts meets one change on the way.
  it.each(states)('touches none of them: %s', async (_, make) => {
    const { bob, hub } = await sentPair()
    make(bob)
    const before = stateOf(bob)
    const refs = () => [hub.git(['for-each-ref']), bob.git(['for-each-ref', 'refs/heads', 'refs/stash'])]
    const was = refs()
    const tracked = bob.git(['status', '--porcelain', '--untracked-files=no']) !== ''
    if (tracked) {
      const { code, hint } = await refused(bob, ['open', BRANCH])
      expect(code).toBe('E_IN_THE_WAY')
      expect(hint).toContain(`\`git stash push --include-untracked\`, then \`git handoff open ${BRANCH}\``)
      expect(stateOf(bob)).toEqual(before)
      expect(refs()).toEqual(was)
      // What the hint says works.
      // Git itself cannot stash a folder that became a link.
      if (bob.tryGit(['stash', 'push', '-q', '--include-untracked']).status !== 0) return
      const { work } = await done(bob, ['open', BRANCH])
      expect(work).toMatchObject({ by: 'Ann' })
      return
    }
    // New files alone: those in the way stop it, others stay beside the work.
    const own = bob.git(['ls-files', '-o', '-z', '--exclude-standard']).split('\0').slice(0, -1)
    const { code, json } = await cli(bob, ['open', BRANCH, '--json'])
    const after = stateOf(bob)
    const isMet = own.some((path) => ['new.txt', 'dir/there.txt'].includes(path))
    expect(json.work?.by ?? json.errors[0].code).toBe(isMet ? 'E_IN_THE_WAY' : 'Ann')
    if (code !== 0) expect(after).toEqual(before)
    for (const path of own) expect(after.files[path]).toBe(before.files[path])
  })
})
