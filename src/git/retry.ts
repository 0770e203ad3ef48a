import { setTimeout as sleep } from 'node:timers/promises'

/** Somebody else was faster or holds a lock: worth another try. */
export class Busy extends Error {
  override readonly name = 'Busy'
}

/** What git says of a lock that somebody holds, and of a branch that somebody moved (git 2.39, LC_ALL=C). */
const PASSING = /: File exists|but expected|reference already exists/

export const isPassing = (error: unknown): boolean =>
  error instanceof Busy || (error instanceof Error && PASSING.test(error.message))

/** Waits 4 to 200 ms, longer and more scattered with every round. */
export async function backOff(round: number, signal: AbortSignal | undefined): Promise<void> {
  const most = Math.min(200, 8 * 2 ** Math.min(round, 5))
  await sleep(4 + Math.random() * (most - 4))
  signal?.throwIfAborted()
}

/** Runs `work`, and again as long as it fails for what passes. Throws the last error after `patience` ms, and the signal's reason. */
export async function keepTrying<T>(
  work: () => Promise<T>,
  patience: number,
  signal?: AbortSignal,
): Promise<T> {
  const end = performance.now() + patience
  for (let round = 0; ; round++) {
    try {
      return await work()
    } catch (error) {
      if (!isPassing(error) || performance.now() > end) throw error
      await backOff(round, signal)
    }
  }
}

/** Words of a system error (glibc, musl, macOS). */
const ERROR =
  'Input/output error|I/O error|Permission denied|Operation not permitted|Too many open files(?: in system)?|' +
  'No file descriptors available|Cannot allocate memory|Out of memory|Stale file handle|Resource temporarily unavailable'
const LINE = new RegExp(`^(?:warning|error|fatal): (.*): (?:${ERROR})$`, 'gm')
/** How git names it: `unable to access '.gitignore'`, `could not open directory 'data/'`, `read error while indexing a.txt`. */
const NAMED =
  /^(?:unable to access|could not open directory|unable to open object pack directory:|open\(|read error while indexing) ?['"]?(.*?)(?:'|"\))?$/
/** What it says of a ref, and what it dies of, where it does not say that a file could not be read. */
const OTHERS =
  /^(?:warning: ignoring broken ref (.*)|fatal: (?:(loose object \w+) .* is corrupt|unknown error occurred while reading the configuration files|not a git repository.*))$/gm

/**
 * What git says of files and refs that it could not read (git 2.39, `LC_ALL=C`), often before it ends as if nothing had been: its answer then
 * lacks something, or holds too much where a rule was not read. As git names it: a path, with `/` at its end when it is a folder of the
 * work tree, or a ref.
 */
export const unreadIn = (stderr: string): string[] => [
  ...[...stderr.matchAll(LINE)].map(([, said = '']) => NAMED.exec(said)?.[1] ?? said),
  ...[...stderr.matchAll(OTHERS)].map(([, ref, object]) => ref ?? object ?? 'the repository'),
]
