/**
 * How common each two letters in a row are in names, a line per first letter and a character per second one: 4 as by pure chance, each
 * step more or less twice or half as often. Counted in the 8,071 distinct words of the identifiers and comments of @types/node 20.19
 * and of the libraries of TypeScript 7.0; `bench/letter-pairs.mjs` prints it.
 */
// biome-ignore format: a table
const PAIRS = [
  '26663350503757050667443241',
  '41214010412611410342400020',
  '61426006505510721536410020',
  '52247221610322421442421020',
  '64775542422657454886343531',
  '41115400500401500322400030',
  '42106134400324310432300010',
  '60006003500121510323200020',
  '54655550001558751566050305',
  '10003000000000100010200000',
  '11115100400201110031101000',
  '62237210601611620144420050',
  '63016100601231550031400000',
  '62666472513334540367442020',
  '44552340403558450755645210',
  '61126104501510640645401010',
  '00000000000000000000500000',
  '72548330603353630555432040',
  '51527315603332551367522040',
  '61438215800432630665502150',
  '44434330400546140555000100',
  '40006010500010300001001000',
  '40004003400103300440000100',
  '10203000300020130004000010',
  '01202100300223240032001010',
  '30004000200000100000000000',
]
/** As common as by chance. */
const CHANCE = 4
/** Fewer letters tell nothing: short names are abbreviations. */
export const LEAST_TELLING = 12
const LETTER_A = 0x61

/**
 * True when words, of letters alone, are rather drawn at random than written by somebody: all in all their letters follow one another
 * less often in names than pure chance has them. False for fewer than 12 letters. Of random letters of one case 1.2 % are missed at 16
 * letters, 0.2 % at 24 and 0.1 % at 32; of names in code 0.1 % are taken for drawn, of compounds of German, Spanish, French, Italian
 * and Dutch 0.7 %.
 */
export function looksDrawn(words: readonly string[]): boolean {
  let letters = 0
  let steps = 0
  for (const word of words) {
    const lower = word.toLowerCase()
    letters += lower.length
    for (let at = 1; at < lower.length; at++) {
      const row = PAIRS[lower.charCodeAt(at - 1) - LETTER_A]
      steps += (row === undefined ? CHANCE : Number(row[lower.charCodeAt(at) - LETTER_A] ?? CHANCE)) - CHANCE
    }
  }
  return letters >= LEAST_TELLING && steps < 0
}
