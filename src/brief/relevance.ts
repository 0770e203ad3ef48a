import type { Config } from '../types/config.ts'
import type { QuestionFact, Source, TextFact } from '../types/evidence.ts'

/** Which items a list keeps when there are too many of them, in their order. */
export function keepBest<T>(items: readonly T[], count: number, rank: (item: T, at: number) => number): T[] {
  if (items.length <= count) return [...items]
  const ranked = items
    .map((item, at) => ({ at, rank: rank(item, at) }))
    .sort((a, b) => b.rank - a.rank || b.at - a.at)
  const kept = new Set(ranked.slice(0, count).map(({ at }) => at))
  return items.filter((_, at) => kept.has(at))
}

/** What a model added gives way to what is certain. */
export const isOfModel = ({ source, from }: { source: Source; from?: string }): boolean =>
  source === 'model' && from === undefined

const certain = (item: { source: Source; from?: string }): number => (isOfModel(item) ? 0 : 100)

/** Rules for everything stand longer than those for one thing. */
const GENERAL = /\b(?:never|always|must|only|from now on|in general|every|any|all|prefer)\b/i

/** Later is better; lists that stand best first count from their other end. */
export const rankOf = {
  first: (item: { source: Source; from?: string }, at: number): number => certain(item) - at,
  last: (item: { source: Source; from?: string }): number => certain(item),
  constraint: ({ text, from }: TextFact): number =>
    (from === undefined ? 0 : 2) + (GENERAL.test(text) ? 1 : 0),
  question: (item: QuestionFact): number => certain(item) + (item.kind === 'risk' ? 0 : 1),
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
