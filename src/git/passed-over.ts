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
const LASTING = /^(?:Permission denied|Operation not permitted)$/

/** Something that git could not read, and went on without. */
interface PassedOver {
  /** As git names it: a path, with `/` at its end when it is a folder of the work tree, or a ref. */
  what: string
  /** It may go well the next time. */
  isPassing: boolean
}

/**
 * What git says of files and refs that it could not read (git 2.39, `LC_ALL=C`), often before it ends as if nothing had been: its answer then
 * lacks something, or holds too much where a rule was not read.
 */
export function passedOver(stderr: string): PassedOver[] {
  if (stderr === '') return []
  const files = [...stderr.matchAll(LINE)].map(([, said = '', error = '']) => ({
    what: NAMED.exec(said)?.[1] ?? said,
    isPassing: !LASTING.test(error),
  }))
  const others = [...stderr.matchAll(REF), ...stderr.matchAll(DEATH)]
  return [...files, ...others.map(([, what = 'the repository']) => ({ what, isPassing: true }))]
}

/** Commands that handoff only asks with: to ask again does no harm. */
const ASKING = new Set([
  ...[
    'cat-file',
    'check-attr',
    'check-ignore',
    'diff',
    'diff-tree',
    'for-each-ref',
    'log',
    'ls-files',
    'ls-tree',
  ],
  ...['merge-base', 'remote', 'rev-list', 'rev-parse', 'stash', 'status', 'symbolic-ref', 'worktree'],
])

/** The command only asks. */
export const isQuestion = (args: readonly string[]): boolean => ASKING.has(args[0] ?? '')

/**
 * It names no commit, and nothing was said. That is what git 2.39 answers of a HEAD or a ref too that it could not open: `-q` takes
 * its words away.
 */
const isSilentNo = (args: readonly string[], { code, stderr }: Answer): boolean =>
  args[0] === 'rev-parse' && args[1] === '-q' && code === 1 && stderr === ''

interface Answer {
  stderr: string
  /** Exit status; null when a signal ended it. */
  code: number | null
}

/**
 * Runs a git that has only a question, and once more where it could not read something that may be there the next time; what it misses then
 * too is noted in `missed`. Whether it failed is the caller's to judge. Without `missed` there is
 * no repository yet that it could have read.
 */
export async function askTwice<T extends Answer>(
  args: readonly string[],
  missed: Set<string> | undefined,
  ask: () => Promise<T>,
): Promise<T> {
  let answer = await ask()
  if (missed === undefined) return answer
  if (isSilentNo(args, answer)) answer = await ask()
  if (answer.stderr === '' || !isQuestion(args)) return answer
  if (passedOver(answer.stderr).some(({ isPassing }) => isPassing)) answer = await ask()
  for (const { what } of passedOver(answer.stderr)) missed.add(what)
  return answer
}
