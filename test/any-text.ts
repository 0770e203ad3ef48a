import fc from 'fast-check'

/** Every code point but halves of pairs. The unit `binary` draws the same, but first makes a map of a million of them in each process. */
const unit = fc.nat({ max: 0x10f7ff }).map(
  (at) => String.fromCodePoint(at < 0xd800 ? at : at + 0x800),
  (text) => {
    const [point = -1, more] = [...String(text)].map((one) => one.codePointAt(0) ?? -1)
    if (more !== undefined) return -1
    return point < 0xd800 ? point : point - 0x800
  },
)

/** Any text of up to so many characters. */
export const anyText = (maxLength: number): fc.Arbitrary<string> => fc.string({ unit, maxLength })
