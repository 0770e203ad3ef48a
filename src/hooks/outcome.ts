import type { Node } from 'jsonc-parser'

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
}

export async function loadParsers(): Promise<Parsers> {
  const [json, toml] = await Promise.all([import('jsonc-parser'), import('smol-toml')])
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
  }
}
