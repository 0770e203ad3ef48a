import type { Repo } from './open-repo.ts'

/** The rule that makes git ignore a path, as `file:line: pattern`, or null; asked as if nothing were tracked. */
export async function isIgnored(repo: Repo, path: string): Promise<string | null> {
  const text = await repo.git(['check-ignore', '-v', '-z', '--no-index', '--stdin'], {
    input: `${path}\0`,
    // check-ignore takes plain paths only and refuses the variable.
    env: { GIT_LITERAL_PATHSPECS: undefined },
    answers: [1],
  })
  const [source = '', line = '', pattern = ''] = text.split('\0')
  return pattern === '' || pattern.startsWith('!') ? null : `${source}:${line}: ${pattern}`
}
