import { parseBrief } from '../brief/parse.ts'
import { checkObjects } from '../git/objects.ts'
import type { Repo } from '../git/open-repo.ts'
import type { Scanner } from '../secrets/scanner.ts'
import { exactLine } from '../text/safe-text.ts'
import type { FileFact } from '../types/evidence.ts'
import type { GitState } from '../types/git.ts'
import { leadsAway } from '../validate/content-rules.ts'

/**
 * Of the files of a brief those that look as if they led elsewhere and are names of git's here: one may begin with a backslash.
 * Git knows them by their own name, a brief as it is shown and without a key that stands in it.
 */
export async function oddNames(
  files: readonly FileFact[],
  git: GitState | null,
  scanner: Pick<Scanner, 'redact'>,
): Promise<Set<string>> {
  const odd = new Set(files.map(({ path }) => path).filter(leadsAway))
  if (odd.size === 0 || git === null) return new Set()
  const known = [...git.files, ...[...git.changes, ...git.commits.flatMap((one) => one.files)].map(pathOf)]
  const { value: shown } = await scanner.redact(known.map(exactLine).filter(leadsAway))
  return new Set(shown.filter((path) => odd.has(path)))
}

const pathOf = (one: string | { path: string }): string => (typeof one === 'string' ? one : one.path)

/** The same for briefs that are there: as the work tree and HEAD have them now, or the commit that the brief was made at. */
export function openOddNames(repo: Repo): (text: string, path: string) => Promise<Set<string>> {
  let here: Promise<Set<string>> | undefined
  return async (text, place) => {
    const { meta, brief } = parseBrief(text, place)
    const odd = brief.files.map(({ path }) => path).filter(leadsAway)
    if (odd.length === 0) return new Set()
    here ??= namesHere(repo)
    const known = await here
    // For git, what leads upwards with its own slashes is no name but an order.
    const then = odd.filter(
      (path) => meta.head !== null && !known.has(path) && !/^\/|(?:^|\/)\.\.(?:\/|$)/.test(path),
    )
    const found = await checkObjects(
      repo,
      then.map((path) => `${meta.head}:${path}`),
    )
    return new Set([...odd.filter((path) => known.has(path)), ...then.filter((_, at) => found[at] != null)])
  }
}

async function namesHere(repo: Repo): Promise<Set<string>> {
  const [here, inHead] = await Promise.all([
    repo.git(['ls-files', '-z', '--cached', '--others', '--exclude-standard']),
    repo.git(['ls-tree', '-r', '-z', '--name-only', '--full-tree', 'HEAD'], { answers: [128] }),
  ])
  const names = `${here}\0${inHead}`.split('\0')
  return new Set(names.filter((name) => name !== '').map(exactLine))
}
