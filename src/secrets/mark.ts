export interface Mark {
  text: string
  /** Upper and lower case count as the same. */
  fold: boolean
  /** Characters of which one must follow; any may when absent. */
  follow?: string
}

/** The bytes that fit each place of a mark. */
export type Pattern = readonly (readonly number[])[]

/** Reports every place of a mark in a block: its number and its first byte. */
export type RawFilter = (block: Buffer, report: (mark: number, at: number) => void) => void

export function patternOf({ text, fold, follow }: Mark): Pattern {
  const bytes = Array.from(Buffer.from(text, 'latin1'), (byte): number[] => {
    const letter = byte | 0x20
    return fold && letter >= 0x61 && letter <= 0x7a ? [letter, letter & ~0x20] : [byte]
  })
  return follow === undefined ? bytes : [...bytes, [...Buffer.from(follow, 'latin1')]]
}
export const ANY: readonly number[] = Array.from({ length: 256 }, (_, byte) => byte)

export function isAt(block: Buffer, at: number, pattern: Pattern): boolean {
  for (let index = 0; index < pattern.length; index++) {
    const choices = pattern[index] as readonly number[]
    const byte = block[at + index] ?? -1
    // Most often it is the first choice: transcripts are in lower case.
    if (byte !== choices[0] && !choices.includes(byte)) return false
  }
  return true
}

/** Share of these bytes in transcripts: 48 MB of sessions of three agents, counted. */
export function share(bytes: readonly number[]): number {
  let sum = 0
  for (const byte of bytes) sum += SHARES[byte] ?? 0
  return sum
}
const BY_FREQUENCY = 'te nrsioa\\"cldpum:g,h/f.-0y1b2k_()vw5{=}64S3T7C98xREIDPAUFNMBLHWO'
const SHARES = Array.from({ length: 256 }, (_, byte) => {
  const rank = BY_FREQUENCY.indexOf(String.fromCharCode(byte))
  return rank === -1 ? 0.001 : 0.06 * 0.93 ** rank
})
