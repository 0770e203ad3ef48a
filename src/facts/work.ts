import { plural } from '../text/count.ts'
import type { Closing, Reference, SessionWork, Turn } from '../types/evidence.ts'
import type { GitCommit, GitState } from '../types/git.ts'
import { commandText, isCheck, type Run } from './commands.ts'
import type { FileRecord } from './file-map.ts'
import { isProse, type Resolver } from './paths.ts'
import type { LastSaid } from './turns.ts'

/** `[main (root-commit) 1a2b3c4] Subject`, which git prints for each commit that it makes. */
const COMMITTED = /^\[(.+?)(?: \(root-commit\))? ([0-9a-f]{7,40})\] (.+)$/gm
const PUSH = /\bgit\b[^|;&\n]*?\bpush\b([^|;&\n]*)/
const MAX_COMMITS = 200
/** Characters of a command line that are looked at. */
const MAX_LINE = 4_000

/** The commits that a session made, by what git printed; ids that a rewrite replaced are not told. What stands now is asked of git. */
export function createWorkLog() {
  let commits: SessionWork['commits'] = []
  let branch: string | null = null
  let hasTried = false
  let isEdited = false
  return {
    branch(name: string) {
      branch = name
    },
    edited() {
      isEdited = true
    },
    /** `made`: the commits as they are told; `gone`: those before, where a rewrite gave them other ids. */
    ran(line: string, output: string, failed: boolean): { made: string[]; gone: string[] } {
      if (!line.includes('git')) return { made: [], gone: [] }
      const command = line.slice(0, MAX_LINE)
      const isCommit = /\bgit\b[^|;&\n]*\b(?:commit|cherry-pick|revert|merge)\b/.test(command)
      hasTried ||= isCommit
      let gone: typeof commits = []
      const before = failed ? [] : commits.filter(({ isPushed }) => isPushed !== true)
      if (/\bgit\b[^|;&\n]*\b(?:rebase|reset|filter-branch)\b/.test(command)) gone = before
      else if (/--amend\b/.test(command)) gone = before.slice(-1)
      const made = (isCommit ? [...output.matchAll(COMMITTED)] : []).map(
        ([, on = '', sha = '', subject = '']) => ({
          ...{ branch: on.startsWith('detached') ? null : on, sha, subject, isPushed: false },
        }),
      )
      commits = [...commits.filter((one) => !gone.includes(one)), ...made].slice(-MAX_COMMITS)
      branch = made.at(-1)?.branch ?? branch
      if (made.length > 0) isEdited = false
      const push = PUSH.exec(command)
      if (push !== null && !failed && !/rejected/.test(output) && !/--dry-run| -n\b/.test(push[0])) {
        const [, ...refs] = (push[1] ?? '').split(/\s+/).filter((word) => /^[^-]/.test(word))
        const names = refs.map((ref) => ref.split(':')[0]?.replace('refs/heads/', ''))
        for (const one of commits)
          if (
            names.length === 0 || names.includes('HEAD')
              ? one.branch === branch
              : names.includes(one.branch ?? '')
          )
            one.isPushed = true
      }
      return { made: made.map(textOf), gone: gone.map(textOf) }
    },
    /** With the ids that git has for these commits now. */
    end(git: GitState | null): Omit<SessionWork, 'hasEdited' | 'worktree'> {
      const now = commits.map((one) => {
        const known = git?.commits.find(
          ({ sha, subject }) => sha.startsWith(one.sha ?? ' ') || subject === one.subject,
        )
        return known === undefined ? one : { ...one, sha: known.sha.slice(0, one.sha?.length) }
      })
      return { branch, commits: now, isEdited, hasTried }
    },
  }
}

const textOf = ({ sha, subject }: SessionWork['commits'][number]): string => `\`${sha}\` ${subject}`

