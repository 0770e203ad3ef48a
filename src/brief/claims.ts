import type { Notes } from '../types/brief.ts'
import type { Evidence } from '../types/evidence.ts'
import type { GitState } from '../types/git.ts'

export interface Claim {
  kind: 'name' | 'quote' | 'check' | 'commit' | 'push'
  text: string
  verdict: 'kept' | 'not seen' | 'contradicted'
  fact: string | null
}

/** What claims are held against. `git`: null where the session is of another repository. */
export interface Known {
  /** Names and quotes that stand neither in the session nor in the repository. */
  unseen: ReadonlySet<string>
  git: Pick<GitState, 'branch' | 'upstream' | 'ahead' | 'changes' | 'commits'> | null
  checks: Evidence['checks']
}

/** Names between backticks: a path, an identifier, a call, a flag, a commit. Commands, globs and placeholders are none. */
const NAME = /`([\w./@#:~+-]{3,200})(?:\([^`()]*\))?`(?! \(not seen\))/g
/** A mark of quotation inside code opens no quote. */
const QUOTE = /`[^`\n]+`|(?<=^|[\s(:])["“]([^\s"“”.,;][^"“”\n]{11,600})["”](?! \(not seen\))/g
const LEAST_QUOTE = 4
/** What stands under these is no claim about how things are now. */
const NO_STATE = /not proven|question|tried|trap/i
/** What stands under these is doubted or asked: nobody says that there is such a thing. */
const NO_NAME = /not proven|question/i
const SENTENCE = /(?<=[.!?])\s+(?=[A-Z`"“*-])|(?<=;)\s+/

const HEDGE =
  /\b(?:not|never|no longer|until|unless|if|when|once|should|must|needs?|before|whether|would|may|might|claim\w*|assum\w*|unproven|without|why|verify|nothing|none|no)\b|n['’]t\b|\b(?:was|were|had been|used to be) (?:\w+ )?(?:pass|fail|green|red|clean|broken)/i
const PASSES = /\b(?:pass(?:es|ed|ing)?|green|succeeds?|clean|0 (?:failures|failed|issues|errors))\b/i
/** It says itself that there is no such thing yet. */
const ABSENT =
  /\b(?:does(?: not|n['’]t) exist|not begun|compare|no such|there is no|not yet|to be (?:created|written|added)|create|new file|none exists?|might|could|would)\b/i
/** What stands before a name that is said to be missing. */
const DENIED = /\b(?:no|not|without|never|lacks?)\b[^.,;:`]{0,20}$|n['’]t [^.,;:`]{0,20}$/i
const FAILS = /\b(?:fails?|breaks|broken|(?:is|are|still|stays|keeps) (?:failing|red))\b/i
const ELSEWHERE = /\b(?:users?|person|they|CI|GitHub|remote|pipeline|workflow|Actions)\b/
const KINDS: readonly (readonly [RegExp, 'test' | 'lint' | 'build'])[] = [
  [/\b(?:tests?|test suite|suite|specs)\b/i, 'test'],
  [/\b(?:lint(?:er|ing|s)?)\b/i, 'lint'],
  [/\b(?:builds?|compiles?)\b/i, 'build'],
]

/** Names of the notes that can be looked up, and the words of the person that they quote. */
export function lookedUp(notes: Notes): { names: string[]; quotes: string[] } {
  const names = new Set<string>()
  const quotes = new Set<string>()
  eachLine(notes, (line) => {
    for (const name of namesOf(line)) names.add(name)
    for (const quote of quotesOf(line)) quotes.add(quote)
    return line
  })
  return { names: [...names], quotes: [...quotes] }
}

/** The notes with a mark behind what does not hold, and every claim with its verdict. Idempotent. */
export function verifyNotes(notes: Notes, known: Known): { notes: Notes; claims: Claim[] } {
  const claims: Claim[] = []
  const marked = eachLine(notes, (line, heading) => {
    const seen = (kind: 'name' | 'quote', text: string, before = ''): string => {
      // What is quoted in a next step is to be written there.
      const isClaimed = !NO_NAME.test(heading) && (kind === 'name' || !/next/i.test(heading))
      const isUnseen = known.unseen.has(text) && isClaimed && !ABSENT.test(line) && !DENIED.test(before)
      claims.push({ kind, text, verdict: isUnseen ? 'not seen' : 'kept', fact: null })
      return isUnseen ? ' (not seen)' : ''
    }
    const states = NO_STATE.test(heading) ? [] : line.split(SENTENCE)
    const facts = states.flatMap((sentence) => {
      const found = stateOf(sentence, heading, known)
      if (found !== null) claims.push({ ...found, text: sentence.trim() })
      return found?.fact ?? []
    })
    const quoted = new Set(quotesOf(line))
    const told = line
      .replace(MARK, '')
      .replace(
        NAME,
        (span, name: string, at: number, whole: string) => span + seen('name', name, whole.slice(0, at)),
      )
      .replace(QUOTE, (span, quote = '') => (quoted.has(quote) ? span + seen('quote', quote) : span))
    return `${told}${facts.map((fact) => ` (handoff: ${fact})`).join('')}`
  })
  return { notes: marked, claims }
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

/** What a sentence says of checks, commits and the remote, held against what is known; null for all other sentences. */
function stateOf(sentence: string, heading: string, { git, checks }: Known): Omit<Claim, 'text'> | null {
  const kept = (kind: Claim['kind'], fact: string | null): Omit<Claim, 'text'> => ({
    ...{ kind, fact },
    verdict: fact === null ? 'kept' : 'contradicted',
  })
  const check = /next|decision/i.test(heading) ? null : checkOf(sentence, checks)
  if (check !== null) return kept('check', check.fact)
  if (git === null) return null
  const push = pushOf(sentence, git)
  if (push !== null) return kept('push', push.fact)
  const commit = commitOf(sentence, git)
  return commit === null ? null : kept('commit', commit.fact)
}

type Found = { fact: string | null } | null

function checkOf(sentence: string, runs: Known['checks']): Found {
  const checks = runs.filter(({ kind }) => KINDS.some(([, check]) => check === kind))
  const words = sentence.replace(/`[^`]+`/g, '')
  const [passes, fails] = [PASSES.test(words), FAILS.test(words)]
  if (passes === fails || HEDGE.test(words) || ELSEWHERE.test(words)) return null
  const spans = [...sentence.matchAll(/`([^`]+)`/g)].map(([, span = '']) => span)
  const named = spans.flatMap((span) => checks.findLast(({ command }) => command.includes(span)) ?? [])
  const kinds = KINDS.filter(([word]) => word.test(words)).map(([, kind]) => kind)
  if (named.length === 0 && kinds.length === 0) return null
  const last =
    named.length > 0 ? named : kinds.flatMap((kind) => checks.findLast((check) => check.kind === kind) ?? [])
  const against = last.find(({ outcome }) => outcome === (passes ? 'failed' : 'ok'))
  if (against !== undefined)
    return { fact: `${against.kind} ${passes ? 'failed' : 'passed'} when it ran last` }
  if (named.length > 0 || !passes) return { fact: null }
  // A script whose name tells of tests may have run them.
  const mayHaveTested = checks.length < runs.length
  const missing = kinds.find(
    (kind) => !checks.some((check) => check.kind === kind) && !(kind === 'test' && mayHaveTested),
  )
  return { fact: missing === undefined ? null : `no ${missing} ran in this session` }
}

const PUSHED =
  /pushed\b|\bon (?:the )?(?:remote|origin\b|`origin\/)|\bat the same commit\b|\bnothing (?:is )?(?:left )?to push\b|\b(?:level|in sync|up to date) with\b/i

function pushOf(sentence: string, git: NonNullable<Known['git']>): Found {
  const isNot =
    /\b(?:not|never|n['’]t|nothing|none)\b[^.]{0,30}\bpushed\b|\bunpushed\b|\bnothing (?:is )?on (?:the )?remote\b/i
  if (!PUSHED.test(sentence) || isOfOthers(sentence, git)) return null
  const { ahead, upstream, commits } = git
  const isPushed = upstream !== null && ahead === 0
  const state = upstream === null ? 'the branch has no upstream' : `${count(ahead ?? 0, 'commit')} not pushed`
  if (isNot.test(sentence)) return { fact: isPushed ? 'the branch is pushed' : null }
  if (HEDGE.test(sentence.replace(/\bnothing\b/gi, ''))) return null
  const named = [...sentence.matchAll(/\b(?=[a-f]*\d)[0-9a-f]{7,40}\b/g)].map(([sha]) =>
    commits.findIndex((commit) => commit.sha.startsWith(sha)),
  )
  if (named.includes(-1)) return null
  if (named.length > 0 && upstream !== null && named.every((at) => at >= (ahead ?? 0))) return { fact: null }
  return { fact: isPushed ? null : state }
}

function commitOf(sentence: string, git: NonNullable<Known['git']>): Found {
  if (
    !/\bcommitted\b|\buncommitted\b|\b(?:in|with) commit\b|\bwork(?:ing)? tree\b/i.test(sentence) ||
    isOfOthers(sentence, git)
  )
    return null
  const { changes } = git
  const dirty = `${count(changes.length, 'file')} not committed`
  if (/\buncommitted\b|\bnot (?:yet )?committed\b/i.test(sentence) && !/\b(?:nothing|no)\b/i.test(sentence))
    return { fact: changes.length === 0 ? 'nothing is uncommitted' : null }
  if (HEDGE.test(sentence.replace(/\bnothing\b/gi, ''))) return null
  const isAll =
    /\b(?:all|everything|nothing)\b/i.test(sentence) || /\bclean\b/i.test(sentence.replace(/`[^`]*`/g, ''))
  if (isAll) return { fact: changes.length === 0 ? null : dirty }
  const open = changes.find(({ path }) => sentence.includes(`\`${path}\``))
  return open === undefined ? null : { fact: `\`${open.path}\` is not committed` }
}

/** It speaks of another branch or repository. */
const isOfOthers = (sentence: string, { branch, upstream }: NonNullable<Known['git']>): boolean =>
  /\b(?:fork|other (?:repo|branch|worktree)\w*|tags?)\b/i.test(sentence) ||
  (/\bbranch(?:es)?\b|\bto `/i.test(sentence) &&
    /`[^`]+`/.test(sentence) &&
    ![branch, upstream].some((name) => name !== null && sentence.includes(`\`${name}\``)))

const count = (n: number, what: string): string => (n === 1 ? `1 ${what} is` : `${n} ${what}s are`)

type Change = (line: string, heading: string) => string

/** Every line of the notes changed; those of code stay as they are. `heading`: the one it stands under, or the name of its slot. */
function eachLine(notes: Notes, change: Change): Notes {
  const each = (heading: string) => (text: string) => change(text, heading)
  let heading = ''
  let fence = ''
  const other = notes.other?.split('\n').map((line) => {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1] ?? ''
    if (fence !== '') {
      if (mark.startsWith(fence)) fence = ''
      return line
    }
    if (mark !== '') fence = mark
    const title = /^ {0,3}#{1,6}[ \t]+(.*)/.exec(line)?.[1]
    heading = title ?? heading
    return title !== undefined || mark !== '' ? line : change(line, heading)
  })
  const slot = (text: string | null): string | null => (text === null ? null : change(text, ''))
  return {
    ...notes,
    currentLineOfAttack: slot(notes.currentLineOfAttack),
    activeHypothesis: slot(notes.activeHypothesis),
    abandonedApproaches: notes.abandonedApproaches.map(each('tried')),
    openQuestions: notes.openQuestions.map(each('question')),
    decisions: notes.decisions.map((one) => ({ ...one, what: change(one.what, 'decision') })),
    blockers: notes.blockers.map(each('')),
    nextSteps: notes.nextSteps.map(each('next')),
    information: notes.information.map(each('')),
    ...(notes.progress === undefined ? {} : { progress: notes.progress.map(each('')) }),
    other: other?.join('\n') ?? null,
  }
}
