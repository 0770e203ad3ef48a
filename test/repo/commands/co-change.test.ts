import { describe, expect, it } from 'vitest'
import { cli } from '../cli.ts'
import { itemsOf, succeeded, usual } from '../usual.ts'

/** A repository in which the scheduler and its table changed together three times, on `date`. */
function repository(date: string) {
  const repo = usual()
  for (const round of ['one', 'two', 'three']) {
    repo.write('src/scheduler.ts', `${round}\n`)
    repo.write('src/table.ts', `${round}\n`)
    repo.git(['add', '-A'])
    repo.git(['commit', '-q', `--date=${date}`, '-m', round])
  }
  repo.git(['switch', '-q', '-c', 'work'])
  return repo
}

const files = async (repo: ReturnType<typeof repository>) => {
  const goal = 'speed up src/scheduler.ts a lot'
  const { markdown } = succeeded(await cli(repo, ['create', goal, '--json', '--print']))
  return itemsOf(markdown, 'Relevant Files')
}

describe('what changed together in git', () => {
  it('brings a file that nobody touched beside one that the goal names, with its reason', async () => {
    const listed = await files(repository('2020-01-01T00:00:00Z'))
    expect(listed).toContain(
      '- `src/table.ts` — changed together with src/scheduler.ts in 3 of 3 commits [together]',
    )
  })

  it('does not count the commits of the session itself', async () => {
    expect((await files(repository('2040-01-01T00:00:00Z'))).join('\n')).not.toContain('src/table.ts')
  })
})
