/** What every command understands, and the words that are left. */
export interface Globals {
  json: boolean
  color: boolean
  cwd: string | null
  rest: string[]
}

/** `--json`, `--cwd`, `--no-color` may stand anywhere before `--`. */
export function readGlobals(argv: readonly string[]): Globals {
  const globals: Globals = { json: false, color: true, cwd: null, rest: [] }
  for (let i = 0; i < argv.length; i++) {
    const arg = argv[i] as string
    if (arg === '--') {
      globals.rest.push(...argv.slice(i))
      break
    }
    if (arg === '--json') globals.json = true
    else if (arg === '--no-color') globals.color = false
    else if (arg === '--cwd') globals.cwd = argv[++i] ?? ''
    else if (arg.startsWith('--cwd=')) globals.cwd = arg.slice('--cwd='.length)
    else globals.rest.push(arg)
  }
  return globals
}

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
