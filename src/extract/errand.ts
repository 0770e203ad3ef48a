import { argumentsOf, familyOf, isInlineScript } from './command-kind.ts'
import type { ShellPart } from './shell.ts'

const GIT = new Set('commit add checkout switch restore stash merge rm'.split(' '))
const RESUMED = new Set('rebase cherry-pick revert merge am'.split(' '))
const GH = /^gh (?:issue|pr) (?:create|comment|close|merge|edit|reopen|review|ready|delete)$/
const REMOVAL =
  /^(?:docker|podman) (?:(?:image|container|volume|network|system|builder) (?:rm|prune|remove)|rmi?)$/
/** How work is handed in; on its own line it tells the next agent where to. */
const HANDS_IN = /^(?:git push|gh pr create)$/

/**
 * True for a command line that was done once and must not be repeated: it records, switches, comments or removes and
 * does nothing else, destroys, or runs a script written on the line. `git push` and `gh pr create` count only next to such a one.
 */
export function isErrand(parts: readonly ShellPart[]): boolean {
  const acting = parts.filter((part) => familyOf(part) !== null)
  return acting.some(isDoneOnce) && acting.every((part) => isDoneOnce(part) || HANDS_IN.test(verbOf(part)))
}

/** Program, subcommand and its verb, flags left out. */
const verbOf = (part: ShellPart): string => {
  const [program = ''] = part.words
  const words = argumentsOf(part)
  const deep = program === 'gh' || /^(?:image|container|volume|network|system|builder)$/.test(words[0] ?? '')
  return [program, ...words.slice(0, deep ? 2 : 1)].join(' ')
}

function isDoneOnce(part: ShellPart): boolean {
  if (isInlineScript(part)) return true
  const verb = verbOf(part)
  const [program, name = ''] = verb.split(' ')
  if (program === 'git')
    return (
      GIT.has(name) ||
      (RESUMED.has(name) && part.words.some((word) => /^--(?:continue|skip|abort|quit)$/.test(word)))
    )
  if (program === 'gh' && name === 'api') return writesToApi(part.words)
  return (GH.test(verb) && !HANDS_IN.test(verb)) || REMOVAL.test(verb)
}

/** `gh api` asks with GET unless it is told otherwise or given fields (gh 2). */
function writesToApi(words: readonly string[]): boolean {
  const at = words.findIndex((word) => /^(?:-X|--method)$/.test(word))
  const method =
    at === -1 ? words.map((word) => /^(?:-X|--method=)(\w+)$/.exec(word)?.[1]).find(Boolean) : words[at + 1]
  if (method !== undefined) return method.toUpperCase() !== 'GET'
  return words.some((word) => /^(?:-[fF]|--field|--raw-field|--input)(?:=|$)/.test(word))
}
