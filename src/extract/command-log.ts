import type { CommandFact } from '../types/evidence.ts'
import { argumentsOf, type CommandShape, familyOf, isCheck, isInlineScript } from './command-kind.ts'
import { type Judgement, judge, type RunResult } from './command-outcome.ts'
import { firstKey, type Moment } from './file-log.ts'
import type { ShellPart } from './shell.ts'

export interface CommandRecord extends Judgement {
  command: string
  /** Of a check the part of the line that it is told by. */
  main: string
  cwd: string | null
  families: string[]
  kind: CommandFact['kind']
  runs: number
  by: 'agent' | 'user'
  isSub: boolean
  at: string | null
  isErrand: boolean
  /** Number of the last run, counted through the session. */
  order: number
  /** Touch number of the newest edit when it ran last: a later edit makes its result stale. */
  edit: number
}

/** Different command lines remembered, and the longest that is worth repeating, in characters. */
const MAX_COMMANDS = 3_000
const MAX_LENGTH = 1_200

/** Keeps the last outcome per command line and directory. Lines that only look around are not kept. */
export function createCommandLog() {
  const records = new Map<string, CommandRecord>()
  const longScripts: string[] = []
  let order = 0
  return {
    ran(
      line: CommandLine & Pick<CommandRecord, 'cwd' | 'by' | 'isSub' | 'at'>,
      result: RunResult | null,
      edit: number,
      /** When it ran, if it is counted later. */
      asOf?: Moment,
    ) {
      const { shape, cwd, by, isSub, at } = line
      if (shape.families.length === 0) return
      const main = isCheck(shape.kind) ? mainOf(line) : line.command
      const command = line.command.length > MAX_LENGTH ? main : line.command
      if (command.length > MAX_LENGTH) {
        if (longScripts.length < 50) longScripts.push(firstLine(command))
        return
      }
      const key = `${cwd ?? ''}\0${command}`
      const held = records.get(key)
      const runs = (held?.runs ?? 0) + 1
      order++
      // Between the runs that ended before and after it.
      const own = asOf === undefined ? order : asOf.order + 0.5
      if (held && held.order > own) {
        held.runs = runs
        return
      }
      // Newest last, so that the oldest is forgotten first.
      records.delete(key)
      records.set(key, {
        ...judge(shape, result),
        ...{ command, main, cwd, by, isSub, at, runs },
        families: shape.families,
        kind: shape.kind,
        isErrand: held?.isErrand ?? (!isCheck(shape.kind) && isErrand(shape.parts)),
        order: own,
        edit: asOf?.edit ?? edit,
      })
      if (records.size > MAX_COMMANDS) records.delete(firstKey(records))
    },
    get order(): number {
      return order
    },
    records: records as ReadonlyMap<string, CommandRecord>,
    longScripts,
  }
}

const firstLine = (command: string) => (command.split('\n')[0] ?? '').trim()

export interface CommandLine {
  command: string
  shape: CommandShape
}

/** Of a line that does more than check its checks, with the folder it enters; the whole where the line does more to them. */
function mainOf({ command, shape }: CommandLine): string {
  const { parts, main } = shape
  const isScript = /[;\n]/.test(command)
  const isBeside = (part: ShellPart, at: number): boolean =>
    /^(?:cd|echo)$/.test(part.words[0] ?? '') || parts[at - 1]?.next === '|'
  if (!isScript && parts.every((part, at) => shape.checks.includes(at) || isBeside(part, at))) return command
  const checks = (isScript ? [main] : shape.checks).flatMap((at) => parts[at] ?? [])
  const entered = parts.slice(0, main).filter(({ words: [program] }) => program === 'cd')
  const [, folder] = parts[0]?.words ?? []
  const isMoved = entered.length > 1 || (entered.length === 1 && entered[0] !== parts[0])
  const isWhole = ({ words }: ShellPart): boolean => {
    const at = command.indexOf(words.join(' '))
    return at !== -1 && !/\w=\S*\s+$/.test(command.slice(0, at)) && words.every(isPlain)
  }
  if (isMoved || checks.length === 0 || !checks.every(isWhole)) return command
  return `${entered.length === 1 ? `cd ${folder} && ` : ''}${checks.map(({ words }) => words.join(' ')).join(' && ')}`
}
const isPlain = (word: string): boolean => /^[\w./:@=,+%~-]+$/.test(word)

const REMOVAL =
  /^(?:docker|podman) (?:(?:image|container|volume|network|system|builder) (?:rm|prune|remove)|rmi?)\b/

/** Whether all that a command line does was done once: a script written on the line, a removal, version control beside it. */
export function isErrand(parts: readonly ShellPart[]): boolean {
  const acting = parts.filter((part) => familyOf(part) !== null)
  return acting.every(
    (part) =>
      isInlineScript(part) ||
      part.words[0] === 'git' ||
      REMOVAL.test([part.words[0], ...argumentsOf(part)].join(' ')),
  )
}
