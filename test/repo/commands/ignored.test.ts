import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { sampled } from '../../sampled.ts'
import { create, later, succeeded, usual, withBrief } from '../usual.ts'

const RULES = [
  ...['.handoff', '.handoff/', '/.handoff/briefs/', '.handoff/*', '.handoff/**', 'briefs', '**/briefs'],
  ...['.*', '[.]h*', '*', '*.md', '*.m*'],
]

/** Where a rule stands: in the repository, in this clone, for all repositories of the user. */
const PLACES = ['.gitignore', '.git/info/exclude', 'global'] as const

const CASES = RULES.flatMap((rule, at) => [
  [rule, '.gitignore'] as const,
  [rule, PLACES[1 + (at % 2)] ?? 'global'] as const,
])

describe('G-M9: the hint for an ignored .handoff/', () => {
  it.each(sampled(CASES, 1))('works as it stands: %s in %s', async (rule, place) => {
    const repo = usual()
    if (place === 'global') {
      repo.git(['config', 'core.excludesFile', join(repo.base, 'ignore')])
      repo.write('../ignore', `${rule}\n`)
    } else repo.write(place, rule)
    const { code, json } = await create(repo)
    expect([code, json.errors[0].code]).toEqual([2, 'E_IGNORED_FOLDER'])
    const command = /`(printf [^`]*)`/.exec(json.errors[0].hint)?.[1] ?? ''
    mkdirSync(join(repo.root, 'deep'), { recursive: true })
    execFileSync('sh', ['-c', command], { cwd: join(repo.root, 'deep'), env: repo.env })
    const made = succeeded(await create(repo))
    expect(repo.git(['ls-tree', '-r', '--name-only', 'HEAD'])).toContain(made.path)
    expect(repo.read('.gitignore').split('\n')).toEqual(
      expect.arrayContaining(['!/.handoff/', '!/.handoff/**']),
    )
  })

  it('takes out a rule that stands in .handoff/ itself, which nothing outside overrides', async () => {
    const { repo } = await withBrief()
    repo.write('.handoff/.gitignore', '*\n')
    repo.write('src/queue.ts', 'again\n')
    const { json } = await create(repo, [], { now: later(9) })
    expect(json.errors[0]).toMatchObject({
      code: 'E_IGNORED_FOLDER',
      hint: expect.stringContaining('Take that rule out'),
    })
  })
})
