import type { Repo } from '../git/open-repo.ts'
import { writeConfig } from '../git/settings.ts'
import type { Invocation } from '../command.ts'
import type { Workspace } from '../workspace/workspace.ts'

/** Brings the branches of briefs into a clone that fetches single branches, such as a shallow one. */
const REFSPEC = '+refs/heads/handoff/*:refs/remotes/origin/handoff/*'
const KEY = 'remote.origin.fetch'

/** Shall fetch bring the branches of briefs? Only when asked for; where it would be of use, how is told. */
export async function wantsRefspec(
  { out }: Pick<Invocation, 'out'>,
  here: Workspace & { repo: Repo },
  isAsked: boolean,
): Promise<boolean> {
  if (isAsked) {
    const state = await fetchState(here.repo)
    if (state === 'none') out.warn('there is no remote origin, so nothing is set for --refspecs')
    return state === 'lacking'
  }
  if (await lacksRefspec(here))
    out.say(
      'Briefs are kept on branches of their own, which this clone does not fetch: `handoff init --refspecs`.',
    )
  return false
}

/** Briefs are kept on branches of their own, and this clone would not get them. */
export const lacksRefspec = async ({ repo, loaded }: Workspace & { repo: Repo }): Promise<boolean> =>
  loaded.config.commit.branch === 'separate' && (await fetchState(repo)) === 'lacking'

/** Adds the line to the configuration of this clone. Only fetching: one for pushing would change what a plain `git push` does. */
export const addRefspec = (repo: Repo): Promise<void> => writeConfig(repo, ['--add', KEY, REFSPEC])

/** That very line stands there. */
export const hasRefspec = async (repo: Repo): Promise<boolean> => (await readSpecs(repo)).includes(REFSPEC)

/** Takes it out again, and nothing else. True when it was there. */
export async function removeRefspec(repo: Repo): Promise<boolean> {
  if (!(await hasRefspec(repo))) return false
  await writeConfig(repo, ['--fixed-value', '--unset-all', KEY, REFSPEC])
  return true
}

/** What a fetch from origin does with the branches of briefs. */
export async function fetchState(repo: Repo): Promise<'none' | 'lacking' | 'covered'> {
  const specs = await readSpecs(repo)
  if (specs.length === 0) return 'none'
  const sources = specs.map((spec) => spec.replace(/^\+/, '').split(':')[0] ?? '')
  const isLeftOut = sources.some((source) => source.startsWith('^refs/heads/handoff/'))
  const isIn = sources.some((source) => ['refs/*', 'refs/heads/*', 'refs/heads/handoff/*'].includes(source))
  return isIn && !isLeftOut ? 'covered' : 'lacking'
}

const readSpecs = async (repo: Repo): Promise<string[]> => {
  const listing = await repo.git(['config', '--get-all', KEY], { answers: [1] })
  return listing.split('\n').filter((line) => line !== '')
}
