import type { SessionWork } from '../types.ts'
import type { ShellPart } from './shell.ts'

/** What a session committed and pushed, told by the output of git. */
export interface WorkLog {
  /** A command line that ended well; gives the commits it made, as one would tell them. */
  ran(parts: readonly ShellPart[], output: string): string[]
  branch(name: string): void
  edited(): void
  end(): SessionWork
}

const MAX_COMMITS = 50
/** `[branch 1a2b3c4] subject`, also of a root commit and a detached HEAD. */
const COMMITTED = /^\[(.+?)(?: \(root-commit\))? ([0-9a-f]{7,40})\] (.+)$/gm

export function createWorkLog(): WorkLog {
  let commits: SessionWork['commits'] = []
  let branch: string | null = null
  let isPushed = false
  let isEdited = false
  return {
    ran(parts, output) {
      const made: string[] = []
      for (const { words } of parts) {
        if (words[0] !== 'git') continue
        const verb = words.find((word, at) => at > 0 && !word.startsWith('-') && words[at - 1] !== '-C') ?? ''
        if (verb === 'commit' || verb === 'cherry-pick' || verb === 'revert') {
          const amended = words.includes('--amend') ? commits.pop() : undefined
          const told = [...output.matchAll(COMMITTED)]
          for (const [, on = '', sha = '', subject = ''] of told) {
            if (!on.startsWith('detached')) branch = on
            commits.push({ sha, subject })
            made.push(`\`${sha}\` ${subject}`)
          }
          if (told.length === 0 && verb === 'commit')
            commits.push({ sha: null, subject: messageOf(words) || (amended?.subject ?? '') })
          commits = commits.slice(-MAX_COMMITS)
          isPushed = false
          isEdited = false
        }
        // Rewritten commits have other ids, which nobody told.
        if (verb === 'rebase' || verb === 'reset') commits = commits.map((commit) => ({ ...commit, sha: null }))
        if (verb === 'push' && !words.includes('--delete') && !words.includes('--dry-run')) isPushed = commits.length > 0
        const at = words.findIndex((word) => /^-(?:b|B|c)$/.test(word))
        if ((verb === 'checkout' || verb === 'switch') && at !== -1) branch = words[at + 1] ?? branch
      }
      return made
    },
    branch(name) {
      branch = name
    },
    edited() {
      isEdited = true
    },
    end: () => ({ branch, commits, isPushed, isEdited }),
  }
}

function messageOf(words: readonly string[]): string {
  const at = words.findIndex((word) => /^-\w*m$|^--message$/.test(word))
  return at === -1 ? '' : (words[at + 1]?.split('\n', 1)[0] ?? '')
}
