import type { SessionWork } from '../types/evidence.ts'
import { enter } from './command-effects.ts'
import { isAbsolute, normalizePath, withSlashes } from './path-text.ts'
import { relative } from './resolve.ts'
import type { ShellPart } from './shell.ts'

const MAX_COMMITS = 50
/** `[branch 1a2b3c4] subject`, also of a root commit and a detached HEAD. */
const COMMITTED = /^\[(.+?)(?: \(root-commit\))? ([0-9a-f]{7,40})\] (.+)$/gm

/** `1a2b3c4 (HEAD -> main) subject`, a line of `git log --oneline`. */
const LOGGED = /^([0-9a-f]{7,40}) (?:\((?:HEAD|tag:|[\w./-]+[,)])[^)\n]*\)? )?(\S.*)$/gm

/** `abc..def  work -> work`, ` * [new tag]  v1 -> v1` in what a push says. */
const PUSHED =
  /^[ \t]*[*+]?[ \t]*(?:\[new (?:branch|tag)\]|[0-9a-f]{4,}\.{2,3}([0-9a-f]{4,}))\s+\S+ -> (\S+)/gm
const REJECTED = /\brejected\b|failed to push/

/** What `switch`, `checkout` and `status` say of the branch. */
const BRANCH =
  /^Switched to (?:a new )?branch '([^']+)'$|^On branch (\S+)$|^## (\S+?)(?:\.\.\.\S+)?(?: \[[^\]\n]*\])?$/gm

