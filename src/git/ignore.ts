import { BRIEFS } from './brief-path.ts'
import type { Repo } from './open-repo.ts'

/** A path of the kind that git must not ignore. */
export const SOME_BRIEF = `${BRIEFS}/20000101T000000-00000000-x.md`

/** The rule that makes git ignore a path, as `file:line: pattern`, or null; asked as if nothing were tracked. */
export async function isIgnored(repo: Repo, path: string): Promise<string | null> {
  const args = ['check-ignore', '-v', '-z', '--no-index', '--stdin']
  const found = await repo.git(args, { input: `${path}\0`, env: PLAIN_PATHS, answers: [1] })
  const [source = '', line = '', pattern = ''] = found.split('\0')
  return pattern === '' || pattern.startsWith('!') ? null : `${source}:${line}: ${pattern}`
}

/** These commands take plain paths only and refuse the variable. */
const PLAIN_PATHS = { GIT_LITERAL_PATHSPECS: undefined }

/** What git makes of one attribute of a path in the work tree: its value, or null when it is not set. Throws `gitFailed`. */
export async function attributeOf(repo: Repo, name: string, path: string): Promise<string | null> {
  const text = await repo.git(['check-attr', '-z', name, '--', path], { env: PLAIN_PATHS })
  const value = text.split('\0')[2]
  return value === undefined || value === 'unspecified' || value === 'unset' ? null : value
}

/** Those of the texts that stand in a file of the work tree that git does not ignore, our own left out, or name a branch, tag or commit. */
export async function inTree(
  repo: Repo,
  texts: readonly string[],
  except: string | null = null,
): Promise<Set<string>> {
  if (texts.length === 0) return new Set()
  const grep = ['grep', '-o', '-I', '-F', '--untracked', ...texts.flatMap((text) => ['-e', text])]
  const [hits, objects] = await Promise.all([
    repo.git(grep, { answers: [1] }),
    repo.git(['cat-file', '--batch-check'], { input: texts.map((text) => `${text}^{commit}\n`).join('') }),
  ])
  const lines = hits
    .split('\n')
    .filter((line) => !line.startsWith('.handoff/') && !(except !== null && line.startsWith(`${except}:`)))
  const answers = objects.split('\n')
  return new Set(
    texts.filter(
      (text, at) => / commit \d+$/.test(answers[at] ?? '') || lines.some((line) => line.endsWith(`:${text}`)),
    ),
  )
}
