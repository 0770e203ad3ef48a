import { existsSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import { usage } from '../errors/usage.ts'
import type { Repo } from '../git/open-repo.ts'
import { readPlain } from '../store/plain-file.ts'
import { plural } from '../text/count.ts'

/** A file of the repository, and the line that is asked about; null: all of them. */
export interface Target {
  /** From the root, with slashes. */
  path: string
  line: number | null
}

/** A commit that wrote lines of the file as it stands. */
export interface Author {
  sha: string
  subject: string
  /** ISO 8601 UTC. */
  at: string
  path: string
  /** Lines of it that still stand. */
  lines: string[]
  /** A shallow clone ends here, so perhaps another one wrote them. */
  isEnd: boolean
}

/** Reads `<file>` or `<file>:<line>`, from `cwd`. Throws `usage` for what is not a file of the repository. */
export function readTarget(repo: Repo, cwd: string, given: string): Target {
  const [, name = given, number] = /^(.+):(\d+)$/s.exec(given) ?? []
  const isName = number === undefined || existsSync(resolve(cwd, given))
  const path = relative(repo.root, resolve(cwd, isName ? given : name)).replaceAll('\\', '/')
  if (path === '' || path.startsWith('..'))
    throw usage(`${given} is not a file of this repository.`, 'Name one: `git handoff why src/queue.ts:42`.')
  return { path, line: isName ? null : Number(number) }
}

/**
 * Who wrote the lines, most lines first, by `git blame` with moves and renames followed. Lines that are not committed belong to nobody.
 * `tracked`: the paths that git knows.
 * Throws `usage` for a file that git does not know, that is binary, or that ends before the line.
 */
export async function readBlame(
  repo: Repo,
  { path, line }: Target,
  tracked: readonly string[],
): Promise<Author[]> {
  if (!tracked.includes(path))
    throw usage(`git does not know ${path}.`, 'Name a file that is committed; `git ls-files` lists them.')
  const text = await readPlain(repo.root, path)
  if (text === null)
    throw usage(`${path} is gone from the work tree.`, `\`git checkout -- ${path}\` brings it back.`)
  if (text.includes('\0')) throw usage(`${path} is binary: it has no lines.`, 'Name a text file.')
  const count = text.split('\n').length - (text.endsWith('\n') ? 1 : 0)
  if (line !== null && (line < 1 || line > count))
    throw usage(`${path} has ${plural(count, 'line')}.`, `Name one of them: \`git handoff why ${path}:1\`.`)
  const range = line === null ? [] : ['-L', `${line},${line}`]
  const args = ['blame', '--porcelain', '-w', '-M', '-C', ...range, '--', path]
  const authors = [...parseBlame(await repo.git(args)).values()]
  return authors
    .filter(({ sha }) => sha.replaceAll('0', '') !== '')
    .sort((a, b) => b.lines.length - a.lines.length)
}

/** Digits of an id; no key of the format is as long. */
const SHA1 = 40

/** Reads `git blame --porcelain`: what is known of a commit stands at the first of its lines. */
export function parseBlame(text: string): Map<string, Author> {
  const authors = new Map<string, Author>()
  let author: Author | undefined
  for (const row of text.split('\n')) {
    const [key = '', ...words] = row.split(' ')
    const value = words.join(' ')
    if (row.startsWith('\t')) author?.lines.push(row.slice(1))
    else if (key.length >= SHA1) {
      author = authors.get(key) ?? { sha: key, subject: '', at: '', path: '', lines: [], isEnd: false }
      authors.set(key, author)
    } else if (author === undefined) continue
    else if (key === 'summary') author.subject = value
    else if (key === 'author-time') author.at = new Date(Number(value) * 1000).toISOString()
    else if (key === 'filename') author.path ||= value
    else if (key === 'boundary') author.isEnd = true
  }
  return authors
}
