import type { GitCommit } from '../types/git.ts'

/** `git log` format of one commit; \x01 and a full id begin a record, NUL ends each field. */
export const LOG_FORMAT = '%x01%H%x00%P%x00%aI%x00%s%x00%(trailers:only=true,unfold=true)%x00'

export interface LoggedCommit extends GitCommit {
  renames: { from: string; to: string }[]
  parents: string[]
}

/** Reads `git log -z --name-status -M --format=LOG_FORMAT`, in the order given. `at` is the author's time in UTC. */
export function parseLog(text: string): LoggedCommit[] {
  const commits: LoggedCommit[] = []
  const fields = text.split('\0')
  let commit: LoggedCommit | undefined
  for (let at = 0; at < fields.length; at++) {
    // A line break parts the format from the list of files.
    const field = (fields[at] ?? '').replace(/^\n/, '')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the marker of LOG_FORMAT
    if (/^\x01[0-9a-f]{40,64}$/.test(field)) {
      const [parents = '', time = '', subject = '', trailers = ''] = fields.slice(at + 1, at + 5)
      at += 4
      commit = {
        sha: field.slice(1),
        subject,
        at: new Date(time).toISOString(),
        trailers: trailers.split('\n').filter((line) => line !== ''),
        files: [],
        renames: [],
        parents: parents.split(' ').filter((parent) => parent !== ''),
      }
      commits.push(commit)
    } else if (commit && /^[RC]\d+$/.test(field)) {
      const [from = '', to = ''] = fields.slice(at + 1, at + 3)
      at += 2
      commit.files.push(to)
      if (field.startsWith('R')) commit.renames.push({ from, to })
    } else if (commit && /^[ADMTUX]$/.test(field)) {
      commit.files.push(fields[++at] ?? '')
    }
  }
  return commits
}