/** What a session committed and pushed, told by the output of git. */
export function createWorkLog() {
  let commits: Commits = []
  let count = 0
  let branch: string | null = null
  let isEdited = false
  let hasTried = false
  const commit = (
    words: readonly string[],
    output: string,
    lines: readonly RegExpExecArray[],
    verb: string,
    folder: string | undefined,
    isUnsure: boolean,
  ): void => {
    // One that fails says why.
    if (isUnsure && output.trim() !== '' && [COMMITTED, LOGGED].every((made) => output.search(made) === -1))
      return
    const made = lines.map(([, on = '', sha = '', subject = '']) => {
      if (!on.startsWith('detached') && folder === undefined) branch = on
      return { branch: on.startsWith('detached') ? null : on, sha, subject }
    })
    const on = made[0]?.branch ?? null
    const amended = words.includes('--amend') ? amendedBy(commits, on, folder) : undefined
    commits = commits.filter((one) => one !== amended)
    if (made.length === 0 && verb === 'commit')
      made.push({ branch: null, sha: '', subject: messageOf(words) || (amended?.subject ?? '') })
    const place = { isPushed: false, ...(folder === undefined ? {} : { folder }) }
    const told = made.map((one) => ({ ...one, ...place, sha: one.sha || null, key: count++ }))
    commits = [...commits, ...told]
    isEdited = false
  }
  /** Ids that a commit or a rebase did not tell. */
  const log = (output: string, folder: string | undefined): void => {
    const lines = [...output.matchAll(LOGGED)]
    const newest = commits.at(-1)
    const [, head = '', first = ''] = lines[0] ?? []
    if (newest?.sha === null && newest.subject === '' && head !== '')
      commits = commits.with(-1, { ...newest, sha: head, subject: first })
    for (const [, sha = '', subject = ''] of lines) {
      const at = commits.findLastIndex(
        (one) => one.sha === null && one.subject === subject && one.folder === folder,
      )
      const found = commits[at]
      if (found !== undefined) commits = commits.with(at, { ...found, sha })
    }
  }
  const push = (words: readonly string[], output: string, folder: string | undefined): void => {
    if (REJECTED.test(output)) return
    const pushed = [...output.matchAll(PUSHED)].map(([, sha, name]) => ({ sha, name }))
    const named = pushed.length === 0 ? pushedBranch(words) : undefined
    const newest = commits.at(-1)
    // A quiet commit is one of the branch that is pushed right behind it.
    const on = pushed.length === 1 ? pushed[0]?.name : (named ?? (folder === undefined ? branch : null))
    if (newest?.branch === null && newest.folder === folder && on)
      commits = commits.with(-1, { ...newest, branch: on })
    for (const { sha = '', name } of pushed) {
      // The end of what was pushed is the last commit of its branch, whatever it was called before a rebase.
      const at = commits.findLastIndex((one) => one.branch === name)
      const last = commits[at]
      if (
        sha !== '' &&
        last !== undefined &&
        last.sha?.startsWith(sha) !== true &&
        !sha.startsWith(last.sha ?? ' ')
      )
        commits = commits.with(at, { ...last, sha })
    }
    const names = named === undefined ? pushed.map(({ name }) => name) : [named]
    // A push whose words are not on file is that of the branch.
    const isMeant = (one: Commits[number]): boolean =>
      names.length === 0
        ? one.folder === folder && (folder !== undefined || one.branch === branch)
        : names.includes(one.branch ?? '')
    commits = commits.map((one) => ({
      ...one,
      isPushed: isMeant(one) || one.isPushed === true ? true : null,
    }))
  }
  return {
    /**
     * A command line that came to an end. Gives the commits it made, as one would tell them, and those told before that it took away or
     * gave another name: with the name they have now, null for none.
     */
    ran(
      parts: readonly ShellPart[],
      output: string,
      { failed, isUnsure }: { failed: boolean; isUnsure: boolean },
      { cwd, sessionCwd }: { cwd: string | null; sessionCwd: string | null },
    ): { made: string[]; renamed: [text: string, now: string | null][] } {
      let here = cwd
      commits = commits.slice(-MAX_COMMITS)
      const before = commits
      const first = count
      let makers = parts.filter(({ words }) => words[0] === 'git' && MAKES.has(verbOf(words))).length
      const lines = makers === 0 ? [] : [...output.matchAll(COMMITTED)]
      // What a line does that makes a folder for the moment, or a repository elsewhere, is a trial, though perhaps not all of it.
      let isTrial = false
      for (const { words } of parts) {
        if (words[0] === 'mktemp') isTrial = true
        if (words[0] === 'cd') here = enter(here, words[1])
        if (words[0] !== 'git') continue
        const place = words[1] === '-C' ? enter(here, words[2]) : here
        const folder = otherFolder(place, sessionCwd)
        const verb = verbOf(words)
        if (verb === 'init' && isElsewhere(words, place, sessionCwd)) isTrial = true
        if (verb === 'commit') hasTried = true
        if (failed || isTrial) continue
        if (MAKES.has(verb)) {
          // Each has a line of its own, if it is not quiet; the last one has all that are left.
          const own = --makers === 0 ? lines.length : words.some((word) => QUIET.test(word)) ? 0 : 1
          commit(words, output, lines.splice(0, own), verb, folder, isUnsure)
        }
        if (verb === 'log' || (verb === 'show' && words.includes('--oneline'))) log(output, folder)
        const isHere = (one: Commits[number]): boolean => one.folder === folder && isOn(one, branch)
        // Rewritten commits have other ids, which nobody told.
        if (verb === 'rebase' || (verb === 'pull' && words.some((word) => /^(?:-r|--rebase)/.test(word))))
          commits = commits.map((one) => (isHere(one) ? rewritten(one) : one))
        if (verb === 'reset') commits = withoutReset(commits, words, isHere)
        if (verb === 'push' && !words.includes('--delete') && !words.includes('--dry-run'))
          push(words, output, folder)
        if (folder !== undefined) continue
        if (/^(?:switch|checkout|status)$/.test(verb)) {
          const on = [...output.matchAll(BRANCH)].at(-1)
          branch = on?.[1] ?? on?.[2] ?? on?.[3] ?? branch
        }
        const at = words.findIndex((word) => /^-(?:b|B|c)$/.test(word))
        if ((verb === 'checkout' || verb === 'switch') && at !== -1) branch = words[at + 1] ?? branch
      }
      if (commits === before) return { made: [], renamed: [] }
      return {
        made: commits.filter(({ key, sha }) => sha !== null && key >= first).map(toldAs),
        renamed: before.flatMap((one): [string, string | null][] => {
          const now = commits.find(({ key }) => key === one.key)
          const told = now === undefined ? null : toldAs(now)
          return told === toldAs(one) ? [] : [[toldAs(one), told]]
        }),
      }
    },
    /** A command line whose end nobody saw. */
    tried(parts: readonly ShellPart[]) {
      if (parts.some(({ words }) => words[0] === 'git' && verbOf(words) === 'commit')) hasTried = true
    },
    branch(name: string) {
      branch = name
    },
    edited() {
      isEdited = true
    },
    end: (): Omit<SessionWork, 'hasEdited' | 'worktree'> => ({
      branch,
      commits: commits.slice(-MAX_COMMITS).map(({ key: _, ...one }) => one),
      isEdited,
      hasTried,
    }),
  }
}

