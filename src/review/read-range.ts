import { MOST_COMMITS } from '../git/compare-commits.ts'
import type { Repo } from '../git/open-repo.ts'
import { askAbout, isPartial } from '../git/refs.ts'
import type { RangeCommit } from '../report/review-files.ts'

const LOG = 'log -z --topo-order --no-merges --no-renames --no-ext-diff --format=%x01%H%x00%aN%x00%s%x00'
/** A file of `--numstat`, with `-` for what has no lines, or of `--name-only`. */
const FILE = /^(?:(\d+|-)\t(\d+|-)\t)?(.+)$/s

/**
 * The newest commits that `to` has and `from` lacks, without merges, newest first; none when one is not in this clone. Files are those
 * outside `.handoff/`, what changed most first. Throws `gitFailed`.
 */
export async function readRange(repo: Repo, from: string, to: string): Promise<RangeCommit[]> {
  const isCounted = !isPartial(repo)
  const args = [
    ...[...LOG.split(' '), `--max-count=${MOST_COMMITS}`, isCounted ? '--numstat' : '--name-only'],
    ...['--end-of-options', `${from}..${to}`, '--'],
  ]
  const ended = await askAbout(repo, [from, to], args)
  const parts = (ended?.stdout.toString('utf8') ?? '').split('\0').map((part) => part.replace(/^\n+/, ''))
  const found: (Pick<RangeCommit, 'sha' | 'author' | 'subject'> & {
    changes: [path: string, added: number, deleted: number][]
  })[] = []
  for (let at = 0; at < parts.length; at++) {
    const part = parts[at] ?? ''
    const [, added, deleted, path = ''] = FILE.exec(part) ?? []
    if (part.startsWith('\x01')) {
      const [author = '', subject = ''] = [parts[++at], parts[++at]]
      found.push({ sha: part.slice(1), author, subject, changes: [] })
    } else if (path !== '' && !path.startsWith('.handoff/'))
      found.at(-1)?.changes.push([path, Number(added) || 0, Number(deleted) || 0])
  }
  return found.map(({ changes, ...commit }) => {
    const sum = (side: 1 | 2): number => changes.reduce((all, one) => all + one[side], 0)
    const files = changes.toSorted((a, b) => b[1] + b[2] - a[1] - a[2]).map(([path]) => path)
    return { ...commit, files, lines: isCounted ? [sum(1), sum(2)] : null }
  })
}
