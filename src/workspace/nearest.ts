/** The name that a mistyped word is closest to, or that it begins; null when none is close. */
export function nearest(word: string, names: readonly string[]): string | null {
  const begun = word.length < 2 ? [] : names.filter((name) => name.startsWith(word))
  if (begun.length === 1) return begun[0] ?? null
  const most = word.length < 4 ? 1 : word.length < 6 ? 2 : 3
  const ranked = names
    .map((name) => ({ name, far: distance(word, name) }))
    .sort((a, b) => a.far - b.far || (a.name < b.name ? -1 : 1))
  const best = ranked[0]
  return best !== undefined && best.far <= most && best.far < best.name.length ? best.name : null
}

/** Edit distance of two short words, two letters in the wrong order being one edit. */
function distance(a: string, b: string): number {
  // What was typed may be a whole text.
  if (Math.abs(a.length - b.length) > 3) return 4
  let before: number[] = []
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1]
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      next.push(
        Math.min(
          (row[j] ?? 0) + 1,
          (next[j - 1] ?? 0) + 1,
          (row[j - 1] ?? 0) + (isSame ? 0 : 1),
          isSwapped ? (before[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
        ),
      )
    }
    before = row
    row = next
  }
  return row[b.length] ?? 0
}
