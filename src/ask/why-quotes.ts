import { assentedTo, contentWords } from '../facts/decisions.ts'
import { isAbsolute, pathTokens } from '../facts/paths.ts'
import { UNANSWERED } from '../facts/turns.ts'
import { codeParts } from '../text/safe-text.ts'

/** What words speak of, the closest first: a name in the line and its commit, one of the two, or the file alone. */
const CLOSENESS = ['line', 'name', 'commit', 'file'] as const
export type Closeness = (typeof CLOSENESS)[number]

/** Words of a brief, the request that they answer, and what the person said to them. */
export interface Quote {
  brief: string
  section: string
  text: string
  request: string | null
  answer: string | null
  about: Closeness
}

/** What a quote must speak of to count. */
export interface Matter {
  /** Paths that the file has and had. */
  paths: readonly string[]
  tracked: readonly string[]
  /** The line that is asked about; empty for a whole file. */
  line: string
  file: string
  subject: string
  /** The brief may tell of another change of the file, so that only words on the file count. */
  isGuess: boolean
}

/** Names in code of which nobody means another thing: `isTrivialLine`, `min_age`, `RetryQueue`. */
const NAME = /\b(?:[a-z\d]+(?:_[a-z\d]+)+|[A-Z\d]+(?:_[A-Z\d]+)+|[A-Za-z\d]+[a-z][A-Z][A-Za-z\d]*)\b/g
/** Products are called like that too: `GitHub`, `TypeScript`. */
const LIKE_PRODUCT = /^[A-Z][a-z]/
/** Code that is more than a word, as `git-sync` is one: `-mx-6`, `fs.rm`. */
const CODE = /^(?=.*[A-Za-z])(?=-|.*[^A-Za-z-])[^\s/]{4,}$/
/** Lines of a file in which a name stands that tells them from others. */
const MOST_LINES = 3
/** Share of the words of a commit's subject that a quote must have, and the words that a subject must have to be told by them. */
const SAME_WORDS = 0.8
const LEAST_WORDS = 3
/** Words that a text must have beside the id and the subject of a commit. */
const LEAST_NEWS = 8
const MOST = 3
/** Digits in it of an id that texts name. */
const SHORT = 7
const ID = /\b[0-9a-f]{7,40}\b/
/** A turn that made a commit, as the agent or the brief tells it. */
const COMMITTED = /\bcommitted\b.{0,12}`[0-9a-f]{7,40}\b/i

/** A brief, as far as its words are asked. */
interface Told {
  id: string
  /** Id that it knows the commit by. */
  as: string
  parsed: {
    sections: readonly {
      id: string | null
      heading: string
      lines: readonly { text: string; fenced: boolean }[]
    }[]
  }
}

/** The words of these briefs that speak of the matter, the closest and of these the best; none where nothing does for certain. */
export function quotesOn(briefs: readonly Told[], matter: Matter): Quote[] {
  const rate = rater(matter)
  const rated = briefs
    .flatMap((brief) => withinReach(passagesOf(brief), brief.as.slice(0, SHORT)))
    .flatMap(({ isDemand, turn: _, isOfTurn, sha, ...quote }) => {
      const { score, hasName, isCommit, isFile } = rate(quote.text, sha)
      // What came of a request for this change is about it.
      const isOfCommit = isCommit || isOfTurn || (quote.request !== null && rate(quote.request, sha).isCommit)
      const about: Closeness | null = hasName
        ? isOfCommit
          ? 'line'
          : 'name'
        : isCommit || (isFile && isOfCommit)
          ? 'commit'
          : isFile
            ? 'file'
            : null
      // A demand that only names the file did not lead to a change of it.
      return about === null || (isDemand && about === 'file') ? [] : [{ ...quote, about, score }]
    })
    .sort((a, b) => b.score - a.score)
  const closest = CLOSENESS.find((one) => rated.some(({ about }) => about === one))
  const told = rated.filter(({ about }) => about === closest)
  const quotes = told
    // The brief that goes on hands down what it was handed.
    .filter((quote, at) => told.findIndex(({ text }) => text === quote.text) === at)
    .slice(0, MOST)
    .map(({ score: _, ...quote }): Quote => quote)
  // What answers the same request stands together, below it.
  const isOf = ({ section, request }: Quote) => `${section}\n${request}`
  return quotes
    .filter(({ text }) => quotes.every(({ request, answer }) => request !== text && answer !== text))
    .sort(
      (a, b) =>
        quotes.findIndex((one) => isOf(one) === isOf(a)) - quotes.findIndex((one) => isOf(one) === isOf(b)),
    )
}

interface Said {
  score: number
  hasName: boolean
  isCommit: boolean
  isFile: boolean
}

const NOTHING: Said = { score: 0, hasName: false, isCommit: false, isFile: false }

function rater({ paths, tracked, line, file, subject, isGuess }: Matter) {
  const ownersOf = createOwners([...new Set([...tracked, ...paths])])
  const isSymbol = (name: string): boolean => {
    const whole = new RegExp(`(?<![\\w-])${escaped(name)}(?![\\w-])`)
    return whole.test(line) && file.split('\n').filter((one) => whole.test(one)).length <= MOST_LINES
  }
  const words = new Set(contentWords(subject))
  const isRevert = subject.startsWith('Revert "')
  return (text: string, sha: string): Said => {
    const had = new Set(contentWords(text))
    const isNamed = !isGuess && text.includes(sha)
    // `Committed: 1a2b3c4 Add a` says nothing, and what names another commit has its words from that one.
    const hasId = ID.test(text)
    const isNews = [...had].filter((word) => !words.has(word)).length >= LEAST_NEWS
    // What is said of the change that was taken back is not said of taking it back.
    if ((hasId && !isNews) || (isRevert && !isNamed)) return NOTHING
    const owners = pathTokens(text).map(ownersOf)
    const isFile = owners.some((own) => own.length > 0 && own.every((path) => paths.includes(path)))
    const isOther =
      !isFile && owners.some((own) => own.length > 0 && !own.some((path) => paths.includes(path)))
    const same = isGuess || isOther ? 0 : namesIn(text, isFile).filter(isSymbol).length
    const found = [...words].filter((word) => had.has(word)).length
    const isSubject = !isGuess && !hasId && words.size >= LEAST_WORDS && found / words.size >= SAME_WORDS
    return {
      score: (isNamed ? 2 : 0) + Math.min(same, 2) + (isSubject ? 2 : 0) + (isFile ? 2 : 0),
      ...{ hasName: same > 0, isCommit: isNamed || isSubject, isFile },
    }
  }
}

/** The names in code that a text has. `isFile`: it names the file, so that no product is meant. */
function namesIn(text: string, isFile: boolean): string[] {
  const code = codeParts(text).flatMap((part) => part.code ?? [])
  const names = (text.match(NAME) ?? []).filter((name) => isFile || !LIKE_PRODUCT.test(name))
  return [
    ...new Set([...names, ...(code.join('\n').match(NAME) ?? []), ...code.filter((one) => CODE.test(one))]),
  ]
}

/** Which of these paths a word means: this very one, else each one that ends like it. */
function createOwners(known: readonly string[]): (word: string) => string[] {
  const byName = new Map<string, string[]>()
  const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)
  for (const path of known) {
    const same = byName.get(nameOf(path))
    if (same === undefined) byName.set(nameOf(path), [path])
    else same.push(path)
  }
  return (word) => {
    const near = byName.get(nameOf(word)) ?? []
    if (near.includes(word)) return [word]
    return isAbsolute(word)
      ? near.filter((path) => path.includes('/') && word.endsWith(`/${path}`))
      : near.filter((path) => path.endsWith(`/${word}`))
  }
}

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')

interface Passage extends Omit<Quote, 'about'> {
  isDemand: boolean
  /** In the order of the requests; null beside them. */
  turn: number | null
}

/**
 * Where the brief tells in which turn the commit was made: what was said between the commit before and that turn, and whether it
 * was said in that turn.
 */
function withinReach(passages: readonly Passage[], sha: string) {
  const told = passages.flatMap(({ text, turn }) => (turn === null ? [] : [{ text, turn }]))
  const naming = told.filter(({ text }) => text.includes(sha))
  const made = naming[0]?.turn ?? null
  const before = told.findLast(({ text, turn }) => turn < (made ?? 0) && COMMITTED.test(text))?.turn ?? -1
  // Who lists commits may have made another one of them in that turn.
  const isAlone = naming.some(({ text, turn }) => turn === made && text.split(ID).length === 2)
  return passages
    .filter(({ turn }) => made === null || turn === null || (turn > before && turn <= made))
    .map((passage) => ({
      ...passage,
      // What was said after the commit did not lead to it.
      answer: passage.turn !== null && passage.turn === made ? null : passage.answer,
      ...{ sha, isOfTurn: isAlone && passage.turn === made },
    }))
}

/** A line below the last turn, which is none. */
const LEFT_OUT = /^- \(\d+ more turns? left out;/

/** Decisions first, then requests with what came of them, then the rest: of equal ones the first counts. */
function passagesOf({ id, parsed }: Told): Passage[] {
  const linesOf = (wanted: string) => {
    const section = parsed.sections.find((one) => one.id === wanted)
    const lines = section?.lines.filter(({ fenced }) => !fenced).map(({ text }) => text) ?? []
    return {
      heading: section?.heading ?? '',
      lines: lines.filter((text) => !LEFT_OUT.test(text)),
      all: lines,
    }
  }
  const trail = linesOf('trail')
  const requests = trail.lines.flatMap((text) => (text.startsWith('- ') ? text.slice(2) : []))
  const isWhole = trail.all.length === trail.lines.length
  const last = requests.length - 1
  const of = (wanted: string): Passage[] => {
    const { heading, lines } = linesOf(wanted)
    const isTrail = wanted === 'trail'
    // What came last answers the last request, unless an earlier brief has told it.
    const isLast = wanted === 'closing' && !lines[0]?.startsWith('Told by ')
    const isAnswered = !lines.some((text) => text.includes(UNANSWERED))
    let turn = isLast && last >= 0 ? last : -1
    return lines.flatMap((text, at) => {
      const words = text.replace(/^>? ?/, '').trim()
      if (words === '') return []
      if (isTrail && text.startsWith('- ')) turn++
      const isAnswer = isTrail ? /^ +\S/.test(text) : isLast && isAnswered
      const next = isTrail ? requests[turn + 1] : isLast && !isAnswered ? requests[last] : undefined
      const rest = lines.slice(at, isTrail ? endOf(lines, at) : undefined)
      return [
        {
          ...{ brief: id, section: heading, text: words.replace(/^- /, '') },
          ...{ request: (isAnswer && requests[turn]) || null, turn: isTrail || isLast ? turn : null },
          answer: text.startsWith('- ') || next === undefined ? null : answerIn(next, rest, isWhole),
          isDemand: wanted === 'constraints',
        },
      ]
    })
  }
  return ['decisions', 'constraints', 'trail', 'memory', 'closing', 'questions'].flatMap(of)
}

/** Where the turn ends in which this line stands. */
function endOf(lines: readonly string[], at: number): number {
  const next = lines.findIndex((text, n) => n > at && text.startsWith('- '))
  return next === -1 ? lines.length : next
}

/** `"yes" (to: "Shall I?")` */
const SAID = /^"(.*?)"(?: \(to: "(.*)"\))?$/s

/**
 * The request that came next, where it answers this line, the first of `rest`: the rest of its turn. Null where it may answer
 * other words; `isWhole`: no turn was left out.
 */
function answerIn(next: string, rest: readonly string[], isWhole: boolean): string | null {
  if (rest.some((text) => /^ +- Committed: /.test(text))) return null
  const [, said = '', to] = SAID.exec(next) ?? []
  if (to !== undefined && rest.some((text) => text.includes(to))) return next
  const [line = '', ...more] = rest.filter((text) => text.trim() !== '' && !text.includes(UNANSWERED))
  const isAsked = more.length === 0 && /[?？]["')\]*_]*$/.test(line)
  return isWhole && (to !== undefined || isAsked || assentedTo(said, rest.join('\n')) !== null) ? next : null
}
