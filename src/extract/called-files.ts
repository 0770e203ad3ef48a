import type { PathSet } from '../types.ts'
import { byCodeUnit, isTest } from './path-text.ts'

/** Code files whose name without the ending is one of `names`, words of the goal; none when they are more than two. */
export function calledFiles(files: PathSet, names: ReadonlySet<string>): string[] {
  const called: string[] = []
  for (const name of names) {
    if (COMMON_NAMES.has(name)) continue
    called.push(...files.namedLike(`${name}.`).filter((path) => CODE.test(path) && !isTest(path)))
    if (called.length > MAX_CALLED) return []
  }
  return called.sort(byCodeUnit)
}

/** More files than these fit by chance: a goal is about one thing or two. */
const MAX_CALLED = 2

/** Names that are words of many goals and say nothing of one file. */
export const COMMON_NAMES = new Set(
  `index main test tests types type utils util helper helpers common config error errors build readme agents claude changelog license
  plan todo docs data page list view core base setup init release version package settings default server client model models
  command commands message status user login search install lint check script style styles theme layout`.split(
    /\s+/,
  ),
)

const CODE =
  /\.(?:[cm]?[jt]sx?|py|go|rs|rb|java|kts?|swift|c|cc|cpp|h|hpp|cs|php|sh|vue|svelte|lua|ex|zig|scala)$/
