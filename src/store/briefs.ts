import { lstatSync } from 'node:fs'
import { readdir, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { idOfPath } from '../brief/id.ts'
import { unsafeFolder } from '../errors/briefs.ts'
import { isMissing, nullIfMissing, orNull } from '../errors/handoff-error.ts'
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

/** Paths of the files that lie there, or in folders below, under another name: a commit of them is refused, and a brief among them found by nobody. */
export async function listStrayFiles(root: string): Promise<string[]> {
  if ((await namesIn(root)).length === 0) return []
  const names = await readdir(join(root, BRIEFS), { recursive: true })
  return names
    .filter((name) => name.includes('/') || idOfPath(name) === null)
    .map((name) => `${BRIEFS}/${name}`)
    .filter((path) => orNull(() => lstatSync(join(root, path)))?.isDirectory() === false)
    .sort()
}

/** Takes back a brief that was written but must not stay. */
export async function removeBriefFile(root: string, path: string): Promise<void> {
  await unlink(join(root, path)).catch(nullIfMissing)
}
