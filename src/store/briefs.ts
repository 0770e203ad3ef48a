import { readdir, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { idOfPath } from '../brief/id.ts'
import { unsafeFolder } from '../errors/briefs.ts'
import { isMissing, nullIfMissing } from '../errors/handoff-error.ts'
import { BRIEFS } from './folder.ts'

/** Paths of the briefs in the work tree, oldest id first. */
export async function listBriefFiles(root: string): Promise<{ id: string; path: string }[]> {
  const names = await readdir(join(root, BRIEFS)).catch((error: NodeJS.ErrnoException) => {
    if (isMissing(error)) return [] as string[]
    throw unsafeFolder(BRIEFS, `not readable (${error.code ?? error.message})`)
  })
  return names
    .map((name) => ({ id: idOfPath(`${BRIEFS}/${name}`), path: `${BRIEFS}/${name}` }))
    .filter((entry): entry is { id: string; path: string } => entry.id !== null)
    .sort((a, b) => (a.path < b.path ? -1 : 1))
}

/** Takes back a brief that was written but must not stay. */
export async function removeBriefFile(root: string, path: string): Promise<void> {
  await unlink(join(root, path)).catch(nullIfMissing)
}
