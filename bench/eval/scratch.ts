import { execFileSync } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Files } from './case.ts'
import type { LoadedCase } from './load-cases.ts'

/** Home and work tree as transcripts of cases name them. */
const RECORDED_HOME = '/home/dev'

/** A scratch person: a home, a repository in the state of the case, and the transcript. */
export interface Scratch {
  home: string
  root: string
  env: Record<string, string>
  /** The moment the brief is made: five minutes after the last event. */
  now: Date
  /** The transcript as `create` reads it; null for git alone. */
  session: string | null
  /** All of it, subagents included. */
  trace: string
  /** Values that were put in place of placeholders. */
  secrets: string[]
  remove(): Promise<void>
}

/** Makes it in a temporary folder. Throws what disk and git throw, and an `Error` for an unknown placeholder. */
export async function makeScratch(loaded: LoadedCase): Promise<Scratch> {
  const { one, folder } = loaded
  const base = await realpath(await mkdtemp(join(tmpdir(), 'handoff-eval-')))
  const remove = () => rm(base, { recursive: true, force: true, maxRetries: 3 })
  try {
    const home = join(base, 'dev')
    const root = join(home, 'repo')
    await mkdir(root, { recursive: true })
    const env = await makeEnvironment(home)
    const traces = join(base, 'trace')
    const { trace, secrets } = await placeTrace(join(folder, 'trace'), traces, one.id, home)
    const times = [...trace.matchAll(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g)]
      .map(([time]) => time)
      .sort()
    const first = new Date(times[0] ?? '2026-11-22T09:00:00Z')
    const last = new Date(times.at(-1) ?? '2026-11-22T10:00:00Z')
    await makeRepository(loaded, root, env, first, last)
    return {
      home,
      root,
      env,
      now: new Date(last.getTime() + 300_000),
      session: one.session === null ? null : join(base, one.session),
      trace,
      secrets,
      remove,
    }
  } catch (error) {
    await remove()
    throw error
  }
}

/** An environment that knows nothing of this machine. */
async function makeEnvironment(home: string): Promise<Record<string, string>> {
  const config = join(home, '.gitconfig')
  await writeFile(
    config,
    '[user]\n\tname = Robin Vale\n\temail = robin@example.invalid\n[commit]\n\tgpgSign = false\n',
  )
  return {
    PATH: process.env.PATH ?? '',
    HOME: home,
    XDG_CONFIG_HOME: join(home, '.config'),
    GIT_CONFIG_GLOBAL: config,
    GIT_CONFIG_NOSYSTEM: '1',
    TZ: 'UTC',
    LC_ALL: 'C',
  }
}

/** Copies the transcripts with placeholders expanded and the recorded home replaced by the scratch one. */
async function placeTrace(
  from: string,
  to: string,
  seed: string,
  home: string,
): Promise<{ trace: string; secrets: string[] }> {
  await mkdir(to, { recursive: true })
  const names = await readdir(from, { recursive: true }).catch(() => [])
  if (names.length > 0) await cp(from, to, { recursive: true })
  const texts: string[] = []
  const secrets = new Set<string>()
  for (const name of names.sort()) {
    const path = join(to, name)
    const raw = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'EISDIR') return null
      throw error
    })
    if (raw === null) continue
    const { text, values } = expandPlaceholders(raw.replaceAll(RECORDED_HOME, home), seed)
    await writeFile(path, text)
    texts.push(text)
    for (const value of values) secrets.add(value)
  }
  return { trace: texts.join('\n'), secrets: [...secrets] }
}

async function makeRepository(
  { one }: LoadedCase,
  root: string,
  env: Record<string, string>,
  first: Date,
  last: Date,
): Promise<void> {
  const git = (args: string[], at: Date): void => {
    const date = at.toISOString()
    execFileSync('git', args, {
      cwd: root,
      env: { ...env, GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date },
      stdio: 'pipe',
    })
  }
  const commit = async (subject: string, files: Files, at: Date): Promise<void> => {
    await writeFiles(root, files)
    git(['add', '-A'], at)
    git(['commit', '-q', '--allow-empty', '-m', subject], at)
  }
  const dayBefore = new Date(first.getTime() - 86_400_000)
  git(['init', '-q', '-b', 'main'], dayBefore)
  await commit(one.git.base.subject, one.git.base.files, dayBefore)
  if (one.git.branch !== 'main') git(['switch', '-q', '-c', one.git.branch], dayBefore)
  for (const { subject, files } of one.git.commits) await commit(subject, files, last)
  await writeFiles(root, one.git.changes)
}

async function writeFiles(root: string, files: Files): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    if (content === null) await rm(join(root, path), { force: true })
    else {
      await mkdir(dirname(join(root, path)), { recursive: true })
      await writeFile(join(root, path), content)
    }
  }
}

/** Makes a value that looks like a secret. `seed` and `length` decide it, so that a case is the same in every run. */
type Maker = (letters: (length: number) => string) => string

/**
 * What `@@NAME@@` in a transcript becomes: such values are made when a case runs and stand in no file of the project.
 * The shapes are those of GitHub's classic tokens and of a bearer token without a prefix.
 */
const MAKERS: Readonly<Record<string, Maker>> = {
  GITHUB_TOKEN: (letters) => `ghp_${letters(36)}`,
  BEARER_TOKEN: (letters) => letters(43),
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** The text with every placeholder replaced, and the values that were put in. Throws for an unknown name. */
export function expandPlaceholders(text: string, seed: string): { text: string; values: string[] } {
  const values = new Map<string, string>()
  const expanded = text.replace(/@@([A-Z_]+)@@/g, (_, name: string) => {
    const make = MAKERS[name]
    if (make === undefined)
      throw new Error(`@@${name}@@: a name of ${Object.keys(MAKERS).join(', ')} is needed`)
    const value = values.get(name) ?? make(letterSource(`${seed} ${name}`))
    values.set(name, value)
    return value
  })
  return { text: expanded, values: [...values.values()] }
}

/** Letters of a linear congruential generator (constants of Numerical Recipes) that starts from the seed. */
function letterSource(seed: string): (length: number) => string {
  let state = [...seed].reduce((sum, char) => (Math.imul(sum, 31) + (char.codePointAt(0) ?? 0)) >>> 0, 7)
  return (length) =>
    Array.from({ length }, () => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0
      return ALPHABET[(state >>> 8) % ALPHABET.length]
    }).join('')
}
