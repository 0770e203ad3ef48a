import { isPointer, pointerText } from '../brief/latest.ts'
import { checkObjects, readBlobs } from '../git/objects.ts'
import type { Repo } from '../git/open-repo.ts'
import { LATEST } from '../store/folder.ts'
import type { Config } from '../types.ts'
import type { Invocation } from './table.ts'

/**
 * Warns, under `latest: full`, about other open branches that carry a brief in `latest.md` as well: whichever is merged
 * second will conflict there. Open means not merged into HEAD.
 */
export async function warnFullLatest({ out }: Invocation, repo: Repo, config: Config): Promise<void> {
  if (config.latest !== 'full') return
  const [listing, branch] = await Promise.all([
    repo.git(['for-each-ref', '--no-merged=HEAD', '--format=%(refname)', 'refs/heads', 'refs/remotes'], {
      answers: [128, 129],
    }),
    repo.git(['symbolic-ref', '-q', '--short', 'HEAD'], { answers: [1] }),
  ])
  const refs = listing.split('\n').filter((ref) => ref !== '' && !ref.endsWith('/HEAD'))
  const found = await checkObjects(
    repo,
    refs.map((ref) => `${ref}:${LATEST}`),
  )
  const contents = await readBlobs(
    repo,
    found.flatMap((object) => object?.oid ?? []),
  )
  const names = refs
    .filter((_, at) => {
      const text = contents.get(found[at]?.oid ?? '')?.toString('utf8') ?? pointerText()
      return isPointer(text) && !text.startsWith(pointerText())
    })
    .map((ref) => ref.replace(/^refs\/(?:heads|remotes\/[^/]+)\//, ''))
  const others = [...new Set(names)].filter((name) => name !== branch.trim()).sort()
  if (others.length > 0)
    out.warn(
      `latest: full: ${others.join(', ')} also carr${others.length === 1 ? 'ies' : 'y'} a brief in ${LATEST}; the branch merged second will conflict there`,
    )
}
