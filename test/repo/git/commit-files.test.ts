import { describe, expect, test } from 'vitest'
import { commitFiles } from '../../../src/git/commit-files.ts'
import { openRepo } from '../../../src/git/open-repo.ts'
import { makeRepo } from '../make-repo.ts'

const ID = '20261122T014815-1f3a9c07'
const PATH = `.handoff/briefs/${ID}-x.md`

describe('commitFiles', () => {
  test('commits on the branch and leaves the status clean', async () => {
    const temp = makeRepo()
    temp.write(PATH, 'brief\n')
    const repo = await openRepo(temp.root, { env: temp.env })
    const outcome = await commitFiles(repo, {
      id: ID,
      files: [{ path: PATH, content: 'brief\n' }],
      message: 'chore(handoff): x\n\nHandoff-Id: ' + ID + '\n',
    })
    expect(outcome).toMatchObject({ state: 'committed', ref: 'refs/heads/main' })
    expect(temp.git(['status', '--porcelain'])).toBe('')
    expect(temp.git(['show', '--format=', '--name-only', 'HEAD'])).toBe(PATH)
    expect(temp.git(['reflog', '-1'])).toContain(`handoff: ${ID}`)
    temp.git(['fsck', '--strict'])
  })
})
