import { readdir, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { idOfPath } from '../brief/id.ts'
import { unsafeFolder } from '../errors/briefs.ts'
import { isMissing, nullIfMissing } from '../errors/handoff-error.ts'
import { BRIEFS } from './folder.ts'
import { createPlain, readPlain } from './plain-file.ts'

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

/** The text of a brief in the work tree, or null. Throws `unsafeFolder`. */
export const readBriefFile = (root: string, path: string): Promise<string | null> => readPlain(root, path)

/** Writes a new brief; false when that name is taken. Throws `unsafeFolder`, `writeFailed`. */
export const writeBriefFile = (root: string, path: string, text: string, aside: string): Promise<boolean> =>
  createPlain(root, path, text, aside)

/** Takes back a brief that was written but must not stay. */
export async function removeBriefFile(root: string, path: string): Promise<void> {
  await unlink(join(root, path)).catch(nullIfMissing)
}
