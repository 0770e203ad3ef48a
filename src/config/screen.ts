type Parser = Pick<typeof import('yaml'), 'CST' | 'Lexer'>

/** Cheap bounds before the parser of YAML, which is quadratic in keys and mistakes, and recursive in depth: of brackets alone it dies. */
const MAX_PARTS = 20_000
const MAX_KEYS = 2000
const MAX_DEPTH = 32

/**
 * What keeps a text from the parser, in words; null: nothing. Walks the tokens in linear time and without recursion. No configuration
 * that somebody wrote comes near these bounds.
 */
export function tooMuch(text: string, { CST, Lexer }: Parser): string | null {
  let [parts, keys, flow, inLine] = [0, 0, 0, 0]
  let isScalar = false
  for (const token of new Lexer().lex(text)) {
    if (++parts > MAX_PARTS) return 'has too many parts'
    if (isScalar) {
      isScalar = false
      continue
    }
    const type = CST.tokenType(token)
    if (type === 'scalar') isScalar = true
    else if (type === 'newline') inLine = 0
    else if (type === 'map-value-ind') keys++
    if (flow === 0 && (type === 'seq-item-ind' || type === 'explicit-key-ind' || type === 'map-value-ind'))
      inLine++
    else if (type === 'flow-map-start' || type === 'flow-seq-start') flow++
    else if (type === 'flow-map-end' || type === 'flow-seq-end') flow--
    if (keys > MAX_KEYS) return 'has too many keys'
    if (flow > MAX_DEPTH || inLine > MAX_DEPTH) return 'is nested too deeply'
  }
  return null
}
