import { createHash } from 'node:crypto'
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'

/** Every file below a folder with a hash of its bytes, every link with its target; `skip` are relative paths left out. */
export function hashFiles(root: string, skip: readonly string[] = [], folder = ''): Record<string, string> {
  const found: Record<string, string> = {}
  for (const name of readdirSync(join(root, folder)).sort()) {
    const path = folder === '' ? name : `${folder}/${name}`
    if (skip.includes(path)) continue
    const stat = lstatSync(join(root, path))
    if (stat.isDirectory()) Object.assign(found, { [`${path}/`]: '' }, hashFiles(root, skip, path))
    else if (stat.isSymbolicLink()) found[path] = `-> ${readlinkSync(join(root, path))}`
    else
      found[path] = createHash('sha1')
        .update(readFileSync(join(root, path)))
        .digest('hex')
  }
  return found
}
