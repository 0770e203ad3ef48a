import type { Mark, RawFilter } from './mark.ts'
import { createTableFilter } from './table-filter.ts'
import { createVectorFilter } from './vector-filter.ts'

/** Finds short ASCII marks in raw bytes, fast enough to look at every byte of a transcript, also at those nobody parses. */
export const createRawFilter = (marks: readonly Mark[]): RawFilter =>
  createVectorFilter(marks) ?? createTableFilter(marks)
