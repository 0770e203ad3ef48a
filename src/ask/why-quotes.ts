import type { CurrentBrief } from '../briefs/current.ts'
import { contentWords } from '../extract/goal.ts'

/** Words of a brief, and the request that they answer. */
export interface Quote {
  brief: string
  section: string
  text: string
  request: string | null
  /** What it speaks of: the line or its commit, or the file alone, which may have been another change. */
  about: 'line' | 'file'
}

/** What a quote must speak of to count. */
export interface Matter {
  /** Paths that the file has and had. */
  paths: readonly string[]
  /** Other files share its name, so that only a longer path names it. */
  isCommonName: boolean
  /** The lines that are asked about. */
  lines: readonly string[]
  subject: string
  sha: string
}

/** Names in code of which nobody means another thing: `isTrivialLine`, `min_age`, `RetryQueue`. */
const NAME = /\b(?:[a-z\d]+(?:_[a-z\d]+)+|[A-Z\d]+(?:_[A-Z\d]+)+|[A-Za-z\d]+[a-z][A-Z][A-Za-z\d]*)\b/g
/** Share of the words of a commit's subject that a quote must have, and the words that a subject must have to be told by them. */
const SAME_WORDS = 0.8
const LEAST_WORDS = 3
/** Words that a text must have beside the id and the subject of a commit. */
const LEAST_NEWS = 8
const MOST = 3
/** A turn that made a commit, as the agent or the brief tells it. */
const COMMITTED = /\bcommitted\b.{0,12}`[0-9a-f]{7,40}\b/i

/** The words of these briefs that speak of the matter, the best first; none where nothing does for certain. */
export function quotesOn(briefs: readonly CurrentBrief[], matter: Matter): Quote[] {
  const rate = rater(matter)
  const rated = briefs
    .flatMap((brief) => withinReach(passagesOf(brief), matter.sha))
    .map((passage) => {
      const { score, isClose } = rate(passage.text)
      // What names the file and came of a request for this change is about it.
      const isAnswer = score > 0 && passage.request !== null && rate(passage.request).isClose
      return { passage, score, isClose: isClose || isAnswer }
    })
    // A demand that only names the file did not lead to a change of it.
    .filter(({ score, isClose, passage }) => score > 0 && (isClose || !passage.isDemand))
    .sort((a, b) => b.score - a.score)
  // A text that only names the file may be about another change of it.
  const isSure = rated.some(({ isClose }) => isClose)
  const told = rated.filter(({ isClose }) => !isSure || isClose)
  // The brief that goes on hands down what it was handed.
  const isFirst = ({ passage }: (typeof told)[number], at: number): boolean =>
    told.findIndex((one) => one.passage.text === passage.text) === at
  return told
    .filter(isFirst)
    .slice(0, MOST)
    .map(({ passage: { brief, section, text, request } }) => ({
      ...{ brief, section, text, request },
      about: isSure ? 'line' : 'file',
    }))
}

/** What a text says of the matter; `isClose`: of the line or the commit, not of the file alone. */
function rater({ paths, isCommonName, lines, subject, sha }: Matter) {
  const names = paths.map((path) => {
    const parts = path.split('/')
    const name = parts.at(-1) ?? path
    return isCommonName || !name.slice(1).includes('.') ? parts.slice(-2).join('/') : name
  })
  const file = new RegExp(`(?<![\\w.-])(?:${names.map(escaped).join('|')})(?![\\w-])`)
  const symbols = new Set(lines.join('\n').match(NAME) ?? [])
  const words = new Set(contentWords(subject))
  return (text: string): { score: number; isClose: boolean } => {
    const had = new Set(contentWords(text))
    const isNamed = text.includes(sha.slice(0, 7))
    // `Committed: 1a2b3c4 Add a`: that says nothing.
    if (isNamed && [...had].filter((word) => !words.has(word)).length < LEAST_NEWS)
      return { score: 0, isClose: false }
    const same = (text.match(NAME) ?? []).filter((name) => symbols.has(name)).length
    const found = [...words].filter((word) => had.has(word)).length
    const isSubject = words.size >= LEAST_WORDS && found / words.size >= SAME_WORDS
    const close = (isNamed ? 1 : 0) + Math.min(same, 2) + (isSubject ? 2 : 0)
    return { score: close + (file.test(text) ? 2 : 0), isClose: close > 0 }
  }
}

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')

interface Passage extends Omit<Quote, 'about'> {
  isDemand: boolean
  /** In the order of the requests; null beside them. */
  turn: number | null
}

/** Where the brief tells in which turn the commit was made: what was said between the commit before and that turn. */
function withinReach(passages: readonly Passage[], sha: string): Passage[] {
  const turnsWith = (test: (text: string) => boolean): number[] =>
    passages.flatMap(({ text, turn }) => (turn !== null && test(text) ? [turn] : []))
  const [made] = turnsWith((text) => text.includes(sha.slice(0, 7)))
  if (made === undefined) return [...passages]
  const before = turnsWith((text) => COMMITTED.test(text)).findLast((turn) => turn < made) ?? -1
  return passages.filter(({ turn }) => turn === null || (turn > before && turn <= made))
}

/** Decisions first, then requests with what came of them, then the rest: of equal ones the first counts. */
function passagesOf({ id, parsed }: CurrentBrief): Passage[] {
  const of = (wanted: string): Passage[] => {
    const section = parsed.sections.find((one) => one.id === wanted)
    let [request, turn]: [string | null, number] = [null, -1]
    return (section?.lines ?? []).flatMap(({ text, fenced }) => {
      const line = text.replace(/^>? ?/, '')
      if (fenced || line.trim() === '') return []
      const isTrail = wanted === 'trail'
      const isAnswer = isTrail && /^ +\S/.test(text)
      if (isTrail && text.startsWith('- ')) [request, turn] = [text.slice(2), turn + 1]
      return [
        {
          ...{ brief: id, section: section?.heading ?? '', text: line.trim().replace(/^- /, '') },
          ...{ request: isAnswer ? request : null, turn: isTrail ? turn : null },
          isDemand: wanted === 'constraints',
        },
      ]
    })
  }
  return ['decisions', 'constraints', 'trail', 'memory', 'closing', 'questions'].flatMap(of)
}
