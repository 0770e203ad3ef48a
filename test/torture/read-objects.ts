import { execFileSync } from 'node:child_process'
import type { TempRepo } from '../repo/make-repo.ts'

/** An object of git: the text of a tree is as git stores it, names and all. */
export interface GitObject {
  id: string
  type: string
  text: string
}

/** Objects by id or name, in one process. Throws when one of them is not there. */
export function readObjects({ root, env }: TempRepo, names: readonly string[]): GitObject[] {
  if (names.length === 0) return []
  const bytes = execFileSync('git', ['cat-file', '--batch'], {
    cwd: root,
    env,
    input: `${names.join('\n')}\n`,
    maxBuffer: 1 << 28,
  })
  const found: GitObject[] = []
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf('\n', at)
    const head = bytes.toString('utf8', at, end)
    const [id = '', type = '', size] = head.split(' ')
    if (size === undefined || type === 'missing') throw new Error(`git cat-file: ${head}`)
    const stop = end + 1 + Number(size)
    found.push({ id, type, text: bytes.toString('utf8', end + 1, stop) })
    at = stop + 1
  }
  return found
}

/** Files below a folder of a commit, by path; none when there is no such commit. */
export function readFolder(repo: TempRepo, ref: string, folder: string): Map<string, string> {
  const { stdout } = repo.tryGit(['ls-tree', '-r', '-z', ref, '--', folder])
  const entries = stdout
    .split('\0')
    .filter((entry) => entry !== '')
    .map((entry) => /^\d+ blob ([0-9a-f]+)\t(.*)$/s.exec(entry))
    .flatMap((match) => (match ? [{ id: match[1] ?? '', path: match[2] ?? '' }] : []))
  const objects = readObjects(
    repo,
    entries.map(({ id }) => id),
  )
  return new Map(entries.map(({ path }, at) => [path, objects[at]?.text ?? '']))
}
