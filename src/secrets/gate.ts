import type { SecretRule } from './rule.ts'

/** Characters of a mark that are looked up at once. */
const HEAD = 3
const BUCKETS = 1 << 15

interface Marked {
  needle: string
  rule: SecretRule
}

/**
 * Which rules a text may match: those without a mark and those of whose marks it holds one, in the order of the table. One pass over the
 * text for all marks but the shortest; a pass for each takes ten times as long. `lower`: the text in lower case, of the same length.
 */
export function createGate(rules: readonly SecretRule[]): (text: string, lower: string) => SecretRule[] {
  const buckets: (Marked[] | undefined)[] = new Array(BUCKETS)
  const isShort = ({ needles, pattern }: SecretRule): boolean =>
    pattern.ignoreCase || needles.some((needle) => needle.length < HEAD)
  const short = rules.filter((rule) => rule.needles.length > 0 && isShort(rule))
  for (const rule of rules.filter((one) => !isShort(one)))
    for (const needle of rule.needles) {
      const at = bucketOf(needle.charCodeAt(0), needle.charCodeAt(1), needle.charCodeAt(2))
      buckets[at] = [...(buckets[at] ?? []), { needle, rule }]
    }

  return (text, lower) => {
    const open = new Set(rules.filter(({ needles }) => needles.length === 0))
    for (const rule of short) {
      const within = rule.pattern.ignoreCase ? lower : text
      if (rule.needles.some((needle) => within.includes(needle))) open.add(rule)
    }
    let [first, second] = [text.charCodeAt(0), text.charCodeAt(1)]
    for (let at = HEAD - 1; at < text.length; at++) {
      const third = text.charCodeAt(at)
      const bucket = buckets[bucketOf(first, second, third)]
      if (bucket !== undefined)
        for (const { needle, rule } of bucket)
          if (!open.has(rule) && text.startsWith(needle, at - HEAD + 1)) open.add(rule)
      first = second
      second = third
    }
    return rules.filter((rule) => open.has(rule))
  }
}

const bucketOf = (first: number, second: number, third: number): number =>
  ((first << 10) ^ (second << 5) ^ third) & (BUCKETS - 1)
