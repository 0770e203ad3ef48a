import { writeClaudeSession } from '../claude-session.ts'
import { type CliOptions, type CliResult, cli } from '../cli.ts'
import { makeRepo, type TempRepo } from '../make-repo.ts'
import { later, succeeded } from '../usual.ts'

const sessionOf = (at: number): string => `${String(at).padStart(8, '0')}-2222-4333-8444-555555555555`

/** A word that belongs to one piece of work and to no other. */
export const wordOf = (at: number): string =>
  [
    'alder',
    'birch',
    'cedar',
    'dogwood',
    'elder',
    'fig',
    'ginkgo',
    'hazel',
    'ivy',
    'juniper',
    'katsura',
    'larch',
  ][at] ?? `tree${at}`

export const goalOf = (at: number): string => `finish the ${wordOf(at)} module and document its limits`

/** A repository with one file, on main. */
export function emptyRepo(): TempRepo {
  return makeRepo({ second: { 'src/start.ts': 'export {}\n' } })
}

/** One session of work where the repository stands, then a handoff; gives what `create --json` prints. */
export async function handOff(
  repo: TempRepo,
  at: number,
  options: CliOptions = {},
): Promise<CliResult['json']> {
  const word = wordOf(at)
  const id = sessionOf(at)
  repo.commit(`add the ${word} module`, { [`src/${word}.ts`]: `export const ${word} = ${at}\n` })
  writeClaudeSession(
    repo,
    [
      { user: `Write the ${word} module. Never rename the ${word} table.` },
      { write: `src/${word}.ts` },
      { says: `The ${word} module is there. Should the ${word} cache expire after an hour?` },
    ],
    { id, end: later(at * 60 + 59) },
  )
  const goal = goalOf(at)
  const now = later(at * 60 + 60)
  return succeeded(await cli(repo, ['create', goal, '--json', '--session', id], { now, ...options }))
}

/** The same on a new branch off main. */
export async function feature(repo: TempRepo, at: number): Promise<CliResult['json']> {
  repo.git(['switch', '-q', '-c', `feature/${wordOf(at)}`, 'main'])
  return handOff(repo, at)
}

/** How a branch comes into main; main is checked out afterwards. */
export const MERGES: Readonly<
  Record<'merge' | 'squash' | 'rebase', (repo: TempRepo, branch: string) => void>
> = {
  merge: (repo, branch) => {
    repo.git(['switch', '-q', 'main'])
    repo.git(['merge', '-q', '--no-ff', '--no-edit', branch])
  },
  squash: (repo, branch) => {
    repo.git(['switch', '-q', 'main'])
    repo.git(['merge', '-q', '--squash', branch])
    repo.git(['commit', '-q', '-m', `squash ${branch}`])
  },
  rebase: (repo, branch) => {
    repo.git(['switch', '-q', 'main'])
    repo.commit(`something else before ${branch}`)
    repo.git(['rebase', '-q', 'main', branch])
    repo.git(['switch', '-q', 'main'])
    repo.git(['merge', '-q', '--ff-only', branch])
  },
}

/** What an agent that starts here is told. */
export async function told(repo: TempRepo): Promise<string> {
  const stdin = JSON.stringify({ session_id: 'other', source: 'startup', cwd: repo.root })
  return (await cli(repo, ['hook', 'session-start', '--agent', 'claude-code'], { stdin })).stdout
}

/** The copy in the work tree, after a command has brought it up to date. */
export async function copyOf(repo: TempRepo): Promise<string> {
  await cli(repo, ['status'])
  return repo.read('.handoff/latest.md')
}

export const log = async (repo: TempRepo): Promise<Record<string, string>> => {
  const { briefs } = succeeded(await cli(repo, ['log', '--all', '--json']))
  return Object.fromEntries(briefs.map(({ id, state }: { id: string; state: string }) => [id, state]))
}
