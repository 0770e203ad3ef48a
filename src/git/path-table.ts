/** Paths as a listing of git holds them: UTF-8, sorted by its bytes, each from its start up to its end in `content`. */
export interface PathTable {
  content: Buffer
  starts: Uint32Array
  ends: Uint32Array
}

/** Paths with a zero behind each, as git prints them with `-z`; one in conflict may stand there more than once. */
export function tableOfListing(content: Buffer): PathTable {
  const ends: number[] = []
  for (let end = content.indexOf(0); end !== -1; end = content.indexOf(0, end + 1)) ends.push(end)
  const starts = Uint32Array.from(ends, (_, at) => (at === 0 ? 0 : (ends[at - 1] ?? 0) + 1))
  return { content, starts, ends: Uint32Array.from(ends) }
}

/** Paths in any order. */
export function tableOf(paths: Iterable<string>): PathTable {
  const sorted = [...new Set(paths)].map((path) => Buffer.from(`${path}\0`)).sort(Buffer.compare)
  return tableOfListing(Buffer.concat(sorted))
}

/** The number of the first path that is not before `path`; how many there are, when none is. */
export function firstFrom({ content, starts, ends }: PathTable, path: Buffer): number {
  let [low, high] = [0, starts.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (content.compare(path, 0, path.length, starts[middle], ends[middle]) < 0) low = middle + 1
    else high = middle
  }
  return low
}

/** The path of this number begins with these bytes. */
export function isPrefix(start: Buffer, { content, starts, ends }: PathTable, number: number): boolean {
  const from = starts[number]
  if (from === undefined) return false
  const to = Math.min(from + start.length, ends[number] ?? 0)
  return content.compare(start, 0, start.length, from, to) === 0
}

/** Exactly one of the paths. */
export const holds = (table: PathTable, path: Buffer): boolean => {
  const number = firstFrom(table, path)
  const length = (table.ends[number] ?? 0) - (table.starts[number] ?? 0)
  return length === path.length && isPrefix(path, table, number)
}

/** The path of this number, as text. */
export const pathAt = ({ content, starts, ends }: PathTable, number: number): string =>
  content.toString('utf8', starts[number], ends[number])
