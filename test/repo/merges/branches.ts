import { isNightly } from '../../sampled.ts'
import { cli } from '../cli.ts'
import { makeRepo, type TempRepo } from '../make-repo.ts'
import { type HandedOver, handOver } from './hand-over.ts'

/** What main holds before the branches leave it. */
export const BASES: Readonly<Record<string, (repo: TempRepo) => Promise<void>>> = {
  empty: async () => undefined,
  initialised: async (repo) => {
    await cli(repo, ['init', '--agent', 'claude-code', '--yes'])
    repo.commit('set up handoff')
  },
  'with a handoff': async (repo) => {
    await handOver(repo)
  },
}

/** Branches, or clones: from the second on they may conflict. */
export const COUNT = isNightly ? 20 : 4
export const BRANCHES = Array.from({ length: COUNT }, (_, at) => `work/${String(at + 1).padStart(2, '0')}`)

const commit = (subject: string) =>
  `committer Dev One <dev@example.com> 1795300000 +0000\ndata ${subject.length}\n${subject}\n`
const data = (text: string) => `data ${Buffer.byteLength(text)}\n${text}\n`

/**
 * A repository whose branches left main with a commit of work each, and were handed over twice; `made` holds two briefs per
 * branch. `minutes`: when, else one after the other; `where`: whether the briefs are committed on these branches.
 */
export async function branchesOff(
  base: string,
  minutes: () => number | undefined = () => undefined,
  where: 'current' | 'separate' = 'current',
): Promise<{ repo: TempRepo; made: HandedOver[] }> {
  const repo = makeRepo()
  await BASES[base]?.(repo)
  const from = repo.git(['rev-parse', 'main'])
  const stream = BRANCHES.map(
    (branch) =>
      `commit refs/heads/${branch}\n${commit(`work on ${branch}`)}from ${from}\nM 100644 inline src/${branch}.ts\n${data(branch)}`,
  )
  repo.git(['fast-import', '--quiet'], { input: stream.join('') })
  const made: HandedOver[] = []
  for (const branch of BRANCHES) {
    repo.git(['switch', '-q', branch])
    for (const _ of [1, 2]) made.push(await handOver(repo, { at: minutes(), branch: where }))
  }
  repo.git(['switch', '-q', 'main'])
  return { repo, made }
}

/** The same branches where `latest.md` holds the brief itself in every commit. */
export function plainCopies(): TempRepo {
  const repo = makeRepo()
  const from = repo.git(['rev-parse', 'main'])
  const stream = BRANCHES.flatMap((branch) =>
    [1, 2].map(
      (at) =>
        `commit refs/heads/${branch}\n${commit(`handoff ${at} on ${branch}`)}${at === 1 ? `from ${from}\n` : ''}` +
        `M 100644 inline .handoff/latest.md\n${data(`Part ${at} of ${branch}.\n`)}`,
    ),
  )
  repo.git(['fast-import', '--quiet'], { input: stream.join('') })
  return repo
}
