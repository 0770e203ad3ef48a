import { existsSync, readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import type { Child } from '../programs.ts'
import { failure, type GitOptions, gitText, openGit, watch } from './git.ts'

/** A repository, as far as its objects go. */
interface Source {
  commonDir: string
  signal: AbortSignal | undefined
  child(extra?: Partial<GitOptions>): GitOptions
  objects: ObjectReader
  /** Blind to `git replace`. */
  committed: ObjectReader
}

/** Blobs above this size in bytes are not read: no brief is that large, and a planted one must not fill the memory. */
export const MAX_BLOB = 256 * 1024

/**
 * Contents of blobs by id, as they were committed, whatever `git replace` puts in their place: trust is bound to the id.
 * Ids that are missing, no blobs, or larger than 256 KB are left out. Throws `gitFailed`.
 */
export async function readBlobs(repo: Source, oids: readonly string[]): Promise<Map<string, Buffer>> {
  const asked = [...new Set(oids)].filter((oid) => /^[0-9a-f]{40,64}$/.test(oid))
  const reader = hasReplacements(repo.commonDir) ? repo.committed : repo.objects
  const found = await reader.read(asked, MAX_BLOB)
  return new Map(found.flatMap((object) => (object?.type === 'blob' ? [[object.oid, object.content]] : [])))
}

function hasReplacements(commonDir: string): boolean {
  const packed = join(commonDir, 'packed-refs')
  if (existsSync(join(commonDir, 'refs/replace')) || existsSync(join(commonDir, 'reftable'))) return true
  return existsSync(packed) && readFileSync(packed).includes(' refs/replace/')
}

/** Id, type and size in bytes of what each revision expression names, in order; null for what is missing. */
export async function checkObjects(
  repo: Source,
  names: readonly string[],
): Promise<(Omit<GitObject, 'content'> | null)[]> {
  if (names.length === 0) return []
  const child = repo.child({ input: `${names.join('\n')}\n` })
  const out = await gitText(['cat-file', '--batch-check'], child)
  return out.split('\n').slice(0, names.length).map(readHeader)
}

export interface GitObject {
  oid: string
  type: string
  size: number
  content: Buffer
}

/** One `git cat-file --batch` that stays open: a command asks for objects without a process for each question. */
export interface ObjectReader {
  /**
   * What each revision expression names at this moment, in order; null for what is missing or larger than `most` bytes. Throws `gitFailed`;
   * rejects with the signal's reason on abort.
   */
  read(names: readonly string[], most?: number): Promise<(GitObject | null)[]>
}

interface Question {
  name: string
  most: number
  resolve(object: GitObject | null): void
  reject(error: unknown): void
}

const ARGS = ['cat-file', '--batch']
/** Ms after which a process that nobody asks anything is let go. */
const IDLE = 5000

/**
 * The process starts with the first question, and ends some time after the last one. `isBlind`: it does not see what `git replace` puts in
 * the place of an object.
 */
export function openObjects(
  { child: optionsOf, signal }: Pick<Source, 'child' | 'signal'>,
  isBlind = false,
): ObjectReader {
  let child: Child | null = null
  let waiting: Question[] = []
  let idle: NodeJS.Timeout | undefined

  const ask = (questions: readonly Question[]): void => {
    clearTimeout(idle)
    child ??= begin()
    keepAlive(child, true)
    child.stdin?.write(questions.map(({ name }) => `${name}\n`).join(''))
  }
  const leave = (): Child | null => {
    const left = child
    child = null
    return left
  }
  const close = (): void => {
    clearTimeout(idle)
    if (waiting.length === 0) leave()?.stdin?.end()
  }
  const begin = (): Child => {
    const { env, ...options } = optionsOf()
    const started = openGit(ARGS, {
      ...options,
      env: isBlind ? { ...env, GIT_NO_REPLACE_OBJECTS: '1' } : env,
    })
    let stderr = ''
    let held: Buffer = Buffer.alloc(0)
    started.stderr?.on('data', (block: Buffer) => {
      stderr += block.toString('utf8')
    })
    started.stdout?.on('data', (block: Buffer) => {
      if (child !== started) return
      held = Buffer.concat([held, block])
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
        question.resolve(header === null ? null : { ...header, content })
      }
      keepAlive(started, false)
      idle = setTimeout(close, IDLE).unref()
    })
    // An answer that is on its way already must not count any more.
    const stop = () => {
      fail(signal?.reason)
      started.kill('SIGTERM')
    }
    signal?.addEventListener('abort', stop, { once: true })
    const fail = (error: unknown): void => {
      signal?.removeEventListener('abort', stop)
      if (child !== started) return
      leave()
      const failed = waiting
      waiting = []
      for (const { reject } of failed) reject(signal?.aborted ? signal.reason : error)
    }
    started.on('error', fail)
    started.on('close', (code) => fail(failure(ARGS, { code, stderr })))
    return started
  }

  return {
    async read(names, most = Number.POSITIVE_INFINITY) {
      signal?.throwIfAborted()
      const asked: Question[] = []
      const answers = names.map(
        (name) =>
          new Promise<GitObject | null>((resolve, reject) => asked.push({ name, most, resolve, reject })),
      )
      waiting.push(...asked)
      if (asked.length > 0) ask(asked)
      const unwatch = watch(optionsOf().slow, ARGS)
      return Promise.all(answers).finally(unwatch)
    },
  }
}

/** Nobody waits for the end of this process, only for its answers. */
function keepAlive(child: Child, isAsked: boolean): void {
  for (const part of [child, child.stdin, child.stdout, child.stderr] as (Child | Socket | null)[])
    if (isAsked) part?.ref()
    else part?.unref()
}

/** The line before an object in the answers of `git cat-file`; null for every other line, as `<name> missing`. */
export function readHeader(line: string): Omit<GitObject, 'content'> | null {
  const [, oid, type, size] = /^([0-9a-f]{40,64}) (\w+) (\d+)$/.exec(line) ?? []
  return oid === undefined || type === undefined ? null : { oid, type, size: Number(size) }
}
