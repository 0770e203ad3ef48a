import { type FileHandle, open, stat } from 'node:fs/promises'
import { delimiter, resolve } from 'node:path'

/** Bytes of a file in which Linux looks for a first line that names an interpreter. */
const FIRST_LINE = 256

/** Who has too many files open, by what the system says. */
const FULL: Readonly<Record<string, string>> = {
  EMFILE: 'this process has too many open; `ulimit -n` tells how many it may have',
  ENFILE: 'the whole system has too many open',
}

/** What was to be started, and where the system looked for it. */
export interface Sought {
  file: string
  /** The folder it was to be started in. */
  cwd: string
  /** Absent: none is set. */
  path: string | undefined
}

/**
 * Why a program could not be started, in a clause. The system says ENOENT of a program that is not there and of one whose interpreter is
 * not. What it says itself for anything that is not known here. Never rejects.
 */
export async function notStarted(sought: Sought, cause: NodeJS.ErrnoException): Promise<Error> {
  const { file } = sought
  const full = FULL[cause.code ?? '']
  if (full !== undefined)
    return new Error(`\`${file}\` cannot be started: no file descriptor is free (${cause.code}), ${full}`, {
      cause,
    })
  if (cause.code !== 'ENOENT') return cause
  const found = await placeOf(sought)
  if (found === null)
    return new Error(`\`${file}\` is not ${file.includes('/') ? 'there' : 'on PATH'}`, { cause })
  const interpreter = await interpreterOf(found)
  const why =
    interpreter === null || (await isFile(resolve(sought.cwd, interpreter)))
      ? 'something that it needs is not there'
      : `\`${JSON.stringify(interpreter).slice(1, -1)}\`, which its first line names, is not there`
  return new Error(`\`${found}\` cannot be started: ${why}`, { cause })
}

/** Where the program stands, as the system looks for it; null: nowhere. */
async function placeOf({ file, cwd, path = '' }: Sought): Promise<string | null> {
  const folders = file.includes('/') ? [''] : path.split(delimiter)
  for (const folder of folders) {
    const place = resolve(cwd, folder, file)
    if (await isFile(place)) return place
  }
  return null
}

const isFile = (path: string): Promise<boolean> =>
  stat(path).then(
    (it) => it.isFile(),
    () => false,
  )

/** The program that the first line of a script names; null: it names none, or cannot be read. */
async function interpreterOf(path: string): Promise<string | null> {
  let handle: FileHandle | undefined
  try {
    handle = await open(path)
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(FIRST_LINE), 0, FIRST_LINE, 0)
    return /^#![ \t]*([^ \t\n]+)/.exec(buffer.toString('utf8', 0, bytesRead))?.[1] ?? null
  } catch {
    return null // What is told then is less, and true.
  } finally {
    await handle?.close()
  }
}
