import { beforeAll, describe, expect, it } from 'vitest'
import { sampled } from '../../sampled.ts'
import { cli } from '../cli.ts'
import { makeRepo, type TempRepo } from '../make-repo.ts'
import { briefFile, idOf, idsOf, logOf } from './brief-file.ts'

const LONG = 'a goal that is much longer than what is left of a line of eighty cells'

describe('what log is asked for', () => {
  let repo: TempRepo
  beforeAll(() => {
    repo = makeRepo()
    const files = [
      briefFile({ n: 1, agent: 'pi' }),
      briefFile({ n: 2, persona: 'backend' }),
      briefFile({ n: 3, branch: 'side', agent: 'pi', persona: 'backend' }),
      briefFile({ n: 4, branch: 'side', kind: 'done' }),
      briefFile({
        n: 5,
        parent: idOf(2),
        goal: LONG,
      }),
    ]
    repo.commit('chain', Object.fromEntries(files.map(({ path, text }) => [path, text])))
  })
  const ids = async (...args: string[]) => idsOf(await logOf(repo, ...args))
  const numbers = (...all: number[]) => all.map(idOf)

  it.each(
    sampled(
      [
        [[], [5, 4, 3, 2, 1]],
        [
          ['--branch', 'side'],
          [4, 3],
        ],
        [
          ['--agent', 'pi'],
          [3, 1],
        ],
        [
          ['--agent', 'Codex'],
          [5, 4, 2],
        ],
        [
          ['--persona', 'backend'],
          [3, 2],
        ],
        [['--since', '2026-11-11'], []],
        // NOW is 2026-11-22T10:00Z.
        [
          ['--since', '295h'],
          [5, 4, 3],
        ],
        [['--agent', 'pi', '--persona', 'backend', '--branch', 'side'], [3]],
        [['--chain'], [5, 2, 1]],
      ] as [string[], number[]][],
      3,
    ),
  )('%j', async (args, expected) => expect(await ids(...args)).toEqual(numbers(...expected)))

  it('says that nothing fits, and of how many', async () => {
    expect((await cli(repo, ['log', '--branch', 'nowhere'])).stdout).toBe('None of 5 briefs matches.\n')
    expect((await cli(repo, ['log', '--branch', 'nowhere', '--graph'])).stdout).toBe(
      'None of 5 briefs matches.\n',
    )
    expect(await logOf(repo, '--branch', 'nowhere')).toMatchObject({
      total: 5,
      briefs: [],
      heads: numbers(4, 5),
    })
  })

  it.each([
    ['--since', 'yesterday'],
    ['--since', '2026-13-01'],
    ['--since', ''],
    ['--limit', '0'],
    ['--limit', '1.5'],
  ])('refuses %s %s', async (...args) => {
    expect(await cli(repo, ['log', ...args, '--json'])).toMatchObject({
      code: 2,
      json: { errors: [{ code: 'E_USAGE' }] },
    })
  })

  it('--graph draws what was asked for, each on the nearest of them', async () => {
    const { stdout } = await cli(repo, ['log', '--graph', '--agent', 'codex'])
    expect(stdout.split('\n').map((row) => row.replace(/-0{7}/, '#').slice(0, 21).trimEnd())).toEqual([
      '* 20261110T050000#5',
      '|   much longer than',
      '| x 20261110T040000#4',
      '| |   of the queue',
      '|/',
      'o 20261110T020000#2',
      '    the queue',
      '',
    ])
  })
})
