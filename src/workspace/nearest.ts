/**
 * The name that a mistyped word is closest to, or that it begins; else one that has its words or whose words it has, as `hypothesis` and
 * `active-hypothesis`. Null when none is close.
 */
export function nearest(word: string, names: readonly string[]): string | null {
  const begun = word.length < 2 ? [] : names.filter((name) => name.startsWith(word))
  if (begun.length === 1) return begun[0] ?? null
  const most = word.length < 4 ? 1 : word.length < 6 ? 2 : 3
  const ranked = names
    .map((name) => ({ name, far: distance(word, name) }))
    .sort((a, b) => a.far - b.far || (a.name < b.name ? -1 : 1))
  const best = ranked[0]
  if (best !== undefined && best.far <= most && best.far < best.name.length) return best.name
  return ofWords(word, names)
}

/** Longest word of a name that is looked at; what was typed may be a whole text. */
const MOST_WORD = 60

/** The name whose words, parted by dashes, are among those typed or the other way round, most letters first, then the shortest name. */
function ofWords(word: string, names: readonly string[]): string | null {
  if (word.length > MOST_WORD) return null
  const typed = word.split('-')
  const ranked = names
    .map((name) => {
      const own = name.split('-')
      const [few, many] = own.length < typed.length ? [own, typed] : [typed, own]
      const isIn = few.length < many.length && few.every((one) => many.some((other) => isAlmost(one, other)))
      return { name, shared: isIn ? few.join('').length : 0 }
    })
    .filter(({ shared }) => shared >= 4)
    .sort((a, b) => b.shared - a.shared || a.name.length - b.name.length || (a.name < b.name ? -1 : 1))
  return ranked[0]?.name ?? null
}

/** One letter may be wrong, in long words. */
const isAlmost = (a: string, b: string): boolean =>
  a === b || (Math.min(a.length, b.length) >= 4 && distance(a, b) <= 1)

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
