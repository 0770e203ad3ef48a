import type { CommandSpec } from '../commands/table.ts'

/** The command that a mistyped word is closest to, or null when none is close. */
export function nearest(word: string, commands: readonly CommandSpec[]): string | null {
  const ranked = commands
    .map((c) => ({ name: c.name, far: distance(word, c.name) }))
    .sort((a, b) => a.far - b.far || (a.name < b.name ? -1 : 1))
  const best = ranked[0]
  return best !== undefined && best.far <= 3 && best.far < best.name.length ? best.name : null
}

/** Edit distance of two short words. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++)
      next.push(
        Math.min(
          (row[j] ?? 0) + 1,
          (next[j - 1] ?? 0) + 1,
          (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1),
        ),
      )
    row = next
  }
  return row[b.length] ?? 0
}
