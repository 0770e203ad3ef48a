import matter from 'gray-matter'
import { yamlEngine } from './yaml-engine.ts'

const refuse = (name: string) => ({
  parse(): never {
    throw new Error(`front matter language "${name}" is not allowed`)
  },
  stringify(): never {
    throw new Error(`front matter language "${name}" is not allowed`)
  },
})
/**
 * gray-matter's own engines run code for `---js`, look names up on Object.prototype, and cache by text when no options
 * are given: one engine, no prototype, options always.
 */
const OPTIONS = {
  language: 'yaml',
  delimiters: '---',
  engines: Object.freeze(
    Object.assign(Object.create(null) as object, {
      yaml: yamlEngine,
      json: refuse('json'),
      javascript: refuse('javascript'),
    }),
  ),
}

/** The data of a block that `---` opens and closes, and the text between. Throws what the engine throws. */
export const readMatter = (block: string): { data: Record<string, unknown>; matter: string } =>
  matter(block, OPTIONS)

/** The lines of front matter for `data`: the object form of gray-matter, so that no body is ever parsed. */
export const writeMatter = (data: object): string =>
  matter.stringify({ content: '', data: {} } as never, data, OPTIONS as never)
