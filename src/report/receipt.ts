import { handedDown } from '../brief/chain.ts'
import type { ParsedBrief } from '../brief/parse.ts'
import { commandOfEarlier, commandOfFailing, isCheck } from '../facts/commands.ts'
import { plural, shortSha, someOf } from '../text/count.ts'
import { oneLine } from '../text/safe-text.ts'
import type { CommandFact } from '../types/evidence.ts'
import { type Ending, endingsIn, sameText } from './compare.ts'

export interface Commit {
  sha: string
  subject: string
  /** Without those in `.handoff/`. */
  files: readonly string[]
}

/** A file that a text names, and the last commit that changed it. */
export interface ChangedFile {
  path: string
  commit: string
  subject: string
}

/** A rule, question or step that a brief hands down, and what git and the next brief show of it. */
export interface ReceiptItem {
  kind: 'constraint' | 'question' | 'open item'
  text: string
  changed: ChangedFile[]
  /** The words of the person that ended it. */
  ended: string | null
  /** The next brief has it; null where there is none, or it had to cut this list. */
  carried: boolean | null
}

/** A check that the next brief tells of, and how it ended in both. */
export interface CheckRun {
  command: string
  before: CommandFact['outcome'] | null
  after: CommandFact['outcome']
}

export interface Receipt {
  /** Newest first. */
  commits: readonly Commit[]
  checks: CheckRun[]
  /** Those of which something is to be said. */
  items: ReceiptItem[]
}

/** What happened since a brief: `commits`, newest first, and what the next brief, if there is one, says of its items. */
export function receiptOf(
  parsed: ParsedBrief,
  successor: ParsedBrief | null,
  commits: readonly Commit[],
): Receipt {
  const { constraints, questions, pending } = handedDown(parsed)
  const ended = successor === null ? new Map<string, Ending>() : endingsIn(successor)
  const next = successor === null ? null : handedDown(successor)
  const itemsOf = (
    kind: ReceiptItem['kind'],
    texts: readonly { text: string }[],
    there: readonly { text: string }[] | undefined,
    section: string,
  ): ReceiptItem[] => {
    const isCut = successor?.brief.cuts[section] !== undefined
    const known = there === undefined || isCut ? null : new Set(there.map(({ text }) => sameText(text)))
    return texts.map(({ text }) => ({
      kind,
      text: oneLine(text),
      changed: namedFiles(text, commits),
      ended: ended.get(sameText(text))?.quote ?? null,
      carried: known?.has(sameText(text)) ?? null,
    }))
  }
  // What failed is among the checks.
  const asked = questions.filter(
    ({ text }) => commandOfFailing(text) === null && commandOfEarlier(text) === null,
  )
  return {
    commits,
    checks: checksOf(parsed, successor),
    items: [
      ...itemsOf('constraint', constraints, next?.constraints, 'constraints'),
      ...itemsOf('question', asked, next?.questions, 'questions'),
      ...itemsOf('open item', pending, next?.pending, 'progress'),
    ].filter(({ changed, ended, carried }) => changed.length > 0 || ended !== null || carried === false),
  }
}

function checksOf({ brief }: ParsedBrief, successor: ParsedBrief | null): CheckRun[] {
  const keyOf = ({ command, cwd }: CommandFact): string => JSON.stringify([sameText(command), cwd])
  const before = new Map(brief.commands.map((fact) => [keyOf(fact), fact.outcome]))
  return (successor?.brief.commands ?? [])
    .filter(({ kind, outcome, from }) => isCheck(kind) && outcome !== 'unknown' && from === undefined)
    .map((fact) => ({
      command: oneLine(fact.command),
      before: before.get(keyOf(fact)) ?? null,
      after: fact.outcome,
    }))
}

const namesIn = (text: string): Set<string> => {
  const words = text.match(/[\p{L}\p{N}_@./-]*[\p{L}\p{N}_/]/gu) ?? []
  return new Set(words.map((name) => name.replace(/^(?:\.?\/)+/, '')))
}

/** What a text names like a file of the kinds that these paths have, and is none of them. */
export function wordsLikeFiles(text: string, paths: readonly string[]): string[] {
  const endOf = (name: string): string => name.slice(name.lastIndexOf('.') + 1)
  const isOne = (name: string): boolean => paths.some((path) => `/${path}`.endsWith(`/${name}`))
  const ends = new Set(paths.map(endOf))
  const names = [...namesIn(text)].map((name) => name.replace('@', ''))
  const isShort = (name: string): boolean => names.some((one) => one.endsWith(`/${name}`))
  return names.filter(
    (name) => name.lastIndexOf('.') > 0 && ends.has(endOf(name)) && !isOne(name) && !isShort(name),
  )
}

/** The files that a text names by their path, the end of it or a folder, where one of these commits (newest first) changed them. */
export function namedFiles(text: string, commits: readonly Commit[]): ChangedFile[] {
  const names = namesIn(text)
  /** Whole, by its end if that is more than a bare word, or by a folder that is. */
  const isNamed = (path: string): boolean =>
    names.has(path) ||
    [...path.matchAll(/\//g)].some(({ index }) => {
      const [folder, end] = [path.slice(0, index), path.slice(index + 1)]
      return (
        names.has(`${folder}/`) ||
        (folder.includes('/') && names.has(folder)) ||
        (/[./]/.test(end) && names.has(end))
      )
    })
  const changed = new Map<string, ChangedFile>()
  for (const { sha, subject, files } of commits)
    for (const path of files) if (!changed.has(path)) changed.set(path, { path, commit: sha, subject })
  return [...changed.values()].filter(({ path }) => isNamed(path))
}

/** Commits and files that are listed. */
const MOST = { commits: 20, files: 5 }

/** The receipt as a person reads it. `nextId`: the brief that goes on. */
export function receiptLines({ commits, checks, items }: Receipt, nextId: string | null): string[] {
  const said = (outcome: CommandFact['outcome']): string => (outcome === 'ok' ? 'passed' : outcome)
  const left = commits.length - MOST.commits
  return [
    ...items.map(({ kind, text, changed, ended, carried }) => {
      const facts = [
        ...(ended === null ? [] : [`ended by "${oneLine(ended)}" in brief ${nextId}`]),
        ...(ended === null && carried === false ? [`not in brief ${nextId}`] : []),
        ...changed
          .slice(0, MOST.files)
          .map(({ path, commit, subject }) => `${path} changed by ${shortSha(commit)} ${subject}`),
        ...(changed.length > MOST.files ? [`${changed.length - MOST.files} more files`] : []),
      ]
      return `${kind}: ${text} (${facts.join('; ')})`
    }),
    ...checks.map(({ command, before, after }) => {
      const then = before === null || before === after ? '' : `, ${said(before)} before`
      return `check: ${command} (${said(after)}${then}, says brief ${nextId})`
    }),
    ...commits
      .slice(0, MOST.commits)
      .map(({ sha, subject, files }) => `commit: ${shortSha(sha)} ${subject} (${someOf(files, MOST.files)})`),
    ...(left > 0 ? [`${plural(left, 'older commit')}`] : []),
  ]
}
