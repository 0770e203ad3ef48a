import { MOST_COMMITS, type SinceCommit } from './compare-commits.ts'
import type { Repo } from './open-repo.ts'
import { logRecords } from './read-history.ts'
import { askAbout, isPartial } from './refs.ts'

/** Files and lines are those outside `.handoff/`, what changed most first. */
export interface RangeCommit extends SinceCommit {
  author: string
  /** Lines added and deleted; null where git would have to fetch contents. */
  lines: readonly [added: number, deleted: number] | null
}

const LOG = [
  ...[
    'log',
    '-z',
    '--topo-order',
    `--max-count=${MOST_COMMITS}`,
    '--no-merges',
    '--no-renames',
    '--no-ext-diff',
  ],
  ...['--raw', '--no-abbrev', '--format=%x01%H%x00%aN%x00%s%x00'],
]

/** The newest commits that `to` has and `from` lacks, without merges, newest first; none when one is not in this clone. Throws `gitFailed`. */
export async function readRange(repo: Repo, from: string, to: string): Promise<RangeCommit[]> {
  const isCounted = !isPartial(repo)
  const more = isCounted ? ['--numstat'] : []
  const ended = await askAbout(
    repo,
    [from, to],
    [...LOG, ...more, '--end-of-options', `${from}..${to}`, '--'],
  )
  return logRecords(ended?.stdout.toString('utf8') ?? '', 3).map(({ head, changes, lines }) => {
    const [sha = '', author = '', subject = ''] = head
    const sizeOf = (path: string): readonly [number, number] => lines.get(path) ?? [0, 0]
    const files = changes
      .map(({ path }) => path)
      .filter((path) => !path.startsWith('.handoff/'))
      .sort((a, b) => sizeOf(b)[0] + sizeOf(b)[1] - sizeOf(a)[0] - sizeOf(a)[1])
    const sum = (side: 0 | 1): number => files.reduce((all, path) => all + sizeOf(path)[side], 0)
    return { sha, author, subject, files, lines: isCounted ? [sum(0), sum(1)] : null }
  })
}
