import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { badConfig } from '../errors/usage.ts'
import { writeFailed } from '../errors/writing.ts'

/** Sets one key in the person's own configuration; all else in the file stays. Throws `badConfig`, `writeFailed`. */
export async function setOwn(file: string, key: string, value: string): Promise<void> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw writeFailed(file, error)
  })
  const next = file.endsWith('.json')
    ? await setJson(text, key, value)
    : await setYaml(file, text, key, value)
  try {
    await mkdir(dirname(file), { recursive: true })
    const scratch = `${file}.${process.pid}.tmp`
    await writeFile(scratch, next)
    await rename(scratch, file)
  } catch (cause) {
    throw writeFailed(file, cause)
  }
}

async function setJson(text: string, key: string, value: string): Promise<string> {
  const { applyEdits, modify } = await import('jsonc-parser')
  return applyEdits(
    text,
    modify(text, [key], value, { formattingOptions: { insertSpaces: true, tabSize: 2 } }),
  )
}

async function setYaml(file: string, text: string, key: string, value: string): Promise<string> {
  const { parseDocument } = await import('yaml')
  const document = parseDocument(text)
  const [error] = document.errors
  if (error !== undefined) throw badConfig(file, error.message)
  document.set(key, value)
  return document.toString()
}
