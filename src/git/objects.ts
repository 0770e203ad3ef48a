import { createHash } from 'node:crypto'
import type { Socket } from 'node:net'
import { deflateSync } from 'node:zlib'
import { isHandoffError } from '../errors/handoff-error.ts'
import type { Child } from '../programs.ts'
import { MAX_BLOB } from './files.ts'
import { failure, type GitOptions, gitText, openGit, watch } from './git.ts'

/** A repository, as far as its objects go. */
interface Source {
  objectFormat: 'sha1' | 'sha256'
  child(extra?: Partial<GitOptions>): GitOptions
  objects: ObjectReader
}

/** Blobs by id. Left out: ids that are missing or kill git, other types, more than 256 KB. */
export async function readBlobs(repo: Source, oids: readonly string[]): Promise<Map<string, Buffer>> {
  const asked = [...new Set(oids)].filter((oid) => /^[0-9a-f]{40,64}$/.test(oid))
  const found = await repo.objects.read(asked, MAX_BLOB, null)
  return new Map(found.flatMap((object) => (object?.type === 'blob' ? [[object.oid, object.content]] : [])))
}

/** Id, type and size in bytes of what each revision expression names, in order; null for what is missing. */
export async function checkObjects(
  repo: Source,
  names: readonly string[],
): Promise<(Omit<GitObject, 'content'> | null)[]> {
  if (names.length === 0) return []
  // A line break would end the question: of such a name nothing is asked.
  const lines = names.map((name) => (name.includes('\n') ? '\n' : `${name}\n`))
  const child = repo.child({ input: lines.join('') })
  const out = await gitText(['cat-file', '--batch-check'], child)
  return out.split('\n').slice(0, names.length).map(readHeader)
}

/** An object that git shall have, as it stores it. */
export interface NewObject {
  type: 'tree' | 'blob'
  content: Buffer
}

/** Numbers of the types in a pack (gitformat-pack). */
const PACKED = { tree: 2, blob: 3 }

/**
 * Writes objects in one process, as a pack that git unpacks. Like `hash-object` it reads `core.fsync`, takes whatever mode a tree of the
 * user's holds, and asks for none of the objects that a tree names, which a partial clone would fetch. Throws `gitFailed`.
 */
export async function writeObjects(
  repo: Pick<Source, 'child' | 'objectFormat'>,
  objects: readonly NewObject[],
): Promise<void> {
  if (objects.length === 0) return
  const head = Buffer.from('PACK\0\0\0\x02\0\0\0\0', 'latin1')
  head.writeUInt32BE(objects.length, 8)
  const bodies = objects.flatMap(({ type, content }) => [
    Buffer.from(packedHeader(PACKED[type], content.length)),
    deflateSync(content),
  ])
  const pack = Buffer.concat([head, ...bodies])
  const sum = createHash(repo.objectFormat).update(pack).digest()
  await gitText(['unpack-objects', '-q'], repo.child({ input: Buffer.concat([pack, sum]) }))
}

/** Type and size as bytes of seven bits, the first of four, each but the last with its high bit set. */
function packedHeader(type: number, size: number): number[] {
  const bytes = [type * 16 + (size % 16)]
  for (let left = Math.floor(size / 16); left > 0; left = Math.floor(left / 128)) {
    bytes.push((bytes.pop() ?? 0) + 128, left % 128)
  }
  return bytes
}

export interface GitObject {
  oid: string
  type: string
  size: number
  content: Buffer
}

/**
 * One `git cat-file --batch` that stays open: a command asks for objects without a process for each question. Blind to `git replace`: trust
 * is bound to the id, and a commit is built on what was committed.
 */
