import { existsSync, readFileSync, statSync } from 'node:fs'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { gitFailed } from '../errors/git.ts'
import { orNull } from './files.ts'
import type { Repo } from './open-repo.ts'
import { type GitChild, openGit, spawnGitOk, watch } from './spawn.ts'

/** Blobs above this size in bytes are not read: no brief is that large, and a planted one must not fill the memory. */
const MAX_BLOB = 256 * 1024

/**
 * Contents of blobs by id, as they were committed, whatever `git replace` puts in their place: trust is bound to the id.
 * Ids that are missing, no blobs, or larger than 256 KB are left out. `objects`: a reader that is open anyway. Throws
 * `gitFailed`.
 */
export async function readBlobs(
  repo: Repo,
  oids: readonly string[],
  objects: ObjectReader | null = null,
): Promise<Map<string, Buffer>> {
  const asked = [...new Set(oids)].filter((oid) => /^[0-9a-f]{40,64}$/.test(oid))
  const isFit = objects !== null && (objects.isBlind || !hasReplacements(repo.commonDir))
  const reader = isFit ? objects : openCommitted(repo)
  try {
    const found = await reader.read(asked, MAX_BLOB)
    return new Map(
      found.flatMap((object) => (object?.type === 'blob' ? [[object.oid, object.content] as const] : [])),
    )
  } finally {
    if (reader !== objects) reader.close()
  }
}

/** A look at the files of git, which in nearly every repository spares the process of a second reader. */
function hasReplacements(commonDir: string): boolean {
  const packed = join(commonDir, 'packed-refs')
  if (existsSync(join(commonDir, 'refs/replace')) || existsSync(join(commonDir, 'reftable'))) return true
  return existsSync(packed) && readFileSync(packed).includes(' refs/replace/')
}

/** Gives `work` a reader: the one that is open, else one of its own. */
export async function withObjects<T>(
  repo: Repo,
  open: ObjectReader | null,
  work: (objects: ObjectReader) => Promise<T>,
): Promise<T> {
  if (open !== null) return work(open)
  const objects = openObjects(repo)
  try {
    return await work(objects)
  } finally {
    objects.close()
  }
}

/** Id, type and size in bytes of what each revision expression names, in order; null for what is missing. */
export async function checkObjects(
  repo: Repo,
  names: readonly string[],
  options: { signal?: AbortSignal | undefined } = {},
): Promise<(Omit<GitObject, 'content'> | null)[]> {
  if (names.length === 0) return []
  const child = repo.child({ input: `${names.join('\n')}\n`, ...options })
  const out = await spawnGitOk(['cat-file', '--batch-check'], child)
  return out.toString('utf8').split('\n').slice(0, names.length).map(readHeader)
}

/** True when git has all these objects. Asks git only for those that are not in a file of their own. */
export async function areThere(repo: Repo, oids: readonly string[]): Promise<boolean> {
  const packed: string[] = []
  for (const oid of new Set(oids)) {
    const loose = join(repo.commonDir, 'objects', oid.slice(0, 2), oid.slice(2))
    if (orNull(() => statSync(loose))?.isFile() !== true) packed.push(oid)
  }
  const found = await checkObjects(repo, packed, { signal: undefined })
  return found.every((object) => object !== null)
}

export interface GitObject {
  oid: string
  type: string
  size: number
  content: Buffer
}

/** One `git cat-file --batch` that stays open: a command asks for objects without a process for each question. */
export interface ObjectReader {
  /** It does not see what `git replace` puts in the place of an object. */
  isBlind: boolean
  /**
   * What each revision expression names at this moment, in order; null for what is missing or larger than `most` bytes. What git could not
   * read it calls missing, without a word, so that is asked twice. Throws `gitFailed`; rejects with the signal's reason on abort.
   */
  read(names: readonly string[], most?: number): Promise<(GitObject | null)[]>
  /** Lets the process go; a later question starts another. */
  close(): void
}

interface Question {
  name: string
  most: number
  /** It was called missing once. */
  isAgain?: true
  resolve(object: GitObject | null): void
  reject(error: unknown): void
}

const ARGS = ['cat-file', '--batch']
const NONE = Buffer.alloc(0)

