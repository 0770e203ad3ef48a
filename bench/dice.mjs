const WORDS =
  'the refresh token expires before the request ends so a guard in the middleware keeps it alive until the queue drains and the test shows why the old path failed on a slow network'.split(
    ' ',
  )
const NOTES = ['日本語のメモ', '✓ done', 'naïve', '“quoted”']

/** A seeded source of numbers and text; long text is cut out of two prepared pools, so that 200 MB take seconds. */
export function makeDice(seed) {
  let state = seed >>> 0 || 1
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const between = (low, high) => low + Math.floor(next() * (high - low + 1))
  const pick = (list) => list[between(0, list.length - 1)]
  const hex = (length) => {
    const parts = []
    for (let n = 0; n < length; n += 8) parts.push(between(0, 0xffffffff).toString(16).padStart(8, '0'))
    return parts.join('').slice(0, length)
  }
  const pool = (line) => {
    const parts = []
    for (let length = 0; length < 120_000; length += parts.at(-1).length) parts.push(line())
    return parts.join('')
  }
  const proses = pool(() => {
    const words = Array.from({ length: between(6, 18) }, () => pick(WORDS)).join(' ')
    return `${words}${pick(['. ', '. ', '.\n', '? ', ` ${pick(NOTES)}. `])}`
  })
  const codes = pool(() =>
    pick([
      `  const ${pick(WORDS)} = await ${pick(WORDS)}("${hex(6)}")\n`,
      `export function ${pick(WORDS)}(${pick(WORDS)}: string): number {\n`,
      `\treturn { ${pick(WORDS)}: [${between(0, 99)}] }\n`,
      '}\n',
    ]),
  )
  const cut = (text, length) => {
    const parts = []
    for (let left = length; left > 0; left -= parts.at(-1).length) {
      const from = between(0, 60_000)
      parts.push(text.slice(from, from + Math.min(left, 40_000)))
    }
    return parts.join('')
  }
  return {
    between,
    pick,
    hex,
    word: () => pick(WORDS),
    chance: (share) => next() < share,
    uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`,
    // Long tails: most texts are near the median, a few reach the largest.
    size: (median, largest) => {
      const bell = Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next())
      return Math.min(largest, Math.max(1, Math.round(median * Math.exp(bell))))
    },
    prose: (length) => cut(proses, length),
    code: (length) => cut(codes, length),
  }
}
