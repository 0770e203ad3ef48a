/** What became of one edit of one text. */
export type Outcome =
  | { state: 'changed'; text: string }
  | { state: 'same'; text: string }
  /** Something of somebody else is in its place; `reason` continues "left alone: ". */
  | { state: 'foreign'; reason: string }

/** What keeps a text from the parser of YAML, in words that go on "the file "; null: nothing. */
export type YamlScreen = (text: string, parser: Pick<typeof import('yaml'), 'CST' | 'Lexer'>) => string | null

/** What reads settings, loaded only where settings are changed. */
export interface Parsers {
  json: typeof import('jsonc-parser')
  toml: typeof import('smol-toml')
  /** Asked before any YAML is parsed: a file that a stranger brought must not keep `init` busy without end. */
  screen: YamlScreen
}

export async function loadParsers(screen: YamlScreen): Promise<Parsers> {
  const [json, toml] = await Promise.all([import('jsonc-parser'), import('smol-toml')])
  return { json, toml, screen }
}
