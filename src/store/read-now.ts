import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { MAX_FILE } from './plain-file.ts'

/**
 * A reader of many small files below one root that are not ours, without a promise for each: 40 files take 4 ms instead of
 * 10. Null when there is none, `refused` for a link (on the way too), a pipe, a folder, or more than `MAX_FILE` bytes.
 */
export function createReader(root: string): (relative: string) => { text: string } | 'refused' | null {
  const plain = new Map<string, boolean | null>([['.', true]])
  const isPlain = (folder: string): boolean | null => {
    const known = plain.get(folder)
    if (known !== undefined) return known
    const stat = lstatSync(join(root, folder), { throwIfNoEntry: false })
    const above = stat === undefined ? null : isPlain(dirname(folder))
    const answer = above === true ? (stat?.isDirectory() ?? null) : above
    plain.set(folder, answer)
    return answer
  }
  return (relative) => {
    const isThere = isPlain(dirname(relative))
    if (isThere !== true) return isThere === null ? null : 'refused'
    let file: number
    try {
      file = openSync(join(root, relative), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      return code === 'ENOENT' || code === 'ENOTDIR' ? null : 'refused'
    }
    try {
      const stat = fstatSync(file)
      return stat.isFile() && stat.size <= MAX_FILE ? { text: readFileSync(file, 'utf8') } : 'refused'
    } finally {
      closeSync(file)
    }
  }
}
