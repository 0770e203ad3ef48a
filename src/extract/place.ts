import type { Root } from './roots.ts'

const LEADING_CD = /^\s*cd\s+(?:"([^"]+)"|'([^']+)'|([^\s;&|]+))\s*(?:&&|;|\n)\s*/

/**
 * Where a command ran, relative to the repository, and the command without a leading `cd` into the recorded checkout; null when
 * it ran elsewhere.
 */
export function placeOf(
  run: string,
  cwd: string | null,
  roots: readonly Root[],
): { command: string; cwd: string | null } | null {
  const cd = run.includes('cd') ? LEADING_CD.exec(run) : null
  const to = cd?.[1] ?? cd?.[2] ?? cd?.[3]
  if (cd && to?.startsWith('/')) {
    const inside = relativeTo(to.replace(/\/$/, ''), roots)
    if (inside !== undefined) return { command: run.slice(cd[0].length), cwd: inside }
    return roots.length > 0 ? null : { command: run, cwd: null }
  }
  if (cwd === null || !cwd.startsWith('/')) return { command: run, cwd: null }
  const inside = relativeTo(cwd, roots)
  return inside === undefined ? null : { command: run, cwd: inside }
}

function relativeTo(path: string, roots: readonly Root[]): string | null | undefined {
  for (const root of roots) {
    if (path === root) return null
    if (path.startsWith(`${root}/`)) return path.slice(root.length + 1)
  }
  return undefined
}
