import type { Node } from 'jsonc-parser'
import type { YAMLMap, YAMLSeq, Node as YamlNode } from 'yaml'

/** What became of one edit of one text. */
export type Outcome =
  | { state: 'changed'; text: string }
  | { state: 'same'; text: string }
  /** Something of somebody else is in its place; `reason` continues "left alone: ". */
  | { state: 'foreign'; reason: string }

/** The libraries that read settings, loaded only where settings are changed. */
export interface Parsers {
  parseTree: (
    text: string,
    errors: { error: number; offset: number }[],
    options: { allowTrailingComma: boolean },
  ) => Node | undefined
  nodeValue: (node: Node) => unknown
  errorName: (error: number) => string
  /** Throws with `line` for text that is not TOML. */
  parseToml: (text: string) => unknown
  yaml: YamlParser
}

/** One document. */
export interface YamlText {
  /** Null: nothing but white space or comments. */
  root: YamlNode | null
  /** The first, `line` 1-based; null: the text as a whole is none that is read, and `message` goes on "the file ". */
  problem: { line: number | null; message: string } | null
  /** What a node of it means, aliases followed. */
  toValue: (node: YamlNode | null) => unknown
}

export interface YamlParser {
  parse: (text: string) => YamlText
  /** In block style, two spaces a step, nothing folded. */
  render: (value: unknown) => string
  isMap: (node: unknown) => node is YAMLMap
  isSeq: (node: unknown) => node is YAMLSeq
}

/** What keeps a text from the parser of YAML, in words that go on "the file "; null: nothing. */
export type YamlScreen = (text: string, parser: Pick<typeof import('yaml'), 'CST' | 'Lexer'>) => string | null

/** `screen` is asked before anything is parsed: a file that a stranger brought must not keep `init` busy without end. */
export async function loadParsers(screen: YamlScreen): Promise<Parsers> {
  const [json, toml, yaml] = await Promise.all([
    import('jsonc-parser'),
    import('smol-toml'),
    import('./yaml-parser.ts'),
  ])
  return {
    parseTree: (text, errors, options) => {
      const found: { error: number; offset: number; length: number }[] = []
      const root = json.parseTree(text, found, options)
      errors.push(...found)
      return root
    },
    nodeValue: (node) => json.getNodeValue(node) as unknown,
    errorName: (error) => json.printParseErrorCode(error),
    parseToml: (text) => toml.parse(text),
    yaml: yaml.yamlParser(screen),
  }
}
