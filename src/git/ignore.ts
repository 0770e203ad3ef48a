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

/** What git makes of one attribute of a path in the work tree: its value, or null when it is not set. Throws `gitFailed`. */
export async function attributeOf(repo: Repo, name: string, path: string): Promise<string | null> {
  // Check-attr takes plain paths only and refuses the variable.
  const env = { GIT_LITERAL_PATHSPECS: undefined }
  const text = await repo.git(['check-attr', '-z', name, '--', path], { env })
  const value = text.split('\0')[2]
  return value === undefined || value === 'unspecified' || value === 'unset' ? null : value
}

/** Those of the texts that stand in a file of the work tree that git does not ignore, our own left out, or name a branch, tag or commit. */
export async function inTree(repo: Repo, texts: readonly string[]): Promise<Set<string>> {
  if (texts.length === 0) return new Set()
  const grep = ['grep', '-o', '-I', '-F', '--untracked', ...texts.flatMap((text) => ['-e', text])]
  const [hits, objects] = await Promise.all([
    repo.git(grep, { answers: [1] }),
    repo.git(['cat-file', '--batch-check'], { input: texts.map((text) => `${text}^{commit}\n`).join('') }),
  ])
  const lines = hits.split('\n').filter((line) => !line.startsWith('.handoff/'))
  const answers = objects.split('\n')
  return new Set(
    texts.filter(
      (text, at) => / commit \d+$/.test(answers[at] ?? '') || lines.some((line) => line.endsWith(`:${text}`)),
    ),
  )
}
