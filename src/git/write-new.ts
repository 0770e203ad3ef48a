import { closeSync, openSync, writeFileSync } from 'node:fs'
import { removeFile } from './remove-file.ts'

/** Writes a file that must not exist yet; when that fails half-way (disk full), nothing of it stays. Throws the error. */
export function writeNew(path: string, content: string | Buffer): void {
  const file = openSync(path, 'wx')
  try {
    writeFileSync(file, content)
  } catch (error) {
    removeFile(path)
    throw error
  } finally {
    closeSync(file)
  }
}
