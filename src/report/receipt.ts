import type { ParsedBrief } from '../brief/parse.ts'
import { commandOfEarlier } from '../facts/commands.ts'
import { PROPOSED } from '../facts/decisions.ts'
import { plural, shortSha } from '../text/count.ts'
import { oneLine } from '../text/safe-text.ts'
import type { CommandFact } from '../types/evidence.ts'
import type { PlanItem } from '../types/session.ts'
import { kindOf, type MemoryKind, memoryItems, pairItems, sameText } from './compare.ts'

/** What became of one thing that a brief handed over. `kept`: it was respected, settled or passes. */
export type Fate = 'kept' | 'broken' | 'open' | 'cannot tell'

export interface ReceiptItem {
  kind: 'constraint' | 'check' | 'open item' | 'question' | 'decision'
  text: string
  fate: Fate
  /** What shows it; null where nothing does. */
  evidence: string | null
}

export interface ReceiptFacts {
  brief: ParsedBrief
  /** The next brief of the chain; null when there is none. */
  successor: ParsedBrief | null
  /** Commits of this branch itself since, oldest first, without merges. */
  commits: readonly Commit[]
  /** Files that are not as they were, uncommitted ones too. */
  changed: ReadonlySet<string>
  /** Those of them that are as the base of the branch has them. */
  restored: ReadonlySet<string>
  known: readonly string[]
  session: SessionFacts | null
}

export interface Commit {
  sha: string
  subject: string
  files: readonly string[]
  /** By somebody who made no brief since. */
  isOthers: boolean
}

export interface SessionFacts {
  /** Files that it read or edited. */
  opened: ReadonlySet<string>
  /** Outcome of the last run of each check, by its key. */
  runs: ReadonlyMap<string, CommandFact['outcome']>
  /** How its plan ended, item by item. */
  plan: ReadonlyMap<string, PlanItem['status']>
  said: string
}

/** Everything that a brief handed over, and what became of it: nothing is told as kept or broken without evidence. */
export function receiptOf(facts: ReceiptFacts): ReceiptItem[] {
  const { brief } = facts.brief
  const texts = (items: readonly { text: string }[]): string[] => items.map(({ text }) => oneLine(text))
  const failed = [
    ...brief.commands.filter(({ kind, outcome }) => outcome === 'failed' && CHECKS.has(kind)),
    ...brief.questions
      .flatMap(({ text }) => commandOfEarlier(text) ?? [])
      .map((command) => ({ command, cwd: null })),
  ]
  const questions = brief.questions.filter(({ kind }) => kind === 'question')
  const open = [...texts(brief.progress.pending), ...texts(brief.nextSteps), ...memory(facts.brief, 'next')]
  const items = <T>(
    kind: ReceiptItem['kind'],
    list: readonly T[],
    textOf: (item: T) => string,
    judge: (item: T) => [Fate, string | null],
  ): ReceiptItem[] =>
    list.map((item) => {
      const [fate, evidence] = judge(item)
      return { kind, text: textOf(item), fate, evidence }
    })
  const same = (text: string): string => text
  return [
    ...items('constraint', constraintsOf(facts.brief), same, (text) => constraint(text, facts)),
    ...items(
      'check',
      failed,
      ({ command }) => oneLine(command),
      (one) => check(one, facts),
    ),
    ...items(
      'open item',
      // A page says once more what the plan has.
      open.filter((text, at) => !isAmong(text, open.slice(0, at))),
      same,
      (text) => openItem(text, facts),
    ),
    ...items('question', [...texts(questions), ...memory(facts.brief, 'open')], same, (text) =>
      question(text, facts),
    ),
    ...items('decision', decisionsOf(facts.brief), same, (text) => decision(text, facts)),
  ]
}

/** Files that the brief lists and that the successor's session neither opened nor changed; none where there is no such session. */
export const neverOpened = ({ brief, changed, session }: ReceiptFacts): string[] =>
  session === null
    ? []
    : brief.brief.files
        .filter(({ mark, path }) => mark === undefined && !session.opened.has(path) && !changed.has(path))
        .map(({ path }) => path)

/** Constraints that the next brief does not have any more; none where there is no next brief. */
export const dropped = ({ brief, successor }: ReceiptFacts): string[] =>
  successor === null
    ? []
    : constraintsOf(brief).filter(
        (text) => !isAmong(text, [...constraintsOf(successor), ...decisionsOf(successor)]),
      )

const CHECKS: ReadonlySet<string> = new Set(['test', 'build', 'lint'])

