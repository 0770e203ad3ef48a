import type { CommandFact, Config, DecisionFact, FileEvidence, QuestionFact, Source } from '../types.ts'

/** Strongest first, as `FileEvidence` lists them. */
export const evidenceOrder: readonly FileEvidence[] = [
  'goal',
  'edited',
  'created',
  'deleted',
  'renamed',
  'uncommitted',
  'committed',
  'failing',
  'planned',
  'read',
  'searched',
  'command',
  'named',
  'together',
  'notes',
  'inherited',
]

/** Of what a model added to a list the last item; -1 when there is none. A file that is known without it is none. */
export const lastOfModel = (items: readonly unknown[]): number =>
  items.findLastIndex((item) => {
    const { source, from, plain } = item as { source?: Source; from?: string; plain?: object }
    return source === 'model' && from === undefined && plain === undefined
  })

/** What a model added goes before anything that is certain. */
const modelFirst =
  <T>(worst: (items: readonly T[]) => number) =>
  (items: readonly T[]): number => {
    const added = lastOfModel(items)
    return added === -1 ? worst(items) : added
  }

/**
 * Which item a list can best do without: first what a model added. Then lists that stand best first lose their tail; lists in
 * order of time lose what an earlier brief said before what this session said, the agent's words before the person's, and the
 * oldest first. What a resumed brief carries is not said anywhere else.
 */
export const worstOf = {
  tail: modelFirst((items: readonly unknown[]): number => items.length - 1),
  head: (): number => 0,
  decision: modelFirst((items: readonly DecisionFact[]): number =>
    lowest(
      items,
      (item) =>
        (item.fromHead !== undefined ? 4 : item.from === undefined ? 2 : 0) + (item.by === 'user' ? 1 : 0),
    ),
  ),
  question: modelFirst((items: readonly QuestionFact[]): number =>
    lowest(items, (item) => (item.from === undefined ? 2 : 0) + (item.kind === 'risk' ? 0 : 1)),
  ),
}

/** The list without its least relevant items, order kept. */
export function keepBest<T>(items: readonly T[], count: number, worst: (items: readonly T[]) => number): T[] {
  const kept = [...items]
  while (kept.length > count) kept.splice(worst(kept), 1)
  return kept
}

/**
 * The commands that fit on so many lines, by kind, the kind of the best first: the kinds of one tool share a line; commands of their own get at least half of
 * the lines. `total` counts what there was.
 */
export function keepCommands(
  commands: readonly CommandFact[],
  lines: number,
): { kept: CommandFact[]; total: number } {
  const toolOf = ({ command }: CommandFact): string => command.split(' ', 1)[0] ?? ''
  const habits = commands.filter((fact) => fact.habit)
  const added = commands.filter((fact) => lastOfModel([fact]) === 0)
  const own = commands.filter((fact) => !fact.habit && !added.includes(fact))
  const tools = [...new Set(habits.map(toolOf))]
  const kept = own.slice(0, Math.max(lines - tools.length, Math.ceil(lines / 2)))
  const shown = tools.slice(0, Math.max(0, lines - kept.length))
  const kinds = [...new Set(kept.map(({ kind }) => kind))]
  const byKind = kinds.flatMap((kind) => kept.filter((fact) => fact.kind === kind))
  const room = Math.max(0, lines - kept.length - shown.length)
  return {
    kept: [...byKind, ...added.slice(0, room), ...habits.filter((fact) => shown.includes(toolOf(fact)))],
    total: commands.length,
  }
}

function lowest<T>(items: readonly T[], rank: (item: T) => number): number {
  let found = 0
  let least = Number.POSITIVE_INFINITY
  for (const [index, item] of items.entries()) {
    if (rank(item) >= least) continue
    least = rank(item)
    found = index
  }
  return found
}

/** Limits and token budgets that are not the default ones, for the front matter; undefined when all are. */
export function changedLimits(
  config: Pick<Config, 'limits' | 'budget'>,
  defaults: Pick<Config, 'limits' | 'budget'>,
): Record<string, number> | undefined {
  const flat = ({ limits, budget }: Pick<Config, 'limits' | 'budget'>): [string, number][] => [
    ...Object.entries(limits),
    ...Object.entries(budget).map(([key, value]): [string, number] => [`tokens.${key}`, value]),
  ]
  const standard = new Map(flat(defaults))
  const changed = flat(config).filter(([key, value]) => standard.get(key) !== value)
  return changed.length === 0 ? undefined : Object.fromEntries(changed)
}
