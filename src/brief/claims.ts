import { contentWords } from '../text/blocks.ts'
import { takenBackIn } from '../text/taken-back.ts'
import type { Notes } from '../types/brief.ts'
import type { Evidence } from '../types/evidence.ts'
import type { GitState } from '../types/git.ts'

export interface Claim {
  kind: 'name' | 'quote' | 'check' | 'commit' | 'push' | 'user'
  text: string
  verdict: 'kept' | 'not seen' | 'contradicted'
  fact: string | null
}

/** What claims are held against. `git`: null where the session is of another repository. */
export interface Known {
  /** Names and quotes that stand neither in the session nor in the repository. */
  unseen: ReadonlySet<string>
  git: Pick<GitState, 'branch' | 'head' | 'upstream' | 'ahead' | 'unpushed' | 'changes' | 'commits'> | null
  checks: Evidence['checks']
  /** Content words of the person; null where not all of them are known. */
  said: ReadonlySet<string> | null
  /** Whether a rule that the page calls taken back is one still. */
  stands: (rule: string) => boolean
}

/** Names between backticks: a path, an identifier, a call, a flag, a commit. Commands, globs and placeholders are none. */
const NAME = /`([\w./@#:~+-]{3,200})(?:\([^`()]*\))?`(?! \(not seen\))/g
/** A mark of quotation inside code opens no quote. */
const QUOTE = /`[^`\n]+`|(?<=^|[\s(:])["“]([^\s"“”.,;][^"“”\n]{11,600})["”](?! \(not seen\))/g
const LEAST_QUOTE = 4
/** What stands under these headings is doubted, asked or planned, so that a missing name or quote is no surprise. */
const ASKED = /not proven|question/i
/** What stands under these says nothing of the state of now. */
const NOT_NOW = /not proven|question|tried|abandoned|trap|next|decision/i
/** A part of a sentence with such a word denies, plans or supposes something, or tells of another place. */
const DENIES =
  /\b(?:no|not|never|nothing|none|without|until|unless|if|when|once|should|must|may|might|could|would|before|was|were|lacks?|create|CI|user)\b|n['’]t\b/i
/** What is said of a name right behind it. */
const MISSING = /^`[^`]*`[^.;`]{0,30}\b(?:exist|not yet|not begun)\b/
const SENTENCE = /(?<=[.!?;])\s+/
const CLAUSE = /[.,;:!?](?=\s|$)/
const CHECKS: readonly (readonly [RegExp, 'test' | 'lint' | 'build'])[] = [
  [/\btests?\b/i, 'test'],
  [/\blint\w*\b/i, 'lint'],
  [/\b(?:builds?|compiles?)\b/i, 'build'],
]
const PASSES = /\b(?:pass(?:es|ed)?|green|succeeds?|clean)\b/i
const FAILS = /\b(?:fails?|breaks|broken|red)\b/i
const PUSHED = /\b(?:un)?pushed\b|\b(?:level|in sync|up to date) with\b/i
/** The person and the next agent act on these as on what is said to be done. */
const NOT_DONE =
  /\bnothing\b[^.]{0,30}\b(?:committed|pushed)\b|\bno commits? yet\b|\bnot (?:yet )?(?:been )?pushed\b|\bunpushed\b/i
/** What is said to be the person's. */
const BY_USER = /\((?:by )?(?:the )?(?:user|person)\b[^()]{0,60}\)/i
/** Content words from which it is no accident that the person said none of them, and the length of a request that only agrees. */
const LEAST_CONTENT = 3
const ASSENT = 40
const ALL_COMMITTED = /\b(?:all|everything)\b.{0,80}\bcommitted\b|\bwork(?:ing)? tree\b.{0,80}\bclean\b/i

/** Names of the page that can be looked up, and the words of the person that it quotes. */
export function lookedUp({ page }: Notes): { names: string[]; quotes: string[] } {
  const lines = linesOf(page).flatMap(({ line, isText }) => (isText ? [line] : []))
  return { names: [...new Set(lines.flatMap(namesOf))], quotes: [...new Set(lines.flatMap(quotesOf))] }
}

/** The notes with a mark behind what does not hold, and every claim with its verdict. Idempotent. */
export function verifyNotes(notes: Notes, known: Known): { notes: Notes; claims: Claim[] } {
  const claims: Claim[] = []
  const page = linesOf(notes.page).map(({ line, heading, isText }) => {
    if (!isText) return line
    const mark = (kind: 'name' | 'quote', text: string, isClaimed: boolean): string => {
      const isUnseen = isClaimed && known.unseen.has(text)
      claims.push({ kind, text, verdict: isUnseen ? 'not seen' : 'kept', fact: null })
      return isUnseen ? ' (not seen)' : ''
    }
    const bare = line.replace(MARK, '')
    const [names, quotes] = [new Set(namesOf(bare)), new Set(quotesOf(bare))]
    const marked = bare
      .replace(NAME, (span, name: string, at: number) => {
        const isDenied =
          DENIES.test(bare.slice(0, at).split(CLAUSE).at(-1) ?? '') || MISSING.test(bare.slice(at))
        const isClaimed = !ASKED.test(heading) && !isDenied
        return names.has(name) ? span + mark('name', name, isClaimed) : span
      })
      // What is quoted in a next step is to be written there.
      .replace(QUOTE, (span, quote = '') =>
        quotes.has(quote)
          ? span + mark('quote', quote, !ASKED.test(heading) && !/next/i.test(heading))
          : span,
      )
    const facts = bare.split(SENTENCE).flatMap((sentence) => {
      const found =
        (ASKED.test(heading) ? null : attributionOf(sentence, known.said)) ??
        (NOT_NOW.test(heading) || DENIES.test(sentence.replace(NOT_DONE, ''))
          ? null
          : stateOf(sentence, known))
      if (found === null) return []
      claims.push({
        ...found,
        text: sentence.trim(),
        verdict: found.fact === null ? 'kept' : 'contradicted',
      })
      return found.fact ?? []
    })
    const fact = 'the rule stands: no later words of the user are these'
    if (takenBackIn(bare).some(({ rule }) => known.stands(rule))) {
      claims.push({ kind: 'user', text: line.trim(), verdict: 'contradicted', fact })
      facts.push(fact)
    }
    return `${marked}${facts.map((fact) => ` (handoff: ${fact})`).join('')}`
  })
  return { notes: { ...notes, page: page.join('\n') }, claims }
}

const MARK = / \(handoff: [^()]*\)/g

export const marksIn = (line: string): number =>
  (line.match(MARK)?.length ?? 0) + (line.match(/["”`] \(not seen\)/g)?.length ?? 0)

const namesOf = (line: string): string[] =>
  [...line.matchAll(NAME)].flatMap(([, name = '']) =>
    /\p{L}/u.test(name) && !/\d\.x$/.test(name) ? [name] : [],
  )

const quotesOf = (line: string): string[] =>
  [...line.matchAll(QUOTE)].flatMap(([, quote = '']) =>
    quote.split(/\s+/).length >= LEAST_QUOTE ? [quote] : [],
  )

/** What is said to be the person's holds unless the person said no word of it. */
function attributionOf(sentence: string, said: Known['said']): Pick<Claim, 'kind' | 'fact'> | null {
  const words = contentWords(BY_USER.test(sentence) ? sentence.replace(BY_USER, '') : '')
  if (said === null || words.length < LEAST_CONTENT) return null
  return { kind: 'user', fact: words.some((word) => said.has(word)) ? null : 'no words of the user tell it' }
}

/** What the person said, agreed to or decided, as content words; null where a part of the session is not known. */
export function wordsOfUser(
  { turns, forgotten, constraints, decisions, closing }: Evidence,
  goal: string,
): Known['said'] {
  if (forgotten > 0 || turns.some(({ steps }) => steps.some(({ kind }) => kind === 'summary'))) return null
  const texts = turns.flatMap(({ request, to, steps }, at) => [
    ...[request, to ?? ''],
    ...steps.flatMap(({ kind, text }) => (kind === 'said' || kind === 'commit' ? [] : text)),
    ...(to !== null || request.length < ASSENT ? (turns[at - 1]?.steps ?? []).map(({ text }) => text) : []),
  ])
  const other = [...constraints.map(({ text }) => text), ...decisions.map(({ what }) => what)]
  return new Set(contentWords([goal, closing?.text ?? '', ...texts, ...other].join('\n')))
}

/** What a sentence claims of checks, the remote and commits, held against what is known; null for all other sentences. */
function stateOf(sentence: string, { git, checks }: Known): Pick<Claim, 'kind' | 'fact'> | null {
  const words = sentence.replace(/`[^`]*`/g, '')
  const names = [...sentence.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)
  const isDenied = NOT_DONE.test(sentence)
  const passes = PASSES.test(words)
  // A command has a blank, the name of a file that tests something has none.
  const kinds = CHECKS.filter(([word]) => word.test(sentence.replace(/`[^`\s]*`/g, '')))
  if (!isDenied && kinds.length > 0 && passes !== FAILS.test(words)) {
    const last = kinds.map(([, kind]) => checks.findLast((check) => check.kind === kind))
    const against = last.find((check) => check?.outcome === (passes ? 'failed' : 'ok'))
    const fact = `${against?.kind} ${passes ? 'failed' : 'passed'} when it ran last`
    return { kind: 'check', fact: against === undefined ? null : fact }
  }
  if (git === null) return null
  const { changes, commits, unpushed } = git
  if (PUSHED.test(words)) {
    const meant = commitsMeant(names, git)
    if (meant === null) return null
    const isPushed = meant.every((sha) => unpushed?.has(sha) === false)
    const open = commits.filter(({ sha }) => unpushed?.has(sha)).length || 1
    const left =
      unpushed === undefined ? 'no remote has a branch here' : `${count(open, 'commit')} not pushed`
    const fact = isDenied ? 'a remote-tracking branch has it' : left
    return { kind: 'push', fact: isPushed === isDenied ? fact : null }
  }
  if (isDenied) {
    const isDone = commits.length > 0 && changes.length === 0
    const fact = isDone ? `${count(commits.length, 'commit')} here, the work tree is clean` : null
    return { kind: 'commit', fact }
  }
  if (ALL_COMMITTED.test(words))
    return {
      kind: 'commit',
      fact: changes.length === 0 ? null : `${count(changes.length, 'file')} not committed`,
    }
  if (!/\bcommitted\b/i.test(words)) return null
  const open = changes.find(({ path }) => names.includes(path))
  return { kind: 'commit', fact: open === undefined ? null : `\`${open.path}\` is not committed` }
}

/** The commits that names between backticks mean, HEAD where they name its branch or nothing; null where they mean another branch. */
function commitsMeant(
  names: readonly string[],
  { branch, head, upstream, commits }: NonNullable<Known['git']>,
) {
  const named = commits.filter(({ sha }) => names.some((name) => name.length > 6 && sha.startsWith(name)))
  if (named.length > 0) return named.map(({ sha }) => sha)
  return names.length === 0 || names.some((name) => name === branch || name === upstream)
    ? [head ?? '']
    : null
}

const count = (n: number, what: string): string => (n === 1 ? `1 ${what} is` : `${n} ${what}s are`)

/** The lines of a page with the heading or label they stand under; headings and code are no text. */
function linesOf(page: string): { line: string; heading: string; isText: boolean }[] {
  let title = ''
  let fence = ''
  return page.split('\n').map((line) => {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1] ?? ''
    const isCode = fence !== '' || mark !== ''
    if (fence === '') fence = mark
    else if (mark.startsWith(fence)) fence = ''
    const found = isCode ? undefined : /^ {0,3}#{1,6}[ \t]+(.*)/.exec(line)?.[1]
    title = found ?? title
    const label = title === '' ? /^- ([A-Z][a-z ]{2,30}): /.exec(line)?.[1] : undefined
    return { line, heading: label ?? title, isText: !isCode && found === undefined }
  })
}
