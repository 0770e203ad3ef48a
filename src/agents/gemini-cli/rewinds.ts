import { readLineBatches } from '../lines.ts'

/** Lines, by their 0-based numbers, that the person took back: from the first up to, not including, the second. */
export type Rewound = readonly (readonly [from: number, to: number])[]

export const REWIND = '{"$rewindTo":"'
const RECORD = '{"id":"'

/**
 * One pass over a file for its `$rewindTo` records: each takes back the record it names and all after it. Where only a copy of the
 * history holds that record, what stands behind the copy is taken back.
 */
export async function findRewound(
  path: string,
  options: { signal?: AbortSignal; end?: number },
): Promise<Rewound> {
  const first = new Map<string, number>()
  const copies: { index: number; ids: string }[] = []
  const found: [number, number][] = []
  for await (const batch of readLineBatches(path, options))
    for (const { bytes, index } of batch) {
      const start = bytes.toString('latin1', 0, HEAD)
      if (start.startsWith(RECORD)) {
        const id = start.slice(RECORD.length, start.indexOf('"', RECORD.length))
        if (!first.has(id)) first.set(id, index)
      } else if (start.startsWith(COPY)) {
        copies.push({ index, ids: idsIn(bytes.toString('latin1')) })
      } else if (start.startsWith(REWIND)) {
        const id = start.slice(REWIND.length, start.indexOf('"', REWIND.length))
        const from = first.get(id) ?? copies.find(({ ids }) => ids.includes(` ${id} `))?.index
        if (from !== undefined) found.push([from, index])
      }
    }
  return found
}

/** Bytes that hold the kind of a record and its id. */
const HEAD = 120
export const COPY = '{"$set":{"messages":['

/** Ids of the messages in a copy of the history; quotes inside texts are escaped, so nothing else looks like one. */
const idsIn = (line: string): string =>
  ` ${[...line.matchAll(/\{"id":"([\w-]+)","timestamp":"/g)].map(([, id]) => id).join(' ')} `
