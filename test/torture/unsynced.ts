import type { Step } from './steps.ts'

/**
 * Objects that were not on the disk when a ref was made to name them: a power cut would leave a branch whose commit, tree or file is
 * empty. Each is synced under the name it is written with, or under its own later.
 */
export function unsynced(steps: readonly Step[]): string[] {
  const open = new Map<number, { path: string; isSynced: boolean }>()
  const bare = new Set<string>()
  const found: string[] = []
  for (const { pid, call, path } of steps) {
    const object = /\/objects\/(..\/[0-9a-f]{38,62})$/.exec(path)?.[1]
    if (path.includes('/tmp_obj_') && call.startsWith('open')) open.set(pid, { path, isSynced: false })
    const written = open.get(pid)
    if (call === 'fsync' && written?.path === path) written.isSynced = true
    if (object !== undefined && (call === 'link' || call === 'rename') && written?.isSynced === false)
      bare.add(object)
    if (object !== undefined && call === 'fsync') bare.delete(object)
    if (call === 'rename' && path.includes('/refs/')) {
      found.push(...bare)
      bare.clear()
    }
  }
  return found
}
