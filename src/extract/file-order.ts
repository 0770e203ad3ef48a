import { type Candidate, isGone } from './file-candidates.ts'
import { contentWords, ownWords } from './goal.ts'
import { byCodeUnit } from './path-text.ts'

/** How far the first ranks of an order stand out: 7 to 15 do alike, 3 and 20 do worse. */
const RANK = 10
/** The end of a reply is where it says what is left to do; its words count half, for most of them mean no file. */
const REPLY_END = 800
const HALF = 0.5
/** A word in the names of more files than this tells none of them apart. */
const COMMON = 0.3
/** Of fewer files every word is in many names. */
const FEW = 3
/** So many are read before the rest. */
const SHORT = 5

/**
 * Best first, by reciprocal rank fusion: each order gives a file 1 / (10 + its rank in that order). The worked-on files that
 * the goal names stand first; others that it names, which the reader knows from the goal itself, after five; what is gone, last.
 */
export function rankFiles(files: readonly Candidate[], lastReply: string): Candidate[] {
  const replyWords = shareOfNames(files, new Set(contentWords(ownWords(lastReply.slice(-REPLY_END)))))
  const orders: [weight: number, value: (file: Candidate) => number][] = [
    [1, ({ record }) => record?.touches ?? 0],
    [1, ({ record }) => (record !== null && record.edits > 0 ? record.editTurns : 0)],
    [1, lastChange],
    [1, lastTouch],
    [1, (file) => file.message || (file.failing || file.inSummary ? HALF : 0)],
    [HALF, (file) => replyWords.get(file) ?? 0],
  ]
  const scores = new Map<Candidate, number>()
  const scoreOf = (file: Candidate) => scores.get(file) ?? 0
  for (const [weight, value] of orders)
    for (const [rank, file] of inOrder(files, value).entries())
      scores.set(file, scoreOf(file) + weight / (RANK + rank))
  const ranked = inOrder(files, (file) => 1 + scoreOf(file))
  const isKnown = ({ record, change }: Candidate) => record !== null || change !== null
  const named = ranked.filter(({ goal }) => goal)
  const others = ranked.filter(({ goal }) => !goal)
  const listed = [
    ...named.filter(isKnown),
    ...others.filter((file) => isKnown(file) && !isGone(file)),
    ...others.filter((file) => !isKnown(file) && !isGone(file)),
    ...others.filter(isGone),
  ]
  // What only a commit tells of comes behind them.
  const first = Math.min(SHORT, listed.filter((file) => isKnown(file) && !isGone(file)).length)
  return listed.toSpliced(first, 0, ...named.filter((file) => !isKnown(file)))
}

/** Those that have a value, the largest first; ties by the last touch, then by path. */
const inOrder = (files: readonly Candidate[], value: (file: Candidate) => number): Candidate[] =>
  files
    .map((file) => ({ file, worth: value(file), last: lastTouch(file) }))
    .filter(({ worth }) => worth > 0)
    .sort((a, b) => b.worth - a.worth || b.last - a.last || byCodeUnit(a.file.path, b.file.path))
    .map(({ file }) => file)

const lastTouch = ({ record }: Candidate): number => record?.last ?? 0

/** What git alone knows to have changed stands behind what the session edited; what more commits changed, first. */
const lastChange = ({ record, change, commits }: Candidate): number =>
  record !== null && record.edits > 0
    ? record.lastEdit
    : change !== null
      ? 0.5
      : 0.25 * (commits / (commits + 1))

/** The share of a file's name that is among `words`; the fewer names have a word, the more it counts. */
function shareOfNames(files: readonly Candidate[], words: ReadonlySet<string>): Map<Candidate, number> {
  const names = files.map((file) => [file, stemsOf(file.path)] as const)
  const counts = new Map<string, number>()
  for (const [, stems] of names) for (const stem of stems) counts.set(stem, (counts.get(stem) ?? 0) + 1)
  const weight = (stem: string) => {
    const count = counts.get(stem) ?? 0
    return files.length > FEW && count > COMMON * files.length ? 0 : Math.log(1 + files.length / count)
  }
  const sum = (stems: readonly string[]) => stems.reduce((all, stem) => all + weight(stem), 0)
  return new Map(
    names.map(([file, stems]) => {
      const found = sum(stems.filter((stem) => words.has(stem)))
      return [file, found === 0 ? 0 : found / sum(stems)]
    }),
  )
}

/** Stems of the words of the last part of a path; its ending and `test` say what kind of file it is, not which. */
function stemsOf(path: string): string[] {
  const name = path.slice(path.lastIndexOf('/') + 1).replace(/(?<=.)\.[^.]*$/, '')
  return [...new Set(contentWords(name))].filter((stem) => !/^(?:tests?|spec)$/.test(stem))
}
