import { lstatSync } from 'node:fs'
import { lstat, readdir, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { idOfPath } from '../brief/id.ts'
import { attributesText, isPointer } from '../brief/latest.ts'
import { foreignFolder, unsafeFolder } from '../errors/briefs.ts'
import { isMissing, nullIfMissing, orNull } from '../errors/handoff-error.ts'
import { readPlain } from './plain-file.ts'

export const HANDOFF = '.handoff'
export const BRIEFS = '.handoff/briefs'
export const LATEST = '.handoff/latest.md'
export const ATTRIBUTES = '.handoff/.gitattributes'
export const README = '.handoff/README.md'

const OURS = new Set(['latest.md', 'briefs', 'requests', '.gitattributes', 'README.md', 'templates'])
const CONFIG = ['config.yaml', 'config.yml', 'config.json']

/**
 * Makes sure `.handoff/` is ours or free. Throws `unsafeFolder` for symlinks and files in the way, `foreignFolder` when
 * another tool's files stand there. Returns which of the constant files are missing.
 */
export async function checkFolder(root: string): Promise<{ missing: string[] }> {
  await mustBeFolder(root, HANDOFF)
  await mustBeFolder(root, BRIEFS)
  const names = await readdir(join(root, HANDOFF)).catch((error: NodeJS.ErrnoException) => {
    if (isMissing(error)) return [] as string[]
    throw unsafeFolder(HANDOFF, `not readable (${error.code ?? error.message})`)
  })
  const latest = await readPlain(root, LATEST)
  if (latest !== null && !isPointer(latest)) throw foreignFolder('latest.md was not written by handoff')
  const attributes = await readPlain(root, ATTRIBUTES)
  if (
    attributes !== null &&
    attributes !== attributesText() &&
    !attributes.includes('/latest.md filter=handoff')
  )
    throw foreignFolder('.gitattributes was not written by handoff')
  const strange = names
    .filter((name) => !OURS.has(name) && !CONFIG.includes(name) && !name.endsWith('.tmp'))
    .sort()
  if (latest === null && strange.length > 0) throw foreignFolder(`it holds ${strange.slice(0, 5).join(', ')}`)
  if (latest === null && names.includes('briefs')) {
    const briefs = await readdir(join(root, BRIEFS))
    const other = briefs.filter((name) => !/^\d{8}T\d{6}-[0-9a-f]{8}/.test(name)).sort()
    if (other.length > 0) throw foreignFolder(`briefs/ holds ${other.slice(0, 5).join(', ')}`)
  }
  return {
    missing: [LATEST, ATTRIBUTES, README].filter((path) => !names.includes(path.slice(HANDOFF.length + 1))),
  }
}

async function mustBeFolder(root: string, relative: string): Promise<void> {
  const stat = await lstat(join(root, relative)).catch(() => null)
  if (stat === null || stat.isDirectory()) return
  throw unsafeFolder(relative, stat.isSymbolicLink() ? 'a symbolic link' : 'not a folder')
}

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
