import { fileURLToPath } from 'node:url'
import { orNull } from '../errors/handoff-error.ts'
import { type Fields, fieldsOf, itemsOf, listOf, textOf } from './fields.ts'

/** The text of each part of a content, empty where it has none; a content that is a plain string is one part. */
export const partTexts = (content: unknown): string[] =>
  typeof content === 'string' ? [content] : listOf(content).map((part) => textOf(fieldsOf(part).text))

/** The `text` blocks of a message's content; thoughts and calls of tools are none. */
export const textBlocks = (content: unknown): string[] =>
  partTexts(listOf(content).filter((block) => fieldsOf(block).type === 'text'))

/** Texts of a message's content: a plain string, or its text blocks joined by newlines. */
export const contentText = (content: unknown): string =>
  typeof content === 'string' ? content : textBlocks(content).join('\n')

/** The blocks of a message's content; a plain string is one text. */
export const blocksOf = (content: unknown): Fields[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : itemsOf(content)

export const labelsOf = (options: unknown): string[] =>
  listOf(options).map((option) => textOf(option) || textOf(fieldsOf(option).label))

/** The id of the first, second … question of a call: the first goes by the call's own. */
export const numbered = (id: string, index: number, mark = '#'): string =>
  index === 0 ? id : `${id}${mark}${index + 1}`

/** The words of a list that is written as one text. */
export const wordsIn = (text: string): string[] => text.trim().split(/\s+/)
export const wordSet = (text: string): ReadonlySet<string> => new Set(wordsIn(text))

/** The first of these values that is a text with anything in it. */
export const firstText = (...values: unknown[]): string =>
  values.map(textOf).find((text) => text !== '') ?? ''

/** Keys by which tools of any agent, and of MCP servers, name files and folders. */
const PATH_KEYS = [
  ...[
    'path',
    'paths',
    'file_path',
    'file_paths',
    'filePath',
    'filePaths',
    'filepath',
    'file',
    'files',
    'filename',
  ],
  ...['absolute_path', 'notebook_path', 'dir_path', 'dirpath', 'dirPath', 'directory_path'],
  ...['target_file', 'target_notebook', 'target_directory', 'target_directories'],
]

/** The paths that stand under these keys of an input, alone or in lists. */
export const pathsUnder = (input: Fields, keys: readonly string[] = PATH_KEYS): string[] =>
  keys
    .flatMap((key) => [input[key], ...listOf(input[key])])
    .map(textOf)
    .filter((path) => path !== '' && !/\n|:\/\//.test(path))

/** A path, which some agents write as a URL; empty for one of another machine. */
export function pathOf(value: string): string {
  if (!value.includes('://')) return value
  if (!value.startsWith('file://')) return ''
  // Some write a path behind `file://` as it is.
  return orNull(() => fileURLToPath(value)) ?? value.slice('file://'.length)
}

/** A tag of the clients, which have more than one word: `<system_reminder>`; those of the person's own markup rarely do. */
const OPEN = /^\s*<([A-Za-z]+(?:_[A-Za-z]+)+|timestamp)(?: [^<>]*)?>/

/** A text without what a client puts before the person's words, each piece in a tag of its own; one that never ends is left. */
export function withoutLeadingBlocks(text: string): string {
  let rest = text
  for (;;) {
    const name = OPEN.exec(rest)?.[1]
    const end = name === undefined ? -1 : rest.indexOf(`</${name}>`)
    if (name === undefined || end === -1) return rest.trim()
    rest = rest.slice(end + name.length + 3)
  }
}

/** A text without the elements of one name, and without the blanks around them; `instead` takes the place of each. */
export function withoutElements(text: string, name: string, instead: string): string {
  const close = `</${name}>`
  let [clean, rest] = ['', text]
  for (;;) {
    const at = rest.indexOf(`<${name}>`)
    const end = at === -1 ? -1 : rest.indexOf(close, at)
    if (end === -1) return clean + rest
    const before = rest.slice(0, at)
    clean += (instead === '' ? before : before.trimEnd()) + instead
    rest = rest.slice(end + close.length).trimStart()
  }
}
