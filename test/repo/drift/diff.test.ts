import { describe, expect, it } from 'vitest'
import { byNight, describeByNight } from '../../sampled.ts'
import { cli } from '../cli.ts'
import { cloneOf, makeRepo, type TempRepo } from '../make-repo.ts'
import { hand, ID } from './place.ts'

const SECOND = '20261121T110000-02c40e9b'
const THIRD = '20261121T120000-03c40e9b'
const GOAL = 'port the retry queue to the scheduler'

const fact = (text: string) => ({ text, source: 'user' as const, at: null })
const constraints = [fact('use vitest, not jest'), fact('keep the public API')]

/** A chain of three. */
function chain(): TempRepo {
  const repo = makeRepo()
  hand(repo, { meta: { id: ID, goal: GOAL, parents: [] }, constraints })
  hand(repo, { meta: { id: SECOND, goal: GOAL, parents: [ID] }, constraints: constraints.slice(0, 1) })
  hand(repo, { meta: { id: THIRD, goal: GOAL, parents: [SECOND] }, constraints: constraints.slice(0, 1) })
  return repo
}

const diff = (repo: TempRepo, ...args: string[]) => cli(repo, ['diff', ...args])

describe('diff', () => {
  it('without an argument: the current brief against its parent', async () => {
    const { code, stdout } = await diff(chain())
    expect(stdout).toBe(`${SECOND} → ${THIRD}\nNo difference.\n`)
    expect(code).toBe(0)
  })

  byNight('with one: that brief against its parent; a dropped constraint first', async () => {
    const { stdout } = await diff(chain(), SECOND)
    expect(stdout).toBe(`${ID} → ${SECOND}\n- CONSTRAINT DROPPED: "keep the public API"\n`)
  })

  byNight('with two: prefix, `latest` and file', async () => {
    const repo = chain()
    const path = repo.git(['ls-files', '.handoff/briefs']).split('\n')[0] ?? ''
    expect((await diff(repo, path, 'latest')).stdout.split('\n')[0]).toBe(`${ID} → ${THIRD}`)
    const { json } = await diff(repo, 'latest', '20261121T10', '--json')
    expect(json).toMatchObject({
      ...{ older: THIRD, newer: ID, same: false },
      changes: [{ what: 'constraint', is: 'added', text: '"keep the public API"' }],
    })
  })

  byNight('finds briefs that are no longer in the tree', async () => {
    const repo = chain()
    repo.git(['rm', '-q', '-r', '.handoff/briefs'])
    repo.git(['commit', '-q', '-m', 'prune'])
    expect((await diff(repo, SECOND)).stdout).toContain('CONSTRAINT DROPPED')
  })
})

describeByNight('bad input of diff', () => {
  byNight('the first brief of a chain has no parent: said, with what to do', async () => {
    const { code, json } = await diff(chain(), ID, '--json')
    expect(code).toBe(2)
    expect(json.errors[0]).toMatchObject({
      code: 'E_NO_PARENT',
      message: `Brief ${ID} is the first of its chain: nothing comes before it.`,
    })
  })

  byNight('a parent that is not in the history here is said, with the way to it', async () => {
    const repo = makeRepo()
    hand(repo, { meta: { id: SECOND, goal: GOAL, parents: [ID] } })
    const { code, json } = await diff(repo, '--json')
    expect([code, json.errors[0].code]).toEqual([2, 'E_PARENT_MISSING'])
    expect(json.errors[0].hint).toContain('git fetch --all')
  })

  byNight('in a shallow clone the way to it is another', async () => {
    const repo = chain()
    repo.git(['rm', '-q', repo.git(['ls-files', `.handoff/briefs/${SECOND}*`])])
    repo.git(['commit', '-q', '-m', 'prune'])
    const shallow = cloneOf(repo, { args: ['--depth=1'], env: repo.env })
    const { json } = await diff(shallow, THIRD, '--json')
    expect(json.errors[0]).toMatchObject({
      code: 'E_PARENT_MISSING',
      hint: expect.stringContaining('--unshallow'),
    })
  })

  byNight(
    'a brief edited in the work tree: the committed one is compared, and that is said; its file is compared by path',
    async () => {
      const repo = chain()
      const path = repo.git(['ls-files', `.handoff/briefs/${THIRD}*`])
      repo.write(path, repo.read(path).replace('use vitest, not jest', 'use jest'))
      const { stdout, stderr } = await diff(repo)
      expect(stdout).toContain('No difference.')
      expect(stderr).toContain(
        `the file of ${THIRD} was edited in the work tree; what is committed is compared`,
      )
      expect((await diff(repo, THIRD, path)).stdout).toContain('"use vitest, not jest"')
    },
  )

  byNight('two files with one id are compared by their paths', async () => {
    const repo = chain()
    const path = repo.git(['ls-files', `.handoff/briefs/${THIRD}*`])
    const other = `.handoff/briefs/${THIRD}-other.md`
    repo.write(other, repo.read(path).replace('use vitest, not jest', 'no new dependencies'))
    repo.git(['add', '-f', other])
    repo.git(['commit', '-q', '-m', 'twice'])
    const { stdout } = await diff(repo, path, other)
    expect(stdout).toContain('CONSTRAINT DROPPED: "use vitest, not jest"')
    expect(stdout).toContain('Constraint added: "no new dependencies"')
  })

  byNight('an unknown id, a bad one, and no brief at all', async () => {
    const repo = chain()
    expect((await diff(repo, '20200101', '--json')).json.errors[0].code).toBe('E_UNKNOWN_ID')
    expect((await diff(repo, '--', '-x', 'latest')).code).toBe(2)
    expect((await diff(makeRepo(), '--json')).json.errors[0].code).toBe('E_NO_BRIEF')
    expect((await diff(makeRepo({ initial: false }), '--json')).json.errors[0].code).toBe('E_NO_BRIEF')
  })
})
