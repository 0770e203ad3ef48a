import type { GitState } from '../types.ts'
import { maskSecrets } from './mask.ts'
import type { Invocation } from './table.ts'

/** Folders that are named before the rest of them is only counted. */
const NAMED = 3

/** Says which folders git could not look into: changes in there are missing in the brief. */
export async function warnUnread({ out, place }: Invocation, git: GitState | null): Promise<void> {
  if (git?.unread === undefined) return
  const folders = await maskSecrets([...git.unread], place.env)
  const more = folders.length > NAMED ? ` and ${folders.length - NAMED} more` : ''
  out.warn(
    `git could not look into ${folders.slice(0, NAMED).join(', ')}${more}: changes in there are left out`,
  )
}
