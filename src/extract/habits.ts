import type { CommandFact } from '../types.ts'
import { argumentsOf } from './command-kind.ts'
import { byCodeUnit } from './path-text.ts'
import { placeOf } from './place.ts'
import type { Root } from './roots.ts'
import type { ShellPart } from './shell.ts'

/** Kinds of version control and forge commands that the session used, told by program and subcommand alone. */
export interface Habits {
  /** `parts` are those of a command line that did not fail; `asOf`: which line it was, if it is counted later. */
  ran(command: string, cwd: string | null, parts: readonly ShellPart[], asOf?: number): void
  /** Lines so far that used such a kind. */
  readonly lines: number
  /** Most used first within each tool, git before gh. */
  facts(roots: readonly Root[]): CommandFact[]
}

interface Habit {
  runs: number
  /** Number of the line that used it last. */
  last: number
  /** One line per directory that used it, to tell whether it ran in this repository. */
  lines: Map<string, { command: string; runs: number }>
}

const TOOLS = ['git', 'gh'] as const
/** On 440 cuts of real sessions 437 continuations used no more kinds of git again, and 436 no more of gh. */
const MOST: Record<(typeof TOOLS)[number], number> = { git: 8, gh: 5 }
const MAX_KINDS = 200
const MAX_PLACES = 50

export function createHabits(): Habits {
  const habits = new Map<string, Habit>()
  let lines = 0
  return {
    ran(command, cwd, parts, asOf) {
      let counted = false
      for (const part of parts) {
        const [tool] = part.words
        if (tool !== 'git' && tool !== 'gh') continue
        const kind = habitOf(part)
        // Only words that stand like this in the line: nothing is made up.
        if (kind === null || !command.includes(kind)) continue
        if (!counted) lines++
        counted = true
        const habit = habits.get(kind) ?? { runs: 0, last: 0, lines: new Map() }
        if (habits.size < MAX_KINDS) habits.set(kind, habit)
        habit.runs++
        habit.last = Math.max(habit.last, asOf ?? lines)
        const place = `${cwd ?? ''}\0${/^\s*cd\s+\S+/.exec(command)?.[0] ?? ''}`
        const held = habit.lines.get(place)
        if (held) held.runs++
        else if (habit.lines.size < MAX_PLACES) habit.lines.set(place, { command, runs: 1 })
      }
    },
    get lines() {
      return lines
    },
    facts(roots) {
      const all = [...habits].map(([kind, habit]) => {
        let runs = 0
        for (const [place, line] of habit.lines)
          if (placeOf(line.command, place.split('\0', 1)[0] || null, roots) !== null) runs += line.runs
        // Often and late: what was used once in the beginning is the least likely to be used again.
        return { kind, runs, score: (runs * habit.last) / lines }
      })
      return TOOLS.flatMap((tool) =>
        all
          .filter(({ kind, runs }) => runs > 0 && kind.startsWith(`${tool} `))
          .sort((a, b) => b.score - a.score || byCodeUnit(a.kind, b.kind))
          .slice(0, MOST[tool])
          .sort((a, b) => b.runs - a.runs || byCodeUnit(a.kind, b.kind))
          .map(({ kind, runs }) => factOf(kind, runs)),
      )
    },
  }
}

const factOf = (command: string, runs: number): CommandFact => ({
  command,
  outcome: 'unknown',
  exitCode: null,
  cwd: null,
  kind: 'git',
  runs,
  source: 'transcript',
  at: null,
  habit: true,
})

const DEEP = new Set('stash worktree remote pr issue run api workflow release repo'.split(' '))
/** Subcommands that throw work away or rewrite what others have, or that show a secret. */
const NEVER = new Set(
  'reset clean restore rm filter-branch filter-repo gc prune update-ref reflog replace auth secret credential'.split(
    ' ',
  ),
)
const NEVER_SECOND = new Set('drop clear remove prune delete close merge archive disable cancel'.split(' '))
const FORCE: Record<string, RegExp> = {
  push: /^(?:--force.*|-[a-z]*f[a-z]*|--delete|-d|--mirror|--prune|[+:].+)$/,
  branch: /^(?:-[dDfMC]+|--delete|--force)$/,
  tag: /^(?:-[df]|--delete|--force)$/,
  checkout: /^(?:-f|--force|--|\.|-B)$/,
  switch: /^(?:-f|--force|--discard-changes|-C)$/,
}

/** Whether it throws work away, rewrites what others have or shows a secret. */
export function isDestructive(part: ShellPart): boolean {
  const [tool] = part.words
  if (tool !== 'git' && tool !== 'gh') return false
  const [name = '', second = ''] = argumentsOf(part)
  const force = tool === 'git' ? FORCE[name] : undefined
  return (
    NEVER.has(name) ||
    (DEEP.has(name) && NEVER_SECOND.has(second)) ||
    (force !== undefined && part.words.slice(2).some((word) => force.test(word)))
  )
}

/** `git add`, `git stash pop`, `gh pr view`; null for anything else and for what destroys. */
function habitOf(part: ShellPart): string | null {
  const [tool] = part.words
  if ((tool !== 'git' && tool !== 'gh') || isDestructive(part)) return null
  const [name, second] = argumentsOf(part)
  if (name === undefined || !/^[a-z][a-z-]*$/.test(name)) return null
  // The path of a request says more than the word; a query is the same kind whatever it asks.
  if (name === 'api' && second !== 'graphql') return null
  const isDeep = DEEP.has(name) && second !== undefined && /^[a-z][a-z-]*$/.test(second)
  return isDeep ? `${tool} ${name} ${second}` : `${tool} ${name}`
}
