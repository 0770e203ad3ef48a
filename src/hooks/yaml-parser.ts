import { CST, type Document, isMap, isSeq, Lexer, parseDocument, stringify } from 'yaml'
import { parserSaid } from '../errors/usage.ts'
import type { YamlParser, YamlScreen, YamlText } from './outcome.ts'

/** YAML of hook managers. */
export const yamlParser = (screen: YamlScreen): YamlParser => ({
  parse(text) {
    const bound = screen(text, { CST, Lexer })
    if (bound !== null) return refused(bound)
    const doc = parseDocument(text, { logLevel: 'error', merge: true })
    const [error] = doc.errors
    if (error === undefined && !isBounded(doc)) return refused('holds aliases that stand for too much')
    return {
      root: error === undefined ? doc.contents : null,
      problem:
        error === undefined
          ? null
          : {
              line: error.linePos?.[0].line ?? 1,
              message: parserSaid(error).replace(/ at line \d+, column \d+:?$/, ''),
            },
      toValue: (node) => (node === null ? null : (node.toJS(doc) as unknown)),
    }
  },
  render: (value) => stringify(value, { lineWidth: 0, indent: 2 }),
  isMap: (node) => isMap(node),
  isSeq: (node) => isSeq(node),
})

const refused = (message: string): YamlText => ({
  root: null,
  problem: { line: null, message },
  toValue: () => null,
})

/** Aliases may stand for far more than the text says; the library counts, and gives up. */
function isBounded(doc: Document): boolean {
  try {
    doc.toJS()
    return true
  } catch (error) {
    if (error instanceof ReferenceError) return false
    throw error
  }
}