/** `key` stays when the id changes. */
type Commits = (SessionWork['commits'][number] & { key: number })[]

const MAKES: ReadonlySet<string> = new Set(['commit', 'cherry-pick', 'revert'])

const QUIET = /^(?:-[a-z]*q[a-z]*|--quiet)$/

/** Whether a commit is one of a branch; a branch that nobody told may be any. */
const isOn = ({ branch }: Commits[number], on: string | null): boolean =>
  branch === on || branch === null || on === null

/** The commit whose place an amended one takes. */
const amendedBy = (
  commits: Commits,
  on: string | null,
  folder: string | undefined,
): Commits[number] | undefined => commits.findLast((one) => one.folder === folder && isOn(one, on))

const toldAs = ({ sha, subject }: Commits[number]): string =>
  sha === null ? subject : `\`${sha}\` ${subject}`
const verbOf = (words: readonly string[]): string =>
  words.find((word, at) => at > 0 && !word.startsWith('-') && words[at - 1] !== '-C') ?? ''

/** The branch that a push names: `git push -u origin fix`, `HEAD:fix`. */
function pushedBranch(words: readonly string[]): string | undefined {
  const ref = words
    .slice(words.indexOf('push') + 1)
    .filter((word) => !word.startsWith('-'))[1]
    ?.split(':')
    .at(-1)
    ?.replace(/^refs\/heads\//, '')
  return ref === 'HEAD' || ref === '' ? undefined : ref
}

/** The name of the folder where it is another one than that of the session: another repository or work tree. */
function otherFolder(folder: string | null, sessionCwd: string | null): string | undefined {
  if (folder === null || sessionCwd === null || !isAbsolute(folder)) return undefined
  const [at, own] = [normalizePath(withSlashes(folder)), withSlashes(sessionCwd)]
  const isNear = relative(at, [own]) !== null || relative(own, [at]) !== null
  return isNear ? undefined : at.split('/').findLast(Boolean)
}

/** `git init` makes a repository that is not the session's own. */
function isElsewhere(words: readonly string[], place: string | null, sessionCwd: string | null): boolean {
  const named = words.slice(words.indexOf('init') + 1).find((word) => !word.startsWith('-'))
  const at = named === undefined ? place : enter(place, named)
  return at !== null && sessionCwd !== null && normalizePath(withSlashes(at)) !== withSlashes(sessionCwd)
}

function messageOf(words: readonly string[]): string {
  const at = words.findIndex((word) => /^-\w*m$|^--message$/.test(word))
  const message = words[at + 1]?.split('\n', 1)[0] ?? ''
  return at === -1 || message.startsWith('$(') ? '' : message
}

/** Its new id nobody told, and what was pushed is the old one. */
const rewritten = (one: Commits[number]): Commits[number] => ({
  ...one,
  sha: null,
  isPushed: one.isPushed === true ? null : one.isPushed,
})

/** `HEAD~2` takes two commits back; another commit may keep any of those that were not pushed, so their ids are not told. */
function withoutReset(
  commits: Commits,
  words: readonly string[],
  isHere: (one: Commits[number]) => boolean,
): Commits {
  const [to = 'HEAD', ...paths] = words
    .slice(words.indexOf('reset') + 1)
    .filter((word) => !word.startsWith('-'))
  if (paths.length > 0) return commits
  const [, marks = '', count] = /^HEAD(\^*)(?:~(\d*))?$/.exec(to) ?? []
  if (!/^HEAD[~^]/.test(to))
    return to === 'HEAD' || !words.some((word) => /^--(?:soft|mixed|hard|keep)$/.test(word))
      ? commits
      : commits.map((one) => (isHere(one) && one.isPushed !== true ? rewritten(one) : one))
  const gone = new Set(
    commits
      .filter(isHere)
      .toReversed()
      .slice(0, marks.length || Number(count || 1)),
  )
  return commits.filter((one) => !gone.has(one))
}
