import type { Node } from 'jsonc-parser'
import { badSettings } from '../errors/usage.ts'
import type { Parsers } from './outcome.ts'
import { lineAt } from './text-file.ts'

/** Comments and trailing commas are allowed; undefined for a text without any value. Throws `badSettings`. */
export function readJson(text: string, path: string, { parseTree, errorName }: Parsers): Node | undefined {
  const errors: { error: number; offset: number }[] = []
  const root = parseAll()
  const [first] = errors
  if (first === undefined) return root
  // What it says of a file without any value, which is as good as none.
  if (root === undefined && text.replace(/\/\/[^\r\n]*|\/\*[\s\S]*?\*\//g, '').trim() === '') return undefined
  const words = errorName(first.error).replace(/\B[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  throw badSettings(`${path}:${lineAt(text, first.offset)}`, `not valid JSON: ${words.toLowerCase()}`)

  function parseAll(): Node | undefined {
    try {
      return parseTree(text, errors, { allowTrailingComma: true })
    } catch (error) {
      // The parser calls itself for every bracket.
      if (error instanceof RangeError) throw badSettings(path, 'is nested too deeply')
      throw error
    }
  }
}
