import { type Fields, fieldsOf, listOf, recordOf, textOf } from './fields.ts'

/** The records among the lines that an agent printed; what is no JSON is an empty one. */
export const printedRecords = (stdout: string): Fields[] => stdout.split('\n').map(recordOf)

/** The text blocks of a message's content; thoughts and calls of tools are none. */
export const textBlocks = (content: unknown): string[] =>
  listOf(content)
    .map(fieldsOf)
    .filter(({ type }) => type === 'text')
    .map(({ text }) => textOf(text))
