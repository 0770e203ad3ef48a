import type { CompletionSpec, OptionSpec, Values } from './completion-spec.ts'

export interface Candidate {
  value: string
  about: string
}

const GLOBALS: readonly OptionSpec[] = [
  { flag: '--json', about: 'one JSON object on standard output' },
  { flag: '--cwd', about: 'work in another directory', values: 'folders' },
  { flag: '--no-color', about: 'no colours' },
  { flag: '--help', about: 'arguments, options and an example' },
]

/**
 * What can stand where the last of `words` is being typed; `words` are those behind the name of the program. `files` and `folders`
 * are for the shell to complete. `briefs`: the ids that are here, asked for only where one can stand.
 */
export function completeWords(
  { commands, topics }: CompletionSpec,
  words: readonly string[],
  briefs: () => Candidate[],
): Candidate[] | 'files' | 'folders' {
  // Bash takes `--format=sarif` apart.
  const isSplit = words.at(-1) === '='
  const typed = words.filter((word, i) => word !== '=' || i === 0)
  const current = isSplit ? '' : (typed.at(-1) ?? '')
  const before = isSplit ? typed : typed.slice(0, -1)
  const at = before.findIndex((word, i) => !word.startsWith('-') && before[i - 1] !== '--cwd')
  const command = commands.find(({ name }) => name === before[at])
  const offer = (values: Values): Candidate[] | 'files' | 'folders' => {
    if (values === 'files' || values === 'folders') return values
    const all = values === 'briefs' ? briefs() : (values ?? []).map((value) => ({ value, about: '' }))
    return all.filter(({ value }) => value.startsWith(current))
  }
  if (before.at(-1) === '--cwd') return 'folders'
  if (at === -1) {
    if (current.startsWith('-')) return flagsOf([...GLOBALS, VERSION], before, current)
    const names = commands.filter(({ name }) => name !== 'hook').map(asCandidate)
    return [...names, HELP].filter(({ value }) => value.startsWith(current))
  }
  if (before[at] === 'help') {
    if (before.length > at + 1) return []
    // A page that is called like a command is what is shown.
    const names = [...topics, ...commands.filter(({ name }) => !topics.some((topic) => topic.name === name))]
    return names.map(asCandidate).filter(({ value }) => value.startsWith(current))
  }
  if (command === undefined) return []
  const options = [...command.options, ...GLOBALS]
  const rest = before.slice(at + 1)
  const isOver = rest.includes('--')
  const open = isOver ? undefined : options.find(({ flag }) => flag === rest.at(-1))
  if (open?.values !== undefined && !(open.isLoose && current.startsWith('-'))) {
    if (!open.isList || !current.includes(',')) return offer(open.values)
    const head = current.slice(0, current.lastIndexOf(',') + 1)
    const listed = Array.isArray(open.values) ? (open.values as string[]) : []
    return listed
      .filter((value) => !head.split(',').includes(value))
      .map((value) => ({ value: head + value, about: '' }))
      .filter(({ value }) => value.startsWith(current))
  }
  if (!isOver && current.startsWith('-')) {
    const [flag = '', value] = current.split(/=(.*)/s)
    const named = options.find((one) => one.flag === flag)
    if (value === undefined || !Array.isArray(named?.values)) return flagsOf(options, rest, current)
    return (named.values as string[])
      .map((one) => ({ value: `${flag}=${one}`, about: '' }))
      .filter((one) => one.value.startsWith(current))
  }
  const count = positionsIn(rest, options)
  const last = command.args.length - 1
  const values = command.args[Math.min(count, last)]
  return values === undefined || (count > last && !command.isOpen) ? [] : offer(values)
}

const VERSION: OptionSpec = { flag: '--version', about: 'print the version' }
const HELP: Candidate = { value: 'help', about: 'a page on a command or a topic' }
const asCandidate = ({ name, about }: { name: string; about: string }): Candidate => ({ value: name, about })

const flagsOf = (options: readonly OptionSpec[], before: readonly string[], current: string): Candidate[] =>
  options
    .filter(({ flag, repeats }) => flag.startsWith(current) && (repeats || !before.includes(flag)))
    .map(({ flag, about }) => ({ value: flag, about }))

/** Words that are neither options nor their values. */
function positionsIn(words: readonly string[], options: readonly OptionSpec[]): number {
  const end = words.indexOf('--')
  const taken = (word: string, i: number): boolean => {
    if (end !== -1 && i > end) return true
    if (word.startsWith('-')) return false
    const before = options.find(({ flag }) => flag === words[i - 1])
    return before?.values === undefined
  }
  return words.filter(taken).length
}
