import type { CurrentBrief } from '../briefs/current.ts'
import { contentWords } from '../extract/goal.ts'

/** Words of a brief, and the request that they answer. */
export interface Quote {
  brief: string
  section: string
  text: string
  request: string | null
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
/** Share of the words of a commit's subject that a quote must have. */
const SAME_WORDS = 0.75
const LEAST_WORDS = 3
const MOST = 3

/** The words of these briefs that speak of the matter, the best first; none where nothing does for certain. */
export function quotesOn(briefs: readonly CurrentBrief[], matter: Matter): Quote[] {
  const rate = rater(matter)
  return briefs
    .flatMap((brief) => passagesOf(brief))
    .map((quote) => ({ quote, score: rate(quote.text) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, MOST)
    .map(({ quote }) => quote)
}

function rater({ paths, isCommonName, lines, subject, sha }: Matter): (text: string) => number {
  const names = paths.flatMap((path) => {
    const parts = path.split('/')
    return isCommonName ? [parts.slice(-2).join('/')] : [parts.at(-1) ?? path]
  })
  const file = new RegExp(`(?<![\\w.-])(?:${names.map(escaped).join('|')})(?![\\w-])`)
  const symbols = new Set(lines.join('\n').match(NAME) ?? [])
  const words = new Set(contentWords(subject))
  return (text) => {
    const isNamed = file.test(text) || text.includes(sha.slice(0, 7))
    const same = (text.match(NAME) ?? []).filter((name) => symbols.has(name)).length
    const had = new Set(contentWords(text))
    const share =
      words.size < LEAST_WORDS ? 0 : [...words].filter((word) => had.has(word)).length / words.size
    return (isNamed ? 2 : 0) + Math.min(same, 2) + (share >= SAME_WORDS ? 1 + share : 0)
  }
}

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')

/** Decisions first, then requests with what came of them, then the rest: of equal ones the first counts. */
function passagesOf({ id, parsed }: CurrentBrief): Quote[] {
  const of = (wanted: string): Quote[] => {
    const section = parsed.sections.find((one) => one.id === wanted)
    let request: string | null = null
    return (section?.lines ?? []).flatMap(({ text, fenced }) => {
      const line = text.replace(/^>? ?/, '')
      if (fenced || line.trim() === '') return []
      const isAnswer = wanted === 'trail' && /^ +(?:- |\S)/.test(text)
      if (wanted === 'trail' && text.startsWith('- ')) request = text.slice(2)
      return [
        {
          ...{ brief: id, section: section?.heading ?? '', text: line.trim().replace(/^- /, '') },
          request: isAnswer ? request : null,
        },
      ]
    })
  }
  return ['decisions', 'constraints', 'trail', 'memory', 'closing', 'questions'].flatMap(of)
}
