import { gitFailed } from '../errors/git.ts'
import { BRIEFS } from './brief-path.ts'
import type { Repo } from './open-repo.ts'
import { spawnGit } from './spawn.ts'

/** A path of the kind that git must not ignore. */
export const SOME_BRIEF = `${BRIEFS}/20000101T000000-00000000-x.md`

/** The rule that makes git ignore a path, as `file:line: pattern`, or null; asked as if nothing were tracked. */
export async function isIgnored(repo: Repo, path: string): Promise<string | null> {
  const args = ['check-ignore', '-v', '-z', '--no-index', '--stdin']
  const child = repo.child({ input: `${path}\0` })
  // check-ignore takes plain paths only and refuses the variable.
  delete child.env.GIT_LITERAL_PATHSPECS
  const { code, stdout, stderr } = await spawnGit(args, child)
  if (code !== 0 && code !== 1) throw gitFailed(args, stderr || `exit ${code ?? 'by a signal'}`)
  const [source = '', line = '', pattern = ''] = stdout.toString('utf8').split('\0')
  return pattern === '' || pattern.startsWith('!') ? null : `${source}:${line}: ${pattern}`
}
