import type { Dropped, FileFact, GitState, Notes } from '../types.ts'
import { evidenceOrder } from './relevance.ts'

/**
 * Puts the files that the agent named in its notes among those of the evidence. The agent's reason wins, for it knows
 * why; a file that git and the evidence do not know is dropped. `git` null: nothing can be checked, so it is marked.
 */
export function foldFiles(
  files: readonly FileFact[],
  notes: Notes | null,
  git: GitState | null,
): { files: FileFact[]; dropped: Dropped[] } {
  const all = [...files]
  const dropped: Dropped[] = []
  for (const { path: given, reason } of notes?.files ?? []) {
    const path = canonical(given, git)
    const held = all.findIndex((fact) => fact.path === path)
    const known = all[held]
    if (known !== undefined) {
      const { plain, ...fact } = known
      all[held] = {
        ...fact,
        ...(reason === '' ? (plain ?? {}) : { reason, source: 'agent' }),
        evidence: known.evidence.includes('notes') ? known.evidence : [...known.evidence, 'notes'],
      }
    } else if (git !== null && !git.files.has(path))
      dropped.push({ kind: 'file', text: path, why: 'named in the notes, but not in the repository' })
    else
      insert(all, {
        path,
        reason,
        evidence: ['notes'],
        source: 'agent',
        ...(git === null ? { mark: 'unverified' } : {}),
      })
  }
  return { files: all, dropped }
}

/** Repository-relative, without what people put around paths (SPEC D9), renames followed. */
function canonical(given: string, git: GitState | null): string {
  let path = given
    .trim()
    .replace(/^["'`@]+|(?<!["'`])["'`]+$/g, '')
    .replace(/(?::\d+)+$/, '')
    .replaceAll('\\', '/')
  for (const root of git?.worktrees ?? []) if (path.startsWith(`${root}/`)) path = path.slice(root.length + 1)
  path = path.replace(/^(?:\.\/)+/, '')
  if (git === null) return path
  // A chain of renames ends; the bound is for one that does not.
  for (let hops = 0; hops < 20 && !git.files.has(path); hops++) path = git.renames.get(path) ?? path
  if (git.files.has(path) || path.includes('/')) return path
  const named = git.files.namedLike(path).filter((file) => file.endsWith(`/${path}`))
  return named.length === 1 ? (named[0] ?? path) : path
}

function insert(files: FileFact[], fact: FileFact): void {
  const rank = (file: FileFact): number =>
    Math.min(...file.evidence.map((word) => evidenceOrder.indexOf(word)))
  const at = files.findIndex((file) => rank(file) > rank(fact))
  files.splice(at === -1 ? files.length : at, 0, fact)
}
