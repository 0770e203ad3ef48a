import type { CommandFact, Dropped } from '../types.ts'
import type { CommandRecord } from './command-log.ts'
import type { Fold } from './fold.ts'
import type { GoalWords } from './goal.ts'
import { contentWords } from './goal.ts'
import { byCodeUnit } from './path-text.ts'
import { placeOf } from './place.ts'
import type { Root } from './roots.ts'

/** How much a kind of command helps the next agent. */
const WORTH: Record<CommandFact['kind'], number> = {
  test: 4,
  build: 3.5,
  lint: 3.5,
  run: 2.5,
  deploy: 2.5,
  install: 1.5,
  other: 1,
  git: 1,
}

/**
 * Commands as they were run, best first: each next one is the one that adds the most that is not yet covered, so that ten
 * lines show ten kinds of command and not ten variants of one. A leading `cd` into the recorded repository is taken off, since
 * that path exists on one machine only; the directory stands in `cwd`.
 */
export function commandFacts(
  fold: Fold,
  roots: readonly Root[],
  goal: GoalWords,
  drop: (item: Dropped) => void,
): CommandFact[] {
  for (const { text, why } of fold.leftOut) drop({ kind: 'command', text, why })
  for (const text of fold.commands.longScripts)
    drop({ kind: 'command', text, why: 'a script too long to repeat' })
  const merged = new Map<string, { fact: CommandFact; record: CommandRecord }>()
  const ordered = [...fold.commands.records.values()].sort((a, b) => a.order - b.order)
  for (const record of ordered) {
    if (record.isErrand) continue
    const place = placeOf(record.command, record.cwd, roots)
    if (place === null) {
      drop({ kind: 'command', text: record.command, why: 'ran outside the repository' })
      continue
    }
    if (record.families.length > 0 && record.families.every((family) => isForeign(family, roots))) {
      drop({ kind: 'command', text: record.command, why: 'runs a script outside the repository' })
      continue
    }
    const key = `${place.cwd ?? ''}\0${withoutPlumbing(place.command)}`
    const held = merged.get(key)
    merged.set(key, {
      record,
      fact: {
        ...place,
        outcome: record.outcome,
        exitCode: record.exitCode,
        kind: record.kind,
        runs: record.runs + (held?.fact.runs ?? 0),
        source: record.by === 'user' ? 'user' : 'transcript',
        at: record.at,
      },
    })
  }
  const habits = fold.commands.habits.facts(roots)
  const told = new Set(habits.map((habit) => habit.command))
  // A line of nothing but such kinds says no more than they do; where a push goes is worth a line.
  const lines = simplest([...merged.values()]).filter(
    ({ record: { kind, families, command } }) =>
      kind !== 'git' ||
      !families.every((family) => told.has(family)) ||
      (families.includes('git push') && !command.includes('\n')),
  )
  return [...inOrder(lines, goal), ...habits]
}

interface Line {
  fact: CommandFact
  record: CommandRecord
}

/** Of lines that run the same and differ in how they look at the output, the plainest, the last of equals; runs add up. */
function simplest(lines: readonly Line[]): Line[] {
  const held = new Map<string, Line>()
  for (const line of lines) {
    const { core } = line.record
    const key = core === '' ? `\0${line.fact.command}` : `${line.fact.cwd ?? ''}\0${core}`
    const other = held.get(key)
    const isPlainer = other === undefined || line.fact.command.length <= other.fact.command.length
    const shown = isPlainer ? line : other
    const runs = line.fact.runs + (other?.fact.runs ?? 0)
    const order = Math.max(line.record.order, other?.record.order ?? 0)
    held.set(key, { record: { ...shown.record, order }, fact: { ...shown.fact, runs } })
  }
  return [...held.values()]
}

/** Programs and scripts of another place than this repository and the system. */
const isForeign = (family: string, roots: readonly Root[]): boolean =>
  family
    .split(' ')
    .some(
      (word) =>
        /^(?:\/|~\/)/.test(word) &&
        !/^\/(?:usr|bin|sbin|opt)\//.test(word) &&
        !roots.some((root) => word.startsWith(`${root}/`)),
    )

/** The same command, whatever was done with its output: `npm test 2>&1 | tail -5` is `npm test`. */
const withoutPlumbing = (command: string) =>
  command
    // First, so that no pattern below meets a long gap.
    .replace(/\s+/g, ' ')
    .replace(/ ?2>&1/g, '')
    .replace(command.includes('|') ? /(?: ?\| ?(?:head|tail|cat|tee)\b[^|&;]*)+$/ : '', '')
    .trim()

function inOrder(all: { fact: CommandFact; record: CommandRecord }[], goal: GoalWords): CommandFact[] {
  const last = Math.max(1, ...all.map(({ record }) => record.order))
  const families = new Map<string, number>()
  for (const { record } of all)
    for (const family of record.families) families.set(family, (families.get(family) ?? 0) + record.runs)
  const own = new Map(
    all.map((item) => {
      const words = contentWords(item.fact.command).filter((word) => goal.words.has(word)).length
      const size = Math.min(1, item.fact.command.length / 400)
      return [
        item,
        item.record.order / last + Math.min(2, words) * 0.5 - size + Math.min(item.fact.runs, 3) * 0.2,
      ] as const
    }),
  )
  const covered = new Set<string>()
  const left = new Set(all)
  const out: CommandFact[] = []
  const gain = (item: (typeof all)[number]) => {
    // What is not for building, checking or running comes behind what is; a push still says where the work goes.
    let sum = (own.get(item) ?? 0) - (isAside(item.record) ? ASIDE : 0)
    for (const family of item.record.families)
      if (!covered.has(family))
        sum += WORTH[item.fact.kind] / 2 + Math.min(5, families.get(family) ?? 0) * 0.4 + 2
    return sum + WORTH[item.fact.kind] * 0.5
  }
  while (left.size > 0 && out.length < MAX_FACTS) {
    let best: (typeof all)[number] | null = null
    let bestGain = Number.NEGATIVE_INFINITY
    for (const item of left) {
      const value = gain(item)
      if (
        value > bestGain ||
        (value === bestGain && best && byCodeUnit(item.fact.command, best.fact.command) < 0)
      ) {
        best = item
        bestGain = value
      }
    }
    if (best === null) break
    left.delete(best)
    for (const family of best.record.families) covered.add(family)
    out.push(best.fact)
  }
  return out
}

/** More than any gain, so that these stand last. */
const ASIDE = 100
const isAside = ({ kind, families }: CommandRecord): boolean =>
  kind === 'git' && !families.includes('git push')

/** Facts handed on; a brief shows ten by default. */
const MAX_FACTS = 100
