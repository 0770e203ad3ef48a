import type { QuestionFact } from '../types.ts'
import { commandText, portable } from './check-facts.ts'
import type { CommandRecord } from './command-log.ts'
import type { Root } from './roots.ts'

const MAX = 2
/** Commands between a failure and the form that worked. */
const NEAR = 4
const LONGEST = 120

/** Commands that failed and worked in another form right after, with no edit between: one line each, the newest. */
export function traps(records: Iterable<CommandRecord>, roots: readonly Root[]): QuestionFact[] {
  const all = [...records].sort((a, b) => a.order - b.order)
  return all
    .flatMap((failed, at): QuestionFact[] => {
      if (failed.outcome !== 'failed' || failed.firstError === null || failed.isErrand) return []
      const worked = all
        .slice(at + 1, at + 1 + NEAR)
        .find((later) => later.outcome === 'ok' && later.edit === failed.edit && isOtherForm(failed, later))
      const [before, after] = [portable(failed, roots), worked === undefined ? null : portable(worked, roots)]
      if (before === null || after === null || before.length > LONGEST || after.length > LONGEST) return []
      const text = `${commandText(before)} failed (${failed.firstError}); ${commandText(after)} worked`
      return [{ kind: 'risk', text, source: 'transcript', at: failed.at }]
    })
    .slice(-MAX)
}

/** Half of the words at least are the same, and not all. */
function isOtherForm(a: CommandRecord, b: CommandRecord): boolean {
  const [first, second] = [new Set(a.command.split(/\s+/)), new Set(b.command.split(/\s+/))]
  const shared = [...first].filter((word) => second.has(word)).length
  return (
    shared * 2 >= Math.min(first.size, second.size) &&
    shared < Math.max(first.size, second.size) &&
    shared > 1
  )
}
