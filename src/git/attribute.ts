import type { Repo } from './open-repo.ts'

/** What git makes of one attribute of a path in the work tree: its value, or null when it is not set. Throws `gitFailed`. */
export async function attributeOf(repo: Repo, name: string, path: string): Promise<string | null> {
  // Check-attr takes plain paths only and refuses the variable.
  const env = { GIT_LITERAL_PATHSPECS: undefined }
  const text = await repo.git(['check-attr', '-z', name, '--', path], { env })
  const value = text.split('\0')[2]
  return value === undefined || value === 'unspecified' || value === 'unset' ? null : value
}
