import { open, rm } from 'node:fs/promises'

/** Writes a file that must not exist yet; when that fails half-way (disk full), nothing of it stays. Throws the error. */
export async function writeNew(path: string, content: string | Buffer): Promise<void> {
  const file = await open(path, 'wx')
  try {
    await file.writeFile(content)
  } catch (error) {
    await rm(path, { force: true })
    throw error
  } finally {
    await file.close()
  }
}
