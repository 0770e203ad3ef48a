import { ANY, isAt, type Mark, type Pattern, patternOf, type RawFilter } from './mark.ts'
import { createScan, type ScanTables } from './simd-scan.ts'

/** A mark and the place in it from which `WIDTH` bytes are looked for. */
interface Window {
  mark: number
  offset: number
  pattern: Pattern
  /** The bit of its group. */
  bit: number
}

const WIDTH = 4
/**
 * What is looked for of each mark, in the 8 groups of the scan. Chosen by the share of bytes in transcripts, so that
 * groups let through 0.5 to 1.9 % of the places; in the order of the table of rules it would be 7 %. A mark of which
 * nothing stands here is found all the same, at the price of more places to look at. `ken` takes in the byte after
 * `token`, which tells it from `input_tokens`, of which every reply has several.
 */
const GROUPS: readonly (readonly string[])[] = [
  'secr skey uth_ uth= -key _key -v1- _v1_ -AgE',
  'cred sswd sk-a ck.c bkFJ RIVA',
  'ials ikey pca_ ppa_ igd_ gsk_ hub_',
  'hf_ eyJ rk_t sk_t sb_s riza kr_p SG.',
  'ken word _org hvr. hvs. hTok hvb.',
  'lrt- ldt- lft- ord= npm_ ckr_ sbp_ xai- Key= KEY-',
  'glso glpt gloa glpa glag whse glcb ghr_ ghs_ gho_ ghp_ ghu_ xoxa xoxb xoxe xoxo xoxp xoxr xoxs GOCS',
  'phra pat_ pss_ _api vapi _liv xapp AIza ACCA ASIA AKIA ABIA',
].map((group) => group.split(' '))

/**
 * Finds marks by the vector scan: of each mark four bytes are looked for, and where they stand the mark itself is
 * compared. Null where the processor or the program has no vectors.
 */
export function createVectorFilter(marks: readonly Mark[]): RawFilter | null {
  const windows = marks.map(
    (mark, index): Window => ({ mark: index, ...windowOf(mark), pattern: patternOf(mark) }),
  )
  const scan = createScan(tablesOf(windows))
  if (scan === null) return null
  const byPair = new Map<number, Window[]>()
  for (const window of windows) {
    for (const key of pairs(window.pattern[window.offset], window.pattern[window.offset + 1])) {
      const list = byPair.get(key)
      if (list === undefined) byPair.set(key, [window])
      else list.push(window)
    }
  }
  return (block, report) => {
    scan(block, (at) => {
      const list = byPair.get((block[at] as number) | ((block[at + 1] as number) << 8))
      if (list === undefined) return
      for (const { mark, offset, pattern } of list) {
        if (at >= offset && isAt(block, at - offset, pattern)) report(mark, at - offset)
      }
    })
  }
}

function windowOf({ text }: Mark): { offset: number; bit: number } {
  for (const [group, windows] of GROUPS.entries()) {
    for (const window of windows) {
      const offset = text.indexOf(window)
      if (offset !== -1) return { offset, bit: 1 << group }
    }
  }
  return { offset: 0, bit: 1 << (GROUPS.length - 1) }
}

function tablesOf(windows: readonly Window[]): ScanTables {
  const nibbles = new Uint8Array(WIDTH * 32)
  const first = new Uint8Array(1 << 16)
  const second = new Uint8Array(1 << 16)
  for (const { pattern, offset, bit } of windows) {
    const bytes = [0, 1, 2, 3].map((place) => pattern[offset + place] ?? ANY)
    for (const [place, choices] of bytes.entries()) {
      for (const byte of choices) {
        put(nibbles, place * 32 + (byte & 15), bit)
        put(nibbles, place * 32 + 16 + (byte >> 4), bit)
      }
    }
    for (const pair of pairs(bytes[0], bytes[1])) put(first, pair, bit)
    for (const pair of pairs(bytes[2], bytes[3])) put(second, pair, bit)
  }
  return { nibbles, first, second }
}

function put(table: Uint8Array, index: number, bit: number): void {
  table[index] = (table[index] as number) | bit
}

/** Every pair of two choices of bytes, the first byte lowest. */
const pairs = (ones: readonly number[] = ANY, others: readonly number[] = ANY): number[] =>
  ones.flatMap((one) => others.map((other) => one | (other << 8)))
