import { argumentsOf, type CommandShape, familyOf } from './command-kind.ts'

/** A check by its family and words that say what of, flags left out. */
export interface Scope {
  family: string
  targets: string[]
}

interface Ran {
  cwd: string | null
  scopes: readonly Scope[]
}

/** Whether runs checked at least what another did, each of its parts: same family, no narrower targets, same or outer directory. */
export const covers = (later: readonly Ran[], check: Ran): boolean =>
  check.scopes.every((scope) =>
    later.some(
      ({ cwd, scopes }) =>
        (cwd === check.cwd || (cwd !== null && (check.cwd ?? '').startsWith(`${cwd}/`))) &&
        scopes.some((wide) => isWithin(scope, wide)),
    ),
  )

const isWithin = (narrow: Scope, wide: Scope): boolean =>
  wide.family === narrow.family &&
  wide.targets
    .filter((target) => !/^(?:\.|\.\/\.\.\.|\.\/)$/.test(target))
    .every((target) => narrow.targets.includes(target))

/** Flags whose value narrows what is checked, before it or joined to it by `=`. */
const FILTERS = new Set(
  '-run --run -t -k -p -tags --tags --package --testNamePattern --grep -g --filter --test'.split(' '),
)
const JOINED_FILTERS = new Set('-run -k -tags --filter --testNamePattern'.split(' '))

export function scopeOf({ parts }: CommandShape, index: number): Scope {
  const part = parts[index]
  const family = part === undefined ? null : familyOf(part)
  if (part === undefined || family === null) return { family: '', targets: [] }
  const filters = part.words.flatMap((word, i) =>
    FILTERS.has(word)
      ? [`${word} ${part.words[i + 1] ?? ''}`]
      : JOINED_FILTERS.has(word.split('=', 1)[0] ?? '') && word.includes('=')
        ? [word.replace('=', ' ')]
        : [],
  )
  const named = new Set(family.split(' '))
  const entered = parts
    .slice(0, index)
    .flatMap(({ words: [program, to = '/'] }) =>
      program === 'cd' && !to.startsWith('/') ? [`cd ${to}`] : [],
    )
  return {
    family,
    targets: [...argumentsOf(part).filter((word) => !named.has(word)), ...filters, ...entered],
  }
}
