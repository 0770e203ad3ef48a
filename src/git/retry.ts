import { statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { orNull } from '../errors/handoff-error.ts'

/** Somebody else was faster or holds a lock: worth another try. */
export class Busy extends Error {
  override readonly name = 'Busy'
}

/** Words of git that mean: try again (git 2.39, LC_ALL=C). The last: a collection took an empty folder of objects away. */
const PASSING =
  /lock|but expected|nonexistent object|is not a valid object|reference already exists|unable to (?:write file|create temporary file).*: No such file/i
/** Words that stand beside those and mean: trying again is no use. */
const LASTING =
  /aborted by hook|no space left|out of disk ?space|write error|failed to write|read-only file system|permission denied|input\/output error|quota exceeded|exists; cannot create|not a directory|is a directory/i

export const isPassing = (error: unknown): boolean =>
  error instanceof Busy ||
  (error instanceof Error && PASSING.test(error.message) && !LASTING.test(error.message))

/** Somebody else has moved the branch or written the index between our look and our turn. */
export const isLost = (error: unknown): boolean =>
  error instanceof Error && /but expected|was changed by somebody else/i.test(error.message)

/** Waits 4 to 200 ms, longer and more scattered with every round. */
export async function backOff(round: number, signal: AbortSignal | undefined): Promise<void> {
  const most = Math.min(200, 8 * 2 ** Math.min(round, 5))
  await sleep(4 + Math.random() * (most - 4))
  signal?.throwIfAborted()
}

/**
 * Runs `work`, and again as long as it fails for what passes. Throws the last error after `patience` ms, which may depend on it, and the
 * signal's reason.
 */
export async function keepTrying<T>(
  work: () => Promise<T>,
  patience: number | ((error: unknown) => number),
  signal?: AbortSignal,
): Promise<T> {
  const begun = performance.now()
  for (let round = 0; ; round++) {
    try {
      return await work()
    } catch (error) {
      const most = typeof patience === 'number' ? patience : patience(error)
      if (!isPassing(error) || performance.now() > begun + most) throw error
      await backOff(round, signal)
    }
  }
}

/** Words of a system error (glibc, musl, macOS). */
const ERROR =
  'Input/output error|I/O error|Permission denied|Operation not permitted|Too many open files(?: in system)?|' +
  'No file descriptors available|Cannot allocate memory|Out of memory|Stale file handle|Resource temporarily unavailable'
const LINE = new RegExp(`^(?:warning|error|fatal): (.*): (${ERROR})$`, 'gm')
/** How git names it: `unable to access '.gitignore'`, `could not open directory 'data/'`, `read error while indexing a.txt`. */
const NAMED =
  /^(?:unable to access|could not open directory|unable to open object pack directory:|open\(|read error while indexing) ?['"]?(.*?)(?:'|"\))?$/
/** Of a ref that cannot be read git does not say why. */
const REF = /^warning: ignoring broken ref (.*)$/gm
/** What it dies of where it does not say that a file could not be read. */
const DEATH =
  /^fatal: (?:(loose object \w+) .* is corrupt|unknown error occurred while reading the configuration files|not a git repository.*)$/gm
/** A second try finds no other rights. */
const NO_RIGHTS = /^(?:Permission denied|Operation not permitted)$/

/** Something that git could not read, and went on without. */
interface ReadError {
  /** As git names it: a path, with `/` at its end when it is a folder of the work tree, or a ref. */
  what: string
  /** It may go well the next time. */
  isPassing: boolean
}

/**
 * What git says of files and refs that it could not read (git 2.39, `LC_ALL=C`), often before it ends as if nothing had been: its answer then
 * lacks something, or holds too much where a rule was not read.
 */
export function readErrors(stderr: string): ReadError[] {
  if (stderr === '') return []
  const files = [...stderr.matchAll(LINE)].map(([, said = '', error = '']) => ({
    what: NAMED.exec(said)?.[1] ?? said,
    isPassing: !NO_RIGHTS.test(error),
  }))
  const others = [...stderr.matchAll(REF), ...stderr.matchAll(DEATH)]
  return [...files, ...others.map(([, what = 'the repository']) => ({ what, isPassing: true }))]
}

/** Commands that handoff only asks with: to ask again does no harm. */
const ASKING =
  /^(?:cat-file|check-attr|check-ignore|diff|diff-files|diff-tree|for-each-ref|log|ls-files|ls-tree|merge-base|remote|rev-list|rev-parse|stash|status|symbolic-ref|worktree)$/

const isQuestion = (args: readonly string[]): boolean => ASKING.test(args[0] ?? '')

interface Answer {
  stderr: string
  /** Exit status; null when a signal ended it. */
  code: number | null
}

/**
 * Runs a git that has only a question, and once more where it could not read something that may be there the next time; what it misses then
 * too is noted in `missed`. Whether it failed is the caller's to judge. Without `missed` there is no repository yet that it could have read.
 */
export async function retryOnReadError<T extends Answer>(
  args: readonly string[],
  missed: Set<string> | undefined,
  ask: () => Promise<T>,
): Promise<T> {
  const answer = await ask()
  if (missed === undefined || !isQuestion(args)) return answer
  // Of a HEAD or a ref that it could not open, `rev-parse -q` says nothing, as of one that is not there (git 2.39).
  const isSilent = args[1] === '-q' && args[0] === 'rev-parse' && answer.code === 1 && answer.stderr === ''
  const isPassing = isSilent || readErrors(answer.stderr).some((error) => error.isPassing)
  const last = isPassing ? await ask() : answer
  for (const { what } of readErrors(last.stderr)) missed.add(what)
  return last
}

/** Words of git for what a ref names and what is not there (git 2.39, `LC_ALL=C`). */
const GONE = /^(?:fatal|error): (?:bad (?:tree )?object|missing object|unable to read tree) \(?([^\s)]+)/m
const ID = /^[0-9a-f]{40,64}$/
/**
 * Ms since HEAD was moved for which it may name what a collection has taken: the handoff that moved it sees that, and puts it back. What
 * is gone for longer is gone.
 */
export const LATELY = 20_000

/** Whether HEAD was moved a moment ago, by its reflog; false where there is none. */
export function isMovedLately(gitDir: string): boolean {
  const moved = orNull(() => statSync(join(gitDir, 'logs/HEAD')).mtimeMs)
  return moved !== null && Math.abs(Date.now() - moved) < LATELY
}

/**
 * Asks a question of git again as long as it fails for an object that may come back: one that git came upon by itself. What it was asked
 * for by its id somebody wrote down, and it may never have been in this clone.
 */
export async function retryMissingObject<T extends Answer>(
  args: readonly string[],
  options: { mayComeBack?: (() => boolean) | undefined; signal?: AbortSignal | undefined; input?: unknown },
  ask: () => Promise<T>,
): Promise<T> {
  for (let round = 0; ; round++) {
    const answer = await ask()
    const gone = answer.code && isQuestion(args) ? GONE.exec(answer.stderr)?.[1] : undefined
    if (gone === undefined || options.input !== undefined) return answer
    if (ID.test(gone) && args.some((arg) => arg.includes(gone))) return answer
    // What is there and cannot be read does not come back by waiting.
    if (readErrors(answer.stderr).length > 0 || options.mayComeBack?.() !== true) return answer
    await backOff(round, options.signal)
  }
}
