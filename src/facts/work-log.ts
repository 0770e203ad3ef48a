import type { SessionWork } from '../types/evidence.ts'
import type { GitState } from '../types/git.ts'

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
      const before = commits.filter(({ isPushed }) => isPushed !== true)
      let gone: typeof commits = []
      if (!failed && /\bgit\b[^|;&\n]*\b(?:rebase|reset|filter-branch)\b/.test(command)) gone = before
      else if (!failed && /--amend\b/.test(command)) gone = before.slice(-1)
      commits = commits.filter((one) => !gone.includes(one))
      const made = isCommit ? [...output.matchAll(COMMITTED)] : []
      for (const [, on = '', sha = '', subject = ''] of made) {
        branch = /^detached/.test(on) ? branch : on
        commits.push({ branch: /^detached/.test(on) ? null : on, sha, subject, isPushed: false })
        isEdited = false
      }
      if (commits.length > MAX_COMMITS) commits = commits.slice(-MAX_COMMITS)
      const push = PUSH.exec(command)
      if (push !== null && !failed && !/rejected/.test(output) && !/--dry-run| -n\b/.test(push[0])) {
        const [, ...refs] = (push[1] ?? '')
          .split(/\s+/)
          .filter((word) => word !== '' && !word.startsWith('-'))
        const isNamed = ({ branch: on }: { branch: string | null }): boolean =>
          refs.length === 0 || refs.includes('HEAD')
            ? on === branch
            : refs.some((ref) => ref.split(':')[0]?.replace('refs/heads/', '') === on)
        for (const one of commits) if (isNamed(one)) one.isPushed = true
      }
      return {
        made: made.map(([, , sha, subject]) => textOf(sha ?? '', subject ?? '')),
        gone: gone.map(({ sha, subject }) => textOf(sha ?? '', subject)),
      }
    },
    /** With the ids that git has for these commits now. */
    end(git: GitState | null): Omit<SessionWork, 'hasEdited' | 'worktree'> {
      const now = commits.map((one) => {
        const isIt = ({ sha, subject }: { sha: string; subject: string }): boolean =>
          sha.startsWith(one.sha ?? ' ') || subject === one.subject
        const known = git?.commits.find(isIt)
        return known === undefined ? one : { ...one, sha: known.sha.slice(0, one.sha?.length ?? 8) }
      })
      return { branch, commits: now, isEdited, hasTried }
    },
  }
}

const textOf = (sha: string, subject: string): string => `\`${sha}\` ${subject}`
