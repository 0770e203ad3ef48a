import { isMap, isSeq, parseDocument, stringify } from 'yaml'
import type { YamlParser } from './outcome.ts'

/** YAML of hook managers. */
export const yamlParser: YamlParser = {
  parse(text) {
    const doc = parseDocument(text, { logLevel: 'error', merge: true })
    const [error] = doc.errors
    const [message = ''] = error?.message.split('\n') ?? []
    return {
      root: error === undefined ? doc.contents : null,
      problem:
        error === undefined
          ? null
          : {
              line: error.linePos?.[0].line ?? 1,
              message: message.replace(/ at line \d+, column \d+:?$/, ''),
            },
      toValue: (node) => (node === null ? null : (node.toJS(doc) as unknown)),
    }
  },
  render: (value) => stringify(value, { lineWidth: 0, indent: 2 }),
  isMap: (node) => isMap(node),
  isSeq: (node) => isSeq(node),
}
