import { constants } from 'node:fs'
import { access, type FileHandle, mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, isAbsolute, join } from 'node:path'
import { run } from '../../programs.ts'
import type { Home, Place } from '../../types/config.ts'

/** It takes 1.3 s of processor time to start (1.18.33); one that takes longer than this never answers. In ms. */
const TIMEOUT = 60_000
/** All it gets of our environment: what it needs to run and to find its own folders. */
const PASSED = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'TMPDIR', 'TEMP', 'TMP', 'USERPROFILE', 'SystemRoot']
const FOLDERS = ['XDG_DATA_HOME', 'XDG_CONFIG_HOME', 'XDG_STATE_HOME', 'XDG_CACHE_HOME']

/** OpenCode's program: on PATH, by its absolute entries, or where its own installer puts it. Null when there is none. */
export async function openCodeProgram({ home, env }: Home): Promise<string | null> {
  const folders = (env.PATH ?? '').split(delimiter).filter(isAbsolute)
  for (const folder of [...folders, join(home, '.opencode', 'bin')]) {
    const path = join(folder, process.platform === 'win32' ? 'opencode.exe' : 'opencode')
    const isThere = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    )
    if (isThere) return path
  }
  return null
}

/** The rows of a query of one column, in batches: `opencode db` loads neither plugins nor a project's settings. Throws what it said. */
export async function* programLines(
  program: string,
  database: string,
  sql: string,
  { home, env, signal }: Pick<Place, 'home' | 'env' | 'signal'>,
): AsyncGenerator<string[]> {
  const output = await scratchFile()
  try {
    const own = [...PASSED, ...FOLDERS].flatMap((name) => (env[name] ? [[name, env[name]]] : []))
    await finish(program, ['db', sql, '--format', 'tsv'], output, {
      cwd: dirname(database),
      env: {
        HOME: home,
        ...Object.fromEntries(own),
        OPENCODE_DB: database,
        OPENCODE_DISABLE_AUTOUPDATE: '1',
        OPENCODE_DISABLE_MODELS_FETCH: '1',
        OPENCODE_DISABLE_PROJECT_CONFIG: '1',
        OPENCODE_PURE: '1',
      },
      ...(signal ? { signal } : {}),
    })
    let isHead = true
    for await (const lines of linesOf(output)) {
      yield isHead ? lines.slice(1) : lines
      isHead = false
    }
  } finally {
    await output.close()
  }
}

/** Into a pipe, OpenCode 1.18.33 writes 64 KB and ends; a file gets all. Nobody else can open this one. */
async function scratchFile(): Promise<FileHandle> {
  const folder = await mkdtemp(join(tmpdir(), 'handoff-'))
  try {
    return await open(join(folder, 'rows'), 'wx+', 0o600)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function finish(
  program: string,
  args: readonly string[],
  output: FileHandle,
  options: { cwd: string; env: NodeJS.ProcessEnv; signal?: AbortSignal },
): Promise<void> {
  const begun = performance.now()
  // A group of its own, since the program may be a script that starts the real one.
  const { code, stderr } = await run(program, args, {
    ...options,
    output: output.fd,
    timeout: TIMEOUT,
    group: true,
  })
  if (code === 0) return
  const isLate = code === null && performance.now() - begun >= TIMEOUT
  const why = isLate ? `no answer after ${TIMEOUT / 1000} s` : plain(stderr.slice(-1000))
  throw new Error(`\`opencode db\`: ${why || `exit ${code ?? 'by a signal'}`}`)
}

/** What it says without colours, on one line. */
const plain = (text: string): string =>
  text
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours of a terminal begin with one.
    .replace(/\u001b\[[\d;]*m/g, '')
    .replace(/\s+/g, ' ')
    .trim()

async function* linesOf(file: FileHandle): AsyncGenerator<string[]> {
  let rest = ''
  for await (const text of file.createReadStream({ start: 0, encoding: 'utf8', autoClose: false })) {
    const lines = `${rest}${text}`.split('\n')
    rest = lines.pop() ?? ''
    yield lines
  }
  if (rest !== '') yield [rest]
}