/** The process starts with the first question. */
export function openObjects(repo: Pick<Repo, 'child' | 'signal'>): ObjectReader {
  let child: GitChild | null = null
  let waiting: Question[] = []

  const ask = (questions: readonly Question[]): void => {
    child ??= begin()
    keepAlive(child, true)
    child.stdin?.write(questions.map(({ name }) => `${name}\n`).join(''))
  }
  const leave = (): GitChild | null => {
    const left = child
    child = null
    return left
  }
  const begin = (): GitChild => {
    const started = openGit(ARGS, repo.child())
    let stderr = ''
    let held: Buffer = NONE
    started.stderr?.on('data', (block: Buffer) => {
      stderr += block.toString('utf8')
    })
    started.stdout?.on('data', (block: Buffer) => {
      if (child !== started) return
      held = held.length === 0 ? block : Buffer.concat([held, block])
      for (let question = waiting[0]; question !== undefined; question = waiting[0]) {
        const end = held.indexOf(10)
        if (end === -1) return
        const header = readHeader(held.toString('utf8', 0, end))
        if (header !== null && header.size > question.most) {
          // What nobody wants to hold is not worth being sent; the rest is asked of another process.
          leave()?.kill('SIGTERM')
          waiting.shift()
          question.resolve(null)
          if (waiting.length > 0) ask(waiting)
          return
        }
        const stop = end + 1 + (header === null ? 0 : header.size + 1)
        if (held.length < stop) return
        waiting.shift()
        const content = held.subarray(end + 1, stop - 1)
        held = held.subarray(stop)
        if (header === null && question.isAgain !== true) {
          const again = { ...question, isAgain: true as const }
          waiting.push(again)
          ask([again])
        } else question.resolve(header === null ? null : { ...header, content })
      }
      keepAlive(started, false)
    })
    // An answer that is on its way already must not count any more.
    const stop = () => {
      fail(repo.signal?.reason)
      started.kill('SIGTERM')
    }
    repo.signal?.addEventListener('abort', stop, { once: true })
    const fail = (error: unknown): void => {
      repo.signal?.removeEventListener('abort', stop)
      if (child !== started) return
      leave()
      const failed = waiting
      waiting = []
      for (const { reject } of failed) reject(repo.signal?.aborted ? repo.signal.reason : error)
    }
    started.on('error', fail)
    started.on('close', (code) => fail(gitFailed(ARGS, stderr || `exit ${code ?? 'by a signal'}`)))
    return started
  }

  return {
    isBlind: false,
    async read(names, most = Number.POSITIVE_INFINITY) {
      repo.signal?.throwIfAborted()
      const asked: Question[] = []
      const answers = names.map(
        (name) =>
          new Promise<GitObject | null>((resolve, reject) => asked.push({ name, most, resolve, reject })),
      )
      waiting.push(...asked)
      if (asked.length > 0) ask(asked)
      const unwatch = watch(repo.child().slow, ARGS)
      return Promise.all(answers).finally(unwatch)
    },
    close() {
      if (waiting.length === 0) leave()?.stdin?.end()
    },
  }
}

/** The same, blind to `git replace`: what was committed, not what somebody put in its place. */
export const openCommitted = (repo: Pick<Repo, 'child' | 'signal'>): ObjectReader => ({
  ...openObjects({
    child: (extra = {}) => repo.child({ ...extra, env: { ...extra.env, GIT_NO_REPLACE_OBJECTS: '1' } }),
    signal: repo.signal,
  }),
  isBlind: true,
})

/** Nobody waits for the end of this process, only for its answers. */
function keepAlive(child: GitChild, isAsked: boolean): void {
  for (const part of [child, child.stdin, child.stdout, child.stderr] as (GitChild | Socket | null)[])
    if (isAsked) part?.ref()
    else part?.unref()
}

/** The line before an object in the answers of `git cat-file`; null for every other line, as `<name> missing`. */
export function readHeader(line: string): Omit<GitObject, 'content'> | null {
  const [, oid, type, size] = /^([0-9a-f]{40,64}) (\w+) (\d+)$/.exec(line) ?? []
  return oid === undefined || type === undefined ? null : { oid, type, size: Number(size) }
}
