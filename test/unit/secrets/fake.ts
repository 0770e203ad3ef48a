/** Makes fake secrets from shapes, `{class:length}` and `{uuid}`, so that none stands in a file. Seeded: same every time. */
export function createFakes(seed: number) {
  let state = seed >>> 0 || 1
  const random = () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
  const draw = (characters: string, length: number) => {
    // Letters and digits at both ends, as real ones nearly always have, and always a digit where the class has one.
    const solid = characters.replace(/[^A-Za-z0-9]/g, '')
    const one = (from: string) => from[Math.floor(random() * from.length)] ?? ''
    const text = Array.from({ length }, (_, at) =>
      one(at === 0 || at === length - 1 ? solid : characters),
    ).join('')
    if (!/\d/.test(solid) || /\d/.test(text) || length < 4) return text
    return `${text.slice(0, 2)}${one(solid.replace(/\D/g, ''))}${text.slice(3)}`
  }
  const make = (shape: string): string =>
    shape
      .replaceAll('{uuid}', '{0-9a-f:8}-{0-9a-f:4}-4{0-9a-f:3}-a{0-9a-f:3}-{0-9a-f:12}')
      .replace(/\{([^{}]+):(\d+)\}/g, (_, set: string, length: string) => draw(expand(set), Number(length)))
  return { make, random, draw: (set: string, length: number) => draw(expand(set), length) }
}

function expand(set: string): string {
  let all = ''
  for (let at = 0; at < set.length; at++) {
    const from = set.charCodeAt(at)
    const to = set.charCodeAt(at + 2)
    if (set[at + 1] === '-' && to > from) {
      for (let code = from; code <= to; code++) all += String.fromCharCode(code)
      at += 2
    } else all += set[at]
  }
  return all
}
