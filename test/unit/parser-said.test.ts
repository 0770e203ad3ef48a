import { describe, expect, it } from 'vitest'
import { parseDocument } from 'yaml'
import { readFrontMatter } from '../../src/brief/front-matter.ts'
import { parserSaid } from '../../src/errors/usage.ts'

const KEY = 'ghp_zGA3ile5O7ozS92dxw4a3qbvZtgBQ5mvIyP9'
const WORD = 'hunterhunter'

describe('what a parser of YAML says', () => {
  it.each([
    ['a block that is none', '| a | b |KEY', 'Not a YAML token at line 1, column 6'],
    ['a block header', '>KEY', 'Block scalar header includes extra characters at line 1, column 5'],
    ['a bracket', ']KEY', 'Unexpected flow-seq-end token in YAML stream at line 1, column 4'],
    ['a tag', '!KEY x', 'Unresolved tag at line 1, column 4'],
    ['a tag with its address', '!<tag:KEY> x', 'Unresolved tag at line 1, column 4'],
    ['a tag that is not ended', '!<KEY x', 'Verbatim tags must end with a > at line 1, column 4'],
    ['a tag of another kind', '!!KEY {a: 1}', 'Unresolved tag at line 1, column 4'],
    ['a tag without a name', '!e!KEY x', 'Could not resolve tag'],
    ['a directive', 'x\n...\n%KEY x\n---\n', null],
    ['an alias', '*KEY', null],
    ['an escape', '"\\KEY"', null],
    ['a quote that is not closed', '"KEY', 'Missing closing "quote at line 2, column 1'],
    [
      'a mapping in a mapping',
      'KEY: KEY: KEY',
      'Nested mappings are not allowed in compact mappings at line 1',
    ],
    ['a name twice', 'x\nKEY: 1\nKEY: 2', 'Map keys must be unique at line 3, column 1'],
    ['a list that is not closed', '[KEY', 'Flow sequence in block collection must be sufficiently indented'],
    [
      'a reserved character',
      '@KEY',
      'Plain value cannot start with reserved character @ at line 1, column 4',
    ],
  ])('%s: nothing of the file', (_, text, said) => {
    for (const secret of [KEY, WORD]) {
      const source = `a: ${text.replaceAll('KEY', secret)}\n`
      const { errors, warnings } = parseDocument(source, {
        version: '1.2',
        schema: 'core',
        logLevel: 'error',
      })
      for (const problem of [...errors, ...warnings]) expect(parserSaid(problem)).not.toContain(secret)
      const [first] = [...errors, ...warnings]
      if (said !== null) expect(parserSaid(first ?? expect.fail('it was read'))).toContain(said)
      try {
        readFrontMatter(`---\n${source}---\n\nbody`)
      } catch (error) {
        const told = error as Error & { cause?: Error }
        expect(`${told.message} ${told.stack} ${told.cause?.message} ${told.cause?.stack}`).not.toContain(
          secret,
        )
      }
    }
  })
})
