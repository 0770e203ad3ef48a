import { cancelled } from '../errors.ts'
import type { Repo } from '../git/open-repo.ts'
import { writeConfig } from '../git/write-config.ts'
import { mayAsk } from './pick-session.ts'
import type { Invocation } from './table.ts'
import type { Workspace } from './workspace.ts'

/** Brings the branches of briefs into a clone that fetches single branches, such as a shallow one. */
export const REFSPEC = '+refs/heads/handoff/*:refs/remotes/origin/handoff/*'
const KEY = 'remote.origin.fetch'

/**
 * Shall fetch bring the branches of briefs? Yes when asked for by `flag`; where briefs are kept on branches of their own and
 * this clone would not get them, a person at a terminal is asked, everybody else is told how. Throws `cancelled`.
 */
export async function wantsRefspec(
  invocation: Invocation,
  { repo, loaded }: Workspace & { repo: Repo },
  { flag, isQuiet }: { flag: boolean; isQuiet: boolean },
): Promise<boolean> {
  const state = await fetchState(repo)
  if (flag) {
    if (state === 'none') invocation.out.warn('there is no remote origin, so nothing is set for --refspecs')
    return state === 'lacking'
  }
  if (loaded.config.commit.branch !== 'separate' || state !== 'lacking') return false
  if (!isQuiet && mayAsk(invocation)) return ask()
  invocation.out.say(
    'Briefs are kept on branches of their own, which this clone does not fetch: `handoff init --refspecs`.',
  )
  return false
}

async function ask(): Promise<boolean> {
  const { confirm, isCancel } = await import('@clack/prompts')
  const answer = await confirm({
    message: 'Briefs are kept on branches of their own, which this clone does not fetch. Fetch them as well?',
    output: process.stderr,
  })
  if (isCancel(answer)) throw cancelled()
  return answer
}

/** Adds the line to the configuration of this clone. Only fetching: one for pushing would change what a plain `git push` does. */
export const addRefspec = (repo: Repo): Promise<void> => writeConfig(repo, ['--add', KEY, REFSPEC])

/** Takes it out again, and nothing else. True when it was there. */
export async function removeRefspec(repo: Repo): Promise<boolean> {
  if (!(await readSpecs(repo)).includes(REFSPEC)) return false
  await writeConfig(repo, ['--fixed-value', '--unset-all', KEY, REFSPEC])
  return true
}

/** What a fetch from origin does with the branches of briefs. */
async function fetchState(repo: Repo): Promise<'none' | 'lacking' | 'covered'> {
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