const memory = (parsed: ParsedBrief, kind: MemoryKind): string[] =>
  memoryItems(parsed)
    .filter((item) => kindOf(item) === kind)
    .map(({ text }) => text)

const constraintsOf = (parsed: ParsedBrief): string[] => [
  ...parsed.brief.constraints.map(({ text }) => oneLine(text)),
  ...memory(parsed, 'constraint'),
]

const decisionsOf = (parsed: ParsedBrief): string[] => [
  ...parsed.brief.decisions.map(({ what }) => oneLine(what)),
  ...memory(parsed, 'decided'),
]

const UNKNOWN: [Fate, null] = ['cannot tell', null]

/** An order that forbids a change, and of what. What depends on something else is not judged. */
const FORBIDS =
  /(?:^|[.,;:!–—-]\s*|\b(?:please|and|also|so|then|just)\s+|\b(?:you|we)\s+(?=must))(?:do not|don['’]t|never|must not|mustn['’]t)\s+(?:\w+\s+)?(touch|change|edit|modify|rename|move|delete|remove)\b((?:[^,;:.!?]|\.(?=[\w/.]))*)/i
const DEPENDS =
  /\?|[,;:.–—]\s*(?:please\s+)?(?:use|run|add|put|write|create|copy|extend|ask)\b|\b(?:until|unless|except|apart|before|after|if|yet|only|just|but|without|instead|again|while|when|during|once|first|now|moment|today|current|manually|directly|generat\w+|by hand|as long|myself|I['’](?:ll|m)|this (?:step|time|turn|session|task|commit|PR|branch))\b/i
/** What may stand around a file where all of it is meant. */
const WHOLE = /^(?:the|this|that|our|my|file|anything|in|inside|please|at all|ever|\W)*$/i

function constraint(text: string, facts: ReceiptFacts): [Fate, string | null] {
  const { commits, changed, restored, known } = facts
  const [, verb = '', clause = ''] = FORBIDS.exec(text) ?? []
  if (verb === '' || DEPENDS.test(text)) return UNKNOWN
  const words = clause.match(/[\w@./-]*\w/g) ?? []
  const named = words.map((word) => word.replace(/^\.\//, '')).filter((path) => known.includes(path))
  const [file] = named
  // A file may be called many things: it counts when it is the only one, and named as a path or by its whole name.
  if (file === undefined || named.length !== 1) return UNKNOWN
  if (isSpokenOf(file.split('/').at(-1) ?? file, facts)) return UNKNOWN
  const all = commits.filter(({ files }) => files.includes(file))
  if (!changed.has(file))
    return commits.length === 0 || all.length > 0
      ? UNKNOWN
      : ['kept', `${file} did not change in ${plural(commits.length, 'commit')} since`]
  const by = all.find(({ isOthers }) => !isOthers)
  // What a merge brought, or nobody committed, may be another person's; and an edit is no rename.
  if (by === undefined || restored.has(file) || !/^(?:touch|change|edit|modify)$/i.test(verb)) return UNKNOWN
  // A demand about a part of the file may well be kept by a change of another part.
  if (!WHOLE.test(clause.replace(file, ''))) return UNKNOWN
  return ['broken', `${file} was changed by ${shortSha(by.sha)} ${by.subject}`]
}

/** Whether the file is part of the work that is handed over, or the person spoke of it later; a demand not to change it counts for nothing. */
function isSpokenOf(name: string, { brief, successor, session }: ReceiptFacts): boolean {
  const work = ({ meta, brief: { progress, nextSteps } }: ParsedBrief): string[] => [
    meta.goal,
    ...[...progress.inProgress, ...progress.pending, ...nextSteps].map(({ text }) => text),
  ]
  const later =
    successor === null ? [] : [successor.meta.goal, ...asked(successor), ...decisionsOf(successor)]
  if (session?.said.includes(name)) return true
  return [...work(brief), ...memory(brief, 'next'), ...later].some(
    (text) => text.includes(name) && !FORBIDS.test(text),
  )
}

/** Requests that a brief quotes. */
const asked = ({ brief }: ParsedBrief): string[] => brief.trail.filter((line) => line.startsWith('- "'))

function check(
  { command, cwd }: { command: string; cwd: string | null },
  { successor, session }: ReceiptFacts,
): [Fate, string | null] {
  const key = commandKey(command)
  const ran = session?.runs.get(key)
  if (ran === 'ok' || ran === 'failed')
    return ran === 'ok'
      ? ['kept', 'it passed in the next session']
      : ['open', 'it failed in the next session']
  const told = successor?.brief.commands.find(
    (one) => commandKey(one.command) === key && one.cwd === cwd && one.outcome !== 'unknown',
  )
  if (told === undefined) return UNKNOWN
  const by = `brief ${successor?.meta.id}`
  return told.outcome === 'ok' ? ['kept', `it passed, says ${by}`] : ['open', `it failed, says ${by}`]
}

/** What a command checks, whatever was done with its output and from where it ran. */
export const commandKey = (command: string): string =>
  sameText(
    command
      .replace(/^cd \S+ *(?:&&|;) */, '')
      .replace(/(?: *\| *(?:head|tail|cat|tee|grep)\b[^|&;\n]*)+$/, '')
      .replace(/ *2>&1$/, ''),
  )

/** Words of an item that a commit's subject must hold, all of them. */
const LEAST_WORDS = 3

function openItem(text: string, { successor, commits, session }: ReceiptFacts): [Fate, string | null] {
  if (session?.plan.get(sameText(text)) === 'done')
    return ['kept', 'the plan of the next session has it done']
  if (successor !== null) {
    const { progress, nextSteps } = successor.brief
    const left = [...progress.pending, ...nextSteps].map((one) => one.text)
    if (isAmong(text, [...left, ...memory(successor, 'next')]))
      return ['open', `brief ${successor.meta.id} has it`]
  }
  const words = wordsOf(text)
  const by = commits.find(({ subject }) => {
    const had = new Set(wordsOf(subject))
    return words.length >= LEAST_WORDS && words.every((word) => had.has(word))
  })
  return by === undefined ? UNKNOWN : ['kept', `done by ${shortSha(by.sha)} ${by.subject}`]
}

const wordsOf = (text: string): string[] => [
  ...new Set(text.toLowerCase().match(/[\p{L}\p{N}_-]{4,}/gu) ?? []),
]

function question(text: string, { successor, session }: ReceiptFacts): [Fate, string | null] {
  if (successor === null) return UNKNOWN
  const [title = ''] = text.startsWith(PROPOSED) ? text.slice(PROPOSED.length).split(/; |, in /) : []
  if (title.split(' ').length >= LEAST_WORDS && sameText(session?.said ?? '').includes(sameText(title)))
    return ['kept', 'the person asked for this plan in the next session']
  const answer = madeBy(successor).find((what) => isAmong(text, [what.split(' → ')[0] ?? what]))
  if (answer?.includes(' → '))
    return ['kept', `answered: ${oneLine(answer.split(' → ').slice(1).join(' → '))}`]
  // One that was only handed down shows nothing: nobody may have thought of it.
  const left = successor.brief.questions.filter(({ from }) => from === undefined).map(({ text: one }) => one)
  return isAmong(text, [...left, ...memory(successor, 'open')])
    ? ['open', `brief ${successor.meta.id} asks it as well`]
    : UNKNOWN
}

function decision(text: string, { successor }: ReceiptFacts): [Fate, string | null] {
  // What was only handed down shows nothing, and a question that was asked once more may be about another thing.
  if (successor === null || text.includes(' → ')) return UNKNOWN
  return [...madeBy(successor), ...memory(successor, 'decided')].some(
    (one) => sameText(one) === sameText(text),
  )
    ? ['kept', `brief ${successor.meta.id} states it, too`]
    : UNKNOWN
}

/** Decisions of the session of a brief itself. */
const madeBy = ({ brief }: ParsedBrief): string[] =>
  brief.decisions.filter(({ from }) => from === undefined).map(({ what }) => what)

const isAmong = (text: string, others: readonly string[]): boolean =>
  pairItems([text], others, (one) => one).gone.length === 0

const ORDER: readonly Fate[] = ['broken', 'open', 'kept']

/** The receipt as a person reads it: what was broken first; what nobody can tell is counted. */
export function receiptLines(
  items: readonly ReceiptItem[],
  unopened: readonly string[],
  lost: readonly string[] = [],
): string[] {
  const unknown = items
    .filter(({ fate }) => fate === 'cannot tell')
    .map(({ kind, text }) => `${kind}: ${text}`)
  return [
    ...ORDER.flatMap((wanted) =>
      items
        .filter(({ fate }) => fate === wanted)
        .map(({ kind, text, fate, evidence }) => `${fate}: ${kind}: ${text} (${evidence})`),
    ),
    ...lost.map((text) => `dropped: constraint: ${text} (the next brief does not have it)`),
    ...(unopened.length === 0 ? [] : [`never opened: ${unopened.join(', ')}`]),
    ...unknown.map((item) => `cannot tell: ${item}`),
  ]
}
