/** A seeded source of choices: the same seed gives the same session on every machine. */
export function makeDice(seed) {
  let state = hashOf(seed) || 1
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const between = (low, high) => low + Math.floor(next() * (high - low + 1))
  const pick = (list) => list[between(0, list.length - 1)]
  const shuffled = (list) => {
    const rest = [...list]
    const out = []
    while (rest.length > 0) out.push(...rest.splice(between(0, rest.length - 1), 1))
    return out
  }
  const chars = (alphabet, length) => Array.from({ length }, () => pick([...alphabet])).join('')
  const hex = (length) => chars('0123456789abcdef', length)
  return {
    between,
    pick,
    shuffled,
    chars,
    hex,
    chance: (share) => next() < share,
    some: (list, count) => shuffled(list).slice(0, count),
    uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`,
  }
}

/** FNV-1a over the words of a seed. */
function hashOf(seed) {
  let hash = 0x811c9dc5
  for (const char of String(seed)) hash = Math.imul(hash ^ char.codePointAt(0), 0x01000193) >>> 0
  return hash
}
