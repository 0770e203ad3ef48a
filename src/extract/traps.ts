import type { QuestionFact } from '../types/evidence.ts'
import { commandText, portable } from './check-facts.ts'
import { isCheck } from './command-kind.ts'
import type { CommandRecord } from './command-log.ts'
import type { Root } from './roots.ts'

const MAX = 2
const LONGEST = 120
/** A check that says this did not check anything; what else fails in it, a change of the code mends. */
const DID_NOT_RUN =
  /\bnot found$|command not found|no such file|missing script|no module named|(?:unknown|unrecognized|unexpected|invalid) (?:option|argument|flag|command)/i

/** Commands that failed and worked in another form as the very next command, with no edit between: one line each, the newest. */
export function traps(records: Iterable<CommandRecord>, roots: readonly Root[]): QuestionFact[] {
  const all = [...records].sort((a, b) => a.order - b.order)
  return all
    .flatMap((failed, at): QuestionFact[] => {
      const worked = all[at + 1]
      if (failed.outcome !== 'failed' || failed.firstError === null || failed.isErrand) return []
      if (isCheck(failed.kind) && !DID_NOT_RUN.test(failed.firstError)) return []
      // A run between them that was repeated later is counted, and not here: it may have mended the first.
      if (worked?.outcome !== 'ok' || worked.order !== failed.order + 1 || worked.edit !== failed.edit)
        return []
      if (!isOtherForm(failed.command, worked.command)) return []
      const [before, after] = [portable(failed, roots), portable(worked, roots)]
      if (before === null || after === null || before.length > LONGEST || after.length > LONGEST) return []
      const text = `${commandText(before)} failed (${failed.firstError}); ${commandText(after)} worked`
      return [{ kind: 'risk', text, source: 'transcript', at: failed.at }]
    })
    .slice(-MAX)
}

/** Beside options, one has all words of the other; or only the program has another name, such as `python3`. */
function isOtherForm(a: string, b: string): boolean {
  const [first, second] = [wordsOf(a), wordsOf(b)]
  if (first.join(' ') === second.join(' ')) return false
  const [few = [], many = []] = [first, second]
    .map((words) => words.filter((word) => !word.startsWith('-')))
    .sort((one, other) => one.length - other.length)
  const isHeld = (word: string, at: number): boolean =>
    many.includes(word) || (at === 0 && isSameProgram(word, many[0] ?? ''))
  return few.length > 1 && few.every(isHeld)
}

const isSameProgram = (a: string, b: string): boolean => a.includes(b) || b.includes(a)

/** Where the output goes makes no other form. */
const wordsOf = (command: string): string[] =>
  command
    .replace(/\d?>&\d|&?\d?>>?\s*\S+/g, '')
    .split(/[\s;]+/)
    .filter(Boolean)
