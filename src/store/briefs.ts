import { readdir, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { idOfPath } from '../brief/id.ts'
import { unsafeFolder } from '../errors/briefs.ts'
import { isMissing, nullIfMissing } from '../errors/handoff-error.ts'
import { BRIEFS } from './folder.ts'

/** Names in the folder of briefs. Throws `unsafeFolder`. */
const namesIn = (root: string): Promise<string[]> =>
  readdir(join(root, BRIEFS)).catch((error: NodeJS.ErrnoException) => {
    if (isMissing(error)) return [] as string[]
    throw unsafeFolder(BRIEFS, `not readable (${error.code ?? error.message})`)
  })

/** Paths of the briefs in the work tree, oldest id first. */
export async function listBriefFiles(root: string): Promise<{ id: string; path: string }[]> {
  return (await namesIn(root))
    .map((name) => ({ id: idOfPath(`${BRIEFS}/${name}`), path: `${BRIEFS}/${name}` }))
    .filter((entry): entry is { id: string; path: string } => entry.id !== null)
    .sort((a, b) => (a.path < b.path ? -1 : 1))
}

/** Paths of what else lies there: a brief that was renamed is found by nobody. */
export const listStrayFiles = async (root: string): Promise<string[]> =>
  (await namesIn(root)).flatMap((name) => (idOfPath(name) === null ? `${BRIEFS}/${name}` : [])).sort()

/** Takes back a brief that was written but must not stay. */
export async function removeBriefFile(root: string, path: string): Promise<void> {
  await unlink(join(root, path)).catch(nullIfMissing)
}
