/** No argument of a program holds this character. */
const MARK = '\0'
/** One of somebody else's, before other words, stays: it is refused where it does harm. */
const MARKED = /\0(?=-+\s)/g

/** A goal may be an item of a list, `- fix the parser`; behind a mark its dash begins no option. */
export const markDashes = (argv: readonly string[]): string[] =>
  argv.map((word) => (/^-+\s/.test(word) ? MARK + word : word))

/** The same without the mark: a word, a list, or options by name. */
export function withoutMarks<T>(value: T): T {
  if (typeof value === 'string') return value.replace(MARKED, '') as T
  if (Array.isArray(value)) return value.map(withoutMarks) as T
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withoutMarks(one)])) as T
}