/** An address, `PR #12`, and what `gh` was asked about. */
const NAMED =
  /(https?:\/\/(?!api\.)[\w.-]+\/[\w./-]*?\/(pull|issue|discussion|merge_request)s?\/(\d+))(?:#[\w-]+)?|\b(PR|MR|pull request|merge request|issue|discussion) ?[#!](\d{1,6})\b|\bgh (pr|issue) \w+ (\d{1,6})\b/gi
const NAMES: Readonly<Record<string, string>> = { p: 'PR', m: 'MR', i: 'Issue', d: 'Discussion' }
const MAX_NAMED = 4
/** A longer text is a page or a log, which names many that the work is not about. */
const MAX_TEXT = 20_000

/** Pull requests, issues and discussions that a session names, with their address where one was seen. */
export function createReferences() {
  const found = new Map<string, Reference>()
  return {
    hear(text: string) {
      if (text.length > MAX_TEXT || !/\d/.test(text)) return
      for (const [, url, page, pageNumber, said, saidNumber, asked, askedNumber] of text.matchAll(NAMED)) {
        const kind = page ?? said ?? asked ?? ''
        const name = `${NAMES[kind.charAt(0).toLowerCase()]} #${pageNumber ?? saidNumber ?? askedNumber}`
        const held = found.get(name)
        found.delete(name)
        found.set(name, { name, url: url ?? held?.url ?? null })
      }
    },
    latest: (): Reference[] => [...found.values()].reverse().slice(0, MAX_NAMED),
  }
}

/** Stands below a last message that answers no request. */
export const UNANSWERED = 'The last request came after this message and has no answer yet.'
const MAX_FILES = 3

/** What is known of the time after the last message. */
interface Since {
  records: ReadonlyMap<string, FileRecord>
  resolver: Resolver
  runs: readonly Run[]
  /** Touches of files and runs that were counted when the agent spoke last. */
  said: { clock: number; order: number }
  /** Calls of tools since then. */
  calls: number
  isProposed: boolean
  /** Commits after the session, newest first. */
  commits: readonly GitCommit[]
}

/** The last message with what came after it: a request, edits, the last check, an interrupt, or calls that go on. */
export function closingOf(
  turns: readonly Turn[],
  last: LastSaid,
  { records, resolver, runs, said, calls, isProposed, commits }: Since,
): Closing {
  const { text, at } = last.step
  const steps = turns.slice(last.at).flatMap((turn) => turn.steps)
  const paths = [...records].flatMap(([key, record]) => {
    const place = record.edits > 0 && record.lastEdit > said.clock ? resolver.touched(key) : { drop: '' }
    return 'drop' in place ? [] : [`\`${place.path}\``]
  })
  const more = paths.length > MAX_FILES ? ` and ${paths.length - MAX_FILES} more` : ''
  const check = runs.findLast(
    ({ kind, order, outcome }) => isCheck(kind) && order > said.order && outcome !== 'unknown',
  )
  const after = [
    ...(last.at < turns.length - 1 ? [UNANSWERED] : []),
    ...(paths.length === 0
      ? []
      : [`After it the agent edited ${paths.slice(0, MAX_FILES).join(', ')}${more}.`]),
    ...(check === undefined
      ? []
      : [`After it ${commandText(check.command)} ${check.outcome === 'ok' ? 'passed' : 'failed'}.`]),
    ...(steps.findLastIndex(({ kind }) => kind === 'interrupt') > steps.indexOf(last.step)
      ? ['After it the person interrupted the agent.']
      : []),
  ]
  if (after.length === 0 && calls > 0)
    after.push(
      isProposed
        ? 'After it the agent proposed a plan.'
        : `The agent was still at work: ${plural(calls, 'tool call')} came after it.`,
    )
  const [newest] = commits
  if (newest !== undefined)
    after.push(
      `After the session came ${commits.length === 1 ? 'a commit' : `${commits.length} commits, the last`}: \`${newest.sha.slice(0, 8)}\` ${newest.subject.slice(0, 120)}`,
    )
  return { text, at, after }
}

/** Commits of code that somebody made after a time, newest first; none after one that is not known. */
export const commitsAfter = (git: GitState | null, time: string | null): GitCommit[] =>
  (git?.commits ?? []).filter(
    ({ at, files }) =>
      time !== null && Date.parse(at) > Date.parse(time) && files.some((path) => !isProse(path)),
  )