export interface ObjectReader {
  /**
   * What each revision expression names now, in order; null for what is missing or larger than `most` bytes. Throws `gitFailed` where git
   * dies of one, unless `dead` says what to give for that.
   */
  read(names: readonly string[], most?: number, dead?: null): Promise<(GitObject | null)[]>
  /** The same process for who is cancelled by another signal, which ends none of the others' questions. */
  withSignal(signal: AbortSignal | undefined): ObjectReader
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

/** The process starts with the first question, and ends some time after the last one. */
export function openObjects(optionsOf: Source['child']): ObjectReader {
  let child: Child | null = null
  const waiting: Question[] = []
  let idle: NodeJS.Timeout | undefined
  /** A git died, as it does of an object that a partial clone cannot fetch; git 2.45 and newer can be told to call it missing. */
  let hasDied = false

  const ask = (questions: readonly Question[]): void => {
    clearTimeout(idle)
    child ??= begin()
    keepAlive(child, true)
    child.stdin?.write(questions.map(({ name }) => `${name}\n`).join(''))
  }
  const begin = (): Child => {
    const { cwd, env } = optionsOf()
    const stays = hasDied ? { GIT_NO_LAZY_FETCH: '1' } : {}
    const started = openGit(ARGS, { cwd, env: { ...env, GIT_NO_REPLACE_OBJECTS: '1', ...stays } })
    let [stderr, held] = ['', Buffer.alloc(0)]
    const fail = (error: unknown): void => {
      if (child !== started) return
      const failed = waiting.splice(0)
      child = null
      for (const { reject } of failed) reject(error)
    }
    started.on('error', fail)
    started.on('close', (code) => {
      const error = failure(ARGS, { code, stderr })
      const [cause, ...others] = child === started ? waiting : []
      if (cause === undefined || others.length === 0) return fail(error)
      // It died of the first question; the others are asked of another process.
      waiting.shift()
      cause.reject(error)
      hasDied = true
      child = null
      ask(waiting)
    })
    started.stderr?.on('data', (block: Buffer) => {
      stderr += block.toString('utf8')
    })
    started.stdout?.on('data', (block: Buffer) => {
      held = Buffer.concat([held, block])
      for (let [question] = waiting; question !== undefined && child === started; [question] = waiting) {
        const end = held.indexOf(10)
        if (end === -1) return
        const header = readHeader(held.toString('utf8', 0, end))
        const isTooLarge = header !== null && header.size > question.most
        const stop = end + 1 + (header === null ? 0 : header.size + 1)
        if (!isTooLarge && held.length < stop) return
        waiting.shift()
        question.resolve(
          header === null || isTooLarge ? null : { ...header, content: held.subarray(end + 1, stop - 1) },
        )
        held = held.subarray(stop)
        if (!isTooLarge) continue
        // What nobody wants to hold is not worth being sent; the rest is asked of another process.
        child = null
        started.kill('SIGTERM')
        if (waiting.length > 0) ask(waiting)
      }
      if (child !== started) return
      keepAlive(started, false)
      idle = setTimeout(() => {
        child = null
        started.stdin?.end()
      }, IDLE).unref()
    })
    return started
  }

  const withSignal = (signal: AbortSignal | undefined): ObjectReader => {
    const orDead = (error: unknown): null => {
      if (signal?.aborted || !isHandoffError(error)) throw error
      return null
    }
    return {
      withSignal,
      async read(names, most = Number.POSITIVE_INFINITY, dead) {
        signal?.throwIfAborted()
        const asked: Question[] = []
        const answers = names.map(
          (name) =>
            new Promise<GitObject | null>((resolve, reject) => asked.push({ name, most, resolve, reject })),
        )
        const stop = (): void => {
          // Others are still to be answered.
          if (asked.some((one) => one === waiting[0])) child?.kill('SIGTERM')
          for (const { reject } of asked) reject(signal?.reason)
        }
        signal?.addEventListener('abort', stop, { once: true })
        const unwatch = watch(optionsOf().slow, ARGS)
        waiting.push(...asked)
        if (asked.length > 0) ask(asked)
        return Promise.all(dead === null ? answers.map((one) => one.catch(orDead)) : answers).finally(() => {
          signal?.removeEventListener('abort', stop)
          unwatch()
        })
      },
    }
  }
  return withSignal(undefined)
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
